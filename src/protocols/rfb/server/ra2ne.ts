import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { RsaKey, RsaPublicKey, SecurityCrypto } from "../../platform.ts";
import { RfbError } from "../error.ts";
import { SessionCipher } from "../security/session-cipher.ts";
import type { ServerContext, ServerSecurity } from "./server-context.ts";

/** Bits of a viewer's key, as TigerVNC and noVNC have them. */
const LEAST_KEY_BITS = 1024;
const MOST_KEY_BITS = 8192;
/** OpenSSL would take minutes with a long one; everybody has 65,537. */
const MOST_EXPONENT_BYTES = 4;
const RANDOM_BYTES = 16;
const SESSION_KEY_BYTES = 16;
const HASH_BYTES = 20;
/** U8 length, user, U8 length, password. */
const MOST_CREDENTIALS_BYTES = 1 + 255 + 1 + 255;
const WANTS_USER_AND_PASSWORD = 1;

/**
 * RSA-AES with only the sign-in sealed (6), rfbproto "RSA-AES Security Type": both public keys, both randoms under
 * the other's key, both hashes of the keys, what we want to know, and the viewer's credentials.
 */
export function* readRa2ne(
  d: ServerContext,
  { key, crypto, verify }: Extract<ServerSecurity, { type: "ra2ne" }>,
): Parser<boolean> {
  const ours = publicKeyOf(key);
  d.send(ours);
  const viewer = yield* readPublicKey(d.from);
  const ourRandom = d.ports.crypto.randomBytes(RANDOM_BYTES).slice();
  const sealed = encryptFor(crypto, viewer.key, ourRandom);
  d.send(new ByteWriter(2 + sealed.length).u16(sealed.length).put(sealed).bytes());
  const viewerRandom = yield* readRandom(d, key);
  const sessionKey = (first: Uint8Array, second: Uint8Array): Uint8Array =>
    crypto.hash("sha1", join(first, second)).slice(0, SESSION_KEY_BYTES);
  const cipher = new SessionCipher(crypto, {
    send: sessionKey(viewerRandom, ourRandom),
    receive: sessionKey(ourRandom, viewerRandom),
  });
  d.send(cipher.seal(crypto.hash("sha1", join(ours, viewer.wire))));
  const expected = crypto.hash("sha1", join(viewer.wire, ours));
  const hash = yield* cipher.read(d.from, HASH_BYTES);
  if (hash.length !== expected.length || !hash.every((byte, i) => byte === expected[i])) {
    throw new RfbError("bad_data", "authentication", "got another hash of the two keys than they have");
  }
  d.send(cipher.seal(Uint8Array.of(WANTS_USER_AND_PASSWORD)));
  const credentials = credentialsIn(yield* cipher.read(d.from, MOST_CREDENTIALS_BYTES));
  return verify(credentials.user, credentials.password);
}

/** U32 bits, modulus, exponent, the latter as long as the modulus. */
function publicKeyOf({ modulus, exponent }: RsaPublicKey): Uint8Array {
  const size = modulus.length;
  return new ByteWriter(4 + size * 2)
    .u32(size * 8)
    .put(modulus)
    .pad(size - exponent.length)
    .put(exponent)
    .bytes();
}

/** As above, the viewer's; `wire` is the message whole. */
function* readPublicKey(from: ByteQueue): Parser<{ readonly key: RsaPublicKey; readonly wire: Uint8Array }> {
  while (!from.has(4)) yield 4;
  const bits = from.u32();
  if (bits < LEAST_KEY_BITS || bits > MOST_KEY_BITS) {
    const expected = `expected ${LEAST_KEY_BITS} to ${MOST_KEY_BITS}`;
    throw new RfbError("bad_data", "authentication", `got an RSA key of ${bits} bits, ${expected}`);
  }
  const size = Math.ceil(bits / 8);
  while (!from.has(size * 2)) yield size * 2;
  const wire = new ByteWriter(4 + size * 2)
    .u32(bits)
    .put(from.take(size * 2))
    .bytes();
  const padded = wire.subarray(4 + size);
  const first = padded.findIndex((byte) => byte !== 0);
  const exponent = first < 0 ? padded.subarray(size) : padded.subarray(first);
  if (exponent.length === 0 || exponent.length > MOST_EXPONENT_BYTES) {
    const got = `got an RSA exponent of ${exponent.length} bytes, expected 1 to ${MOST_EXPONENT_BYTES}`;
    throw new RfbError("bad_data", "authentication", got);
  }
  return { key: { modulus: wire.subarray(4, 4 + size), exponent }, wire };
}

function encryptFor(crypto: SecurityCrypto, key: RsaPublicKey, random: Uint8Array): Uint8Array {
  try {
    return crypto.rsaEncrypt(key, random);
  } catch (cause) {
    const message = "got numbers that make no RSA key, expected one to encrypt for";
    throw new RfbError("bad_data", "authentication", message, { cause });
  }
}

/**
 * U16 length, the viewer's random under our key with PKCS #1 v1.5 padding (RFC 8017 section 7.2): 0, 2, noise, 0,
 * data. INVARIANT: wrong padding is answered like a right one with another random, so that nobody can use us to find
 * out what a message of somebody else holds (Bleichenbacher 1998).
 */
function* readRandom(d: ServerContext, key: RsaKey): Parser<Uint8Array> {
  const size = key.modulus.length;
  while (!d.from.has(2)) yield 2;
  const length = d.from.u16();
  if (length !== size) {
    throw new RfbError("bad_data", "authentication", `got a random of ${length} bytes, expected ${size}`);
  }
  while (!d.from.has(size)) yield size;
  const instead = d.ports.crypto.randomBytes(RANDOM_BYTES).slice();
  let block: Uint8Array;
  try {
    block = key.decryptBlock(d.from.take(size).slice());
  } catch {
    return instead;
  }
  const at = size - RANDOM_BYTES;
  const isPadded = block[0] === 0 && block[1] === 2 && block.indexOf(0, 2) === at - 1;
  return isPadded ? block.slice(at) : instead;
}

function credentialsIn(message: Uint8Array): { readonly user: string; readonly password: string } {
  const userBytes = message[0] ?? 0;
  const passwordAt = 1 + userBytes + 1;
  const passwordBytes = message[passwordAt - 1] ?? 0;
  if (message.length !== passwordAt + passwordBytes) {
    const expected = `expected ${passwordAt + passwordBytes}`;
    throw new RfbError(
      "bad_data",
      "authentication",
      `got credentials of ${message.length} bytes, ${expected}`,
    );
  }
  const text = new TextDecoder();
  return {
    user: text.decode(message.subarray(1, 1 + userBytes)),
    password: text.decode(message.subarray(passwordAt)),
  };
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  return new ByteWriter(first.length + second.length).put(first).put(second).bytes();
}
