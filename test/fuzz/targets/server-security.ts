import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import type { RsaKey, SecurityCrypto } from "../../../src/protocols/platform.ts";
import { RfbError } from "../../../src/protocols/rfb/error.ts";
import { SessionCipher } from "../../../src/protocols/rfb/security/session-cipher.ts";
import {
  type ArdCrypto,
  RfbServer,
  type ServerSecurity,
} from "../../../src/protocols/rfb/server/rfb-server.ts";
import { joinBytes } from "../../protocols/rfb/encodings/wire.ts";
import { PORTS } from "../ports.ts";
import { type FuzzTarget, hashOf, piecesOf } from "../target.ts";

const RANDOM_BYTES = 16;
const KEY_BYTES = 128;
const DH_BYTES = 64;

/** RSA without its sums: whatever comes decrypts to the same padded random. */
const KEY: RsaKey = {
  modulus: new Uint8Array(KEY_BYTES).fill(0xc3),
  exponent: Uint8Array.of(1, 0, 1),
  decryptBlock: () => {
    const block = new Uint8Array(KEY_BYTES).fill(5);
    block.set([0, 2]);
    block[KEY_BYTES - RANDOM_BYTES - 1] = 0;
    return block;
  },
};

const crypto: SecurityCrypto = PORTS.crypto;

/** A key exchange that ends in the hash of the other half. */
const ARD: ArdCrypto = {
  hash: (name, data) => crypto.hash(name, data),
  diffieHellman: () => ({
    generator: 2,
    prime: new Uint8Array(DH_BYTES).fill(0xfb),
    publicKey: new Uint8Array(DH_BYTES).fill(3),
    secret: (peer) => {
      if (peer.every((byte) => byte === 0)) throw new Error("no public key");
      return crypto.hash("sha256", peer);
    },
  }),
  aesEcbDecrypt: (key, data) => crypto.aesEcb(key, data),
};

const verify = (user: string, password: string): boolean => user.length >= password.length;
const inner = [{ type: "none" }, { type: "vncAuth", verify: () => true }, { type: "plain", verify }] as const;

const SECURITY: readonly ServerSecurity[] = [
  {
    type: "veNCrypt",
    subtypes: inner.flatMap((inside) => [
      { identity: "x509", inner: inside },
      { identity: "anonymous", inner: inside },
    ]),
  },
  { type: "ra2ne", key: KEY, crypto, verify },
  { type: "ard", crypto: ARD, verify },
  {
    type: "msLogon",
    crypto: {
      randomBytes: (count) => crypto.randomBytes(count),
      desEcbDecrypt: (key, data) => crypto.desEcb(key, data),
    },
    verify,
  },
  { type: "vncAuth", verify: (_, response) => response[0] !== 0 },
];

const BYTES_BEFORE_TLS = /bytes before TLS/;

/** An input's first byte: which types are offered, by its bits, in this order. */
function serve(offered: number, wire: Uint8Array, sizes: readonly number[]): string {
  const told: string[] = [];
  let sentHash = 0;
  // Whether bytes came before TLS began is decided by when they came, and so is all that follows.
  const hasTls = (): boolean => told.some((event) => event.includes("startTls"));
  const offers = SECURITY.filter((_, i) => (offered >> i) & 1);
  const server = new RfbServer(
    {
      ...{ name: "desk", width: 8, height: 8 },
      screens: [{ id: 1, rect: { x: 0, y: 0, width: 8, height: 8 }, flags: 0 }],
      security: offers.length > 0 ? offers : SECURITY,
    },
    PORTS,
    (bytes) => {
      sentHash = hashOf(bytes, sentHash);
    },
    (event) => {
      if (event.type !== "updateWanted") told.push(JSON.stringify(event));
    },
  );
  try {
    for (const piece of piecesOf(wire, sizes)) server.receive(piece);
  } catch (error) {
    if (!(error instanceof RfbError)) throw error;
    if (!hasTls() && !BYTES_BEFORE_TLS.test(error.message)) throw error;
    return "sealed";
  }
  if (hasTls()) return "sealed";
  return `${told.join("\n")}\n${sentHash}`;
}

const text = (string: string): Uint8Array => new TextEncoder().encode(string);
const HELLO = text("RFB 003.008\n");
const u32 = (...values: readonly number[]): Uint8Array => {
  const to = new ByteWriter();
  for (const value of values) to.u32(value);
  return to.bytes();
};

