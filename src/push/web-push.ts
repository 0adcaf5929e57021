import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const SCALAR_BYTES = 32;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
const RECORD_BYTES = 4096;
/** What RFC 8291, section 4 leaves of a record of that size. */
const MOST_BYTES = 3993;
/** A push service may keep what a browser does not fetch; a key for longer than this is worth more to who steals it. */
const TOKEN_SECONDS = 12 * 3600;

/** What a browser hands out of a subscription (W3C Push API). */
export interface BrowserKeys {
  /** Its point on P-256, 65 bytes in base64url. */
  readonly p256dh: string;
  /** 16 bytes in base64url. */
  readonly auth: string;
}

/** The key pair by which a push service knows us (RFC 8292), in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export function makeVapidKeys(): VapidKeys {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  // A leading zero byte is left out of it about once in 256 times.
  const scalar = Buffer.alloc(SCALAR_BYTES);
  const made = ecdh.getPrivateKey();
  made.copy(scalar, SCALAR_BYTES - made.length);
  return { publicKey: ecdh.getPublicKey("base64url"), privateKey: scalar.toString("base64url") };
}

/** Whether these are keys that something can be encrypted for. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  if (Buffer.from(auth, "base64url").length !== AUTH_BYTES) return false;
  const point = Buffer.from(p256dh, "base64url");
  if (point.length !== POINT_BYTES) return false;
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  try {
    // A point that is not on the curve is refused here.
    ecdh.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}

/**
 * A message for one browser alone (RFC 8291), as the body of a request with the content encoding aes128gcm (RFC 8188):
 *
 *     salt (16) | record size (4) | length of key (1) | our point (65) | ciphertext and tag
 *
 * `salt` and `own` are random but in tests.
 */
export function encryptFor(
  { p256dh, auth }: BrowserKeys,
  text: string,
  salt: Buffer = randomBytes(SALT_BYTES),
  own: ECDH = freshKeys(),
): Buffer {
  const plain = Buffer.from(text);
  if (plain.length > MOST_BYTES)
    throw new Error(`got a push of ${plain.length} bytes, expected ${MOST_BYTES}`);
  const theirs = Buffer.from(p256dh, "base64url");
  const ours = own.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const key = hkdf(own.computeSecret(theirs), Buffer.from(auth, "base64url"), info, 32);
  const cek = hkdf(key, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = hkdf(key, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", cek, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  // 2: the last record (RFC 8188, section 2).
  const record = [cipher.update(plain), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, size, Buffer.from([ours.length]), ours, ...record]);
}

function freshKeys(): ECDH {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  return ecdh;
}

function hkdf(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, length));
}

/** The Authorization header for a push service (RFC 8292, section 3); `subject` is a mailto: or https: of the operator. */
export function vapidHeader(keys: VapidKeys, endpoint: string, subject: string, nowMs: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(nowMs / 1000) + TOKEN_SECONDS;
  const text = `${part({ typ: "JWT", alg: "ES256" })}.${part({ aud: new URL(endpoint).origin, exp, sub: subject })}`;
  const key = { key: signingKey(keys), dsaEncoding: "ieee-p1363" } as const;
  return `vapid t=${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}, k=${keys.publicKey}`;
}

function signingKey({ publicKey, privateKey }: VapidKeys): KeyObject {
  const point = Buffer.from(publicKey, "base64url");
  const jwk = {
    ...{ kty: "EC", crv: "P-256", d: privateKey },
    x: point.subarray(1, 1 + SCALAR_BYTES).toString("base64url"),
    y: point.subarray(1 + SCALAR_BYTES).toString("base64url"),
  };
  return createPrivateKey({ key: jwk, format: "jwk" });
}
