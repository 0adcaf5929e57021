import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
  closeToOthers,
  createPrivateFile,
  readPrivateFile,
  writePrivateFile,
} from "../../src/platform/private-file.ts";

t.test("a file is replaced whole and is its owner's alone", async (t) => {
  const dir = join(t.testdir(), "made", "on", "the", "way");
  const path = join(dir, "file");
  t.equal(await readPrivateFile(path), null);
  await writePrivateFile(path, "one");
  await writePrivateFile(path, "two");
  t.equal(await readPrivateFile(path), "two");
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(statSync(dir).mode & 0o777, 0o700);
  t.strictSame(readdirSync(dir), ["file"]);
});

t.test("of many who replace a file at once none fails, and it holds what one of them wrote", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "connections.json");
  const texts = Array.from({ length: 20 }, (_, n) => `${n} `.repeat(50_000));
  await Promise.all(texts.map((text) => writePrivateFile(path, text)));
  t.ok(texts.includes((await readPrivateFile(path)) ?? ""));
  t.strictSame(readdirSync(dir), ["connections.json"]);
});

t.test("no draft stays behind when a file cannot be put in place", async (t) => {
  const dir = t.testdir({ taken: { inside: "a directory that is not empty cannot be replaced" } });
  await t.rejects(writePrivateFile(join(dir, "taken"), "text"));
  t.strictSame(readdirSync(dir), ["taken"]);
});

t.test("the first of many who create a file wins, and all see its text", async (t) => {
  const dir = t.testdir();
  const texts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => createPrivateFile(join(dir, "key"), `text ${n}`)),
  );
  t.equal(new Set(texts).size, 1);
  t.equal(await readPrivateFile(join(dir, "key")), texts[0]);
  t.strictSame(readdirSync(dir), ["key"]);
});

t.test("a file that others could read is closed to them", async (t) => {
  const path = join(t.testdir({ key: "text" }), "key");
  chmodSync(path, 0o644);
  t.equal(await createPrivateFile(path, "other"), "text");
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test(
  "a directory that others could read is closed to them, one that is closed is left alone",
  async (t) => {
    const dir = t.testdir();
    chmodSync(dir, 0o755);
    t.equal(await closeToOthers(dir), true);
    t.equal(statSync(dir).mode & 0o777, 0o700);
    t.equal(await closeToOthers(dir), false);
  },
);
