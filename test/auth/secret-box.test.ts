import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SecretBox } from "../../src/auth/secret-box.ts";

t.test("what was sealed opens for the same purpose, also after a restart", async (t) => {
  const dir = t.testdir();
  const box = await SecretBox.open(dir);
  const sealed = box.seal("geheim äöü", "connection:1:password");
  t.notOk(sealed.includes("geheim"));
  t.not(box.seal("geheim äöü", "connection:1:password"), sealed, "each with its own nonce");
  t.equal((await SecretBox.open(dir)).open(sealed, "connection:1:password"), "geheim äöü");
  t.equal(box.open(box.seal("", "p"), "p"), "");
  t.equal(statSync(join(dir, "secret.key")).mode & 0o777, 0o600);
});

t.test("another purpose, another key and every changed byte are refused", async (t) => {
  const box = await SecretBox.open(t.testdir());
  const sealed = box.seal("pass", "connection:1:password");
  const refused = { name: "AuthError", code: "bad_secret" };
  t.throws(() => box.open(sealed, "connection:2:password"), refused);
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    t.throws(() => box.open(`v1.${changed.toString("base64url")}`, "connection:1:password"), refused);
  }
  for (const broken of ["", "v1", "v1.", "v2.AAAA", sealed.slice(0, 20), sealed.slice(3)]) {
    t.throws(() => box.open(broken, "connection:1:password"), refused);
  }
  const other = await SecretBox.open(join(t.testdir({ other: {} }), "other"));
  t.throws(() => other.open(sealed, "connection:1:password"), refused);
});

t.test("two processes that start at once get the same key", async (t) => {
  const dir = t.testdir();
  const [a, b] = await Promise.all([SecretBox.open(dir), SecretBox.open(dir)]);
  t.equal(b.open(a.seal("x", "p"), "p"), "x");
  t.match(readFileSync(join(dir, "secret.key"), "utf8"), /^[A-Za-z0-9_-]{43}\n$/);
});

t.test("a key of the wrong length is an error that names the file", async (t) => {
  const dir = t.testdir({ "secret.key": "c2hvcnQ\n" });
  await t.rejects(SecretBox.open(dir), { code: "bad_key", message: /secret\.key has 5 bytes, expected 32/ });
});
