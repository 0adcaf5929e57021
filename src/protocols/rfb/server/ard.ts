import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { RfbError } from "../error.ts";
import { takeCredential, takePassword } from "../security/credentials.ts";
import type { ServerContext, ServerSecurity } from "./server-context.ts";

/** User and password, each of so many bytes: a NUL at its end where there is room, and noise behind. */
const FIELD_BYTES = 64;

/**
 * Apple Remote Desktop (30), rfbproto "Diffie-Hellman Authentication":
 *
 *     server: U16 generator, U16 key length, prime, public key
 *     viewer: 128 bytes AES-128-ECB of user and password, keyed by MD5 of the shared secret; public key
 */
export function* readArd(
  d: ServerContext,
  { crypto, verify }: Extract<ServerSecurity, { type: "ard" }>,
): Parser<boolean> {
  const exchange = crypto.diffieHellman();
  const size = exchange.prime.length;
  const hello = new ByteWriter(4 + size * 2).u16(exchange.generator).u16(size);
  d.send(hello.put(exchange.prime).put(exchange.publicKey).bytes());
  const answerBytes = FIELD_BYTES * 2 + size;
  while (!d.from.has(answerBytes)) yield answerBytes;
  const encrypted = d.from.take(FIELD_BYTES * 2).slice();
  const peerPublicKey = d.from.take(size).slice();
  let secret: Uint8Array;
  try {
    secret = exchange.secret(peerPublicKey);
  } catch (cause) {
    const message = "got a public key that is none, expected one within the prime";
    throw new RfbError("bad_data", "authentication", message, { cause });
  }
  const plain = crypto.aesEcbDecrypt(crypto.hash("md5", secret), encrypted);
  const user = takeCredential(plain.subarray(0, FIELD_BYTES));
  return user !== null && verify(user, takePassword(plain.subarray(FIELD_BYTES)));
}
