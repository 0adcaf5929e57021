import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Authenticator } from "../../../src/auth/authenticator.ts";
import { AuthError } from "../../../src/auth/error.ts";
import { Lockout } from "../../../src/auth/lockout.ts";
import type { LogoutResult } from "../../../src/auth/oidc/logout-tokens.ts";
import { type OidcPorts, type OidcSettings, OidcSignIn } from "../../../src/auth/oidc/oidc-sign-in.ts";
import type { Grant, Standing } from "../../../src/auth/oidc/openid-provider.ts";
import { SignInTickets } from "../../../src/auth/oidc/sign-in-tickets.ts";
import { OneTimeCodes } from "../../../src/auth/one-time-codes.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { SessionFile } from "../../../src/auth/session-file.ts";
import { Sessions } from "../../../src/auth/sessions.ts";
import { TokenStore } from "../../../src/auth/tokens.ts";
import { FakeClock } from "../../fake-clock.ts";

const ADA: Grant = {
  subject: "ada",
  sid: "s1",
  claims: { name: "Ada", groups: ["admins"] },
  accessToken: "at",
  refreshToken: null,
  expiresAtMs: null,
};

interface Restart {
  /** Keeps sessions in a file. */
  readonly keeps?: boolean;
  /** Goes on where that one ended. */
  readonly from?: { readonly dir: string };
  readonly settings?: Partial<OidcSettings>;
  /** No provider is configured any more. */
  readonly hasNone?: boolean;
}

