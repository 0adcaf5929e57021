import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import {
  type ConfiguredSecret,
  readRules,
  type SecretChange,
  SecretStore,
} from "../../../src/auth/secrets/secret-store.ts";
import { encodePicture } from "../../../src/compositor/picture-file.ts";
import { FakeClock } from "../../fake-clock.ts";
import { opened } from "../../support/opened.ts";

const VALUE = "correct horse battery";
const SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const ANN = { id: "0123456789abcdef", name: "ann" };
const RULES = readRules({ desktops: ["d1"], agents: ["ann"] });

const bank = { kind: "secret", name: "bank" } as const;

function change(text: string | null, rules = RULES, kind: SecretChange["kind"] = "secret"): SecretChange {
  return { kind, text, rules };
}

async function openStore(dir: string, configured: readonly ConfiguredSecret[] = []) {
  const clock = new FakeClock();
  return { clock, store: await SecretStore.open(dir, await SecretBox.open(dir), clock, configured) };
}

/** All that a folder holds, as one text. */
function contentOf(dir: string): string {
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), "latin1"))
    .join("\n");
}

t.test(
  "a secret is sealed in a private file, listed without its value and opened for whom it is",
  async (t) => {
    const dir = t.testdir();
    const { store } = await openStore(dir);
    t.same(await store.list(), []);
    t.match(await store.set("bank", change(VALUE)), { isNew: true, info: { name: "bank", kind: "secret" } });
    t.equal(statSync(join(dir, "secrets.json")).mode & 0o777, 0o600);
    t.notMatch(contentOf(dir), VALUE);
    t.notMatch(contentOf(dir), Buffer.from(VALUE).toString("base64url").slice(0, 20));
    t.notMatch(JSON.stringify(await store.list()), VALUE);
    const found = await store.find(bank, ANN, "d1");
    t.equal(await opened(found), VALUE);
    t.equal(found?.seen, null);
    const again = await openStore(dir);
    t.equal(await opened(await again.store.find(bank, ANN, "d1")), VALUE, "after a restart");
  },
);

t.test("one that is unknown and one that is not for this agent or desktop are the same: null", async (t) => {
  const { store } = await openStore(t.testdir());
  await store.set("bank", change(VALUE));
  await store.set("seed", change(SEED, RULES, "totp"));
  await store.set("free", change(VALUE, readRules({ desktops: ["d1"], agents: ["*"] })));
  await store.set("none", change(VALUE, readRules({})));
  await store.set("byId", change(VALUE, readRules({ desktops: ["d1"], agents: [ANN.id, "stdio"] })));
  const find = async (name: string, actor = ANN, desktop = "d1", kind: "secret" | "totp" = "secret") =>
    (await store.find({ kind, name }, actor, desktop)) !== null;
  t.equal(await find("bank"), true);
  t.equal(await find("free"), true);
  t.equal(await find("byId"), true);
  t.equal(await find("byId", { id: "stdio", name: "stdio" }), true);
  t.equal(await find("free", { id: "x", name: "anybody" }), true);
  t.equal(await find("seed", ANN, "d1", "totp"), true);
  t.equal(await find("nothing"), false);
  t.equal(await find("Bank"), false);
  t.equal(await find("none"), false);
  t.equal(await find("bank", ANN, "d2"), false, "another desktop");
  t.equal(await find("bank", { id: "fedcba9876543210", name: "bob" }), false, "another agent");
  t.equal(await find("bank", { id: "https://elsewhere", name: "ann" }), false, "who named themselves so");
  t.equal(await find("seed"), false, "a seed is never typed itself");
  t.equal(await find("bank", ANN, "d1", "totp"), false);
});

t.test("codes are those of the moment", async (t) => {
  const { store, clock } = await openStore(t.testdir());
  await store.set("bank", change(SEED, RULES, "totp"));
  const found = await store.find({ kind: "totp", name: "bank" }, ANN, "d1");
  const first = await opened(found);
  t.match(first ?? "", /^\d{6}$/);
  t.equal(await opened(found), first);
  clock.advance(60_000);
  t.not(await opened(found), first);
});

