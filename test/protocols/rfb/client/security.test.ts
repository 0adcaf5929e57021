import {
  constants,
  createDecipheriv,
  createHash,
  generateKeyPairSync,
  privateDecrypt,
  randomBytes,
} from "node:crypto";
import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { ByteQueue } from "../../../../src/protocols/byte-queue.ts";
import type { RsaKey } from "../../../../src/protocols/platform.ts";
import type { RfbEffect } from "../../../../src/protocols/rfb/client/effect.ts";
import { modPow, toBytes, toNumber } from "../../../../src/protocols/rfb/security/big-number.ts";
import type { SecurityName } from "../../../../src/protocols/rfb/security/policy.ts";
import { SessionCipher } from "../../../../src/protocols/rfb/security/session-cipher.ts";
import { mirrorBits } from "../../../../src/protocols/rfb/security/vnc-auth.ts";
import { errorOf, Peer } from "./peer.ts";
import { ascii, join, serverInit, u32 } from "./server-bytes.ts";

const BANNER = ascii("RFB 003.008\n");
const OK = u32(0);
const of = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);
const types = (...numbers: readonly number[]): Uint8Array => of(numbers.length, ...numbers);
const u32s = (...numbers: readonly number[]): Uint8Array => join(...numbers.map(u32));
const capability = (code: number): Uint8Array => join(u32(code), new Uint8Array(12));

function peerWith(...allowed: readonly SecurityName[]): Peer {
  return new Peer({ username: "ada", password: "lovelace", security: { allowed, needsIdentity: false } });
}

/** What the client waits for now. */
function effectOf(peer: Peer): RfbEffect {
  const effect = peer.of("effect").at(-1)?.effect;
  if (effect === undefined) throw new Error("expected an effect, got none");
  return effect;
}

/** The client's answer, without its banner and the choice of a type. */
function answerOf(peer: Peer, before: number): Uint8Array {
  return Uint8Array.from(peer.takeSent().slice(before));
}

/** Lets the handshake end and says what was agreed. */
function finish(peer: Peer): string {
  peer.say(OK, serverInit(8, 8));
  return peer.client.isReady ? peer.client.description : "not ready";
}

t.test("VeNCrypt: versions, sub-type, then TLS, and what is in it", async (t) => {
  const peer = peerWith("X509Plain", "TLSNone").say(BANNER, types(2, 19), of(0, 2));
  peer.say(of(0), of(3), u32s(257, 262, 258));
  t.same(peer.takeSent().slice(12), [19, 0, 2, 0, 0, 1, 6]);
  t.same(peer.of("effect"), []);
  peer.say(of(1));
  t.match(effectOf(peer), { kind: "startTls", isAnonymous: false });
  t.same(peer.takeSent(), [], "nothing is said before TLS is up");
  peer.client.resume(0);
  t.same(Uint8Array.from(peer.takeSent()), join(u32s(3, 8), ascii("adalovelace")));
  t.equal(finish(peer), "RFB 3.8, X509Plain");

  const anonymous = peerWith("TLSNone").say(BANNER, types(19), of(0, 2), of(0, 1), u32(257), of(1));
  t.match(effectOf(anonymous), { kind: "startTls", isAnonymous: true });
  anonymous.client.resume(0);
  t.equal(finish(anonymous), "RFB 3.8, TLSNone");
});

t.test("VeNCrypt: a type of RFB itself may stand among its sub-types, and has no TLS", async (t) => {
  for (const allowed of [["VncAuth"], ["TLSVnc", "VncAuth"]] as const) {
    const peer = peerWith(...allowed).say(BANNER, types(19), of(0, 2), of(0, 1), u32(2));
    t.same(answerOf(peer, 12), join(of(19, 0, 2), u32(2)));
    peer.say(new Uint8Array(16));
    t.equal(answerOf(peer, 0).length, 16);
    t.equal(finish(peer), "RFB 3.8, VncAuth");
  }
  const better = peerWith("TLSVnc", "VncAuth").say(BANNER, types(19), of(0, 2), of(0, 2), u32(2), u32(258));
  t.same(answerOf(better, 12), join(of(19, 0, 2), u32(258)), "TLS is taken before it");
});

