import { randomBytes } from "node:crypto";
import { CIPHER_KEY_BYTES } from "./body-cipher.ts";

/** Seals secrets for the disk under the appliance's key. `purpose` binds a sealed value to its place. */
export interface KeySealer {
  seal(secret: string, purpose: string): string;
  /** Throws for what was sealed under another key or for something else. */
  open(sealed: string, purpose: string): string;
}

/** A fresh key for a recording's blocks, and how its head keeps it. */
export function makeRecordingKey(
  id: string,
  sealer: KeySealer,
): { readonly key: Uint8Array; readonly sealedKey: string } {
  const key = randomBytes(CIPHER_KEY_BYTES);
  return { key, sealedKey: sealer.seal(key.toString("base64"), purposeOf(id)) };
}

/** null where the key is not ours. */
export function openRecordingKey(sealedKey: string, id: string, sealer: KeySealer): Uint8Array | null {
  try {
    const key = Buffer.from(sealer.open(sealedKey, purposeOf(id)), "base64");
    return key.length === CIPHER_KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}

function purposeOf(id: string): string {
  return `recording/${id}/key`;
}
