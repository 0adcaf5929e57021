import t from "tap";
import { Authenticator } from "../../src/auth/authenticator.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import { OneTimeCodes } from "../../src/auth/one-time-codes.ts";
import { Sessions } from "../../src/auth/sessions.ts";
import { TokenStore } from "../../src/auth/tokens.ts";
import { FakeClock } from "../fake-clock.ts";

const OWN = "sixteen-or-more!";
const HERE = "127.0.0.1";
const WRONG = `ocp_${"0".repeat(16)}_${"A".repeat(43)}`;

async function house(dir: string, ownToken: string | null = OWN) {
  const clock = new FakeClock();
  const tokens = await TokenStore.open(dir, clock);
  const codes = new OneTimeCodes(clock);
  const lockout = new Lockout(clock);
  const authenticator = new Authenticator({
    clock,
    tokens,
    codes,
    lockout,
    ownToken,
    sessions: new Sessions(clock),
  });
  const bearer = (token: string, address = HERE) =>
    authenticator.authenticate({ authorization: `Bearer ${token}`, sessionId: undefined, address });
  return { clock, tokens, codes, authenticator, bearer };
}

t.test("a Bearer token and OC_TOKEN say who calls", async (t) => {
  const { tokens, bearer, authenticator } = await house(t.testdir());
  const { token, info } = await tokens.create("laptop", "viewer");
  t.match(bearer(token), {
    kind: "known",
    credential: { kind: "token", principal: { id: info.id, role: "viewer" } },
  });
  t.match(bearer(OWN), { kind: "known", credential: { principal: { id: "oc_token", role: "admin" } } });
  t.match(
    authenticator.authenticate({ authorization: `bearer  ${token}`, sessionId: undefined, address: HERE }),
    { kind: "known" },
  );
  t.match(authenticator.authenticate({ authorization: undefined, sessionId: undefined, address: HERE }), {
    kind: "anonymous",
  });
});

t.test("a wrong Bearer header is not saved by a cookie", async (t) => {
  const { authenticator, tokens } = await house(t.testdir());
  const { info } = await tokens.create("laptop", "viewer");
  const sessionId = authenticator.openSession({ id: info.id, name: "laptop", role: "viewer" });
  t.match(authenticator.authenticate({ authorization: undefined, sessionId, address: HERE }), {
    kind: "known",
  });
  for (const authorization of ["", "Basic abc", "Bearer", "Bearer ", `Bearer ${WRONG}`, `Bearer a ${OWN}`]) {
    t.match(
      authenticator.authenticate({ authorization, sessionId, address: "10.1.1.1" }).kind,
      /wrong|locked/,
    );
  }
});

t.test("guessing locks the address, and neither other addresses nor stored tokens suffer", async (t) => {
  const { bearer, tokens, clock } = await house(t.testdir());
  const { token } = await tokens.create("laptop", "viewer");
  for (let guess = 0; guess < 5; guess++) t.equal(bearer(`${OWN}${guess}`).kind, "wrong");
  t.match(bearer(OWN), { kind: "locked", waitMs: 10_000 }, "a guess that happens to be right is not told");
  t.equal(bearer(token).kind, "known", "nobody guesses 256 bits");
  t.equal(bearer(WRONG).kind, "locked", "and its success does not open the door for guesses");
  t.equal(bearer(OWN, "10.0.0.9").kind, "known");
  clock.advance(10_000);
  t.equal(bearer(OWN).kind, "known");
});

t.test("a one-time code signs in once, a token again and again", async (t) => {
  const { authenticator, codes, tokens } = await house(t.testdir());
  const { token, info } = await tokens.create("admin", "admin");
  const code = codes.issue({ id: info.id, name: "admin", role: "admin" });
  t.equal(authenticator.signIn(code, HERE).kind, "known");
  t.equal(authenticator.signIn(code, HERE).kind, "wrong");
  t.equal(authenticator.signIn(token, HERE).kind, "known");
  t.equal(authenticator.signIn(token, HERE).kind, "known");
  t.equal(authenticator.signIn(OWN, HERE).kind, "known");
});

t.test("a code of the first start signs in somebody who has no token", async (t) => {
  const { authenticator, codes } = await house(t.testdir());
  const code = codes.issue({ id: "first-sign-in", name: "admin", role: "admin" });
  const result = authenticator.signIn(code, HERE);
  t.match(result, { kind: "known", credential: { principal: { id: "first-sign-in", role: "admin" } } });
  const sessionId = authenticator.openSession({ id: "first-sign-in", name: "admin", role: "admin" });
  t.match(authenticator.authenticate({ authorization: undefined, sessionId, address: HERE }), {
    kind: "known",
  });
});

