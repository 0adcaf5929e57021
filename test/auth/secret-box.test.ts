import { readFileSync, statSync, writeFileSync } from "node:fs";
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

const OLD = "old sealing key, 32 characters or more";
const NEW = "new sealing key, 32 characters or more";

t.test("with a sealing key the file holds no key that opens anything", async (t) => {
  const dir = t.testdir();
  const plain = await SecretBox.open(dir);
  const sealed = plain.seal("geheim", "p");
  const key = readFileSync(join(dir, "secret.key"), "utf8").trim();
  t.equal((await SecretBox.open(dir, OLD)).open(sealed, "p"), "geheim", "one that was there is sealed");
  const text = readFileSync(join(dir, "secret.key"), "utf8");
  t.match(text, /^v1\.[\w-]+\n$/);
  t.notOk(text.includes(key));
  t.equal(statSync(join(dir, "secret.key")).mode & 0o777, 0o600);
  t.equal((await SecretBox.open(dir, OLD)).open(sealed, "p"), "geheim");
  await t.rejects(SecretBox.open(dir), { code: "bad_key", message: /is sealed, expected sealing\.key/ });
  await t.rejects(SecretBox.open(dir, NEW), { code: "bad_key", message: /sealed by another key/ });
  t.equal(readFileSync(join(dir, "secret.key"), "utf8"), text, "and nothing was lost by asking");

  const fresh = join(dir, "fresh");
  const box = await SecretBox.open(fresh, OLD);
  t.equal((await SecretBox.open(fresh, OLD)).open(box.seal("x", "p"), "p"), "x", "from the first start");
  t.match(readFileSync(join(fresh, "secret.key"), "utf8"), /^v1\.[\w-]+\n$/);
});

t.test(
  "a sealing key is changed while who runs goes on, and both open until the new one was used",
  async (t) => {
    const dir = t.testdir();
    const running = await SecretBox.open(dir, OLD);
    const sealed = running.seal("geheim", "p");
    await SecretBox.reseal(dir, OLD, NEW);
    t.equal(running.open(running.seal("y", "p"), "p"), "y");
    for (const key of [OLD, OLD, NEW]) t.equal((await SecretBox.open(dir, key)).open(sealed, "p"), "geheim");
    await t.rejects(SecretBox.open(dir, OLD), { code: "bad_key" }, "a start with the new one took it away");
    await t.rejects(
      SecretBox.reseal(dir, OLD, NEW),
      { code: "bad_key" },
      "who does not know it changes nothing",
    );
    t.equal((await SecretBox.open(dir, NEW)).open(sealed, "p"), "geheim");
    await SecretBox.reseal(dir, NEW, null);
    t.equal((await SecretBox.open(dir)).open(sealed, "p"), "geheim");
    await SecretBox.reseal(dir, null, OLD);
    t.equal((await SecretBox.open(dir, OLD)).open(sealed, "p"), "geheim");
    await t.rejects(SecretBox.reseal(join(dir, "none"), null, OLD), {
      code: "bad_key",
      message: /there is no/,
    });
  },
);

t.test("every changed byte of a sealed key is refused", async (t) => {
  const dir = t.testdir();
  await SecretBox.open(dir, OLD);
  const path = join(dir, "secret.key");
  const text = readFileSync(path, "utf8");
  for (let at = 3; at < text.length - 2; at += 7) {
    const other = text[at] === "A" ? "B" : "A";
    writeFileSync(path, `${text.slice(0, at)}${other}${text.slice(at + 1)}`);
    await t.rejects(SecretBox.open(dir, OLD), { code: "bad_key" });
  }
});
