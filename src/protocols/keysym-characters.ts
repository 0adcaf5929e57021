/**
 * Characters of the keysyms that are older than Unicode, X11's keysymdef.h: each run begins at a keysym, a space is one
 * that means no character. Viewers such as noVNC send these where there are any.
 */
const RUNS: readonly (readonly [first: number, characters: string])[] = [
  [0x1a1, "Ą˘Ł ĽŚ  ŠŞŤŹ ŽŻ ą˛ł ľśˇ šşťź˝žżŔ  Ă ĹĆ Č Ę Ě  ĎĐŃŇ  Ő  ŘŮ Ű  Ţ ŕ  ă ĺć č ę ě  ďđńň  "],
  [0x1f5, "ő  řů ű  ţ˙"],
  [0x2a1, "Ħ"],
  [0x2a6, "Ĥ  İ ĞĴ"],
  [0x2b1, "ħ"],
  [0x2b6, "ĥ  ı ğĵ"],
  [0x2c5, "ĊĈ"],
  [0x2d5, "Ġ  Ĝ"],
  [0x2dd, "ŬŜ"],
  [0x2e5, "ċĉ"],
  [0x2f5, "ġ  ĝ"],
  [0x2fd, "ŭŝ"],
  [0x3a2, "ĸŖ ĨĻ"],
  [0x3aa, "ĒĢŦ"],
  [0x3b3, "ŗ ĩļ"],
  [0x3ba, "ēģŧŊ ŋĀ"],
  [0x3c7, "Į"],
  [0x3cc, "Ė  Ī ŅŌĶ"],
  [0x3d9, "Ų"],
  [0x3dd, "ŨŪ ā"],
  [0x3e7, "į"],
  [0x3ec, "ė  ī ņōķ"],
  [0x3f9, "ų"],
  [0x3fd, "ũū"],
  [0x47e, "‾"],
  [0x4a1, "\u3002\u300c\u300d\u3001\u30fb\u30f2\u30a1\u30a3\u30a5\u30a7\u30a9\u30e3\u30e5\u30e7"],
  [0x4af, "\u30c3\u30fc\u30a2\u30a4\u30a6\u30a8\u30aa\u30ab\u30ad\u30af\u30b1\u30b3\u30b5\u30b7"],
  [0x4bd, "\u30b9\u30bb\u30bd\u30bf\u30c1\u30c4\u30c6\u30c8\u30ca\u30cb\u30cc\u30cd\u30ce\u30cf"],
  [0x4cb, "\u30d2\u30d5\u30d8\u30db\u30de\u30df\u30e0\u30e1\u30e2\u30e4\u30e6\u30e8\u30e9\u30ea"],
  [0x4d9, "\u30eb\u30ec\u30ed\u30ef\u30f3\u309b\u309c"],
  [0x5ac, "\u060c"],
  [0x5bb, "\u061b"],
  [0x5bf, "\u061f \u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c"],
  [0x5cd, "\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a"],
  [0x5e0, "\u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064b\u064c\u064d"],
  [0x5ee, "\u064e\u064f\u0650\u0651\u0652"],
  [0x6a1, "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТ"],
  [0x6f5, "УЖВЬЫЗШЭЩЧЪ"],
  [0x7a1, "ΆΈΉΊΪ ΌΎΫ Ώ  ΅― άέήίϊΐόύϋΰώ"],
  [0x7c1, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ ΤΥΦΧΨΩ"],
  [0x7e1, "αβγδεζηθικλμνξοπρσςτυφχψω"],
  [0x8a1, "⎷┌─⌠⌡│⎡⎣⎤⎦⎛⎝⎞⎠⎨⎬"],
  [0x8bc, "≤≠≥∫∴∝∞  ∇  ∼≃"],
  [0x8cd, "⇔⇒≡"],
  [0x8d6, "√"],
  [0x8da, "⊂⊃∩∪∧∨"],
  [0x8ef, "∂"],
  [0x8f6, "ƒ"],
  [0x8fb, "←↑→↓"],
  [0x9e0, "◆▒␉␌␍␊  ␤␋┘┐ └┼⎺⎻ ⎼⎽├┤┴┬"],
  [0xaa1, "\u2003\u2002\u2004\u2005\u2007\u2008\u2009\u200a—– ␣ …‥⅓⅔⅕⅖⅗⅘⅙⅚℅  ‒\u27e8 \u27e9"],
  [0xac3, "⅛⅜⅝⅞  ™\u2613 ◁▷○▯‘’“”℞‰′″ \u271d ▬◀▶●▮◦▫▭△▽\u2606•▪▲▼\u261c\u261e\u2663\u2666\u2665"],
  [0xaef, " \u2720†‡\u2713\u2717\u266f\u266d\u2642\u2640\u260e⌕℗‸‚„"],
  [0xbc2, "⊤ ⌊"],
  [0xbca, "∘ ⎕ ⊥"],
  [0xbd3, "⌈"],
  [0xbdc, "⊣"],
  [0xbfc, "⊢"],
  [0xcdf, "‗\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc"],
  [0xced, "\u05dd\u05de\u05df\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea"],
  [0xda1, "\u0e01\u0e02\u0e03\u0e04\u0e05\u0e06\u0e07\u0e08\u0e09\u0e0a\u0e0b\u0e0c\u0e0d\u0e0e"],
  [0xdaf, "\u0e0f\u0e10\u0e11\u0e12\u0e13\u0e14\u0e15\u0e16\u0e17\u0e18\u0e19\u0e1a\u0e1b\u0e1c"],
  [0xdbd, "\u0e1d\u0e1e\u0e1f\u0e20\u0e21\u0e22\u0e23\u0e24\u0e25\u0e26\u0e27\u0e28\u0e29\u0e2a"],
  [0xdcb, "\u0e2b\u0e2c\u0e2d\u0e2e\u0e2f\u0e30\u0e31\u0e32\u0e33\u0e34\u0e35\u0e36\u0e37\u0e38"],
  [0xdd9, "\u0e39\u0e3a"],
  [0xddf, "\u0e3f\u0e40\u0e41\u0e42\u0e43\u0e44\u0e45\u0e46\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c"],
  [0xded, "\u0e4d  \u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59"],
  [0xeff, "₩"],
  [0x13bc, "ŒœŸ"],
  [0x20ac, "€"],
];

const UNICODE_KEYSYM = 0x0100_0000;
const MOST_CODE_POINT = 0x10_ffff;

const CHARACTERS: ReadonlyMap<number, number> = new Map(
  RUNS.flatMap(([first, characters]) =>
    Array.from(characters, (character, i) => [first + i, character.codePointAt(0) ?? 0] as const).filter(
      ([, codePoint]) => codePoint !== 0x20,
    ),
  ),
);

/** The code point that a keysym types: Latin-1, older sets and Unicode (X11 protocol, appendix A); null for other keys. */
export function codePointOf(keysym: number): number | null {
  const isLatin1 = (keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff);
  if (isLatin1) return keysym;
  const codePoint = keysym - UNICODE_KEYSYM;
  if (codePoint >= 0x20 && codePoint <= MOST_CODE_POINT) {
    const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    return isSurrogate ? null : codePoint;
  }
  return CHARACTERS.get(keysym) ?? null;
}
