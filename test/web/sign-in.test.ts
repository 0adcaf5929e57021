import t from "tap";
import { AGENT_TOKEN, OWN_TOKEN, openHouse, SocketPeer } from "./fake-house.ts";

const FIRST = { id: "first-sign-in", name: "admin", role: "admin" } as const;
/** What a browser sends for an address that was typed, or clicked in a terminal. */
const HTML = {
  accept: "text/html,application/xhtml+xml",
  "sec-fetch-site": "none",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

t.test(
  "/?token= exchanges a token, a one-time code or OC_TOKEN for a cookie and leaves the address bar",
  async (t) => {
    const { app, token, codes } = await openHouse(t);
    const code = codes.issue(FIRST);
    for (const secret of [token.viewer, code, OWN_TOKEN, OWN_TOKEN]) {
      const answer = await app.inject({ url: `/?token=${encodeURIComponent(secret)}`, headers: HTML });
      t.equal(answer.statusCode, 303);
      t.equal(answer.headers.location, "/");
      t.match(answer.cookies, [{ httpOnly: true, sameSite: "Strict", path: "/", maxAge: 12 * 60 * 60 }]);
      t.match(answer.cookies[0]?.value, /^[A-Za-z0-9_-]{43}$/);
      t.notOk(`${answer.body}${JSON.stringify(answer.headers)}`.includes(secret));
      const cookie = `${answer.cookies[0]?.name}=${answer.cookies[0]?.value}`;
      const page = await app.inject({ url: "/", headers: { ...HTML, cookie } });
      t.equal(page.statusCode, 200);
      t.match(page.body, /<title>Overlay Companion/);
    }
    const again = await app.inject({ url: `/?token=${code}`, headers: HTML });
    t.equal(again.headers.location, "/signin?error=wrong", "a code works once");
    t.equal(again.cookies.length, 0);
  },
);

t.test("a look ahead does not use up a one-time code", async (t) => {
  const { app, codes } = await openHouse(t);
  const code = codes.issue(FIRST);
  const ahead = await app.inject({ url: `/?token=${code}`, headers: { ...HTML, "sec-purpose": "prefetch" } });
  t.equal(ahead.statusCode, 422);
  t.equal((await app.inject({ url: `/?token=${code}`, headers: HTML })).headers.location, "/");
});

t.test("people without a session are sent to the sign-in page, programs get 401", async (t) => {
  const { app } = await openHouse(t);
  for (const url of ["/", "/desktops/d1", "/approvals", "/setup"]) {
    const person = await app.inject({ url, headers: HTML });
    t.equal(person.statusCode, 303);
    const back = url === "/" ? "" : `?next=${encodeURIComponent(url)}`;
    t.equal(person.headers.location, `/signin${back}`);
    t.equal((await app.inject({ url, headers: { accept: "*/*" } })).statusCode, 401);
  }
  const page = await app.inject({ url: "/signin", headers: HTML });
  t.equal(page.statusCode, 200);
  t.match(page.headers["content-type"], "text/html");
});

t.test("the form signs in, and signing out ends the session", async (t) => {
  const { app, token, audited } = await openHouse(t);
  const signIn = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    payload: { token: token.operator },
  });
  t.equal(signIn.statusCode, 204);
  const cookie = `${signIn.cookies[0]?.name}=${signIn.cookies[0]?.value}`;
  const me = await app.inject({ url: "/api/v1/me", headers: { cookie } });
  t.match(me.json(), { name: "the operator", role: "operator", version: "2026.11.21" });
  t.ok(me.json().permissions.includes("control"));
  t.notOk(me.json().permissions.includes("admin"));
  const out = await app.inject({ method: "DELETE", url: "/api/v1/session", headers: { cookie } });
  t.equal(out.statusCode, 200);
  t.equal((await app.inject({ url: "/api/v1/me", headers: { cookie } })).statusCode, 401);
  t.strictSame(
    audited.map(({ type }) => type),
    ["auth.login", "auth.logout"],
  );
  const again = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    headers: { cookie },
    payload: { token: token.operator },
  });
  t.not(again.cookies[0]?.value, signIn.cookies[0]?.value, "never the identifier that was brought along");
});

t.test("guessing is slowed down per address and told with Retry-After", async (t) => {
  const { app, audited, clock, bearer } = await openHouse(t);
  const guess = (remoteAddress: string, token = "wrong-guess-0123456789") =>
    app.inject({ method: "POST", url: "/api/v1/session", payload: { token }, remoteAddress });
  for (let n = 0; n < 5; n++) t.equal((await guess("10.0.0.1")).statusCode, 401);
  const locked = await guess("10.0.0.1", OWN_TOKEN);
  t.equal(locked.statusCode, 429);
  t.equal(locked.headers["retry-after"], "10");
  t.match(locked.json(), { error: { code: "locked_out" } });
  t.equal((await guess("10.0.0.2", OWN_TOKEN)).statusCode, 204);
  const neighbour = await app.inject({
    url: "/api/v1/me",
    headers: bearer("viewer"),
    remoteAddress: "10.0.0.1",
  });
  t.equal(neighbour.statusCode, 200, "a stored token keeps working");
  t.strictSame(
    audited.map(({ type }) => type),
    ["auth.failed", "auth.failed", "auth.failed", "auth.failed", "auth.locked", "auth.locked", "auth.login"],
  );
  clock.advance(10_000);
  t.equal((await guess("10.0.0.1", OWN_TOKEN)).statusCode, 204);
});