t.test("what another process changed counts at once, and two that change lose nothing", async (t) => {
  const dir = t.testdir();
  const [{ store }, { store: other }] = [await openStore(dir), await openStore(dir)];
  const names = Array.from({ length: 10 }, (_, at) => `s${at}`);
  await Promise.all(names.map((name, at) => (at % 2 === 0 ? store : other).set(name, change(VALUE))));
  t.same(
    (await store.list()).map(({ name }) => name),
    names,
  );
  t.equal(await other.remove("s3"), true);
  t.equal(await store.remove("s3"), false);
  t.equal(await store.find({ kind: "secret", name: "s3" }, ANN, "d1"), null);
  t.match(await other.set("s4", change("another")), { isNew: false });
  t.equal(await opened(await store.find({ kind: "secret", name: "s4" }, ANN, "d1")), "another");
});

t.test("rules change without the value, of one that is there and of the same kind", async (t) => {
  const { store } = await openStore(t.testdir());
  await store.set("bank", change(VALUE));
  const rules = readRules({ desktops: ["d2"], agents: ["*"], seen: { text: "Bank" } });
  t.match(await store.set("bank", change(null, rules)), { isNew: false, info: { rules } });
  t.equal(await store.find(bank, ANN, "d1"), null);
  const found = await store.find(bank, ANN, "d2");
  t.equal(await opened(found), VALUE);
  t.same(found?.seen, { text: "Bank", region: null });
  await t.rejects(store.set("new", change(null)), { code: "invalid_parameters", message: /got no value/ });
  await t.rejects(store.set("bank", change(null, rules, "totp")), { message: /got no seed/ });
});

t.test("names, values and rules that nobody can mean are refused, without showing a value", async (t) => {
  const { store } = await openStore(t.testdir());
  for (const name of ["", " ", "a b", "ä", "-a", "a}}", "x".repeat(65), "__proto__ "]) {
    await t.rejects(store.set(name, change(VALUE)), { code: "invalid_parameters" }, name);
  }
  for (const text of ["", "x".repeat(257), "two\nlines", "bell\u0007", "back\b", "tab\t", "\ud800"]) {
    const refusal = await store.set("bank", change(text)).then(
      () => "taken",
      (error: unknown) => String(error),
    );
    t.match(refusal, /RefusedError: got a text of \d+ characters for the secret bank/);
    if (text.length > 4) t.notMatch(refusal, text);
  }
  await t.rejects(store.set("bank", change("no seed at all", RULES, "totp")), { code: "invalid_parameters" });
  t.throws(() => readRules({ seen: { text: "  " } }), { code: "invalid_parameters" });
  t.throws(() => readRules({ agents: [""] }), { code: "invalid_parameters" });
  t.same(await store.list(), []);
});

