import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { RfbCrypto } from "../../platform.ts";
import type { ClientContext } from "../client/client-context.ts";
import { toNumber } from "./big-number.ts";
import { putCredential } from "./credentials.ts";
import { answerDiffieHellman } from "./diffie-hellman.ts";
import { mirrorBits } from "./vnc-auth.ts";

const NUMBER_BYTES = 8;
const BLOCK_BYTES = 8;
const USER_BYTES = 256;
const PASSWORD_BYTES = 64;

/**
 * UltraVNC's MS-Logon II, type 113: U64 generator, U64 modulus, U64 public key; answered by our public key, the user
 * name and the password, each DES-CBC under the secret. A secret of 64 bits protects them from nobody who listens on
 * purpose.
 */
export function* signInByMsLogon(c: ClientContext): Parser<void> {
  const { from } = c;
  while (!from.has(3 * NUMBER_BYTES)) yield 3 * NUMBER_BYTES;
  const generator = toNumber(from.take(NUMBER_BYTES));
  const prime = from.take(NUMBER_BYTES).slice();
  const publicKey = from.take(NUMBER_BYTES).slice();
  const { crypto } = c.ports;
  const answer = answerDiffieHellman({ generator, prime, publicKey }, crypto.randomBytes);
  const user = crypto.randomBytes(USER_BYTES);
  putCredential(user, c.options.username ?? "", "user name");
  const password = crypto.randomBytes(PASSWORD_BYTES);
  putCredential(password, c.options.password ?? "", "password");
  c.send(
    new ByteWriter(NUMBER_BYTES + USER_BYTES + PASSWORD_BYTES)
      .put(answer.publicKey)
      .put(desCbc(crypto, answer.secret, user))
      .put(desCbc(crypto, answer.secret, password))
      .bytes(),
  );
}

/** As VNC does DES: the key's bytes mirrored. The first block is chained to the key as it came. */
function desCbc(crypto: RfbCrypto, secret: Uint8Array, data: Uint8Array): Uint8Array {
  const key = mirrorBits(secret);
  const sealed = new Uint8Array(data.length);
  let previous = secret;
  for (let at = 0; at < data.length; at += BLOCK_BYTES) {
    const block = data.slice(at, at + BLOCK_BYTES);
    for (let i = 0; i < BLOCK_BYTES; i++) block[i] = block[i]! ^ previous[i]!;
    previous = crypto.desEcb(key, block);
    sealed.set(previous, at);
  }
  return sealed;
}
