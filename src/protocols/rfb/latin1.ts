/** ISO 8859-1 text, the alphabet of plain cut-text messages and of most names (RFC 6143 section 7.5.6). */
export function decodeLatin1(bytes: Uint8Array): string {
  // A piece at a time: joined a character at a time, a text of 256 KiB takes 8 MiB until it is read.
  let text = "";
  for (let from = 0; from < bytes.length; from += PIECE) {
    text += String.fromCharCode(...bytes.subarray(from, from + PIECE));
  }
  return text;
}

/** As many arguments as every engine takes. */
const PIECE = 4096;

/** Characters outside ISO 8859-1 become "?". */
export function encodeLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code <= 0xff ? code : 0x3f;
  });
}

/** UTF-8 where the bytes are valid UTF-8, else ISO 8859-1: names come in both. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodeLatin1(bytes);
  }
}
