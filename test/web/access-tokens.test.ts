import t, { type Test } from "tap";
import { Authenticator } from "../../src/auth/authenticator.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import type { AccessResult } from "../../src/auth/oidc/access-tokens.ts";
import { OneTimeCodes } from "../../src/auth/one-time-codes.ts";
import { Sessions } from "../../src/auth/sessions.ts";
import { TokenStore } from "../../src/auth/tokens.ts";
import { errorSchema } from "../../src/web/api/api.ts";
import type { AppPorts } from "../../src/web/http/ports.ts";
import { FakeClock } from "../fake-clock.ts";
import { openHouse } from "./fake-house.ts";

const PRINCIPAL = { id: "mcp:ada|claude", name: "Ada, by claude", role: "agent" } as const;
const TOKEN = "eyJh.e30.c2ln";
const METADATA = "/.well-known/oauth-protected-resource";

/** A house whose provider judges by what a test says. */
async function open(t: Test, result: AccessResult, changes: Partial<AppPorts> = {}) {
  const clock = new FakeClock();
  const tokens = await TokenStore.open(t.testdir(), clock);
  const judged: string[] = [];
  const signedOut = new Set<string>();
  let check = (): void => undefined;
  const authenticator = new Authenticator({
    ...{ clock, tokens, ownToken: null, codes: new OneTimeCodes(clock) },
    sessions: new Sessions(clock),
    lockout: new Lockout(clock),
    accessTokens: {
      isOne: (token) => token.startsWith("eyJ"),
      isOver: () => signedOut.has("ada"),
      whenSignedOut: (call) => {
        check = call;
      },
      judge: async (token) => {
        judged.push(token);
        return result;
      },
    },
  });
  const accessTokens = {
    resource: "https://desk.example.com/mcp",
    issuer: "https://login.example.com",
    scopes: ["ocp:mcp", "ocp:more"],
  };
  const house = await openHouse(t, { authenticator, accessTokens, clock, ...changes });
  const ask = (url = "/mcp", method: "GET" | "POST" = "POST", accept = "*/*") =>
    house.app.inject({ method, url, headers: { authorization: `Bearer ${TOKEN}`, accept } });
  const signOut = (): void => {
    signedOut.add("ada");
    check();
  };
  return { ...house, authenticator, signOut, clock, tokens, judged, ask };
}

t.test("an access token opens MCP at each of its addresses, and nothing else", async (t) => {
  const known = {
    kind: "known",
    principal: PRINCIPAL,
    issuedAtS: 0,
    expiresAtMs: Number.POSITIVE_INFINITY,
  } as const;
  const { ask, mcp, judged, tokens, app, audited, clock } = await open(t, known);
  for (const [url, method] of [
    ["/mcp", "POST"],
    ["/mcp", "GET"],
    ["/", "POST"],
    ["/", "GET"],
  ] as const)
    t.equal((await ask(url, method, "text/event-stream")).statusCode, 200, `${method} ${url}`);
  t.match(
    mcp.map(({ principal }) => principal),
    Array.from({ length: 4 }, () => PRINCIPAL),
  );
  const validated = () => audited.filter(({ type }) => type === "auth.jwt_validated");
  const security = { issuer: "https://login.example.com", audience: "https://desk.example.com/mcp" };
  t.match(validated()[0], { actor: { name: "Ada, by claude", kind: "agent" }, security });
  const told = validated().length;
  await ask();
  t.equal(validated().length, told, "once a minute, and not with each call");
  clock.advance(60_000);
  await ask();
  t.match(validated().at(-1), { counts: { since_last: 3 } });
  const asked = judged.length;
  t.equal((await ask("/", "GET", "text/html")).statusCode, 401, "no page of the web app");
  t.equal((await ask("/api/v1/me", "GET")).statusCode, 401);
  t.equal((await ask("/api/v1/desktops", "GET")).statusCode, 401);
  t.equal(judged.length, asked, "nor is it looked at there");
  const { token } = await tokens.create("bot", "agent");
  const own = await app.inject({
    ...{ method: "POST", url: "/mcp", headers: { authorization: `Bearer ${token}` } },
  });
  t.equal(own.statusCode, 200, "tokens of this server go on");
  t.equal(judged.length, asked);
});

