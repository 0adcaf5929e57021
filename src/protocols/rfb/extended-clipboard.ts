/** ExtendedClipboard of rfbproto: cut-text messages with a negative length carry flags and formats. */

export const CLIPBOARD_FORMAT = { text: 1 } as const;

export const CLIPBOARD_ACTION = {
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const;

/** The formats a flags word names: its low 16 bits. */
export const CLIPBOARD_FORMATS_MASK = 0xffff;

/** UTF-8, CRLF line ends and a final NUL, as a provide message wants its text, behind a 32-bit length. */
export function packClipboardText(text: string): Uint8Array {
  const utf8 = new TextEncoder().encode(`${text.replace(/\r\n|\r|\n/g, "\r\n")}\0`);
  const packed = new Uint8Array(4 + utf8.length);
  new DataView(packed.buffer).setUint32(0, utf8.length);
  packed.set(utf8, 4);
  return packed;
}

/** The text of an inflated provide message; null where it holds less than it says. */
export function unpackClipboardText(packed: Uint8Array): string | null {
  if (packed.length < 4) return null;
  const length = new DataView(packed.buffer, packed.byteOffset, packed.byteLength).getUint32(0);
  if (length > packed.length - 4) return null;
  const text = new TextDecoder("utf-8").decode(packed.subarray(4, 4 + length));
  return text.replace(/\0$/, "").replace(/\r\n/g, "\n");
}