t.test("a refusal of neatvnc 0.5, which begins as a success, is a refusal all the same", async (t) => {
  const signIn = (way: "X509Plain" | "X509None"): Peer => {
    const number = way === "X509Plain" ? 262 : 260;
    const peer = peerWith(way).say(BANNER, types(19), of(0, 2), of(0, 1), u32(number), of(1));
    peer.client.resume(0);
    return peer;
  };
  // U8 no types, U32 length, and as many bytes of its stack: no height, and one that could be but for the name.
  const stack = Array.from({ length: 28 }, (_, i) => (i < 11 ? 0 : 0x80 + i));
  const taller = stack.with(1, 2).with(2, 3);
  for (const bytes of [stack, taller]) {
    const refusal = join(of(0), u32(28), of(...bytes));
    t.match(
      errorOf(() => signIn("X509Plain").say(refusal)),
      { code: "auth_failed", phase: "authentication", message: /wrong user name or password/ },
    );
    t.match(
      errorOf(() => {
        const peer = signIn("X509Plain");
        for (const byte of refusal) peer.say(of(byte));
      }),
      { code: "auth_failed" },
      "in drops",
    );
    t.match(
      errorOf(() => signIn("X509None").say(refusal)),
      { phase: "init" },
      "who was asked for no password gave no wrong one",
    );
  }
  t.equal(finish(signIn("X509Plain")), "RFB 3.8, X509Plain");
  const wide = signIn("X509Plain").say(OK, serverInit(7168, 8));
  t.ok(wide.client.isReady, "a desktop that is as wide as that is one");
});

t.test("VeNCrypt: old versions, refusals and bytes smuggled in before TLS end it", async (t) => {
  const start = (): Peer => peerWith("X509None").say(BANNER, types(19));
  t.match(
    errorOf(() => start().say(of(0, 1))),
    { code: "bad_version" },
  );
  t.match(
    errorOf(() => start().say(of(0, 2), of(255))),
    { code: "refused" },
  );
  t.match(
    errorOf(() => start().say(of(0, 2), of(0, 0))),
    { code: "refused" },
  );
  const chosen = (): Peer => start().say(of(0, 2), of(0, 1), u32(260));
  t.match(
    errorOf(() => chosen().say(of(0))),
    { code: "refused", message: /TLS/ },
  );
  t.match(
    errorOf(() => chosen().say(of(1, 0, 0, 0, 0))),
    { code: "bad_data", message: /before TLS/ },
  );
});

t.test("the old TLS type offers the plain types again inside", async (t) => {
  const peer = peerWith("TLSVnc").say(BANNER, types(18));
  t.match(effectOf(peer), { kind: "startTls", isAnonymous: true });
  peer.client.resume(0);
  peer.takeSent();
  peer.say(types(1, 2));
  t.same(peer.takeSent(), [2]);
  peer.say(new Uint8Array(16));
  t.equal(peer.takeSent().length, 16);
  t.equal(finish(peer), "RFB 3.8, TLSVnc");
});

t.test("Tight: no tunnel, one of its types, and its capabilities after ServerInit", async (t) => {
  const peer = peerWith("UnixLogon").say(BANNER, types(16), u32(1), capability(0));
  peer.say(u32(2), capability(2), capability(129));
  const said = join(of(16), u32(0), u32(129), u32s(3, 8), ascii("adalovelace"));
  t.same(answerOf(peer, 12), said);
  peer.say(OK, serverInit(8, 8));
  t.notOk(peer.client.isReady);
  peer.say(of(0, 1, 0, 1, 0, 0, 0, 0), capability(7), capability(8));
  t.ok(peer.client.isReady);

  const open = new Peer().say(
    ascii("RFB 003.007\n"),
    types(16),
    u32(0),
    u32(0),
    serverInit(8, 8),
    new Uint8Array(8),
  );
  t.equal(open.client.description, "RFB 3.7, None", "no types mean None, which has no result before 3.8");
  t.ok(open.client.isReady);
  t.match(
    errorOf(() => new Peer().say(BANNER, types(16), u32(0xffffffff))),
    { code: "too_large" },
  );
});

