import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../../src/push/command.ts";
import { noticeOf } from "./push-house.ts";

const message = { notice: noticeOf("7"), link: "https://desks.example/approvals?card=7" };

/** A program of a test's own, and the file that it writes. */
function program(t: Test, lines: string) {
  const dir = t.testdir();
  const path = join(dir, "notify");
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o700);
  return { path, out: join(dir, "out") };
}

t.test("words stay words, whatever is in them", async (t) => {
  const { path, out } = program(t, 'for word; do echo "[$word]"; done > "$1"; cat >> "$1"');
  const notice = noticeOf("7", { agent: '$(touch x) "; rm -rf', desktop: { id: "vm", name: "a;b" } });
  await runCommand([path, out, "--title={title}", "{message}", "{url}", "{other}"], { ...message, notice });
  const [, title, said, url, other, json] = readFileSync(out, "utf8").split("\n");
  t.equal(title, "[--title=Approval wanted on a;b]");
  t.equal(said, '[Asked by $(touch x) "; rm -rf: click]');
  t.equal(url, `[${message.link}]`);
  t.equal(other, "[{other}]");
  t.match(JSON.parse(json ?? ""), { id: "7", kind: "click" });
});

t.test("none of our own secrets is in its environment", async (t) => {
  const { path, out } = program(t, 'env > "$1"');
  process.env["OC_TOKEN"] = "not-for-anybody-else";
  t.teardown(() => delete process.env["OC_TOKEN"]);
  await runCommand([path, out], message);
  const env = readFileSync(out, "utf8");
  t.match(env, /^PATH=/m);
  t.notMatch(env, /not-for-anybody-else/);
});

t.test("what ends badly is tried again, what is not there is not", async (t) => {
  const { path } = program(t, "exit 3");
  await t.rejects(runCommand([path], message), { isFinal: false, message: /status 3/ });
  await t.rejects(runCommand([join(path, "nothing")], message), {
    isFinal: true,
    message: "cannot be started",
  });
});
