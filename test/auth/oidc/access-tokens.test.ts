import { createSecretKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import t, { type Test } from "tap";
import { AuthError } from "../../../src/auth/error.ts";
import { AccessTokens, type ResourceSettings } from "../../../src/auth/oidc/access-tokens.ts";
import { ProviderKeys } from "../../../src/auth/oidc/provider-keys.ts";
import { FakeClock } from "../../fake-clock.ts";

const ISSUER = "https://login.example.com/realms/main";
const RESOURCE = "https://desk.example.com/mcp";

type Key = Awaited<ReturnType<typeof newKey>>;

async function newKey(kid: string, alg = "RS256") {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

const [first, second, stranger] = await Promise.all([newKey("one"), newKey("two", "ES256"), newKey("one")]);

interface Provider {
  /** What it signs with now. */
  keys: readonly Key[];
  asked: number;
  isAway: boolean;
  /** In place of its keys. */
  body: string | null;
}

/** A provider's keys on loopback, and the resource server that believes it. */
async function open(t: Test, changes: Partial<ResourceSettings> = {}) {
  const provider: Provider = { keys: [first], asked: 0, isAway: false, body: null };
  const server = createServer((_request, response) => {
    provider.asked++;
    if (provider.isAway) {
      response.writeHead(503).end();
      return;
    }
    response.end(provider.body ?? JSON.stringify({ keys: provider.keys.map(({ jwk }) => jwk) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const clock = new FakeClock();
  const tokens = new AccessTokens(
    {
      resource: RESOURCE,
      issuer: ISSUER,
      scopes: [],
      clockSkewS: 30,
      rule: {
        claim: "groups",
        roles: { staff: "operator", watchers: "viewer", bots: "agent" },
        desktops: {},
      },
      ...changes,
    },
    {
      issuer: async () => ISSUER,
      keys: new ProviderKeys(async () => `http://127.0.0.1:${address.port}/keys`, clock),
      clock,
    },
  );
  const nowS = (): number => Math.floor(clock.date().getTime() / 1000);
  const sign = (
    claims: Readonly<Record<string, unknown>> = {},
    { key = first, typ = "at+jwt" } = {},
  ): Promise<string> =>
    new SignJWT({
      ...{ iss: ISSUER, aud: RESOURCE, sub: "ada", client_id: "claude", groups: ["staff"], name: "Ada" },
      ...{ iat: nowS(), exp: nowS() + 300 },
      ...claims,
    })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ })
      .sign(key.privateKey);
  return { provider, clock, tokens, sign, nowS };
}

t.test(
  "whoever comes by a token of the provider is an agent of the person's, until it expires",
  async (t) => {
    const { tokens, sign, nowS } = await open(t);
    const token = await sign();
    t.ok(tokens.isOne(token));
    t.strictSame(await tokens.judge(token), {
      kind: "known",
      principal: { id: "mcp:ada|claude", name: "Ada, by claude", role: "agent", owner: "oidc:ada" },
      issuedAtS: nowS(),
      expiresAtMs: (nowS() + 330) * 1000,
    });
    for (const [claims, id] of [
      [{ client_id: undefined, azp: "chat|gpt" }, "mcp:ada|chat%7Cgpt"],
      [{ client_id: undefined }, "mcp:ada|"],
      [{ sub: "auth0|7", groups: "bots" }, "mcp:auth0|7|claude"],
      [{ aud: ["https://other.example.com", RESOURCE] }, "mcp:ada|claude"],
    ] as const)
      t.match(await tokens.judge(await sign(claims)), { principal: { id, role: "agent" } });
    for (const typ of ["JWT", "application/at+jwt"])
      t.match(await tokens.judge(await sign({}, { typ })), { kind: "known" }, typ);
    for (const text of ["", "ocp_0123456789abcdef_x", "a.b.c", "eyJ", "eyJh.b", "eyJh.b.c.d", "eyJh.b c.d"])
      t.notOk(tokens.isOne(text), text);
  },
);

t.test("a token for others, by others, too early, too late or of another kind is refused", async (t) => {
  const { tokens, sign, nowS } = await open(t);
  for (const [claims, reason] of [
    [{ aud: "https://other.example.com/mcp" }, /"aud"/],
    [{ aud: `${RESOURCE}/` }, /"aud"/],
    [{ aud: undefined }, /"aud"/],
    [{ iss: "https://login.example.com/realms/other" }, /"iss"/],
    [{ iss: undefined }, /"iss"/],
    [{ exp: nowS() - 31 }, /"exp"/],
    [{ exp: undefined }, /"exp"/],
    [{ nbf: nowS() + 31 }, /"nbf"/],
    [{ sub: undefined }, /"sub"/],
    [{ sub: "" }, /subject/],
    [{ sub: "a b" }, /subject/],
    [{ sub: "x".repeat(256) }, /subject/],
    [{ cnf: { jkt: "x" } }, /bound to a key/],
  ] as const) {
    const result = await tokens.judge(await sign(claims));
    t.match(result, { kind: "wrong", isForged: false, reason }, JSON.stringify(claims));
  }
  for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt"])
    t.match(await tokens.judge(await sign({}, { typ })), { kind: "wrong", reason: /type/ }, typ);
  for (const claims of [{ exp: nowS() - 29 }, { nbf: nowS() + 29 }])
    t.match(await tokens.judge(await sign(claims)), { kind: "known" }, "within the clocks' difference");
});

t.test("what was given before its person signed out counts no more, what is given since does", async (t) => {
  const { tokens, sign, nowS, clock } = await open(t);
  const before = await sign();
  const unsaid = await sign({ iat: undefined });
  const others = await sign({ sub: "bob" });
  const ada = await tokens.judge(before);
  if (ada.kind !== "known") throw new Error("not known");
  t.notOk(tokens.isOver(ada.principal, ada.issuedAtS));
  let calls = 0;
  tokens.whenSignedOut(() => calls++);
  await tokens.signedOut("oidc:ada", nowS());
  await tokens.signedOut("oidc:ada", nowS() - 60);
  t.equal(calls, 1, "what is told late of before is no news");
  t.ok(tokens.isOver(ada.principal, ada.issuedAtS), "also what is open already");
  for (const token of [before, unsaid])
    t.match(await tokens.judge(token), { kind: "wrong", isForged: false, reason: /signed out/ });
  t.match(await tokens.judge(others), { kind: "known" });
  clock.advance(1000);
  t.match(await tokens.judge(await sign()), { kind: "known" });
  for (let n = 0; n < 10_000; n++) await tokens.signedOut(`oidc:${n}`, nowS());
  t.match(await tokens.judge(before), { kind: "known" }, "the memory is bounded");
});

t.test("what nobody signed whom we believe is forged", async (t) => {
  const { tokens, sign } = await open(t);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const right = await sign();
  const [head = "", claims = "", signature = ""] = right.split(".");
  const changed = part({ ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "eve" });
  const byPublicKey = await new SignJWT(JSON.parse(Buffer.from(claims, "base64url").toString()))
    .setProtectedHeader({ alg: "HS256", kid: "one", typ: "at+jwt" })
    .sign(createSecretKey(Buffer.from(await exportSPKI(first.publicKey))));
  for (const [name, token] of [
    ["alg none", `${part({ alg: "none", typ: "at+jwt" })}.${claims}.`],
    ["alg none with a kid", `${part({ alg: "none", kid: "one" })}.${claims}.`],
    ["alg None", `${part({ alg: "None", kid: "one" })}.${claims}.${signature}`],
    ["HS256 by the public key", byPublicKey],
    ["another's key under a known kid", await sign({}, { key: stranger })],
    ["a kid that nobody has", await sign({}, { key: { ...stranger, kid: "nine" } })],
    ["changed claims", `${head}.${changed}.${signature}`],
    ["no signature", `${head}.${claims}.`],
    ["no JSON", `eyJ.${claims}.${signature}`],
    [
      "critical extensions",
      `${part({ alg: "RS256", kid: "one", crit: ["x"], x: 1 })}.${claims}.${signature}`,
    ],
    ["a key in its own header", `${part({ alg: "RS256", jwk: stranger.jwk })}.${claims}.${signature}`],
    ["longer than any", `${head}.${claims}${"A".repeat(12_300)}.${signature}`],
  ] as const)
    t.match(await tokens.judge(token), { kind: "wrong", isForged: true }, name);
});

t.test(
  "keys that were changed are known at once, and nobody makes us ask for them without end",
  async (t) => {
    const { provider, clock, tokens, sign } = await open(t);
    const kind = async (key: Key): Promise<string> => (await tokens.judge(await sign({}, { key }))).kind;
    t.same(await Promise.all([kind(first), kind(first), kind(first)]), ["known", "known", "known"]);
    t.equal(await kind(first), "known");
    t.equal(provider.asked, 1, "asked once for all");
    provider.keys = [second, first];
    t.equal(await kind(second), "known", "in the very moment after they were asked for");
    t.equal(provider.asked, 2);
    for (let nth = 0; nth < 20; nth++) t.equal(await kind({ ...stranger, kid: `guess-${nth}` }), "wrong");
    t.equal(provider.asked, 10, "no more within so short a time");
    clock.advance(59_999);
    t.equal(await kind(stranger), "wrong");
    t.equal(provider.asked, 10);
    clock.advance(1);
    await Promise.all(
      Array.from({ length: 10 }, async (_, nth) =>
        t.equal(await kind({ ...stranger, kid: `${nth}` }), "wrong"),
      ),
    );
    t.ok(provider.asked > 10 && provider.asked <= 20, "as often again at most");
    provider.keys = [second];
    clock.advance(5 * 60_000);
    t.equal(await kind(first), "wrong", "a key that was taken back");
    t.equal(await kind(second), "known");
  },
);

t.test("a provider that is away is no reason to believe, nor to forget what was known", async (t) => {
  const { provider, clock, tokens, sign } = await open(t);
  const judge = async () => await tokens.judge(await sign());
  provider.isAway = true;
  t.match(await judge(), { kind: "unreachable", reason: /keys cannot be read: the answer is 503/ });
  provider.isAway = false;
  for (const [body, kind] of [
    ["{}", "unreachable"],
    ["no JSON", "unreachable"],
    ['{"keys": []}', "wrong"],
    [`{"keys": [], "more": "${"x".repeat(300_000)}"}`, "unreachable"],
  ] as const) {
    const other = await open(t);
    other.provider.body = body;
    t.match(await other.tokens.judge(await other.sign()), { kind }, body.slice(0, 20));
  }
  clock.advance(10_000);
  t.match(await judge(), { kind: "known" });
  provider.isAway = true;
  clock.advance(6 * 60_000);
  t.match(await judge(), { kind: "known" }, "what it signed before goes on");

  const lost = new AccessTokens(
    {
      resource: RESOURCE,
      issuer: ISSUER,
      scopes: [],
      clockSkewS: 0,
      rule: { claim: "x", roles: {}, desktops: {} },
    },
    {
      issuer: async () => {
        throw new AuthError("provider_unreachable", "the provider cannot be reached: ECONNREFUSED");
      },
      keys: new ProviderKeys(async () => "http://127.0.0.1:1/", clock),
      clock,
    },
  );
  t.match(await lost.judge(await sign()), { kind: "unreachable" });
});

t.test("scopes and roles have to reach, desktops come from the same claim as at signing in", async (t) => {
  const { tokens, sign } = await open(t, {
    scopes: ["ocp:mcp", "ocp:more"],
    rule: {
      claim: "groups",
      roles: { staff: "operator", watchers: "viewer", duty: "approver", bots: "agent", chiefs: "admin" },
      desktops: { staff: ["build", "test"], bots: ["lab"], everywhere: ["*"] },
    },
  });
  const scope = "ocp:more ocp:mcp openid";
  const judge = async (claims: Readonly<Record<string, unknown>>) => await tokens.judge(await sign(claims));
  for (const few of [{}, { scope: "" }, { scope: "ocp:mcp" }, { scope: "ocp:mcp ocp:mores" }, { scope: 7 }])
    t.strictSame(await judge(few), { kind: "insufficient_scope" }, JSON.stringify(few));
  for (const groups of [[], ["watchers"], ["duty"], ["watchers", "everywhere"], "STAFF", undefined])
    t.strictSame(await judge({ scope, groups }), { kind: "no_role" }, JSON.stringify(groups));
  t.match(await judge({ scp: ["ocp:mcp", "ocp:more"] }), {
    principal: {
      id: 'mcp:ada|claude ["build","test"]',
      role: "agent",
      owner: "oidc:ada",
      desktops: ["build", "test"],
    },
  });
  t.match(await judge({ scope, groups: ["bots"] }), { principal: { role: "agent", desktops: ["lab"] } });
  for (const groups of [["chiefs"], ["staff", "everywhere"]]) {
    const result = await judge({ scope, groups });
    t.match(result, { principal: { id: "mcp:ada|claude", role: "agent" } });
    t.notOk(result.kind === "known" && "desktops" in result.principal);
  }
});