for (const how of ["its time", "its person's signing out"]) {
  t.test(`what it keeps open ends with ${how}`, async (t) => {
    const clock = new FakeClock();
    const expiresAtMs = clock.date().getTime() + 5000;
    const house = await open(
      t,
      { kind: "known", principal: PRINCIPAL, issuedAtS: 0, expiresAtMs },
      {
        mcp: {
          async handle(_req, res) {
            res.writeHead(200, { "content-type": "text/event-stream" });
            res.write(": open\n\n");
          },
          sessionsOf: () => 0,
        },
      },
    );
    const host = await house.listen();
    const stream = await fetch(`http://${host}/mcp`, { headers: { authorization: `Bearer ${TOKEN}` } });
    t.equal(stream.status, 200);
    const reader = stream.body?.getReader();
    await reader?.read();
    let isOver = false;
    const over = reader?.read().then(
      ({ done }) => {
        isOver = done;
      },
      () => {
        isOver = true;
      },
    );
    house.clock.advance(4000);
    t.equal(isOver, false, "as long as it holds");
    if (how === "its time") house.clock.advance(1000);
    else house.signOut();
    await over;
    t.ok(isOver);
  });
}

t.test("each refusal says what to do about it", async (t) => {
  const where = `resource_metadata="http://localhost:80${METADATA}/mcp"`;
  const scope = 'scope="ocp:mcp ocp:more"';
  for (const [result, status, code, challenge, audited] of [
    [
      { kind: "wrong", isForged: false, reason: "it has expired" },
      ...([401, "unauthenticated", `Bearer error="invalid_token", ${scope}, ${where}`] as const),
      { type: "auth.failed", errorCode: "unauthenticated" },
    ],
    [
      { kind: "insufficient_scope" },
      ...([403, "insufficient_scope", `Bearer error="insufficient_scope", ${scope}, ${where}`] as const),
      { type: "authz.denied", errorCode: "insufficient_scope" },
    ],
    [
      { kind: "no_role" },
      ...([403, "permission_denied", undefined] as const),
      { type: "authz.denied", errorCode: "no_role" },
    ],
    [
      { kind: "unreachable", reason: "it is away" },
      ...([503, "provider_unreachable", undefined] as const),
      null,
    ],
  ] as const) {
    const house = await open(t, result);
    const answer = await house.ask();
    t.equal(answer.statusCode, status, code);
    t.equal(errorSchema.parse(answer.json()).error.code, code);
    t.equal(answer.headers["www-authenticate"], challenge);
    if (audited !== null) t.match(house.audited[0], audited);
    t.equal(house.mcp.length, 0);
    t.notMatch(house.log() + JSON.stringify(house.audited), TOKEN);
  }
});

t.test("forged ones count as guesses, those that expired do not", async (t) => {
  const forged = await open(t, { kind: "wrong", isForged: true, reason: "signature" });
  for (let nth = 0; nth < 5; nth++) t.equal((await forged.ask()).statusCode, 401);
  t.equal((await forged.ask()).statusCode, 429);
  const { type } = forged.audited.findLast((entry) => entry.type.startsWith("auth.")) ?? {};
  t.equal(type, "auth.locked");
  const expired = await open(t, { kind: "wrong", isForged: false, reason: "exp" });
  for (let nth = 0; nth < 20; nth++) t.equal((await expired.ask()).statusCode, 401);
});

t.test("the metadata name the provider where one opens MCP, and nobody where none does", async (t) => {
  const { app } = await open(t, { kind: "no_role" });
  const described = {
    resource: "https://desk.example.com/mcp",
    authorization_servers: ["https://login.example.com"],
    scopes_supported: ["ocp:mcp", "ocp:more"],
    bearer_methods_supported: ["header"],
    resource_name: "Overlay Companion",
  };
  for (const url of [METADATA, `${METADATA}/mcp`]) t.strictSame((await app.inject(url)).json(), described);
  const bare = { resource: "https://desk.example.com/", issuer: "https://login.example.com", scopes: [] };
  const other = await open(t, { kind: "no_role" }, { accessTokens: bare });
  t.notOk("scopes_supported" in (await other.app.inject(METADATA)).json());
  const refused = await other.app.inject({ method: "POST", url: "/mcp" });
  t.equal(refused.headers["www-authenticate"], `Bearer resource_metadata="http://localhost:80${METADATA}"`);
  const none = await openHouse(t);
  t.strictSame((await none.app.inject(`${METADATA}/mcp`)).json(), {
    resource: "http://localhost:80/mcp",
    bearer_methods_supported: ["header"],
    resource_name: "Overlay Companion",
  });
});
