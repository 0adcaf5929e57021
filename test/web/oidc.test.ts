import t from "tap";
import { AuthError, type AuthErrorCode } from "../../src/auth/error.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import type { AppPorts } from "../../src/web/http/ports.ts";
import { openHouse } from "./fake-house.ts";

type Oidc = NonNullable<AppPorts["oidc"]>;

const PERSON = { id: "oidc:ada", name: "Ada", role: "operator" } as const;
/** As a browser sends what another site led it to. */
const FOREIGN = {
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

function fakeOidc(changes: Partial<Oidc> = {}) {
  const begun: { redirectUri: string; next: string }[] = [];
  const answers: { ticket: string; query: string }[] = [];
  const notices: string[] = [];
  const oidc: Oidc = {
    name: "Example",
    sessionMs: 3_600_000,
    signedBy: { issuer: "https://provider.example", audience: "oc" },
    begin: async (redirectUri, next) => {
      begun.push({ redirectUri, next });
      return { url: "https://provider.example/authorize?x=1", ticket: "the-ticket" };
    },
    finish: async (ticket, query) => {
      answers.push({ ticket, query: query.toString() });
      return { principal: PERSON, sessionId: "a-session-id", next: "/approvals?a=1&b=2" };
    },
    signOutUrl: async () => null,
    noticed: async (token) => {
      notices.push(token);
      if (token === "away") throw new AuthError("provider_unreachable", "no answer");
      if (token !== "a.b.c") throw new AuthError("bad_notice", "it has a nonce");
    },
    ...changes,
  };
  return { oidc, begun, answers, notices };
}

t.test("the button leads to the provider, with a cookie for this browser alone", async (t) => {
  const { oidc, begun } = fakeOidc();
  const { app } = await openHouse(t, { oidc });
  t.same((await app.inject("/api/v1/session/ways")).json(), { provider: "Example", ended: null });
  const answer = await app.inject("/signin/oidc?next=%2Fapprovals");
  t.equal(answer.statusCode, 303);
  t.equal(answer.headers.location, "https://provider.example/authorize?x=1");
  t.match(answer.cookies, [
    { value: "the-ticket", httpOnly: true, sameSite: "Lax", path: "/signin/oidc", maxAge: 600 },
  ]);
  t.same(begun, [{ redirectUri: "http://localhost:80/signin/oidc/callback", next: "/approvals" }]);
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:1",
    "/a b",
    "",
    "/%0d%0ax",
  ])
    await app.inject(`/signin/oidc?next=${encodeURIComponent(next)}`);
  t.same(
    begun.slice(1).map(({ next }) => next),
    ["/", "/", "/", "/", "/", "/", "/%0d%0ax"],
    "no way out of here",
  );
});

t.test("coming back opens a session, and a page of ours goes on", async (t) => {
  const { oidc, answers } = fakeOidc();
  const { app, audited, log } = await openHouse(t, { oidc });
  const answer = await app.inject({
    url: "/signin/oidc/callback?code=the-secret-code&state=s",
    headers: FOREIGN,
    cookies: { oc_oidc_0: "the-ticket", oc_oidc_80: "the-ticket" },
  });
  t.equal(answer.statusCode, 200);
  t.same(answers, [{ ticket: "the-ticket", query: "code=the-secret-code&state=s" }]);
  const session = answer.cookies.find(({ name }) => name.startsWith("oc_session"));
  t.match(session, { value: "a-session-id", httpOnly: true, sameSite: "Strict", path: "/", maxAge: 3600 });
  t.match(
    answer.body,
    /content="0;url=\/approvals\?a=1&#38;b=2"/,
    "begun anew, so that the cookie goes along",
  );
  t.match(
    audited.filter(({ type }) => type.startsWith("auth.")),
    ["auth.jwt_validated", "auth.login"].map((type) => ({
      type,
      actor: { id: "oidc:ada", role: "operator", kind: "human" },
      request: { path: "/signin/oidc/callback" },
      security: { issuer: "https://provider.example", audience: "oc" },
    })),
  );
  t.notMatch(log() + JSON.stringify(audited), /the-secret-code|the-ticket|a-session-id/);
  const german = await app.inject({
    url: "/signin/oidc/callback?code=the-secret-code&state=s",
    headers: { ...FOREIGN, "accept-language": "de" },
    cookies: { oc_oidc_80: "the-ticket" },
  });
  t.match(german.body, /<html lang="de">.*<title>Angemeldet<.*>Weiter<\/a>/);
});