async function openSignIn(
  test: Test,
  changes: Partial<OidcPorts["provider"]> = {},
  { keeps = false, from, settings = {}, hasNone = false }: Restart = {},
) {
  const clock = new FakeClock();
  const dir = from?.dir ?? test.testdir();
  const path = join(dir, "sessions.json");
  const onFault = (): void => undefined;
  const sealer = await SecretBox.open(dir);
  const file = new SessionFile(path, { clock, sealer, ownToken: null, onFault });
  const isKept = keeps || from !== undefined;
  const sessions = isKept ? await Sessions.open(clock, file) : new Sessions(clock);
  const told: string[] = [];
  const asked: Grant[] = [];
  const signedOut: string[] = [];
  const notices = new Map<string, LogoutResult>();
  /** Proofs of sessions that other nodes opened, by whose they are. */
  const elsewhere = new Map<string, unknown>();
  const answers: { standing: Standing; grant: Grant } = {
    standing: { kind: "stands", grant: ADA },
    grant: ADA,
  };
  const takeBack = hasNone ? () => undefined : sessions.takeBack.bind(sessions);
  const signIn = new OidcSignIn(
    {
      ...{ issuer: "https://id.example", clientId: "oc" },
      name: "Example",
      rule: { claim: "groups", roles: { admins: "admin", watchers: "viewer" }, desktops: {} },
      sessionMs: 3_600_000,
      checkMs: 60_000,
      ...settings,
    },
    {
      clock,
      tickets: new SignInTickets("https://id.example oc", { clock, sealer, shared: null }),
      sessions: {
        open: sessions.open.bind(sessions),
        handle: sessions.handle.bind(sessions),
        flush: sessions.flush.bind(sessions),
        endElsewhere: async (isMeant) =>
          [...elsewhere].flatMap(([name, proof]) =>
            isMeant(proof) && elsewhere.delete(name) ? { id: name, name, role: "viewer" } : [],
          ),
        takeBack,
      },
      provider: {
        begin: async (redirectUri) => ({
          ...{ url: `https://provider/?r=${redirectUri}`, redirectUri },
          ...{ state: randomUUID(), nonce: "n", verifier: "v" },
        }),
        finish: async () => answers.grant,
        standing: async (grant) => {
          asked.push(grant);
          return answers.standing;
        },
        signOutUrl: async (returnTo) => `https://provider/end?to=${returnTo}`,
        ...changes,
      },
      logoutTokens: {
        judge: async (token) => notices.get(token) ?? { kind: "wrong", reason: "it is not signed" },
      },
      signedOut: async (personId, atS) => void signedOut.push(`${personId} at ${atS}`),
      ended: ({ id }, reason) => told.push(`${id} ${reason}`),
      unasked: (reason) => told.push(reason),
    },
  );
  const tokens = await TokenStore.open(dir, clock);
  const authenticator = new Authenticator({
    ...{ clock, tokens, sessions, codes: new OneTimeCodes(clock) },
    ...{ lockout: new Lockout(clock), ownToken: null },
  });
  const enter = async () => {
    const { ticket } = await signIn.begin("https://here/callback", "/approvals");
    return signIn.finish(ticket, new URLSearchParams({ code: "c", state: "s" }));
  };
  /** Lets the clock pass, and all that waits for answers go on. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const kept = (): string => readFileSync(path, "utf8");
  return {
    dir,
    kept,
    clock,
    sessions,
    signIn,
    told,
    asked,
    signedOut,
    notices,
    elsewhere,
    answers,
    authenticator,
    enter,
    pass,
  };
}

t.test("who comes back has a session of the role that the claims give", async (t) => {
  const { enter, sessions, answers } = await openSignIn(t);
  const { principal, sessionId, next } = await enter();
  t.same(principal, { id: "oidc:ada", name: "Ada", role: "admin" });
  t.equal(next, "/approvals");
  t.same(sessions.find(sessionId), principal);
  answers.grant = { ...ADA, claims: { name: "\u202eA\nd\x00a ", groups: ["watchers"] } };
  t.match((await enter()).principal, { name: "Ada", role: "viewer" });
  answers.grant = { ...ADA, claims: { name: 7, email: "x".repeat(300), groups: ["watchers"] } };
  t.equal((await enter()).principal.name, "x".repeat(100));
  for (const subject of ["", "a b", "é", "x".repeat(256), "a\n"]) {
    answers.grant = { ...ADA, subject };
    await t.rejects(enter(), { code: "provider_refused" }, JSON.stringify(subject));
  }
});

t.test("who has no role has no session", async (t) => {
  const { enter, sessions, answers, signIn } = await openSignIn(t);
  answers.grant = { ...ADA, claims: { groups: ["staff"] } };
  await t.rejects(enter(), { code: "no_role", message: "the claim groups gives ada no role" });
  t.equal(sessions.size, 0);
  t.equal(signIn.size, 0);
});

t.test("a ticket is for one sign-in, within ten minutes", async (t) => {
  const { signIn, clock } = await openSignIn(t);
  const query = new URLSearchParams();
  const { ticket } = await signIn.begin("https://here/callback", "/");
  await signIn.finish(ticket, query);
  await t.rejects(signIn.finish(ticket, query), { code: "sign_in_expired" }, "used");
  await t.rejects(signIn.finish("", query), { code: "sign_in_expired" });
  const late = await signIn.begin("https://here/callback", "/");
  clock.advance(10 * 60_000);
  await t.rejects(signIn.finish(late.ticket, query), { code: "sign_in_expired" }, "too late");
  const first = await signIn.begin("https://here/callback", "/");
  for (let count = 0; count < 1000; count++) await signIn.begin("https://here/callback", "/");
  t.match(await signIn.finish(first.ticket, query), { next: "/" }, "whoever else began");
});

t.test(
  "a session that is over at the provider ends here, and what it keeps open within a second",
  async (t) => {
    const { enter, answers, pass, sessions, authenticator, told, signIn, asked } = await openSignIn(t);
    const { principal, sessionId } = await enter();
    let isVoid = false;
    authenticator.whenVoid({ kind: "session", principal, sessionId }, () => {
      isVoid = true;
    });
    await pass(60_000);
    t.equal(asked.length, 1);
    answers.standing = { kind: "unknown", reason: "the provider cannot be reached: ECONNREFUSED" };
    await pass(60_000);
    t.same(
      told,
      ["the provider cannot be reached: ECONNREFUSED"],
      "nobody is signed out by a fault of the network",
    );
    t.notOk(isVoid);
    answers.standing = { kind: "over" };
    await pass(60_000);
    t.equal(sessions.find(sessionId), null);
    await pass(1000);
    t.ok(isVoid);
    t.same(told.slice(1), ["oidc:ada session_over"]);
    t.equal(signIn.size, 0);
    await pass(600_000);
    t.equal(asked.length, 3, "nobody asks any more");
  },
);

t.test("another role at the provider ends the session", async (t) => {
  const { enter, answers, pass, sessions, told, signedOut } = await openSignIn(t);
  const { sessionId } = await enter();
  answers.standing = { kind: "stands", grant: { ...ADA, claims: { groups: ["watchers"] } } };
  await pass(60_000);
  t.equal(sessions.find(sessionId), null);
  t.same(told, ["oidc:ada role_changed"]);
  t.match(signedOut, [/^oidc:ada at \d{10}$/], "what her agents were given counts no more");
});

t.test("a provider's word ends the session that it names, at once and without asking", async (t) => {
  const { enter, answers, sessions, signIn, asked, notices, signedOut, told, authenticator } =
    await openSignIn(t);
  const first = await enter();
  answers.grant = { ...ADA, sid: "s2" };
  const second = await enter();
  answers.grant = { ...ADA, sid: null };
  const third = await enter();
  const voided: string[] = [];
  for (const { principal, sessionId } of [first, second])
    authenticator.whenVoid({ kind: "session", principal, sessionId }, () => voided.push(sessionId));
  notices
    .set("s1", { kind: "known", subject: "ada", sid: "s1", atS: 7 })
    .set("s2", { kind: "known", subject: null, sid: "s2", atS: 8 })
    .set("eve", { kind: "known", subject: "eve", sid: null, atS: 9 })
    .set("away", { kind: "unreachable", reason: "no answer" });
  await t.rejects(signIn.noticed("forged"), { code: "bad_notice", message: "it is not signed" });
  await t.rejects(signIn.noticed("away"), { code: "provider_unreachable" });
  await signIn.noticed("eve");
  t.same(told, [], "nobody of these is here");
  await signIn.noticed("s1");
  t.equal(sessions.find(first.sessionId), null);
  t.equal(sessions.find(third.sessionId), null, "one whose session there is not known, too");
  t.same(voided, [first.sessionId], "in that moment, by no timer");
  t.not(sessions.find(second.sessionId), null, "another session of hers stands");
  await signIn.noticed("s2");
  t.equal(sessions.find(second.sessionId), null);
  t.same(
    told,
    Array.from({ length: 3 }, () => "oidc:ada session_over"),
  );
  t.same(signedOut, ["oidc:eve at 9", "oidc:ada at 7", "oidc:ada at 8"], "and her agents");
  t.equal(signIn.size, 0);
  t.same(asked, []);
});

t.test("it ends those that other nodes opened as well", async (t) => {
  const { signIn, elsewhere, told, signedOut, notices } = await openSignIn(t);
  const proof = (subject: string, sid: string | null, clientId = "oc") => ({
    ...{ issuer: "https://id.example", clientId, grant: { ...ADA, subject, sid } },
  });
  elsewhere
    .set("oidc:ada", proof("ada", "s1"))
    .set("oidc:eve", proof("eve", null))
    .set("oidc:other", proof("ada", "s1", "of another client"))
    .set("oidc:none", null);
  notices
    .set("s1", { kind: "known", subject: null, sid: "s1", atS: 7 })
    .set("eve", { kind: "known", subject: "eve", sid: null, atS: 9 });
  await signIn.noticed("s1");
  t.same([...elsewhere.keys()], ["oidc:eve", "oidc:other", "oidc:none"]);
  await signIn.noticed("eve");
  t.same([...elsewhere.keys()], ["oidc:other", "oidc:none"]);
  t.same(told, ["oidc:ada session_over", "oidc:eve session_over"]);
  t.same(signedOut, ["oidc:ada at 7", "oidc:eve at 9"]);
});

t.test(
  "a session lasts as long as configured, is not kept alive by asking, and is not asked for once signed out",
  async (t) => {
    const { enter, pass, sessions, signIn, asked } = await openSignIn(t);
    const first = await enter();
    // Asked 59 times, used never: idle for an hour, as any other.
    await pass(3_599_999);
    t.not(sessions.find(first.sessionId), null);
    await pass(1);
    t.equal(sessions.find(first.sessionId), null, "its time is over");
    await pass(60_000);
    t.equal(signIn.size, 0);
    const second = await enter();
    t.equal(
      await signIn.signOutUrl(second.sessionId, "https://here/signin"),
      "https://provider/end?to=https://here/signin",
    );
    t.equal(await signIn.signOutUrl(second.sessionId, "https://here/signin"), null);
    const before = asked.length;
    await pass(600_000);
    t.equal(asked.length, before);
    const third = await enter();
    signIn.close();
    await pass(600_000);
    t.equal(asked.length, before);
    t.not(third.sessionId, second.sessionId);
  },
);

t.test("where the provider cannot say where to sign out, one is signed out here", async (t) => {
  const { enter, signIn } = await openSignIn(t, {
    signOutUrl: async () => {
      throw new AuthError("provider_unreachable", "down");
    },
  });
  t.equal(await signIn.signOutUrl((await enter()).sessionId, "https://here/signin"), null);
});

t.test(
  "a session goes on after a restart, and the provider is asked at once what it told meanwhile",
  async (t) => {
    const first = await openSignIn(t, {}, { keeps: true });
    const { principal, sessionId } = await first.enter();
    // The provider gave another refresh token since: the first counts no more.
    first.answers.standing = { kind: "stands", grant: { ...ADA, refreshToken: "newer" } };
    await first.pass(60_000);
    await first.sessions.close();
    t.notMatch(first.kept(), /newer|ada|Ada|"at"/, "nothing in clear");

    const second = await openSignIn(t, {}, { from: first });
    t.same(second.sessions.find(sessionId), principal);
    second.answers.standing = { kind: "stands", grant: { ...ADA, refreshToken: "newer" } };
    await second.pass(20);
    t.match(second.asked, [{ refreshToken: "newer" }]);
    t.equal(second.signIn.size, 1, "and again and again, as before");
    await second.pass(60_000);
    t.equal(second.asked.length, 2);
    await second.sessions.close();

    const third = await openSignIn(t, {}, { from: second });
    third.answers.standing = { kind: "over" };
    let isVoid = false;
    third.authenticator.whenVoid({ kind: "session", principal, sessionId }, () => {
      isVoid = true;
    });
    await third.pass(20);
    t.ok(isVoid, "signed out there while nobody was here to be told");
    t.same(third.told, ["oidc:ada session_over"]);
  },
);

t.test("a session of another provider, or of rights that are no more, ends with the restart", async (t) => {
  const others = {
    "another provider": { settings: { issuer: "https://other.example" } },
    "another client": { settings: { clientId: "other" } },
    "other roles": {
      settings: { rule: { claim: "groups", roles: { admins: "viewer" as const }, desktops: {} } },
      told: ["oidc:ada role_changed"],
    },
    "no provider": { hasNone: true },
  };
  for (const [what, { told = [], ...other }] of Object.entries<{
    told?: string[];
    settings?: Partial<OidcSettings>;
    hasNone?: boolean;
  }>(others)) {
    const first = await openSignIn(t, {}, { keeps: true });
    const { sessionId } = await first.enter();
    await first.sessions.close();
    const second = await openSignIn(t, {}, { from: first, ...other });
    t.equal(second.sessions.find(sessionId), null, what);
    t.same(second.told, told, what);
    await second.pass(60_000);
    t.same(second.asked, [], what);
  }
});
