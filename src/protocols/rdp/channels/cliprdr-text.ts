import { decodeLatin1 } from "../../rfb/latin1.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";

/** Standard clipboard formats of Windows: CF_TEXT, CF_UNICODETEXT. */
export const CLIPBOARD_FORMAT = { text: 1, unicodeText: 13 } as const;

/** Of a host's clipboard: 256 Ki characters of two bytes, as much as RFB's cut texts may have, and the zero. */
export const MOST_TEXT_BYTES = 2 * 256 * 1024 + 2;

const REPLACEMENT = "\ufffd";
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text as Windows has it: UTF-16, lines ended by CR LF, a zero at the end; half a surrogate pair becomes U+FFFD. */
export function encodeText(text: string): Uint8Array {
  const lines = text.replace(/\r\n|\r|\n/g, "\r\n").replace(LONE_SURROGATES, REPLACEMENT);
  return new LittleEndianWriter(lines.length * 2 + 2).utf16(lines).u16(0).bytes();
}

/** What Windows-1252 has where ISO 8859-1 has none; TextDecoder of Node 20 does not know the difference. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** The text up to its first zero, lines ended by LF. Bytes that are no character become U+FFFD. */
export function decodeText(bytes: Uint8Array, format: number): string {
  const text = format === CLIPBOARD_FORMAT.unicodeText ? decodeUtf16(bytes) : decodeWindows1252(bytes);
  const end = text.indexOf("\0");
  return (end < 0 ? text : text.slice(0, end)).replace(/\r\n?/g, "\n");
}

function decodeUtf16(bytes: Uint8Array): string {
  return new TextDecoder("utf-16le").decode(bytes.subarray(0, bytes.length & ~1));
}

function decodeWindows1252(bytes: Uint8Array): string {
  const isOther = /[\x80-\x9f]/g;
  return decodeLatin1(bytes).replace(isOther, (character) =>
    WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80),
  );
}
