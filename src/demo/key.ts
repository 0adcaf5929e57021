/** A key going down, as widgets see it. */
export interface KeyPress {
  /** What it is called: "Return", "Left", "a", "€". */
  readonly name: string;
  /** What it types; null for keys that type nothing. */
  readonly text: string | null;
  readonly isCtrl: boolean;
  readonly isAlt: boolean;
  readonly isShift: boolean;
}

const TAB_LEFT = 0xfe20;
const KEYPAD_FIRST = 0xffaa;
const KEYPAD_LAST = 0xffb9;

/** Names of keys that type nothing, X11 keysymdef.h. The keypad without Num Lock says the same as the grey keys. */
const NAMES: Readonly<Record<number, string>> = {
  65288: "BackSpace",
  65289: "Tab",
  65293: "Return",
  65421: "Return",
  65307: "Escape",
  65535: "Delete",
  65439: "Delete",
  65379: "Insert",
  65360: "Home",
  65429: "Home",
  65361: "Left",
  65430: "Left",
  65362: "Up",
  65431: "Up",
  65363: "Right",
  65432: "Right",
  65364: "Down",
  65433: "Down",
  65365: "Page_Up",
  65434: "Page_Up",
  65366: "Page_Down",
  65435: "Page_Down",
  65367: "End",
  65436: "End",
  65383: "Menu",
  65377: "Print",
  65299: "Pause",
  65407: "Num_Lock",
  65509: "Caps_Lock",
  65505: "Shift",
  65506: "Shift",
  65507: "Control",
  65508: "Control",
  65511: "Meta",
  65512: "Meta",
  65513: "Alt",
  65514: "Alt",
  65515: "Super",
  65516: "Super",
  65027: "AltGr",
  [TAB_LEFT]: "Tab",
};

/**
 * The old keysyms 0x100 to 0xdff hold a national set in the high byte and its character in the low one; these sets
 * are laid out like the charset named. Viewers prefer them to Unicode keysyms where both exist (noVNC 1.7 does).
 */
const CHARSETS: Readonly<Record<number, string>> = {
  1: "iso-8859-2",
  2: "iso-8859-3",
  3: "iso-8859-4",
  5: "iso-8859-6",
  6: "koi8-u",
  7: "iso-8859-7",
  12: "iso-8859-8",
  13: "windows-874",
};

/** Where keysymdef.h differs from the charset. */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  2002: "Σ",
  2034: "σ",
  2035: "ς",
  1953: "Ά",
  1969: "ά",
  1970: "έ",
  1971: "ή",
  1972: "ί",
  1975: "ό",
  1976: "ύ",
  1979: "ώ",
  5052: "Œ",
  5053: "œ",
  5054: "Ÿ",
  8364: "€",
  2729: "—",
  2730: "–",
  2734: "…",
  2768: "‘",
  2769: "’",
  2770: "“",
  2771: "”",
};

/** The character of a keysym, null where it types none. */
export function characterOf(keysym: number): string | null {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff))
    return String.fromCharCode(keysym);
  if (keysym >= 0x0100_0020 && keysym <= 0x0110_ffff) {
    const point = keysym - 0x0100_0000;
    const isSurrogate = point >= 0xd800 && point <= 0xdfff;
    const isControl = point >= 0x7f && point < 0xa0;
    return isSurrogate || isControl ? null : String.fromCodePoint(point);
  }
  // KP_Multiply (0xffaa) to KP_9 (0xffb9) stand in ASCII order; a separator is a comma.
  if (keysym >= KEYPAD_FIRST && keysym <= KEYPAD_LAST) return String.fromCharCode(keysym - 0xff80);
  const exception = EXCEPTIONS[keysym];
  if (exception !== undefined) return exception;
  const charset = CHARSETS[keysym >>> 8];
  if (charset === undefined || (keysym & 0xff) < 0xa0) return null;
  const text = new TextDecoder(charset).decode(Uint8Array.of(keysym & 0xff));
  return text === "\ufffd" ? null : text;
}

/** What a key is called; unknown ones by their number. */
export function keyName(keysym: number): string {
  const name = NAMES[keysym];
  if (name !== undefined) return name;
  if (keysym >= 0xffbe && keysym <= 0xffd5) return `F${keysym - 0xffbd}`;
  const character = characterOf(keysym);
  if (character === " ") return "Space";
  return character ?? `0x${keysym.toString(16)}`;
}

const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "Super", "AltGr"] as const;
export type Modifier = (typeof MODIFIERS)[number];

/** The modifier a keysym is, null for other keys. */
export function modifierOf(keysym: number): Modifier | null {
  const name = NAMES[keysym];
  return MODIFIERS.find((modifier) => modifier === name) ?? null;
}
