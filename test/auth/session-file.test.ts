import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Authenticator } from "../../src/auth/authenticator.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import { OneTimeCodes } from "../../src/auth/one-time-codes.ts";
import type { Principal } from "../../src/auth/principal.ts";
import { SecretBox } from "../../src/auth/secret-box.ts";
import { SessionFile } from "../../src/auth/session-file.ts";
import { Sessions } from "../../src/auth/sessions.ts";
import { TokenStore } from "../../src/auth/tokens.ts";
import { FakeClock } from "../fake-clock.ts";

const HOUR_MS = 3_600_000;
const OWN_TOKEN = "an-own-token-of-the-operator";
const ANN: Principal = { id: "first-sign-in", name: "Ann", role: "operator", desktops: ["d1"] };

/** Starts on a data folder, at some hour after the first start; what it holds is of that process alone. */
async function start(
  dir: string,
  { hours = 0, ownToken = OWN_TOKEN }: { hours?: number; ownToken?: string | null } = {},
) {
  const clock = new FakeClock(new Date(Date.UTC(2026, 10, 21) + hours * HOUR_MS));
  // A process that started at another time has another clock.
  clock.advance(hours * 7);
  const faults: unknown[] = [];
  const path = join(dir, "sessions", "3000.json");
  const file = new SessionFile(path, {
    ...{
      clock,
      ownToken,
      sealer: await SecretBox.open(dir),
      onFault: (error: unknown) => faults.push(error),
    },
  });
  const sessions = await Sessions.open(clock, file);
  const tokens = await TokenStore.open(dir, clock);
  const authenticator = new Authenticator({
    ...{ clock, tokens, sessions, codes: new OneTimeCodes(clock), lockout: new Lockout(clock), ownToken },
  });
  const isIn = (sessionId: string): boolean =>
    authenticator.authenticate({ authorization: undefined, sessionId, address: "127.0.0.1" }).kind ===
    "known";
  const enter = (secret: string): string => {
    const result = authenticator.signIn(secret, "127.0.0.1");
    if (result.kind !== "known") throw new Error(result.kind);
    return authenticator.openSession(result.credential.principal);
  };
  return { clock, sessions, tokens, authenticator, faults, path, isIn, enter };
}

t.test("who is signed in stays so over a restart, as long as without one", async (t) => {
  const dir = t.testdir();
  const first = await start(dir);
  const id = first.sessions.open(ANN);
  first.clock.advance(HOUR_MS / 2);
  t.same(first.sessions.find(id), ANN);
  await first.sessions.close();
  const second = await start(dir, { hours: 1 });
  t.same(second.sessions.find(id), ANN, "the same rights");
  t.same(second.faults, []);
  await second.sessions.close();
  const idle = await start(dir, { hours: 2 });
  t.equal(idle.sessions.fate(id), "idle", "an hour without use, part of it without a server");
  await second.sessions.close();
  for (let hours = 1.9; hours < 12; hours += 0.9) {
    const later = await start(dir, { hours });
    t.ok(later.sessions.find(id), `after ${hours} hours`);
    await later.sessions.close();
  }
  t.equal((await start(dir, { hours: 12 })).sessions.fate(id), "expired");
});

t.test("a use is written down within a minute, for who is killed closes nothing", async (t) => {
  const dir = t.testdir();
  const first = await start(dir);
  const id = first.sessions.open(ANN);
  first.clock.advance(HOUR_MS - 1);
  first.sessions.find(id);
  await first.sessions.flush();
  t.ok((await start(dir, { hours: 1.5 })).sessions.find(id));
});

t.test("the file is its owner's alone, and nobody signs in by what is in it", async (t) => {
  const dir = t.testdir();
  const { sessions, path, enter } = await start(dir);
  const id = enter(OWN_TOKEN);
  await sessions.flush();
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(statSync(join(dir, "sessions")).mode & 0o777, 0o700);
  const text = readFileSync(path, "utf8");
  for (const secret of [id, OWN_TOKEN, "admin", "OC_TOKEN"]) t.notOk(text.includes(secret), "not in clear");
  const { sha256, sealed } = JSON.parse(text).sessions[0];
  t.match(sha256, /^[0-9a-f]{64}$/);
  for (const word of [sha256, sealed]) t.equal(sessions.find(word), null);
});

t.test("what was ended is over after a restart too", async (t) => {
  const dir = t.testdir();
  const first = await start(dir);
  const [out, stays] = [first.sessions.open(ANN), first.sessions.open(ANN)];
  first.sessions.end(out);
  await first.authenticator.sessionsKept();
  // No close: as if it was killed right then.
  const second = await start(dir);
  t.equal(second.sessions.find(out), null);
  t.ok(second.sessions.find(stays));
});

