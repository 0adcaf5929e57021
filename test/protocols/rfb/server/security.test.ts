import {
  constants,
  createCipheriv,
  createDiffieHellman,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
} from "node:crypto";
import t from "tap";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { SessionCipher } from "../../../../src/protocols/rfb/security/session-cipher.ts";
import type { ServerSecurity, VeNCryptSubtype } from "../../../../src/protocols/rfb/server/rfb-server.ts";
import { ardCrypto, msLogonCrypto, rsaKeyOf } from "../../../../src/web/viewer/viewer-crypto.ts";
import { securityCrypto } from "./ports.ts";
import { TestViewer } from "./viewer.ts";

const HELLO = Buffer.from("RFB 003.008\n");
const SHARED = Uint8Array.of(1);
const OK = "00000000";

const verify = (user: string, password: string): boolean => user === "änna" && password === "pässword";

/** Says it all in chunks of so many bytes; the code of the error that it brought, null for none. */
function talk(viewer: TestViewer, says: Uint8Array, size: number): string | null {
  try {
    for (let at = 0; at < says.length; at += size) viewer.say(says.subarray(at, at + size));
    return null;
  } catch (error) {
    if (error instanceof RfbError) return error.code;
    throw error;
  }
}

const u32 = (...values: number[]): Uint8Array => {
  const to = new ByteWriter();
  for (const value of values) to.u32(value);
  return to.bytes();
};

function plain(user: string, password: string): Uint8Array {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  return Buffer.concat([u32(name.length, secret.length), name, secret]);
}

const SUBTYPES: readonly VeNCryptSubtype[] = [
  { identity: "x509", inner: { type: "plain", verify } },
  { identity: "anonymous", inner: { type: "none" } },
];

t.test("VeNCrypt offers its sub-types, starts TLS once, and asks inside it", async (t) => {
  for (const size of [1, 3, 100]) {
    const viewer = new TestViewer({ security: [{ type: "veNCrypt", subtypes: SUBTYPES }] });
    viewer.takeBytes();
    talk(viewer, Buffer.concat([HELLO, Uint8Array.of(19)]), size);
    t.same(viewer.takeBytes(), Uint8Array.of(1, 19, 0, 2));
    talk(viewer, Uint8Array.of(0, 2), size);
    t.same(Buffer.from(viewer.takeBytes()).toString("hex"), "0002" + "00000106" + "00000101");
    talk(viewer, u32(262), size);
    t.same(viewer.takeBytes(), Uint8Array.of(1));
    t.same(viewer.events, [{ type: "startTls", identity: "x509" }]);
    talk(viewer, plain("änna", "pässword"), size);
    t.equal(Buffer.from(viewer.takeBytes()).toString("hex"), OK);
    talk(viewer, SHARED, size);
    t.ok(viewer.server.isReady);
  }
});

t.test("VeNCrypt refuses what was not offered, other versions, long names and wrong passwords", async (t) => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    [
      "a sub-type that was not offered: Plain in the clear",
      Buffer.concat([Uint8Array.of(0, 2), u32(256)]),
      "no_common_auth",
    ],
    ["version 0.1", Uint8Array.of(0, 1), "no_common_auth"],
    ["a name of 4 GiB", Buffer.concat([Uint8Array.of(0, 2), u32(262), u32(0xffffffff, 1)]), "too_large"],
    [
      "a wrong password",
      Buffer.concat([Uint8Array.of(0, 2), u32(262), plain("änna", "guess")]),
      "auth_failed",
    ],
  ];
  for (const [name, says, code] of cases) {
    const viewer = new TestViewer({ security: [{ type: "veNCrypt", subtypes: SUBTYPES }] });
    t.equal(talk(viewer, Buffer.concat([HELLO, Uint8Array.of(19), says]), 1), code, name);
    t.notOk(viewer.server.isReady);
  }
});

t.test("what is said before TLS stands is never taken for something said inside it", async (t) => {
  const viewer = new TestViewer({ security: [{ type: "veNCrypt", subtypes: SUBTYPES }] });
  const early = Buffer.concat([u32(262), plain("änna", "pässword")]);
  t.equal(talk(viewer, Buffer.concat([HELLO, Uint8Array.of(19, 0, 2)]), 1), null);
  t.equal(talk(viewer, early, early.length), "bad_data");
  t.same(viewer.events, [], "and TLS does not begin");
});

t.test("an old viewer gets a type that it knows, or is told that it is too old", async (t) => {
  const tls: ServerSecurity = { type: "veNCrypt", subtypes: SUBTYPES };
  const known = new TestViewer({ security: [tls, { type: "vncAuth", verify: () => true }] });
  known.takeBytes();
  known.say(Buffer.from("RFB 003.003\n"));
  t.equal(Buffer.from(known.takeBytes()).toString("hex").slice(0, 8), "00000002");
  const unknown = new TestViewer({ security: [tls] });
  t.throws(() => unknown.say(Buffer.from("RFB 003.003\n")), { code: "refused" });
});