t.test("ten failed sign-ins of an address in a quarter of an hour are enough", async (t) => {
  const { app, clock } = await openHouse(t);
  const guess = async (token: string): Promise<string> => {
    const answer = await app.inject({ method: "POST", url: "/api/v1/session", payload: { token } });
    return answer.statusCode === 204 ? "in" : answer.json().error.code;
  };
  // A right token in between clears the lockout's count, so that only the slow limit is left to say no.
  for (let n = 1; n <= 10; n++) {
    t.equal(await guess("wrong-guess"), "unauthenticated");
    if (n % 4 === 0) t.equal(await guess(OWN_TOKEN), "in");
  }
  t.equal(await guess(OWN_TOKEN), "rate_limited");
  clock.advance(90_000);
  t.equal(await guess(OWN_TOKEN), "in");
});

t.test("OC_RATE_LIMITS off leaves the lockout alone", async (t) => {
  const { app } = await openHouse(t, { rateTiers: { isOn: false } });
  const codes = [];
  for (let n = 0; n < 6; n++) {
    const payload = { token: "wrong-guess" };
    codes.push((await app.inject({ method: "POST", url: "/api/v1/session", payload })).json().error.code);
  }
  t.strictSame(codes, [...Array(5).fill("unauthenticated"), "locked_out"]);
});

t.test("no token, code, cookie or password is ever logged or answered", async (t) => {
  const house = await openHouse(t);
  const { app, token, codes, desktops } = house;
  const code = codes.issue(FIRST);
  const wrong = "wrong-but-secret-0123456789";
  const signIn = await app.inject({ url: `/?token=${code}`, headers: HTML });
  const cookie = `${signIn.cookies[0]?.name}=${signIn.cookies[0]?.value}`;
  await app.inject({ url: `/?token=${token.admin}` });
  await app.inject({ url: `/?token=${wrong}`, headers: HTML });
  await app.inject({ url: `/?token=${wrong}` });
  await app.inject({ url: `/none?token=${wrong}` });
  await app.inject({ url: `/%zz?token=${wrong}` });
  await app.inject({ url: "/api/v1/me", headers: { authorization: `Bearer ${wrong}` } });
  await app.inject({ url: "/api/v1/me", headers: { cookie } });
  await app.inject({ url: "/config", headers: { cookie } });
  await app.inject({ method: "POST", url: "/api/v1/session", payload: { token: wrong, extra: wrong } });
  await app.inject({ method: "POST", url: "/api/v1/session", payload: `{"token":"${wrong}` });
  const password = "target-password-9876";
  const refused = await app.inject({
    method: "POST",
    url: "/api/v1/desktops",
    headers: { cookie },
    payload: { protocol: "vnc", host: "169.254.169.254", password },
  });
  const invalid = await app.inject({
    method: "POST",
    url: "/api/v1/desktops",
    headers: { cookie },
    payload: { protocol: "vnc", host: "h", password: [password] },
  });
  desktops.get("d1").setMode = () => {
    throw new Error("a bug");
  };
  const bug = await app.inject({
    method: "POST",
    url: "/api/v1/desktops/d1/mode",
    headers: { cookie },
    payload: { mode: "passive" },
  });
  const host = await house.listen();
  await new SocketPeer(t, `ws://${host}/ws/events?token=${wrong}`, { cookie: "x=y" }).closed;
  t.equal(refused.statusCode, 403);
  t.equal(invalid.statusCode, 400);
  t.equal(bug.statusCode, 500);
  const seen = `${house.log()}${JSON.stringify(house.audited)}${refused.body}${invalid.body}${bug.body}`;
  t.match(seen, /Request answered/);
  const secrets = [code, token.admin, wrong, password, AGENT_TOKEN, signIn.cookies[0]?.value ?? "no cookie"];
  for (const [index, secret] of secrets.entries()) t.notOk(seen.includes(secret), `secret ${index}`);
  t.notOk(bug.body.includes("a bug"), "a bug tells nothing outside");
  t.match(house.log(), /Request failed/, "but is logged");
});