t.test("a session is gone with its token, and with what the token may", async (t) => {
  const dir = t.testdir();
  const first = await start(dir);
  const [kept, revoked, demoted] = await Promise.all(
    ["kept", "revoked", "demoted"].map((name) => first.tokens.create(name, "operator")),
  );
  if (!kept || !revoked || !demoted) throw new Error("three tokens");
  const ids = [kept, revoked, demoted].map(({ token }) => first.enter(token));
  const guest = first.sessions.open({
    ...{ id: "guest:1", name: "Eve", role: "viewer", desktops: ["d1"] },
    guest: { hostId: revoked.info.id, endsAtMs: first.clock.nowMs() + HOUR_MS, isViewOnly: true },
  });
  t.same([...ids, guest].map(first.isIn), [true, true, true, true]);
  await first.tokens.revoke(revoked.info.id);
  await first.sessions.close();
  const file = join(dir, "tokens.json");
  const stored = JSON.parse(readFileSync(file, "utf8"));
  stored.tokens.find(({ name }: { name: string }) => name === "demoted").role = "viewer";
  writeFileSync(file, JSON.stringify(stored));
  const second = await start(dir);
  t.same([...ids, guest].map(second.isIn), [true, false, false, false]);
  t.same(
    ids.map((id) => second.authenticator.whyOver(id)),
    [null, "revoked", "revoked"],
  );
});

t.test("a session by OC_TOKEN, and its guests, end with that OC_TOKEN", async (t) => {
  for (const ownToken of [OWN_TOKEN, `${OWN_TOKEN}-anew`, null]) {
    const dir = t.testdir();
    const first = await start(dir);
    const ids = [
      first.enter(OWN_TOKEN),
      first.sessions.open({
        ...{ id: "guest:1", name: "Eve", role: "viewer", desktops: ["d1"] },
        guest: { hostId: "oc_token", endsAtMs: first.clock.nowMs() + HOUR_MS, isViewOnly: true },
      }),
    ];
    await first.sessions.close();
    const second = await start(dir, { ownToken });
    const isSame = ownToken === OWN_TOKEN;
    t.same(ids.map(second.isIn), [isSame, isSame], `${ownToken}`);
  }
});

t.test("a code of before the restart opens nothing, and one session is one code's", async (t) => {
  const dir = t.testdir();
  const first = await start(dir);
  const codes = new OneTimeCodes(first.clock);
  const code = codes.issue(ANN);
  const id = first.sessions.open(codes.redeem(code) ?? ANN);
  await first.sessions.close();
  const second = await start(dir);
  t.ok(second.isIn(id));
  t.equal(second.authenticator.signIn(code, "127.0.0.1").kind, "wrong");
});

t.test(
  "a file that cannot be understood or opened signs people out, and keeps nobody from signing in",
  async (t) => {
    const spoil: Record<string, (dir: string, path: string) => void> = {
      "no JSON": (_dir, path) => writeFileSync(path, "{"),
      "of another kind": (_dir, path) => writeFileSync(path, `{"version":2}`),
      "under another key": (dir) =>
        writeFileSync(join(dir, "secret.key"), randomBytes(32).toString("base64url")),
      "of another session": (_dir, path) => {
        const stored = JSON.parse(readFileSync(path, "utf8"));
        stored.sessions[0].sha256 = "0".repeat(64);
        writeFileSync(path, JSON.stringify(stored));
      },
    };
    for (const [what, change] of Object.entries(spoil)) {
      const dir = t.testdir();
      const first = await start(dir);
      const id = first.sessions.open(ANN);
      await first.sessions.close();
      change(dir, first.path);
      const second = await start(dir);
      t.notOk(second.isIn(id), what);
      t.equal(second.faults.length, 1, `${what}: it is told`);
      const anew = second.sessions.open(ANN);
      await second.sessions.close();
      t.ok((await start(dir)).isIn(anew), `${what}: the next is kept again`);
    }
  },
);

t.test("where a session's end cannot be written, no session is kept", async (t: Test) => {
  const dir = t.testdir();
  const first = await start(dir);
  const id = first.sessions.open(ANN);
  await first.sessions.flush();
  // A person whose name cannot be sealed stands for a disk that is full.
  first.sessions.open({
    ...ANN,
    get name(): string {
      throw new Error("no room");
    },
  });
  first.sessions.end(id);
  await first.sessions.flush();
  t.notOk(existsSync(first.path));
  t.match(first.faults, [{ message: "no room" }]);
  t.notOk((await start(dir)).isIn(id));
});

t.test("one that carries too much lasts as long as the process", async (t) => {
  const dir = t.testdir();
  mkdirSync(join(dir, "sessions"));
  const first = await start(dir);
  const [large, small] = [
    first.sessions.open({ ...ANN, name: "x".repeat(40_000) }),
    first.sessions.open(ANN),
  ];
  await first.sessions.close();
  t.ok(first.isIn(large));
  const second = await start(dir);
  t.same([large, small].map(second.isIn), [false, true]);
  t.same(second.faults, []);
});
