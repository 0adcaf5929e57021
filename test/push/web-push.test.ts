import { createDecipheriv, createECDH, createPublicKey, hkdfSync } from "node:crypto";
import { jwtVerify } from "jose";
import t from "tap";
import { areBrowserKeys, encryptFor, makeVapidKeys, vapidHeader } from "../../src/push/web-push.ts";
import { browserOf } from "./push-house.ts";

t.test("as RFC 8291, section 5 does it", async (t) => {
  const own = createECDH("prime256v1");
  own.setPrivateKey("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url");
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  t.equal(
    encryptFor(
      keys,
      "When I grow up, I want to be a watermelon",
      Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url"),
      own,
    ).toString("base64url"),
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

t.test("each message is encrypted anew, and read by its browser alone", async (t) => {
  const [browser, other] = [browserOf("https://push.example/a"), browserOf("https://push.example/b")];
  const [first, second] = [encryptFor(browser.keys, "hello"), encryptFor(browser.keys, "hello")];
  t.notSame(first, second);
  t.equal(browser.read(first), "hello");
  t.equal(browser.read(second), "hello");
  t.throws(() => other.read(first));
  t.throws(() => encryptFor(browser.keys, "x".repeat(4000)), /expected 3993/);
});

t.test("keys that are none are known as such", async (t) => {
  const { keys } = browserOf("https://push.example/a");
  t.ok(areBrowserKeys(keys));
  t.notOk(areBrowserKeys({ ...keys, auth: "c2hvcnQ" }));
  t.notOk(areBrowserKeys({ ...keys, p256dh: Buffer.alloc(65, 4).toString("base64url") }), "not on the curve");
  t.notOk(areBrowserKeys({ ...keys, p256dh: keys.p256dh.slice(2) }));
});

t.test("a push service knows us by a signed token for it alone", async (t) => {
  for (let i = 0; i < 20; i += 1) {
    const keys = makeVapidKeys();
    t.equal(Buffer.from(keys.privateKey, "base64url").length, 32);
    const nowMs = Date.now();
    const header = vapidHeader(keys, "https://push.example:8443/x/y", "mailto:ops@example.com", nowMs);
    const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
    t.equal(key, keys.publicKey);
    const point = Buffer.from(key, "base64url");
    const x = point.subarray(1, 33).toString("base64url");
    const y = point.subarray(33).toString("base64url");
    const jwk = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const { payload, protectedHeader } = await jwtVerify(token, jwk);
    t.same(protectedHeader, { typ: "JWT", alg: "ES256" });
    t.match(payload, { aud: "https://push.example:8443", sub: "mailto:ops@example.com" });
    t.ok((payload.exp ?? 0) * 1000 - nowMs <= 24 * 3_600_000, "RFC 8292: a day at most");
  }
});

t.test("our own half is in the message, so that a browser needs nothing else", async (t) => {
  const { keys, ecdh } = browserOf("https://push.example/a");
  const body = encryptFor(keys, "ä");
  const ours = body.subarray(21, 86);
  t.equal(body.readUInt32BE(16), 4096);
  t.equal(body[20], 65);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), ours]);
  const auth = Buffer.from(keys.auth, "base64url");
  const ikm = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(ours), auth, info, 32));
  const salt = body.subarray(0, 16);
  const cek = Buffer.from(hkdfSync("sha256", ikm, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", ikm, salt, "Content-Encoding: nonce\0", 12));
  const opener = createDecipheriv("aes-128-gcm", cek, nonce);
  opener.setAuthTag(body.subarray(-16));
  const plain = Buffer.concat([opener.update(body.subarray(86, -16)), opener.final()]);
  t.equal(plain.toString(), "ä\u0002");
});