/** The viewer's half of ARD, on Node's own Diffie-Hellman. */
function ardAnswer(hello: Uint8Array, user: string, password: string, publicKey?: Uint8Array): Uint8Array {
  const view = Buffer.from(hello);
  const size = view.readUInt16BE(2);
  const dh = createDiffieHellman(view.subarray(4, 4 + size), view.subarray(0, 2));
  dh.generateKeys();
  const secret = Buffer.alloc(size);
  const computed = dh.computeSecret(view.subarray(4 + size, 4 + size * 2));
  computed.copy(secret, size - computed.length);
  const fields = Buffer.alloc(128, 0x7f);
  Buffer.from(`${user}\0`).copy(fields, 0);
  Buffer.from(`${password}\0`).copy(fields, 64);
  const sealed = securityCrypto.aesEcb(securityCrypto.hash("md5", secret), fields);
  const own = Buffer.alloc(size);
  dh.getPublicKey().copy(own, size - dh.getPublicKey().length);
  return Buffer.concat([sealed, publicKey ?? own]);
}

const ardBy = (isRight: typeof verify): ServerSecurity => ({
  ...{ type: "ard", crypto: { ...ardCrypto, hash: securityCrypto.hash } },
  verify: isRight,
});
const ARD = ardBy(verify);

t.test("ARD takes user and password under a shared secret, at every chunk size", async (t) => {
  for (const [password, code] of [
    ["pässword", null],
    ["guess", "auth_failed"],
  ] as const) {
    for (const size of [1, 127, 1000]) {
      const viewer = new TestViewer({ security: [ARD] });
      viewer.say(HELLO, Uint8Array.of(30));
      const hello = viewer.takeBytes().slice(12 + 2);
      t.equal(hello.length, 4 + 2 * 256);
      t.equal(talk(viewer, ardAnswer(hello, "änna", password), size), code);
      t.equal(Buffer.from(viewer.takeBytes()).toString("hex").startsWith(OK), code === null);
    }
  }
});

t.test("ARD takes a password that fills its field", async (t) => {
  const whole = "x".repeat(64);
  const isWhole = (user: string, password: string): boolean => user === "änna" && password === whole;
  for (const [password, code] of [
    [whole, null],
    [whole.slice(1), "auth_failed"],
  ] as const) {
    const viewer = new TestViewer({ security: [ardBy(isWhole)] });
    viewer.say(HELLO, Uint8Array.of(30));
    t.equal(talk(viewer, ardAnswer(viewer.takeBytes().slice(14), "änna", password), 4096), code);
    const said = Buffer.from(viewer.takeBytes()).toString("latin1");
    if (code !== null) t.match(said, /wrong user or password: .* without its ocp_ID_/);
  }
});

t.test("ARD refuses public keys with which the secret is known to all", async (t) => {
  for (const last of [0, 1]) {
    const viewer = new TestViewer({ security: [ARD] });
    viewer.say(HELLO, Uint8Array.of(30));
    const key = new Uint8Array(256);
    key[255] = last;
    t.equal(talk(viewer, ardAnswer(viewer.takeBytes().slice(14), "änna", "pässword", key), 4096), "bad_data");
  }
});

const MS_LOGON: ServerSecurity = {
  type: "msLogon",
  crypto: { ...msLogonCrypto, randomBytes: securityCrypto.randomBytes },
  verify,
};

/** The viewer's half of MS-Logon II; Node's own Diffie-Hellman takes no prime as short as that. */
function msLogonAnswer(hello: Uint8Array, user: string, password: string): Uint8Array {
  const numbers = Buffer.from(hello);
  const [generator, prime, theirs] = [0, 8, 16].map((at) => numbers.readBigUInt64BE(at));
  const power = (base = 0n): Buffer => {
    let result = 1n;
    for (let i = 0; i < 1001; i++) result = (result * base) % (prime ?? 1n);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(result);
    return bytes;
  };
  const own = power(generator);
  const secret = power(theirs);
  const mirrored = secret.map((byte) =>
    Number.parseInt([...byte.toString(2).padStart(8, "0")].reverse().join(""), 2),
  );
  const seal = (text: string, size: number): Buffer => {
    const field = Buffer.alloc(size, 0x7f);
    Buffer.from(`${text}\0`).copy(field);
    const key = Buffer.concat([mirrored, mirrored, mirrored]);
    return createCipheriv("des-ede3-cbc", key, secret).setAutoPadding(false).update(field);
  };
  return Buffer.concat([own, seal(user, 256), seal(password, 64)]);
}

t.test("MS-Logon II takes user and password under a shared secret, at every chunk size", async (t) => {
  for (const [password, code] of [
    ["pässword", null],
    ["guess", "auth_failed"],
  ] as const) {
    for (const size of [1, 127, 1000]) {
      const viewer = new TestViewer({ security: [MS_LOGON] });
      viewer.say(HELLO, Uint8Array.of(113));
      const hello = viewer.takeBytes().slice(12 + 2);
      t.equal(hello.length, 24);
      t.equal(talk(viewer, msLogonAnswer(hello, "änna", password), size), code);
      t.equal(Buffer.from(viewer.takeBytes()).toString("hex").startsWith(OK), code === null);
    }
  }
});

