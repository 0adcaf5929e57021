import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { ClientContext } from "../client/client-context.ts";
import { RfbError } from "../error.ts";
import { putCredential } from "./credentials.ts";
import { answerDiffieHellman } from "./diffie-hellman.ts";

/** 1024 bits to 8192 bits, as TigerVNC has it; macOS sends 128 bytes, newer ones 512. */
const LEAST_KEY_BYTES = 128;
const MOST_KEY_BYTES = 1024;
const FIELD_BYTES = 64;

/**
 * Apple Remote Desktop, type 30, rfbproto "Diffie-Hellman Authentication": U16 generator, U16 key length, prime, public
 * key; answered by the credentials, AES-128-ECB under the MD5 of the secret, and our public key.
 */
export function* signInByApple(c: ClientContext): Parser<void> {
  const { from } = c;
  while (!from.has(4)) yield 4;
  const generator = BigInt(from.u16());
  const length = from.u16();
  if (length < LEAST_KEY_BYTES || length > MOST_KEY_BYTES) {
    throw new RfbError(
      "bad_data",
      "authentication",
      `got a Diffie-Hellman key of ${length} bytes, expected ${LEAST_KEY_BYTES} to ${MOST_KEY_BYTES}`,
    );
  }
  while (!from.has(2 * length)) yield 2 * length;
  const prime = from.take(length).slice();
  const publicKey = from.take(length).slice();
  const { crypto } = c.ports;
  const answer = answerDiffieHellman({ generator, prime, publicKey }, crypto.randomBytes);
  const credentials = crypto.randomBytes(2 * FIELD_BYTES);
  putCredential(credentials.subarray(0, FIELD_BYTES), c.options.username ?? "", "user name");
  putCredential(credentials.subarray(FIELD_BYTES), c.options.password ?? "", "password");
  const sealed = crypto.aesEcb(crypto.hash("md5", answer.secret), credentials);
  c.send(new ByteWriter(sealed.length + length).put(sealed).put(answer.publicKey).bytes());
}
