import type { RfbCrypto } from "../../platform.ts";

/** Bytes of a challenge and of its answer, RFC 6143 section 7.2.2. */
export const CHALLENGE_BYTES = 16;

const KEY_BYTES = 8;

/**
 * The answer to a VNC Authentication challenge: DES-ECB of its 16 bytes, keyed by the first 8 characters of the
 * password (Latin-1), each byte's bits mirrored (RFC 6143 section 7.2.2).
 */
export function vncAuthResponse(crypto: RfbCrypto, password: string, challenge: Uint8Array): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  for (let i = 0; i < Math.min(KEY_BYTES, password.length); i++) key[i] = password.charCodeAt(i) & 0xff;
  return crypto.desEcb(mirrorBits(key), challenge);
}

/** A DES key as VNC uses it: the bits of each byte in the other order. */
export function mirrorBits(key: Uint8Array): Uint8Array {
  return key.map(mirror);
}

function mirror(byte: number): number {
  let mirrored = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) mirrored |= 0x80 >> bit;
  return mirrored;
}