const VIEWER_KEY = joinBytes([
  u32(1024),
  new Uint8Array(KEY_BYTES).fill(0xd7),
  new Uint8Array(KEY_BYTES - 3),
  Uint8Array.of(1, 0, 1),
]);
const RA2NE = joinBytes([HELLO, Uint8Array.of(6), VIEWER_KEY, Uint8Array.of(0, KEY_BYTES)]);

/** The viewer's half of RA2ne up to the credentials, which are `body`, sealed as they must be. */
function signedIn(body: Uint8Array): Uint8Array {
  const ours = joinBytes([
    u32(KEY_BYTES * 8),
    KEY.modulus,
    new Uint8Array(KEY_BYTES - 3),
    Uint8Array.of(1, 0, 1),
  ]);
  const [serverRandom, viewerRandom] = [crypto.randomBytes(RANDOM_BYTES).slice(), new Uint8Array(16).fill(5)];
  const key = (...parts: readonly Uint8Array[]): Uint8Array =>
    crypto.hash("sha1", joinBytes(parts)).slice(0, 16);
  const cipher = new SessionCipher(crypto, {
    send: key(serverRandom, viewerRandom),
    receive: key(viewerRandom, serverRandom),
  });
  return joinBytes([
    RA2NE,
    new Uint8Array(KEY_BYTES),
    cipher.seal(crypto.hash("sha1", joinBytes([VIEWER_KEY, ours]))),
    cipher.seal(body),
    Uint8Array.of(1),
  ]);
}

/** Our side of every way to sign in, from the viewer's first byte on. */
const security: FuzzTarget = {
  name: "server-security",
  seeds: () => [
    ...[257, 258, 259, 260, 261, 262].map((subtype) =>
      joinBytes([Uint8Array.of(1), HELLO, Uint8Array.of(19, 0, 2), u32(subtype)]),
    ),
    joinBytes([Uint8Array.of(1), HELLO, Uint8Array.of(19, 0, 1)]),
    joinBytes([Uint8Array.of(2), RA2NE, new Uint8Array(KEY_BYTES), new Uint8Array(80)]),
    joinBytes([Uint8Array.of(4), HELLO, Uint8Array.of(30), new Uint8Array(128 + DH_BYTES).fill(9)]),
    joinBytes([Uint8Array.of(8), text("RFB 003.003\n"), new Uint8Array(17).fill(1)]),
    joinBytes([Uint8Array.of(15), HELLO, Uint8Array.of(2), new Uint8Array(17).fill(1)]),
  ],
  run: (input, sizes) => serve(input[0] ?? 0, input.subarray(1), sizes),
};

/** What lies sealed in RA2ne: lengths, a user and a password. */
const credentials: FuzzTarget = {
  name: "server-ra2ne-credentials",
  seeds: () => [
    joinBytes([Uint8Array.of(3), text("ada"), Uint8Array.of(2), text("pw")]),
    Uint8Array.of(0, 0),
    new Uint8Array(512).fill(254),
  ],
  run: (input, sizes) => serve(2, signedIn(input.slice(0, 8000)), sizes),
};

/** Sealed messages: an input's first byte of 0 comes as it is; else the rest is sealed and that byte's bit flipped. */
const cipher: FuzzTarget = {
  name: "session-cipher",
  seeds: () => [
    joinBytes([Uint8Array.of(1), text("a sealed message")]),
    joinBytes([Uint8Array.of(0, 0, 4), new Uint8Array(20)]),
    joinBytes([Uint8Array.of(0), new Uint8Array(18)]),
    joinBytes([Uint8Array.of(1), new Uint8Array(3000)]),
  ],
  run: (input, sizes) => {
    const [far, near] = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)];
    const opener = new SessionCipher(crypto, { send: near, receive: far });
    const flip = input[0] ?? 0;
    const body = input.subarray(1);
    const wire = flip === 0 ? body : new SessionCipher(crypto, { send: far, receive: near }).seal(body);
    if (flip > 1) wire[flip % wire.length] = (wire[flip % wire.length] ?? 0) ^ 1;
    let hash = 0;
    for (const piece of piecesOf(wire, sizes)) {
      for (const plain of opener.open(piece)) hash = hashOf(plain, hash);
    }
    return `opened ${hash}`;
  },
};

export const serverSecurityTargets: readonly FuzzTarget[] = [security, credentials, cipher];