t.test("Tight: a tunnel of Siemens stands for none, another one does not", async (t) => {
  const tunnel = (vendor: string, name: string): Uint8Array => join(u32(1), ascii(vendor), ascii(name));
  const peer = peerWith("VncAuth").say(BANNER, types(16), u32(1), tunnel("SICR", "SCHANNEL"));
  t.same(answerOf(peer, 12), join(of(16), u32(0)));
  peer.say(u32(1), capability(2));
  t.same(answerOf(peer, 0), u32(2));
  peer.say(new Uint8Array(16));
  t.equal(answerOf(peer, 0).length, 16);
  t.match(
    errorOf(() => peerWith("VncAuth").say(BANNER, types(16), u32(1), tunnel("TGHT", "SCHANNEL"))),
    { code: "no_common_auth", message: /only tunnels/ },
  );
});

/** A prime of so many bits, well known: RFC 2409 section 6.2. */
const PRIME_1024 = BigInt(
  `0x${[
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD",
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED",
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF",
  ].join("")}`,
);

const textIn = (field: Buffer): string => field.subarray(0, field.indexOf(0)).toString();

t.test("Apple: the credentials under the secret of a Diffie-Hellman exchange", async (t) => {
  const secret = toNumber(randomBytes(32));
  const publicKey = modPow(2n, secret, PRIME_1024);
  const peer = peerWith("Apple").say(BANNER, types(30), of(0, 2, 0, 128));
  peer.say(toBytes(PRIME_1024, 128), toBytes(publicKey, 128));
  const answer = answerOf(peer, 13);
  t.equal(answer.length, 256);
  const shared = toBytes(modPow(toNumber(answer.subarray(128)), secret, PRIME_1024), 128);
  const aes = createDecipheriv("aes-128-ecb", createHash("md5").update(shared).digest(), null);
  const plain = Buffer.concat([aes.setAutoPadding(false).update(answer.subarray(0, 128)), aes.final()]);
  t.equal(textIn(plain.subarray(0, 64)), "ada");
  t.equal(textIn(plain.subarray(64)), "lovelace");
  t.equal(finish(peer), "RFB 3.8, Apple");
  const weak = (): unknown => peerWith("Apple").say(BANNER, types(30), of(0, 2, 0, 8), new Uint8Array(16));
  t.match(errorOf(weak), { code: "bad_data", message: /8 bytes/ });
  const known = (): unknown =>
    peerWith("Apple").say(BANNER, types(30), of(0, 2, 0, 128), toBytes(PRIME_1024, 128), toBytes(1n, 128));
  t.match(errorOf(known), { code: "bad_data" }, "a public key of 1 makes a secret that everyone knows");
});

t.test("MS-Logon II: both fields chained to the secret as VNC does DES", async (t) => {
  const prime = 0xffffffffffffffc5n;
  const secret = 0x1234567890abcdefn;
  const peer = peerWith("MSLogonII").say(BANNER, types(113));
  peer.say(toBytes(5n, 8), toBytes(prime, 8), toBytes(modPow(5n, secret, prime), 8));
  const answer = answerOf(peer, 13);
  t.equal(answer.length, 8 + 256 + 64);
  const shared = toBytes(modPow(toNumber(answer.subarray(0, 8)), secret, prime), 8);
  const key = mirrorBits(shared);
  const open = (sealed: Uint8Array): string => {
    const des = createDecipheriv("des-ede3-cbc", Buffer.concat([key, key, key]), shared);
    return textIn(Buffer.concat([des.setAutoPadding(false).update(sealed), des.final()]));
  };
  t.equal(open(answer.subarray(8, 264)), "ada");
  t.equal(open(answer.subarray(264)), "lovelace");
  t.equal(finish(peer), "RFB 3.8, MSLogonII");
});

interface ServerKey {
  readonly wire: Uint8Array;
  readonly key: RsaKey;
}

function makeKey(): ServerKey {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n = "", e = "" } = privateKey.export({ format: "jwk" });
  const modulus = Buffer.from(n, "base64url");
  const exponent = Buffer.from(e, "base64url");
  const wire = join(u32(2048), modulus, new Uint8Array(256 - exponent.length), exponent);
  const padding = constants.RSA_NO_PADDING;
  const decryptBlock = (block: Uint8Array): Uint8Array => privateDecrypt({ key: privateKey, padding }, block);
  return { wire, key: { modulus, exponent, decryptBlock } };
}

