/** The layout that is used where none is configured. */
export const US_LAYOUT = 0x409;

/**
 * A row of keys: the first one's scan code, and what they make alone, with Shift and with AltGr. A space is a key that
 * makes nothing, or a dead key, which makes nothing alone.
 */
export type Row = readonly [first: number, plain: string, shifted: string, altGr?: string];

const US: readonly Row[] = [
  [0x29, "`", "~"],
  [0x02, "1234567890-=", "!@#$%^&*()_+"],
  [0x10, "qwertyuiop[]", "QWERTYUIOP{}"],
  [0x1e, "asdfghjkl;'", 'ASDFGHJKL:"'],
  [0x2b, "\\", "|"],
  [0x2c, "zxcvbnm,./", "ZXCVBNM<>?"],
];

const UNITED_KINGDOM: readonly Row[] = [
  [0x29, "`", "¬", "¦"],
  [0x02, "1234567890-=", '!"£$%^&*()_+', "   €        "],
  [0x10, "qwertyuiop[]", "QWERTYUIOP{}", "  é   úíó   "],
  [0x1e, "asdfghjkl;'", "ASDFGHJKL:@", "á          "],
  [0x2b, "#", "~"],
  [0x56, "\\", "|"],
  [0x2c, "zxcvbnm,./", "ZXCVBNM<>?"],
];

const GERMAN: readonly Row[] = [
  [0x29, " ", "°"],
  [0x02, "1234567890ß ", '!"§$%&/()=? ', " ²³   {[]}\\ "],
  [0x10, "qwertzuiopü+", "QWERTZUIOPÜ*", "@ €        ~"],
  [0x1e, "asdfghjklöä", "ASDFGHJKLÖÄ"],
  [0x2b, "#", "'"],
  [0x56, "<", ">", "|"],
  [0x2c, "yxcvbnm,.-", "YXCVBNM;:_", "      µ   "],
];

const FRENCH: readonly Row[] = [
  [0x29, "²", " "],
  [0x02, "&é\"'(-è_çà)=", "1234567890°+", "  #{[| \\^@]}"],
  [0x10, "azertyuiop $", "AZERTYUIOP £", "  €        ¤"],
  [0x1e, "qsdfghjklmù", "QSDFGHJKLM%"],
  [0x2b, "*", "µ"],
  [0x56, "<", ">"],
  [0x2c, "wxcvbn,;:!", "WXCVBN?./§"],
];

/** The rows of each layout that is known, by Windows' number of it (MS-RDPBCGR 2.2.1.3.2, keyboardLayout). */
export const LAYOUTS: ReadonlyMap<number, readonly Row[]> = new Map([
  [US_LAYOUT, US],
  [0x809, UNITED_KINGDOM],
  [0x407, GERMAN],
  [0x40c, FRENCH],
]);
