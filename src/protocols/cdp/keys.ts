import { codePointOf } from "../keysym-characters.ts";

/** The bits of `modifiers`, Input.dispatchKeyEvent. */
export const MODIFIER = { alt: 1, control: 2, meta: 4, shift: 8 } as const;

/** A key as Input.dispatchKeyEvent names it: KeyboardEvent.key and code, Windows' virtual key, where there are two of it. */
export interface CdpKey {
  readonly key: string;
  /** "" for what is on no US keyboard. */
  readonly code: string;
  readonly keyCode: number;
  /** KeyboardEvent.location: 1 left, 2 right, 3 keypad. */
  readonly location: number;
  /** What it types without Control, Alt and Meta; null: nothing. */
  readonly text: string | null;
  /** Its bit, of a key that is held with others; 0: none. */
  readonly modifier: number;
}

type Named = readonly [key: string, code: string, keyCode: number, location?: number, modifier?: number];

const KEYPAD = 3;

/** X11's keysymdef.h and XF86keysym.h. */
const NAMED: Readonly<Record<number, Named>> = {
  65288: ["Backspace", "Backspace", 8],
  65289: ["Tab", "Tab", 9],
  65056: ["Tab", "Tab", 9],
  65290: ["Enter", "Enter", 13],
  65291: ["Clear", "", 12],
  65293: ["Enter", "Enter", 13],
  65299: ["Pause", "Pause", 19],
  65300: ["ScrollLock", "ScrollLock", 145],
  65307: ["Escape", "Escape", 27],
  65360: ["Home", "Home", 36],
  65361: ["ArrowLeft", "ArrowLeft", 37],
  65362: ["ArrowUp", "ArrowUp", 38],
  65363: ["ArrowRight", "ArrowRight", 39],
  65364: ["ArrowDown", "ArrowDown", 40],
  65365: ["PageUp", "PageUp", 33],
  65366: ["PageDown", "PageDown", 34],
  65367: ["End", "End", 35],
  65377: ["PrintScreen", "PrintScreen", 44],
  65379: ["Insert", "Insert", 45],
  65383: ["ContextMenu", "ContextMenu", 93],
  65386: ["Help", "Help", 47],
  65407: ["NumLock", "NumLock", 144],
  65421: ["Enter", "NumpadEnter", 13, KEYPAD],
  65429: ["Home", "Numpad7", 36, KEYPAD],
  65430: ["ArrowLeft", "Numpad4", 37, KEYPAD],
  65431: ["ArrowUp", "Numpad8", 38, KEYPAD],
  65432: ["ArrowRight", "Numpad6", 39, KEYPAD],
  65433: ["ArrowDown", "Numpad2", 40, KEYPAD],
  65434: ["PageUp", "Numpad9", 33, KEYPAD],
  65435: ["PageDown", "Numpad3", 34, KEYPAD],
  65436: ["End", "Numpad1", 35, KEYPAD],
  65437: ["Clear", "Numpad5", 12, KEYPAD],
  65438: ["Insert", "Numpad0", 45, KEYPAD],
  65439: ["Delete", "NumpadDecimal", 46, KEYPAD],
  65505: ["Shift", "ShiftLeft", 16, 1, MODIFIER.shift],
  65506: ["Shift", "ShiftRight", 16, 2, MODIFIER.shift],
  65507: ["Control", "ControlLeft", 17, 1, MODIFIER.control],
  65508: ["Control", "ControlRight", 17, 2, MODIFIER.control],
  65509: ["CapsLock", "CapsLock", 20],
  65511: ["Meta", "MetaLeft", 91, 1, MODIFIER.meta],
  65512: ["Meta", "MetaRight", 92, 2, MODIFIER.meta],
  65513: ["Alt", "AltLeft", 18, 1, MODIFIER.alt],
  65514: ["Alt", "AltRight", 18, 2, MODIFIER.alt],
  65515: ["Meta", "MetaLeft", 91, 1, MODIFIER.meta],
  65516: ["Meta", "MetaRight", 92, 2, MODIFIER.meta],
  65535: ["Delete", "Delete", 46],
  65027: ["AltGraph", "AltRight", 225, 2],
  269025062: ["BrowserBack", "BrowserBack", 166],
  269025063: ["BrowserForward", "BrowserForward", 167],
  269025065: ["BrowserRefresh", "BrowserRefresh", 168],
  269025048: ["BrowserHome", "BrowserHome", 172],
};

