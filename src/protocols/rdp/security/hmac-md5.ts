import type { SecurityCrypto } from "../../platform.ts";
import { joined } from "./octets.ts";

/** The platform's digests. */
export type Hash = SecurityCrypto["hash"];

const BLOCK_BYTES = 64;

/** HMAC with MD5 over the parts one after the other, RFC 2104: 16 bytes. */
export function hmacMd5(hash: Hash, key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? hash("md5", key) : key);
  const inner = hash(
    "md5",
    joined(
      block.map((byte) => byte ^ 0x36),
      ...parts,
    ),
  );
  return hash(
    "md5",
    joined(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}
