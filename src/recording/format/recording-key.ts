import { randomBytes } from "node:crypto";
import { CIPHER_KEY_BYTES } from "./body-cipher.ts";

/** Seals secrets for the disk under the appliance's key. `purpose` binds a sealed value to its place. */
export interface KeySealer {
  seal(secret: string, purpose: string): string;
  /** Throws for what was sealed under another key or for something else. */
  open(sealed: string, purpose: string): string;
  /** The same under the key that all nodes of a fleet have. Absent: this appliance is alone. */
  readonly shared?: Pick<KeySealer, "seal" | "open">;
}

/** How the head of a recording keeps its key. */
export interface KeptKey {
  /** Sealed under the appliance's; null: the recording is not encrypted. */
  readonly sealedKey: string | null;
  /** Of a fleet: the same under the key that all nodes have, which read it where its own node is gone. */
  readonly sharedKey?: string;
}

/** A fresh key for a recording's blocks. */
export function makeRecordingKey(
  id: string,
  sealer: KeySealer,
): { readonly key: Uint8Array; readonly kept: KeptKey } {
  const key = randomBytes(CIPHER_KEY_BYTES);
  const [text, purpose] = [key.toString("base64"), purposeOf(id)];
  const shared = sealer.shared?.seal(text, purpose);
  const sealedKey = sealer.seal(text, purpose);
  return { key, kept: { sealedKey, ...(shared === undefined ? {} : { sharedKey: shared }) } };
}

/** null where neither key is ours. */
export function openRecordingKey(
  { id, sealedKey, sharedKey }: KeptKey & { readonly id: string },
  sealer: KeySealer,
): Uint8Array | null {
  const own = sealedKey === null ? null : opened(sealedKey, id, sealer);
  if (own !== null || sharedKey === undefined || sealer.shared === undefined) return own;
  return opened(sharedKey, id, sealer.shared);
}

function opened(sealed: string, id: string, sealer: Pick<KeySealer, "open">): Uint8Array | null {
  try {
    const key = Buffer.from(sealer.open(sealed, purposeOf(id)), "base64");
    return key.length === CIPHER_KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}

function purposeOf(id: string): string {
  return `recording/${id}/key`;
}
