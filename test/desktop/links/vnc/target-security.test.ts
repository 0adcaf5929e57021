import { PassThrough } from "node:stream";
import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { TargetTrust, type TlsTrust } from "../../../../src/desktop/connections/trust-policy.ts";
import { TargetSecurity } from "../../../../src/desktop/links/vnc/target-security.ts";
import type { RsaKey } from "../../../../src/protocols/platform.ts";

function securityWith(mode: TlsTrust): TargetSecurity {
  return new TargetSecurity(
    "desk",
    new TargetTrust({ host: "desk", port: 5900, fingerprint: null }, mode, null),
  );
}

t.test("an RSA key of our own opens what was encrypted for it", async (t) => {
  const keys: RsaKey[] = [];
  const stream = new PassThrough();
  const take = (key: RsaKey): void => {
    keys.push(key);
  };
  const next = await securityWith("tofu").perform({ kind: "makeRsaKey", bits: 2048, take }, stream);
  t.equal(next, stream);
  const [key] = keys;
  if (key === undefined) throw new Error("expected a key, got none");
  t.equal(key.modulus.length, 256);
  const block = key.decryptBlock(PLATFORM.crypto.rsaEncrypt(key, Buffer.from("hello")));
  t.equal(Buffer.from(block.slice(-5)).toString(), "hello");
});

t.test("keys, which no authority signs, are refused where one is wanted", async (t) => {
  const effect = { kind: "trustKey", key: Uint8Array.of(1, 2, 3) } as const;
  const stream = new PassThrough();
  await t.rejects(securityWith("ca").perform(effect, stream), { code: "refused", isFinal: true });
  t.equal(await securityWith("tofu").perform(effect, stream), stream);
});

t.test("what is no TLS ends with an error", async (t) => {
  const echo = new PassThrough(); // answers our ClientHello with itself
  const effect = { kind: "startTls", isAnonymous: false } as const;
  await t.rejects(securityWith("tofu").perform(effect, echo), { code: "protocol_error" });
});