t.test("a code never works as a Bearer token", async (t) => {
  const { bearer, codes, tokens } = await house(t.testdir());
  const { info } = await tokens.create("admin", "admin");
  const code = codes.issue({ id: info.id, name: "admin", role: "admin" });
  t.equal(bearer(code).kind, "wrong");
});

t.test("revoking a token ends its sessions, its codes and its open sockets", async (t) => {
  const { authenticator, clock, codes, tokens, bearer } = await house(t.testdir());
  const { token, info } = await tokens.create("admin", "admin");
  const principal = { id: info.id, name: "admin", role: "admin" } as const;
  const sessionId = authenticator.openSession(principal);
  const code = codes.issue(principal);
  const open = bearer(token);
  const credential = open.kind === "known" ? open.credential : t.fail("not signed in");
  if (typeof credential === "boolean") return;
  const ended: string[] = [];
  authenticator.whenVoid(credential, () => ended.push("token"));
  authenticator.whenVoid({ kind: "session", principal, sessionId }, () => ended.push("session"));
  clock.advance(1000);
  t.same(ended, []);
  await tokens.revoke(info.id);
  t.same(ended, ["token", "session"], "in that moment, by no timer");
  t.equal(
    authenticator.authenticate({ authorization: undefined, sessionId, address: HERE }).kind,
    "anonymous",
  );
  t.equal(authenticator.signIn(code, HERE).kind, "wrong");
});

t.test(
  "what another process revokes ends within a second, and a session that is ended at once",
  async (t) => {
    const dir = t.testdir();
    const { authenticator, clock, tokens, bearer } = await house(dir);
    const { token, info } = await tokens.create("laptop", "admin");
    const open = bearer(token);
    if (open.kind !== "known") throw new Error("not signed in");
    const ended: string[] = [];
    authenticator.whenVoid(open.credential, () => ended.push("token"));
    const sessionId = authenticator.openSession(open.credential.principal);
    authenticator.whenVoid({ ...open.credential, kind: "session", sessionId }, () => ended.push("session"));
    authenticator.endSession(sessionId);
    t.same(ended, ["session"]);
    const command = await TokenStore.open(dir, clock);
    await command.revoke(info.id);
    t.same(ended, ["session"]);
    clock.advance(1000);
    t.same(ended, ["session", "token"]);
  },
);

t.test("an ended session is anonymous, and so is a monstrous cookie", async (t) => {
  const { authenticator, tokens } = await house(t.testdir());
  const { info } = await tokens.create("laptop", "viewer");
  const sessionId = authenticator.openSession({ id: info.id, name: "laptop", role: "viewer" });
  t.equal(authenticator.endSession(sessionId), true);
  for (const id of [sessionId, "x".repeat(100_000), ""]) {
    t.equal(
      authenticator.authenticate({ authorization: undefined, sessionId: id, address: HERE }).kind,
      "anonymous",
    );
  }
});

t.test("OC_TOKEN must have 16 characters", async (t) => {
  await t.rejects(house(t.testdir(), "fifteen-letters"), { name: "AuthError", code: "bad_token" });
  t.ok(await house(t.testdir(), null));
});

t.test("a right token of somebody else's buys no new guesses at OC_TOKEN", async (t) => {
  const { bearer, tokens } = await house(t.testdir());
  const { token } = await tokens.create("bot", "agent");
  for (let guess = 0; guess < 4; guess++) {
    t.match(bearer(`${OWN}${guess}`), { kind: "wrong", waitMs: 0 });
    t.equal(bearer(token).kind, "known");
  }
  t.match(bearer(`${OWN}4`), { kind: "wrong", waitMs: 10_000 });
  t.equal(bearer(OWN).kind, "locked");
});

t.test("OC_TOKEN itself clears what was mistyped before", async (t) => {
  const { bearer } = await house(t.testdir());
  for (let guess = 0; guess < 4; guess++) bearer(`${OWN}${guess}`);
  t.equal(bearer(OWN).kind, "known");
  t.match(bearer(`${OWN}4`), { kind: "wrong", waitMs: 0 });
});

t.test("the start's one-time code opens the door of an address that others locked", async (t) => {
  const { authenticator, bearer, codes } = await house(t.testdir());
  const code = codes.issue({ id: "first-sign-in", name: "admin", role: "admin" });
  for (let guess = 0; guess < 5; guess++) bearer(WRONG);
  t.equal(authenticator.signIn(OWN, HERE).kind, "locked");
  t.equal(authenticator.signIn(code, HERE).kind, "known", "nobody guesses 128 bits");
  t.equal(authenticator.signIn(code, HERE).kind, "locked", "once");
  t.equal(authenticator.signIn(OWN, HERE).kind, "locked", "and its success opens nothing for guesses");
});