/** The one message that was sealed, opened. */
function openOne(cipher: SessionCipher, sealed: Uint8Array): Uint8Array {
  return join(...cipher.open(sealed));
}

for (const [name, type, hash, size] of [
  ["RA2", 5, "sha1", 16],
  ["RA2ne", 6, "sha1", 16],
  ["RA256", 129, "sha256", 32],
  ["RAne256", 130, "sha256", 32],
] as const) {
  t.test(`${name}: keys, randoms, hashes and sealed credentials`, async (t) => {
    const { crypto } = PLATFORM;
    const [server, viewer] = [makeKey(), makeKey()];
    const peer = peerWith(name).say(BANNER, types(type), server.wire);
    const trust = effectOf(peer);
    t.match(trust, { kind: "trustKey" });
    t.same(trust.kind === "trustKey" && Buffer.from(trust.key), Buffer.from(server.wire));
    peer.client.resume(0);
    const make = effectOf(peer);
    if (make.kind !== "makeRsaKey") throw new Error(`expected makeRsaKey, got ${make.kind}`);
    make.take(viewer.key);
    peer.takeSent();
    peer.client.resume(0);
    const sent = Uint8Array.from(peer.takeSent());
    t.same(sent.subarray(0, 516), viewer.wire);
    const viewerRandom = server.key.decryptBlock(sent.subarray(518)).slice(256 - size);
    const serverRandom = randomBytes(size);
    const session = (...parts: readonly Uint8Array[]): Uint8Array =>
      crypto.hash(hash, join(...parts)).slice(0, size);
    const cipher = new SessionCipher(crypto, {
      send: session(viewerRandom, serverRandom),
      receive: session(serverRandom, viewerRandom),
    });
    peer.say(of(1, 0), crypto.rsaEncrypt(viewer.key, serverRandom));
    t.same(
      openOne(cipher, Uint8Array.from(peer.takeSent())),
      Uint8Array.from(crypto.hash(hash, join(viewer.wire, server.wire))),
    );
    peer.say(cipher.seal(crypto.hash(hash, join(server.wire, viewer.wire))), cipher.seal(of(1)));
    const credentials = openOne(cipher, Uint8Array.from(peer.takeSent()));
    t.same(credentials, join(of(3), ascii("ada"), of(8), ascii("lovelace")));
    const last = effectOf(peer).kind;
    t.equal(last, name === "RA2" || name === "RA256" ? "startCipher" : "makeRsaKey");
    if (last === "startCipher") peer.client.resume(0);
    t.equal(finish(peer), `RFB 3.8, ${name}`);
  });
}

t.test("RSA-AES: a server whose numbers make no key, or which does not hold it, gets nothing", async (t) => {
  const start = (): Peer => peerWith("RA2ne").say(BANNER, types(6));
  t.match(
    errorOf(() => start().say(u32(512))),
    { code: "bad_data", message: /512 bits/ },
  );
  t.match(
    errorOf(() => start().say(u32(0xffffffff))),
    { code: "bad_data" },
  );
  t.match(
    errorOf(() => start().say(u32(1024), new Uint8Array(256))),
    { code: "bad_data" },
  );
});

t.test("sealed messages open in any pieces, and a changed one does not", async (t) => {
  const [a, b] = [randomBytes(16), randomBytes(16)];
  const make = (): SessionCipher => new SessionCipher(PLATFORM.crypto, { send: a, receive: b });
  const far = (): SessionCipher => new SessionCipher(PLATFORM.crypto, { send: b, receive: a });
  const plain = randomBytes(20_000);
  const wire = make().seal(plain);
  for (const size of [1, 7, 8192, wire.length]) {
    const opener = far();
    const parts: Uint8Array[] = [];
    for (let at = 0; at < wire.length; at += size) parts.push(...opener.open(wire.subarray(at, at + size)));
    t.ok(Buffer.concat(parts).equals(plain), `in pieces of ${size}`);
  }
  const changed = wire.map((byte, at) => (at === 9000 ? byte ^ 1 : byte));
  t.match(
    errorOf(() => far().open(changed)),
    { code: "bad_data" },
  );
  const queue = new ByteQueue();
  queue.push(wire);
  t.match(
    errorOf(() => far().read(queue, 100).next()),
    { code: "too_large" },
  );
});
