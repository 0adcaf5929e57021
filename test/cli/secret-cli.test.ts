import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { SecretBox } from "../../src/auth/secret-box.ts";
import { SecretStore } from "../../src/auth/secrets/secret-store.ts";
import { readCommand } from "../../src/cli/cli.ts";
import { encodePicture } from "../../src/compositor/picture-file.ts";
import { FakeClock } from "../fake-clock.ts";
import { opened } from "../support/opened.ts";

const VALUE = "open sesame 4711";
const SEED = "otpauth://totp/Bank:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8";
const AGENT = { id: "0123456789abcdef", name: "ann" };

t.test("secrets are added from files, listed without their value, replaced and removed", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const dataDir = join(dir, "data");
  const run = async (...words: string[]): Promise<string> => {
    const command = readCommand(["secret", ...words, "--data-dir", dataDir], {});
    if (command.kind === "task") return await command.run();
    throw new Error(`${words.join(" ")} is no task`);
  };
  const file = join(dir, "value");
  writeFileSync(file, `${VALUE}\n`);
  t.equal(await run("list"), "no secrets\n");
  const rules = [
    "--desktops",
    "d1, d2",
    "--agents",
    "ann",
    "--seen",
    "Bank login",
    "--seen-in",
    "80,40,600x30",
  ];
  t.equal(await run("add", "bank", "--file", file, ...rules), "bank  added\n");
  t.equal(await run("list"), "bank  secret  desktops: d1,d2  agents: ann  seen: Bank login\n");
  const store = await SecretStore.open(dataDir, await SecretBox.open(dataDir), new FakeClock());
  const found = await store.find({ kind: "secret", name: "bank" }, AGENT, "d2");
  t.equal(await opened(found), VALUE);
  t.same(found?.seen, { text: "Bank login", region: { x: 80, y: 40, width: 600, height: 30 } });

  const picture = join(dir, "mark.png");
  writeFileSync(picture, await stripedPng());
  const beside = ["--seen-picture", picture, "--seen-field=-10,20,200x30"];
  t.equal(await run("add", "bank", "--file", file, ...rules.slice(0, 4), ...beside), "bank  replaced\n");
  t.match(await run("list"), /seen: a picture/);
  const pictured = await store.find({ kind: "secret", name: "bank" }, AGENT, "d2");
  t.match(pictured?.seen, {
    text: null,
    picture: { width: 20, height: 10 },
    field: { x: -10, y: 20, width: 200, height: 30 },
  });

  writeFileSync(file, SEED);
  t.equal(
    await run("add", "bank", "--totp", "--file", file),
    "bank  replaced\nno desktop has it yet: say --desktops IDS\nno agent has it yet: say --agents NAMES\n",
  );
  t.equal(await run("list"), "bank  totp  desktops: none  agents: none\n");
  t.equal(await run("remove", "bank"), "bank  removed\n");
  await t.rejects(run("remove", "bank"), { name: "UsageError", message: /there is no secret bank/ });
  const kept = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), "latin1"));
  t.notMatch(kept.join("\n"), new RegExp(`${VALUE}|GEZDGNBV`));
  t.match(kept.join("\n"), /"secret.added".*\n(.*"secret.changed".*\n){2}.*"secret.removed"/);
});