/** Of the keypad: character, code, virtual key. */
const KEYPAD_CHARACTERS: Readonly<Record<number, readonly [text: string, code: string, keyCode: number]>> = {
  65408: [" ", "Space", 32],
  65450: ["*", "NumpadMultiply", 106],
  65451: ["+", "NumpadAdd", 107],
  65452: [",", "NumpadComma", 108],
  65453: ["-", "NumpadSubtract", 109],
  65454: [".", "NumpadDecimal", 110],
  65455: ["/", "NumpadDivide", 111],
  65469: ["=", "NumpadEqual", 187],
};
const KEYPAD_0 = 0xffb0;
const F1 = 0xffbe;
const F24 = F1 + 23;

/** A US keyboard: code, its characters without and with Shift, virtual key. */
const CHARACTERS: readonly (readonly [code: string, characters: string, keyCode: number])[] = [
  ...Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => {
    const capital = letter.toUpperCase();
    return [`Key${capital}`, letter + capital, capital.charCodeAt(0)] as const;
  }),
  ...Array.from(
    ")!@#$%^&*(",
    (shifted, digit) => [`Digit${digit}`, `${digit}${shifted}`, 48 + digit] as const,
  ),
  ["Space", " ", 32],
  ["Backquote", "`~", 192],
  ["Minus", "-_", 189],
  ["Equal", "=+", 187],
  ["BracketLeft", "[{", 219],
  ["BracketRight", "]}", 221],
  ["Backslash", "\\|", 220],
  ["Semicolon", ";:", 186],
  ["Quote", "'\"", 222],
  ["Comma", ",<", 188],
  ["Period", ".>", 190],
  ["Slash", "/?", 191],
];

const PLACES: ReadonlyMap<string, readonly [code: string, keyCode: number]> = new Map(
  CHARACTERS.flatMap(([code, characters, keyCode]) =>
    Array.from(characters, (character) => [character, [code, keyCode]] as const),
  ),
);

/** The key that a keysym names; null for what is none to a browser. */
export function cdpKeyOf(keysym: number): CdpKey | null {
  const named = NAMED[keysym];
  if (named !== undefined) {
    const [key, code, keyCode, location = 0, modifier = 0] = named;
    return { key, code, keyCode, location, modifier, text: key === "Enter" ? "\r" : null };
  }
  const plain = { location: 0, modifier: 0, text: null };
  if (keysym >= F1 && keysym <= F24) {
    const name = `F${keysym - F1 + 1}`;
    return { ...plain, key: name, code: name, keyCode: 112 + keysym - F1 };
  }
  if (keysym >= KEYPAD_0 && keysym <= KEYPAD_0 + 9) {
    const digit = `${keysym - KEYPAD_0}`;
    const keyCode = 96 + keysym - KEYPAD_0;
    return { ...plain, key: digit, text: digit, code: `Numpad${digit}`, keyCode, location: KEYPAD };
  }
  const onKeypad = KEYPAD_CHARACTERS[keysym];
  if (onKeypad !== undefined) {
    const [text, code, keyCode] = onKeypad;
    return { ...plain, key: text, text, code, keyCode, location: KEYPAD };
  }
  const codePoint = codePointOf(keysym);
  if (codePoint === null) return null;
  const text = String.fromCodePoint(codePoint);
  const [code, keyCode] = PLACES.get(text) ?? ["", 0];
  return { ...plain, key: text, text, code, keyCode };
}

/** Parameters of Input.dispatchKeyEvent; `modifiers` are those that are held, this key's own among them. */
export function keyEventOf(
  { key, code, keyCode, location, text }: CdpKey,
  isDown: boolean,
  modifiers: number,
  isRepeat = false,
): Readonly<Record<string, unknown>> {
  const types = isDown && text !== null && (modifiers & ~MODIFIER.shift) === 0;
  return {
    type: isDown ? (types ? "keyDown" : "rawKeyDown") : "keyUp",
    ...{ key, code, modifiers, windowsVirtualKeyCode: keyCode, nativeVirtualKeyCode: keyCode },
    ...(types ? { text, unmodifiedText: text } : {}),
    ...(location === KEYPAD ? { isKeypad: true } : { location }),
    ...(isRepeat ? { autoRepeat: true } : {}),
  };
}