t.test("what goes wrong is said by the sign-in page, without a session", async (t) => {
  for (const [code, page] of [
    ["no_role", "role"],
    ["sign_in_expired", "expired"],
    ["provider_refused", "provider"],
    ["provider_unreachable", "provider-down"],
  ] as const satisfies readonly (readonly [AuthErrorCode, string])[]) {
    const fail = async (): Promise<never> => {
      throw new AuthError(code, "for a reason");
    };
    const { app, audited, log } = await openHouse(t, { oidc: fakeOidc({ begin: fail, finish: fail }).oidc });
    for (const url of ["/signin/oidc", "/signin/oidc/callback?error=access_denied"]) {
      const answer = await app.inject({ url, headers: FOREIGN });
      t.equal(answer.statusCode, 303);
      t.equal(answer.headers.location, `/signin?error=${page}`);
      t.notOk(answer.cookies.some(({ name, value }) => name.startsWith("oc_session") && value !== ""));
    }
    t.match(audited, [
      { type: "auth.failed", errorCode: code },
      { type: "auth.failed", errorCode: code },
    ]);
    t.match(log(), /for a reason/);
  }
});

t.test("who fails too often waits, and so does who begins too often", async (t) => {
  const finish = async (): Promise<never> => {
    throw new AuthError("provider_refused", "no");
  };
  const { app } = await openHouse(t, { oidc: fakeOidc({ finish }).oidc });
  const status = async (url: string, remoteAddress: string) =>
    (await app.inject({ url, remoteAddress })).statusCode;
  for (let count = 0; count < 10; count++) t.equal(await status("/signin/oidc/callback", "10.0.0.1"), 303);
  t.equal(await status("/signin/oidc/callback", "10.0.0.1"), 429);
  for (let count = 0; count < 30; count++) await status("/signin/oidc", "10.0.0.2");
  t.equal(await status("/signin/oidc", "10.0.0.2"), 429);
  t.equal(await status("/signin/oidc", "10.0.0.3"), 303);
  const unkept = async (): Promise<never> => {
    throw new RefusedError("not_held", "the etcd of the fleet does not take it");
  };
  const house = await openHouse(t, { oidc: fakeOidc({ finish: unkept }).oidc });
  for (let count = 0; count < 12; count++) {
    const answer = await house.app.inject({ url: "/signin/oidc/callback", remoteAddress: "10.0.0.4" });
    t.equal(answer.statusCode, 503, "which nobody who signs in is to blame for");
  }
});

t.test("a provider tells that a session ended, as a form", async (t) => {
  const { oidc, notices } = fakeOidc();
  const { app, audited } = await openHouse(t, { oidc });
  const tell = (payload: string, type = "application/x-www-form-urlencoded") =>
    app.inject({ method: "POST", url: "/signin/oidc/logout", headers: { "content-type": type }, payload });
  t.equal((await tell("logout_token=a.b.c")).statusCode, 200);
  t.same(notices, ["a.b.c"]);
  for (const bad of ["x=1", "logout_token=d.e.f"]) {
    const answer = await tell(bad);
    t.equal(answer.statusCode, 400);
    t.notMatch(answer.body, /nonce/, "why is for the log alone");
  }
  t.match(
    audited.map(({ type, errorCode }) => ({ type, errorCode })),
    Array.from({ length: 2 }, () => ({ type: "auth.failed", errorCode: "bad_notice" })),
  );
  t.match(await tell("logout_token=away"), { statusCode: 503, headers: { "retry-after": "10" } });
  t.equal((await tell(`logout_token=${"x".repeat(40_000)}`)).statusCode, 413);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const other = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    headers: form,
    payload: "token=x",
  });
  t.equal(other.statusCode, 415, "no other route takes a form");
});

t.test("signing out says where to sign out at the provider", async (t) => {
  const asked: string[] = [];
  const { oidc } = fakeOidc({
    signOutUrl: async (sessionId, returnTo) => {
      asked.push(`${sessionId.length} ${returnTo}`);
      return "https://provider.example/end";
    },
  });
  const { app, token } = await openHouse(t, { oidc });
  const entered = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    payload: { token: token.viewer },
  });
  const cookie = `${entered.cookies[0]?.name}=${entered.cookies[0]?.value}`;
  const out = await app.inject({ method: "DELETE", url: "/api/v1/session", headers: { cookie } });
  t.same(out.json(), { provider_url: "https://provider.example/end" });
  t.same(asked, ["43 http://localhost:80/signin"]);
  const byToken = await app.inject({
    ...{ method: "DELETE", url: "/api/v1/session" },
    headers: { authorization: `Bearer ${token.viewer}` },
  });
  t.same(byToken.json(), { provider_url: null });
});

t.test("without a provider nothing of it is there", async (t) => {
  const { app } = await openHouse(t);
  t.same((await app.inject("/api/v1/session/ways")).json(), { provider: null, ended: null });
  for (const url of ["/signin/oidc", "/signin/oidc/callback"])
    t.equal((await app.inject(url)).statusCode, 404);
  t.equal((await app.inject({ method: "POST", url: "/signin/oidc/logout" })).statusCode, 404);
});