t.test("a revoked token closes its open sockets within a second", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const { token, info } = await house.tokens.create("short-lived", "viewer");
  const peer = new SocketPeer(t, `ws://${host}/ws/events`, { authorization: `Bearer ${token}` });
  const other = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  await Promise.all([peer.opened, other.opened, peer.next(), other.next()]);
  await house.tokens.revoke(info.id);
  house.clock.advance(1000);
  t.equal(await peer.closed, 1008);
  house.clients.add("still here");
  t.match(await other.next(), { type: "clients", clients: [{ name: "still here" }] });
});

t.test("with TLS in front the cookie is Secure and bound to the host", async (t) => {
  const { app, token } = await openHouse(t, { trustProxy: ["127.0.0.1"], allowedHosts: ["desk.example"] });
  const answer = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    headers: {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "desk.example",
      origin: "https://desk.example",
    },
    payload: { token: token.admin },
  });
  t.equal(answer.statusCode, 204);
  t.match(answer.cookies, [{ name: /^__Host-oc_session/, secure: true }]);
  t.ok(answer.headers["strict-transport-security"]);
});

t.test("behind a proxy the address is what the proxy saw, not what its client claims", async (t) => {
  const { app, audited } = await openHouse(t, { trustProxy: true });
  const guess = (n: number, token: string) =>
    app.inject({
      method: "POST",
      url: "/api/v1/session",
      headers: { "x-forwarded-for": `10.9.9.${n}, 192.0.2.7` },
      payload: { token },
    });
  for (let n = 0; n < 5; n++) t.equal((await guess(n, "wrong-guess-0123456789")).statusCode, 401);
  t.equal((await guess(5, OWN_TOKEN)).statusCode, 429);
  t.match(audited[0], { actor: { ip: "192.0.2.7" } });
});

t.test("a page of another site neither signs a browser in nor locks it out", async (t) => {
  const { app, token } = await openHouse(t);
  const ask = (secret: string, site: string, mode: string, dest: string) =>
    app.inject({
      url: `/?token=${secret}`,
      headers: { ...HTML, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest },
    });
  for (const site of ["cross-site", "same-site"]) {
    for (const [mode, dest] of [
      ["no-cors", "image"],
      ["no-cors", "empty"],
      ["navigate", "iframe"],
    ] as const) {
      for (let n = 0; n < 4; n++) {
        t.equal((await ask("wrong-guess-0123456789", site, mode, dest)).statusCode, 403);
      }
      const right = await ask(token.viewer, site, mode, dest);
      t.equal(right.statusCode, 403, `${site} ${dest}`);
      t.strictSame(right.cookies, []);
    }
  }
});

t.test("a link of another site is asked about first: nothing is counted, no session replaced", async (t) => {
  const { app, token, audited, codes } = await openHouse(t);
  const code = codes.issue(FIRST);
  const signedIn = await app.inject({ url: `/?token=${token.admin}`, headers: HTML });
  const cookie = `${signedIn.cookies[0]?.name}=${signedIn.cookies[0]?.value}`;
  audited.length = 0;
  const { accept } = HTML;
  const ways = [
    { ...HTML, "sec-fetch-site": "cross-site" },
    { ...HTML, "sec-fetch-site": "same-site" },
    // Plain HTTP beyond this computer: no browser says there who sent the reader.
    { accept },
  ];
  for (const headers of ways) {
    for (const secret of [...Array(6).fill("wrong-guess-0123456789"), token.viewer, OWN_TOKEN, code]) {
      const answer = await app.inject({ url: `/?token=${secret}`, headers: { ...headers, cookie } });
      t.equal(answer.statusCode, 303);
      t.equal(answer.headers.location, `/signin#token=${secret}`);
      t.strictSame(answer.cookies, []);
    }
  }
  const image = await app.inject({
    url: `/?token=${token.viewer}`,
    headers: { accept: "image/*,*/*;q=0.8" },
  });
  t.equal(image.statusCode, 403);
  t.strictSame(image.cookies, []);
  t.same(
    audited.map(({ type }) => type),
    ["authz.denied"],
    "no guess was judged: told is the image alone",
  );
  t.match((await app.inject({ url: "/api/v1/me", headers: { cookie } })).json(), { name: "the admin" });
  const own = await app.inject({ url: `/?token=${OWN_TOKEN}`, headers: HTML });
  t.equal(own.cookies.length, 1, "the owner is not locked out");
  const payload = { token: code };
  const confirmed = await app.inject({ method: "POST", url: "/api/v1/session", payload });
  t.equal(confirmed.statusCode, 204, "the code was not used up");
});

t.test("HEAD of the sign-in address does not use up a one-time code", async (t) => {
  const { app, codes } = await openHouse(t);
  const code = codes.issue(FIRST);
  const ahead = await app.inject({ method: "HEAD", url: `/?token=${code}`, headers: HTML });
  t.equal(ahead.statusCode, 422);
  t.equal(ahead.cookies.length, 0);
  t.equal((await app.inject({ url: `/?token=${code}`, headers: HTML })).headers.location, "/");
});
