import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { RsaKey, RsaPublicKey } from "../../platform.ts";
import type { ClientContext } from "../client/client-context.ts";
import { perform } from "../client/effect.ts";
import { RfbError } from "../error.ts";
import { encodeCredential } from "./credentials.ts";
import { SessionCipher } from "./session-cipher.ts";

/** Bits of a server's key, as TigerVNC has them. */
const LEAST_KEY_BITS = 1024;
const MOST_KEY_BITS = 8192;
/** OpenSSL takes no longer exponents with long keys, and nobody has one. */
const MOST_EXPONENT_BYTES = 8;
/** Ours; one of the server's size could take minutes to make. noVNC uses the same. */
const OWN_KEY_BITS = 2048;
const MOST_CREDENTIAL_BYTES = 255;

/** The four kinds of RSA-AES, rfbproto. */
interface Kind {
  readonly keyBytes: 16 | 32;
  readonly hash: "sha1" | "sha256";
  /** Else only the sign-in is sealed, and what follows goes in clear ("ne"). */
  readonly isAllSealed: boolean;
}

export const RSA_AES = {
  RA2: { keyBytes: 16, hash: "sha1", isAllSealed: true },
  RA2ne: { keyBytes: 16, hash: "sha1", isAllSealed: false },
  RA256: { keyBytes: 32, hash: "sha256", isAllSealed: true },
  RAne256: { keyBytes: 32, hash: "sha256", isAllSealed: false },
} as const satisfies Record<string, Kind>;

/** What the server says it wants once both sides have proved that they hold the keys. */
const WANTS_USER_AND_PASSWORD = 1;
const WANTS_PASSWORD = 2;

/** RSA-AES, types 5, 6, 129 and 130, rfbproto: keys, randoms under them, hashes of both keys, credentials. */
export function* signInByRsaAes(c: ClientContext, kind: Kind): Parser<void> {
  const { crypto } = c.ports;
  const theirs = yield* readPublicKey(c.from);
  // Before anything else: what follows tells only the holder of this key our password.
  yield* perform(c, { kind: "trustKey", key: theirs.wire });
  const key = yield* makeKey(c);
  const ours = new ByteWriter(4 + 2 * key.modulus.length)
    .u32(OWN_KEY_BITS)
    .put(key.modulus)
    .pad(key.modulus.length - key.exponent.length)
    .put(key.exponent)
    .bytes();
  const ourRandom = crypto.randomBytes(kind.keyBytes);
  const sealedRandom = encryptFor(c, theirs.key, ourRandom);
  c.send(
    new ByteWriter(ours.length + 2 + sealedRandom.length)
      .put(ours)
      .u16(sealedRandom.length)
      .put(sealedRandom)
      .bytes(),
  );

  const theirRandom = yield* readRandom(c.from, key, kind.keyBytes);
  const sessionKey = (...parts: readonly Uint8Array[]): Uint8Array =>
    crypto.hash(kind.hash, join(...parts)).slice(0, kind.keyBytes);
  const cipher = new SessionCipher(crypto, {
    send: sessionKey(theirRandom, ourRandom),
    receive: sessionKey(ourRandom, theirRandom),
  });
  c.send(cipher.seal(crypto.hash(kind.hash, join(ours, theirs.wire))));
  const expected = crypto.hash(kind.hash, join(theirs.wire, ours));
  const got = yield* cipher.read(c.from, expected.length);
  if (got.length !== expected.length || !got.every((byte, i) => byte === expected[i])) {
    throw new RfbError("bad_data", "authentication", "got another hash of the two keys than they have");
  }
  const [wants = 0] = yield* cipher.read(c.from, 1);
  c.send(cipher.seal(credentials(c, wants)));
  if (!kind.isAllSealed) return;
  if (c.from.size > 0) {
    throw new RfbError(
      "bad_data",
      "authentication",
      `got ${c.from.size} bytes in clear, expected sealed ones`,
    );
  }
  yield* perform(c, { kind: "startCipher", cipher });
}

