import { LittleEndianWriter } from "../little-endian-writer.ts";

/** The parts one after the other, in memory of their own. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Takes as long for every difference. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}

/** ASCII, one byte a character. */
export function ascii(text: string): Uint8Array {
  return new LittleEndianWriter(text.length).ascii(text).bytes();
}

/** UTF-16, little-endian, without a terminator; half a surrogate pair stays what it is. */
export function utf16(text: string): Uint8Array {
  return new LittleEndianWriter(text.length * 2).utf16(text).bytes();
}