t.test("MS-Logon II refuses public keys with which the secret is known to all", async (t) => {
  for (const last of [0, 1]) {
    const viewer = new TestViewer({ security: [MS_LOGON] });
    viewer.say(HELLO, Uint8Array.of(113));
    const answer = new Uint8Array(8 + 256 + 64);
    answer[7] = last;
    t.equal(talk(viewer, answer, 4096), "bad_data");
  }
});

const SERVER_KEY = generateKeyPairSync("rsa", { modulusLength: 2048 });
const VIEWER_KEY = generateKeyPairSync("rsa", { modulusLength: 1024 });
const RA2NE: ServerSecurity = {
  type: "ra2ne",
  key: rsaKeyOf(SERVER_KEY.privateKey),
  crypto: securityCrypto,
  verify,
};

function wireKey(bits: number): Buffer {
  const { n = "", e = "" } = (bits === 2048 ? SERVER_KEY : VIEWER_KEY).publicKey.export({ format: "jwk" });
  const size = bits / 8;
  const exponent = Buffer.alloc(size);
  Buffer.from(e, "base64url").copy(exponent, size - Buffer.from(e, "base64url").length);
  return Buffer.concat([u32(bits), Buffer.from(n, "base64url"), exponent]);
}

/** The viewer's half of RA2ne up to its credentials, with a random of its own; what it says in the end. */
function signInByRa2ne(
  viewer: TestViewer,
  credentials: Uint8Array,
  size: number,
  padding: number,
): string | null {
  viewer.say(HELLO, Uint8Array.of(6));
  const ours = wireKey(1024);
  const theirs = wireKey(2048);
  const hello = Buffer.from(viewer.takeBytes()).subarray(14);
  if (!hello.equals(theirs)) throw new Error("the server sent another key than its own");
  const random = Buffer.alloc(16, 0x5a);
  const block = publicEncrypt(
    { key: SERVER_KEY.publicKey, padding },
    padding === constants.RSA_NO_PADDING ? Buffer.alloc(256, 1) : random,
  );
  const sealed = new ByteWriter().u16(block.length).put(block).bytes();
  const first = talk(viewer, Buffer.concat([ours, sealed]), size);
  if (first !== null) return first;
  const answer = Buffer.from(viewer.takeBytes());
  const serverRandom = privateDecrypt(
    { key: VIEWER_KEY.privateKey, padding: constants.RSA_NO_PADDING },
    answer.subarray(2, 2 + 128),
  ).subarray(-16);
  const key = (...parts: Uint8Array[]): Uint8Array =>
    securityCrypto.hash("sha1", Buffer.concat(parts)).slice(0, 16);
  const cipher = new SessionCipher(securityCrypto, {
    send: key(serverRandom, random),
    receive: key(random, serverRandom),
  });
  const hash = securityCrypto.hash("sha1", Buffer.concat([ours, theirs]));
  return talk(viewer, Buffer.concat([cipher.seal(hash), cipher.seal(credentials)]), size);
}

function ra2Credentials(user: string, password: string): Uint8Array {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  return Buffer.concat([Uint8Array.of(name.length), name, Uint8Array.of(secret.length), secret]);
}

t.test("RA2ne takes user and password under both keys, at every chunk size", async (t) => {
  const PADDING = constants.RSA_PKCS1_PADDING;
  for (const size of [1, 255, 4096]) {
    const right = new TestViewer({ security: [RA2NE] });
    t.equal(signInByRa2ne(right, ra2Credentials("änna", "pässword"), size, PADDING), null);
    t.ok(Buffer.from(right.takeBytes()).toString("hex").endsWith(OK), "the result is in the clear");
    const wrong = new TestViewer({ security: [RA2NE] });
    t.equal(signInByRa2ne(wrong, ra2Credentials("änna", "guess"), size, PADDING), "auth_failed");
  }
  const lying = new TestViewer({ security: [RA2NE] });
  t.equal(signInByRa2ne(lying, Uint8Array.of(200, 1, 2), 4096, PADDING), "bad_data");
});

t.test("RA2ne does not tell whether a random was padded rightly", async (t) => {
  const viewer = new TestViewer({ security: [RA2NE] });
  const code = signInByRa2ne(viewer, ra2Credentials("änna", "pässword"), 4096, constants.RSA_NO_PADDING);
  t.equal(code, "bad_data", "only the seal of the next message is wrong, as for any other random");
});

t.test("RA2ne refuses keys that are none or cost too much", async (t) => {
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ["64 bits", u32(64)],
    ["4 Gbit", u32(0xffffffff)],
    ["an even modulus of zeros", Buffer.concat([u32(1024), Buffer.alloc(256)])],
    ["an exponent as long as the key", Buffer.concat([u32(1024), Buffer.alloc(256, 0xff)])],
  ];
  for (const [name, says] of cases) {
    const viewer = new TestViewer({ security: [RA2NE] });
    t.equal(talk(viewer, Buffer.concat([HELLO, Uint8Array.of(6), says]), 7), "bad_data", name);
  }
});