t.test("a value that was moved to another name, or whose key is lost, does not open", async (t) => {
  const dir = t.testdir();
  const { store } = await openStore(dir);
  await store.set("bank", change(VALUE));
  const path = join(dir, "secrets.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"name": "bank"', '"name": "chat"'));
  const moved = await store.find({ kind: "secret", name: "chat" }, ANN, "d1");
  await t.rejects(async () => void (await opened(moved)), { name: "AuthError", code: "bad_secret" });
  writeFileSync(path, "{}");
  await t.rejects(openStore(dir), { message: /is not a file of secrets/ });
});

t.test(
  "the configuration's are read from their files when they are typed, and nobody else changes them",
  async (t) => {
    const dir = t.testdir({ data: {}, bank: `${VALUE}\n`, seed: SEED, empty: "", long: "x".repeat(5000) });
    const configured = (name: string, kind: "secret" | "totp" = "secret"): ConfiguredSecret => ({
      ...{ name, kind, file: join(dir, name), rules: RULES },
    });
    const { store } = await openStore(join(dir, "data"), [configured("bank"), configured("seed", "totp")]);
    t.match(await store.list(), [
      { name: "bank", isConfigured: true, createdAt: null },
      { name: "seed", kind: "totp", isConfigured: true },
    ]);
    const found = await store.find(bank, ANN, "d1");
    t.equal(await opened(found), VALUE);
    writeFileSync(join(dir, "bank"), "changed since");
    t.equal(await opened(found), "changed since");
    writeFileSync(join(dir, "bank"), "two\nlines");
    await t.rejects(async () => void (await opened(found)), { name: "AuthError", code: "bad_secret" });
    await t.rejects(store.set("bank", change("mine")), { code: "permission_denied" });
    await t.rejects(store.remove("bank"), { code: "permission_denied" });
    for (const name of ["empty", "long", "absent"]) {
      await t.rejects(openStore(join(dir, "data"), [configured(name)]), { code: "invalid_parameters" }, name);
    }
  },
);

t.test("when one was opened last is told to the minute, and kept", async (t) => {
  const dir = t.testdir();
  const { store, clock } = await openStore(dir);
  await store.set("bank", change(VALUE));
  await store.set("other", change(VALUE));
  const found = await store.find(bank, ANN, "d1");
  const usedAt = async (from: SecretStore) => (await from.list()).map(({ lastUsedAt }) => lastUsedAt);
  t.strictSame(await usedAt(store), [null, null], "looking whether one may is no use of it");
  await opened(found);
  const minute = `${clock.date().toISOString().slice(0, 16)}:00.000Z`;
  t.strictSame(await usedAt(store), [minute, null]);
  await store.close();
  const again = await openStore(dir);
  t.strictSame(await usedAt(again.store), [minute, null]);
  await again.store.remove("bank");
  await again.store.set("bank", change(VALUE));
  t.strictSame(await usedAt(again.store), [null, null], "another of that name was not used");
});

t.test(
  "a picture that nobody could look for is refused, before it is decoded where it is too large",
  async (t) => {
    const { store } = await openStore(t.testdir());
    const file = (width: number, height: number, step: number): Promise<Uint8Array> => {
      const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
      for (let i = 0; i < width * height; i += step) rgba.fill(0, i * 4, i * 4 + 3);
      return encodePicture({ width, height, rgba }, "png");
    };
    const set = async (bytes: Uint8Array) => {
      const picture = Buffer.from(bytes).toString("base64");
      return await store.set("bank", change(VALUE, readRules({ seen: { picture } }))).then(
        () => "taken",
        (error: unknown) => String(error),
      );
    };
    const striped = await file(20, 10, 5);
    t.equal(await set(striped), "taken");
    const huge = Buffer.from(striped);
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    t.match(await set(huge), /seen.picture: got one of 60000x60000 pixels/);
    const other = Buffer.from(striped);
    other.writeUInt32BE(10, 16);
    t.match(await set(other), /seen.picture: got one/);
    t.match(await set(await file(300, 300, 5)), /got one of 300x300 pixels, expected a PNG of at most 65536/);
    t.match(await set(await file(20, 10, 1)), /one that is all alike/);
    t.match(await set(Buffer.from("GIF89a, or what else there is")), /got something else/);
    t.match(await set(Buffer.from(striped.subarray(0, 40))), /cannot be decoded/);
    t.throws(() => readRules({ seen: {} }), { code: "invalid_parameters", message: /a text, or a picture/ });
  },
);

t.test("values for masks are those that are there, long enough, and no codes", async (t) => {
  const dir = t.testdir({ value: "of the configuration\n" });
  const { store } = await openStore(dir, [
    { name: "file", kind: "secret", file: join(dir, "value"), rules: RULES },
  ]);
  await store.set("bank", change(VALUE));
  await store.set("pin", change("1234567"));
  await store.set("code", change(SEED, RULES, "totp"));
  t.same(await store.valuesOf(["bank", "pin", "code", "nothing", "file"]), [VALUE, "of the configuration"]);
  writeFileSync(join(dir, "value"), "x".repeat(5000));
  await t.rejects(store.valuesOf(["file"]), { code: "bad_secret" });
});