/** U32 bits, modulus, exponent; both numbers as long as the bits need. */
function* readPublicKey(from: ByteQueue): Parser<{ readonly key: RsaPublicKey; readonly wire: Uint8Array }> {
  while (!from.has(4)) yield 4;
  const bits = from.u32();
  if (bits < LEAST_KEY_BITS || bits > MOST_KEY_BITS) {
    throw new RfbError(
      "bad_data",
      "authentication",
      `got an RSA key of ${bits} bits, expected ${LEAST_KEY_BITS} to ${MOST_KEY_BITS}`,
    );
  }
  const length = Math.ceil(bits / 8);
  while (!from.has(2 * length)) yield 2 * length;
  const wire = new ByteWriter(4 + 2 * length)
    .u32(bits)
    .put(from.take(2 * length))
    .bytes();
  const modulus = wire.subarray(4, 4 + length);
  const padded = wire.subarray(4 + length);
  const first = padded.findIndex((byte) => byte !== 0);
  const exponent = first < 0 ? new Uint8Array(0) : padded.subarray(first);
  const isLongEnough = Math.clz32(modulus[0] ?? 0) - 24 === length * 8 - bits;
  const isExponent =
    exponent.length > 0 &&
    exponent.length <= MOST_EXPONENT_BYTES &&
    isOdd(exponent) &&
    !(exponent.length === 1 && exponent[0] === 1);
  if (!isLongEnough || !isOdd(modulus) || !isExponent) {
    throw new RfbError(
      "bad_data",
      "authentication",
      "got numbers that make no RSA key, expected an odd modulus of the length said and an odd exponent above 1",
    );
  }
  return { key: { modulus, exponent }, wire };
}

function* makeKey(c: ClientContext): Parser<RsaKey> {
  const made: RsaKey[] = [];
  yield* perform(c, { kind: "makeRsaKey", bits: OWN_KEY_BITS, take: (key) => made.push(key) });
  const [key] = made;
  if (key === undefined) throw new Error("resumed without the RSA key that was asked for");
  return key;
}

function encryptFor(c: ClientContext, key: RsaPublicKey, data: Uint8Array): Uint8Array {
  try {
    return c.ports.crypto.rsaEncrypt(key, data);
  } catch (cause) {
    throw new RfbError("bad_data", "authentication", "got an RSA key that cannot be encrypted for", {
      cause,
    });
  }
}

/** U16 length, the server's random under our key with PKCS #1 v1.5 padding (RFC 8017 section 7.2): 0, 2, noise, 0, data. */
function* readRandom(from: ByteQueue, key: RsaKey, count: number): Parser<Uint8Array> {
  while (!from.has(2)) yield 2;
  const length = from.u16();
  if (length !== key.modulus.length) {
    throw new RfbError(
      "bad_data",
      "authentication",
      `got a random of ${length} bytes, expected ${key.modulus.length}`,
    );
  }
  while (!from.has(length)) yield length;
  const block = decrypt(key, from.take(length));
  const at = block.length - count;
  const isPadded = block[0] === 0 && block[1] === 2 && block.indexOf(0, 2) === at - 1;
  if (!isPadded) {
    throw new RfbError(
      "bad_data",
      "authentication",
      `got a random that does not decrypt to ${count} bytes with our key`,
    );
  }
  return block.slice(at);
}

function decrypt(key: RsaKey, block: Uint8Array): Uint8Array {
  try {
    return key.decryptBlock(block);
  } catch (cause) {
    throw new RfbError("bad_data", "authentication", "got a random that is beyond our key", { cause });
  }
}

/** U8 length, user name, U8 length, password. */
function credentials(c: ClientContext, wants: number): Uint8Array {
  if (wants !== WANTS_USER_AND_PASSWORD && wants !== WANTS_PASSWORD) {
    throw new RfbError(
      "bad_data",
      "authentication",
      `got a wish for credentials of type ${wants}, expected 1 or 2`,
    );
  }
  const { username = null, password } = c.options;
  if (wants === WANTS_USER_AND_PASSWORD && username === null) {
    throw new RfbError(
      "password_required",
      "authentication",
      "the server asks for a user name and none is configured",
    );
  }
  const name = wants === WANTS_USER_AND_PASSWORD ? (username ?? "") : "";
  const user = encodeCredential(name, "user name", MOST_CREDENTIAL_BYTES);
  const secret = encodeCredential(password ?? "", "password", MOST_CREDENTIAL_BYTES);
  return new ByteWriter(2 + user.length + secret.length)
    .u8(user.length)
    .put(user)
    .u8(secret.length)
    .put(secret)
    .bytes();
}

function isOdd(number: Uint8Array): boolean {
  return ((number.at(-1) ?? 0) & 1) === 1;
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new ByteWriter(parts.reduce((sum, part) => sum + part.length, 0));
  for (const part of parts) whole.put(part);
  return whole.bytes();
}
