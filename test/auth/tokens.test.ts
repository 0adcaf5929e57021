import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { ROLES } from "../../src/auth/principal.ts";
import { TokenStore } from "../../src/auth/tokens.ts";
import { FakeClock } from "../fake-clock.ts";

/** Closed before its folder is removed: a last use may still be on its way to a file. */
async function openStore(t: Test, ...how: Parameters<typeof TokenStore.open>): Promise<TokenStore> {
  const store = await TokenStore.open(...how);
  t.teardown(() => store.close());
  return store;
}

t.test("a created token is verified, and nothing else is", async (t) => {
  const store = await openStore(t, t.testdir(), new FakeClock());
  const { token, info } = await store.create("laptop", "operator");
  t.match(token, /^ocp_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
  t.strictSame(store.verify(token), { id: info.id, name: "laptop", role: "operator" });
  const changed = token.endsWith("A") ? "B" : "A";
  for (const wrong of [
    "",
    "ocp_",
    `${token} `,
    token.slice(0, -1) + changed,
    token.slice(0, -1),
    `ocp_${"0".repeat(16)}_${token.slice(-43)}`,
    token.toUpperCase(),
  ]) {
    t.equal(store.verify(wrong), null);
  }
});

t.test("the right to be asked at its own client is given when a token is made, and only then", async (t) => {
  const dir = t.testdir();
  const store = await openStore(t, dir, new FakeClock());
  const trusted = await store.create("trusted", "agent", { mayElicit: true });
  const plain = await store.create("plain", "agent");
  const again = await openStore(t, dir, new FakeClock());
  t.equal(again.verify(trusted.token)?.mayElicit, true);
  t.equal(again.verify(plain.token)?.mayElicit, undefined);
  t.same(
    again.list().map(({ name, mayElicit }) => [name, mayElicit]),
    [
      ["trusted", true],
      ["plain", false],
    ],
  );
});

t.test("a token that has expired is nobody's, is told of, and ends what was opened by it", async (t) => {
  const dir = t.testdir();
  const clock = new FakeClock();
  const store = await openStore(t, dir, clock);
  const expiresAt = new Date(clock.date().getTime() + 60_000);
  const { token, info } = await store.create("guest", "viewer", { expiresAt });
  const forever = await store.create("laptop", "viewer");
  t.equal(info.expiresAt, expiresAt.toISOString());
  t.equal(forever.info.expiresAt, null);
  clock.advance(59_999);
  t.equal(store.verify(token)?.name, "guest");
  t.ok(store.has(info.id));
  clock.advance(1);
  t.equal(store.verify(token), null);
  t.notOk(store.has(info.id), "who holds a session by it is cut off as for one that was revoked");
  t.match(store.list(), [{ expiresAt: expiresAt.toISOString() }, { expiresAt: null }]);
  t.ok(store.verify(forever.token));
  const again = await openStore(t, dir, clock);
  t.equal(again.verify(token), null, "after a restart too");
});

t.test("the file holds only hashes and is its owner's alone", async (t) => {
  const dir = t.testdir();
  const store = await openStore(t, dir, new FakeClock());
  const { token } = await store.create("laptop", "agent");
  const path = join(dir, "tokens.json");
  t.equal(statSync(path).mode & 0o777, 0o600);
  const text = readFileSync(path, "utf8");
  t.notOk(text.includes(token.slice(-43)));
  t.match(text, /"sha256": "[0-9a-f]{64}"/);
});

t.test("tokens of every role outlive a restart", async (t) => {
  const dir = t.testdir();
  const store = await openStore(t, dir, new FakeClock());
  const made = await Promise.all(ROLES.map((role) => store.create(role, role)));
  const again = await openStore(t, dir, new FakeClock());
  t.strictSame(
    made.map(({ token }) => again.verify(token)?.role),
    [...ROLES],
  );
});

t.test("a token that another process made just now is known at once", async (t) => {
  const dir = t.testdir();
  const clock = new FakeClock();
  const running = await openStore(t, dir, clock);
  t.equal(running.verify("ocp_"), null, "it has just looked at the file");
  const command = await openStore(t, dir, clock);
  const { token, info } = await command.create("laptop", "agent", { toolsets: ["core"] });
  t.strictSame(running.verify(token), { id: info.id, name: "laptop", role: "agent", toolsets: ["core"] });
  t.same(running.list()[0]?.toolsets, ["core"]);
});

t.test("a token revoked by another process is refused within a second", async (t) => {
  const dir = t.testdir();
  const clock = new FakeClock();
  const server = await openStore(t, dir, clock);
  const { token, info } = await server.create("old", "viewer");
  const cli = await openStore(t, dir, new FakeClock());
  t.ok(server.verify(token));
  t.equal(await cli.revoke(info.id), true);
  t.equal(await cli.revoke(info.id), false);
  clock.advance(1000);
  t.equal(server.verify(token), null);
  t.notOk(server.has(info.id));
});

t.test("two processes that make tokens lose none", async (t) => {
  const dir = t.testdir();
  const a = await openStore(t, dir, new FakeClock());
  const b = await openStore(t, dir, new FakeClock());
  const one = await a.create("one", "viewer");
  const two = await b.create("two", "viewer");
  const three = await a.create("three", "viewer");
  const all = await openStore(t, dir, new FakeClock());
  for (const { token } of [one, two, three]) t.ok(all.verify(token));
});

t.test("the last use is told to the minute and kept", async (t) => {
  const dir = t.testdir();
  const clock = new FakeClock();
  const store = await openStore(t, dir, clock);
  const { token } = await store.create("laptop", "agent");
  t.equal(store.list()[0]?.lastUsedAt, null);
  clock.advance(90_000);
  store.verify(token);
  await store.close();
  t.equal(store.list()[0]?.lastUsedAt, "2026-11-21T00:01:00.000Z");
  t.equal((await openStore(t, dir, clock)).list()[0]?.lastUsedAt, "2026-11-21T00:01:00.000Z");
});

t.test("a kept token is the same at each start, and made anew once it was revoked", async (t) => {
  const dir = t.testdir();
  const clock = new FakeClock();
  const path = join(dir, "agent-token");
  const store = await openStore(t, dir, clock);
  const first = await store.kept(path, "Agents", "agent");
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(readFileSync(path, "utf8"), `${first}\n`);
  t.equal(await store.kept(path, "Agents", "agent"), first);
  await store.revoke(store.verify(first)?.id ?? "");
  const second = await store.kept(path, "Agents", "agent");
  t.not(second, first);
  t.equal(store.verify(second)?.role, "agent");
  t.equal((await store.kept(path, "Admin", "admin")) === second, false, "never a token of another role");
});

t.test("a damaged file is an error at the start, never an open door", async (t) => {
  for (const text of ["", "{", '{"version":2,"tokens":[]}', '{"version":1,"tokens":[{"id":"x"}]}', "null"]) {
    const dir = t.testdir({ "tokens.json": text });
    await t.rejects(TokenStore.open(dir, new FakeClock()), { name: "AuthError", code: "bad_store" });
  }
});

t.test("a file damaged under way changes nothing for the running server", async (t) => {
  const dir = t.testdir();
  const clock = new FakeClock();
  const store = await openStore(t, dir, clock);
  const { token } = await store.create("laptop", "agent");
  writeFileSync(join(dir, "tokens.json"), "{");
  clock.advance(5000);
  t.ok(store.verify(token));
  await t.rejects(store.create("other", "agent"), { code: "bad_store" });
});

t.test("a name must have 1 to 100 characters", async (t) => {
  const store = await openStore(t, t.testdir(), new FakeClock());
  await t.rejects(store.create("", "agent"), { code: "bad_name" });
  await t.rejects(store.create("n".repeat(101), "agent"), { code: "bad_name" });
});

t.test(
  "who follows a store hears of each token that is made and taken back, never of its secret",
  async (t) => {
    const told: string[] = [];
    const store = await openStore(t, t.testdir(), new FakeClock(), (change, token) =>
      told.push(`${change} ${JSON.stringify(token)}`),
    );
    const { token, info } = await store.create("laptop", "operator");
    await store.revoke(info.id);
    t.equal(await store.revoke(info.id), false, "a second time there is nothing to take back");
    t.equal(told.length, 2);
    t.match(told[0], new RegExp(`^issued .*${info.id}`));
    t.match(told[1], new RegExp(`^revoked .*${info.id}`));
    t.notMatch(told.join("\n"), token.slice(-43));
  },
);

t.test("who ask for a kept token at once get the same, by file", async (t) => {
  const dir = t.testdir();
  const store = await openStore(t, dir, new FakeClock());
  const paths = ["a", "a", "b", "a"].map((name) => join(dir, "agent-tokens", name));
  const [first, again, other, third] = await Promise.all(
    paths.map((path) => store.kept(path, "client", "agent")),
  );
  t.equal(first, again);
  t.equal(first, third);
  t.not(first, other);
  t.equal(store.list().length, 2);
});
