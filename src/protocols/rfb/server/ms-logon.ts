import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { modPow, toBytes, toNumber } from "../security/big-number.ts";
import { takeCredential, takePassword } from "../security/credentials.ts";
import { sharedSecret } from "../security/diffie-hellman.ts";
import { mirrorBits } from "../security/vnc-auth.ts";
import type { MsLogonCrypto, ServerContext, ServerSecurity } from "./server-context.ts";

const NUMBER_BYTES = 8;
const BLOCK_BYTES = 8;
const USER_BYTES = 256;
const PASSWORD_BYTES = 64;

/** A safe prime of 64 bits, as long as the protocol has room for, and a generator of its larger half. */
const PRIME = 0xc989_d09e_e728_5453n;
const GENERATOR = 3n;

/**
 * UltraVNC's MS-Logon II (113), the server's half:
 *
 *     server: U64 generator, U64 prime, U64 public key
 *     viewer: U64 public key; user name and password, 256 and 64 bytes of DES-CBC keyed by the shared secret
 *
 * 64 bits hide nothing from who wants to know: it is offered only where it was asked for by name.
 */
export function* readMsLogon(
  d: ServerContext,
  { crypto, verify }: Extract<ServerSecurity, { type: "msLogon" }>,
): Parser<boolean> {
  const exponent = (toNumber(crypto.randomBytes(NUMBER_BYTES)) % (PRIME - 3n)) + 2n;
  const hello = [GENERATOR, PRIME, modPow(GENERATOR, exponent, PRIME)];
  const to = new ByteWriter(hello.length * NUMBER_BYTES);
  for (const number of hello) to.put(toBytes(number, NUMBER_BYTES));
  d.send(to.bytes());
  const answerBytes = NUMBER_BYTES + USER_BYTES + PASSWORD_BYTES;
  while (!d.from.has(answerBytes)) yield answerBytes;
  const publicKey = d.from.take(NUMBER_BYTES).slice();
  const user = d.from.take(USER_BYTES).slice();
  const password = d.from.take(PASSWORD_BYTES).slice();
  const secret = sharedSecret(publicKey, exponent, PRIME);
  const name = takeCredential(desCbcOpen(crypto, secret, user));
  return name !== null && verify(name, takePassword(desCbcOpen(crypto, secret, password)));
}

/** The first block was chained to the key as it came. */
function desCbcOpen(crypto: MsLogonCrypto, secret: Uint8Array, sealed: Uint8Array): Uint8Array {
  const plain = crypto.desEcbDecrypt(mirrorBits(secret), sealed);
  let previous = secret;
  for (let at = 0; at < plain.length; at += BLOCK_BYTES) {
    for (let i = 0; i < BLOCK_BYTES; i++) plain[at + i] = plain[at + i]! ^ previous[i]!;
    previous = sealed.subarray(at, at + BLOCK_BYTES);
  }
  return plain;
}
