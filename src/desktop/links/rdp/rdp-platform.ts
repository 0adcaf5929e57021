import { randomBytes, type X509Certificate } from "node:crypto";
import type { RdpClientPorts } from "../../../protocols/rdp/client-context.ts";
import { rfbCrypto } from "../vnc/rfb-crypto.ts";

/** 100 ns between 1601-01-01 and 1970-01-01. */
const EPOCH_DIFFERENCE = 116_444_736_000_000_000n;

/** What the RDP client needs, from Node. */
export const rdpPlatform: RdpClientPorts = {
  hash: rfbCrypto.hash,
  randomBytes: (count) => randomBytes(count),
  fileTime: () => BigInt(Date.now()) * 10_000n + EPOCH_DIFFERENCE,
};

/** The content of the subjectPublicKey of a host's certificate (RFC 5280 section 4.1), which CredSSP is bound to. */
export function subjectPublicKeyOf(certificate: X509Certificate): Uint8Array {
  return bitStringOf(certificate.publicKey.export({ type: "spki", format: "der" }));
}

/** SEQUENCE { SEQUENCE algorithm, BIT STRING key }: made by OpenSSL, so only walked. */
function bitStringOf(spki: Uint8Array): Uint8Array {
  const outer = contentAt(spki, 0);
  const algorithm = contentAt(spki, outer.start);
  const key = contentAt(spki, algorithm.end);
  return spki.subarray(key.start + 1 /* unused bits */, key.end);
}

function contentAt(der: Uint8Array, at: number): { readonly start: number; readonly end: number } {
  const first = der[at + 1] ?? 0;
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  let length = 0;
  const count = first & 0x7f;
  for (let i = 0; i < count; i++) length = length * 256 + (der[at + 2 + i] ?? 0);
  return { start: at + 2 + count, end: at + 2 + count + length };
}