t.test("the key of stored secrets is sealed, sealed by another key, and unsealed", async (t) => {
  const dir = t.testdir();
  const dataDir = join(dir, "data");
  const run = async (env: Record<string, string>, ...words: string[]): Promise<string> => {
    const command = readCommand(["secret", ...words, "--data-dir", dataDir], env);
    if (command.kind === "task") return await command.run();
    throw new Error(`${words.join(" ")} is no task`);
  };
  const keyFile = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  const [first, second] = ["first key of 32 characters or more", "second key of 32 characters or more"];
  const value = keyFile("value", VALUE);
  await run({}, "add", "bank", "--file", value);
  const listed = await run({}, "list");
  t.match(await run({}, "seal", "--key-file", keyFile("first", `${first}\n`)), /sealed/);
  await t.rejects(run({}, "list"), { code: "bad_key" });
  const byFirst = { OC_SEALING_KEY_FILE: join(dir, "first") };
  t.equal(await run(byFirst, "list"), listed);
  t.match(await run(byFirst, "seal", "--key-file", keyFile("second", second)), /by both keys/);
  t.equal(await run(byFirst, "list"), listed);
  t.equal(await run({ OC_SEALING_KEY: second }, "list"), listed);
  await t.rejects(run(byFirst, "list"), { code: "bad_key" });
  t.match(await run({ OC_SEALING_KEY: second }, "unseal"), /not sealed any more/);
  t.equal(await run({}, "list"), listed);
  await t.rejects(run({}, "seal"), { name: "UsageError", message: /no --key-file/ });
  await t.rejects(run({}, "seal", "--key-file", keyFile("short", "short")), /has 5 characters, expected 32/);
  const kept = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), "latin1"));
  t.notMatch(kept.join("\n"), new RegExp(`${first}|${second}`));
  t.match(kept.join("\n"), /"secret_key"/);
});

t.test(
  "those of a fleet are not in the data folder, so that the command changes nothing there",
  async (t) => {
    const dataDir = join(t.testdir(), "data");
    const file = join(t.testdirName, "value");
    writeFileSync(file, VALUE);
    const fleet = {
      OC_CLUSTER_ENDPOINTS: "https://a:2379",
      OC_CLUSTER_KEY: "k".repeat(32),
      OC_CLUSTER_CA: "ca.crt",
    };
    for (const words of [["list"], ["add", "bank", "--file", file], ["remove", "bank"]]) {
      const command = readCommand(["secret", ...words, "--data-dir", dataDir], fleet);
      if (command.kind !== "task") throw new Error("it is no task");
      await t.rejects(command.run(), {
        name: "UsageError",
        message: /PUT, GET and DELETE of \/api\/v1\/secrets/,
      });
    }
  },
);

/** 20x10 pixels, one of five columns dark. */
function stripedPng(): Promise<Uint8Array> {
  const rgba = new Uint8ClampedArray(20 * 10 * 4).fill(255);
  for (let i = 0; i < 200; i++) if (i % 5 === 0) rgba.fill(0, i * 4, i * 4 + 3);
  return encodePicture({ width: 20, height: 10, rgba }, "png");
}

t.test("no value is taken from the command line, and what is wrong is named", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const read = (...words: string[]) => readCommand(["secret", ...words, "--data-dir", dir], {});
  const error = t.throws(() => read("add", "bank", VALUE), { name: "UsageError", message: /takes 2 words/ });
  t.notMatch(String(error), VALUE);
  t.throws(() => read("add", "bank", "--value", VALUE), { name: "UsageError" });
  t.throws(() => read("sell", "bank"), { message: /expected secret add, list, remove, seal or unseal/ });
  t.throws(() => read("add", "bank", "--seen-in", "1,2,3x4"), { message: /--seen-in says where --seen/ });
  t.throws(() => read("add", "bank", "--seen-field", "1,2,3x4"), { message: /--seen-field says where/ });
  t.throws(() => read("add", "bank", "--seen", "abc", "--seen-in=-1,2,3x4"), { message: /seen.region.x/ });
  const unread = read("add", "bank", "--seen-picture", join(dir, "absent.png"));
  if (unread.kind === "task") await t.rejects(unread.run(), { message: /absent.png cannot be read/ });
  t.throws(() => read("add", "bank", "--seen", "x y z", "--seen-in", "1,2"), {
    message: /expected X,Y,WIDTHxHEIGHT/,
  });
  t.throws(() => read("add", "bank", "--seen", "  "), { code: "invalid_parameters", message: /seen.text/ });
  const absent = read("add", "bank", "--file", join(dir, "absent"));
  if (absent.kind === "task") await t.rejects(absent.run(), { message: /absent cannot be read/ });
});
