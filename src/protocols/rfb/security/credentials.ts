import { RfbError } from "../error.ts";

/** A user name or password in UTF-8. Throws RfbError auth_failed where the security type cannot carry it. */
export function encodeCredential(
  text: string,
  what: "user name" | "password",
  mostBytes: number,
): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > mostBytes) {
    throw new RfbError(
      "auth_failed",
      "authentication",
      `the ${what} has ${bytes.length} bytes, and this server's security type takes at most ${mostBytes}`,
    );
  }
  return bytes;
}

/** A field of fixed length: the text, a zero byte, then noise. */
export function putCredential(field: Uint8Array, text: string, what: "user name" | "password"): void {
  const bytes = encodeCredential(text, what, field.length - 1);
  field.set(bytes);
  field[bytes.length] = 0;
}

/** What such a field holds; null where there is no zero byte, as after a wrong key. */
export function takeCredential(field: Uint8Array): string | null {
  const end = field.indexOf(0);
  return end < 0 ? null : new TextDecoder().decode(field.subarray(0, end));
}

/** The same of a password, which libvncclient lets fill its field, without the zero byte. */
export function takePassword(field: Uint8Array): string {
  return takeCredential(field) ?? new TextDecoder().decode(field);
}
