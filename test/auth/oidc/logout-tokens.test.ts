import { exportJWK, generateKeyPair, SignJWT } from "jose";
import t from "tap";
import { AuthError } from "../../../src/auth/error.ts";
import { LogoutTokens } from "../../../src/auth/oidc/logout-tokens.ts";
import { FakeClock } from "../../fake-clock.ts";

const ISSUER = "https://login.example.com/realms/main";
const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };

const [ours, strangers] = await Promise.all([
  generateKeyPair("RS256", { extractable: true }),
  generateKeyPair("RS256", { extractable: true }),
]);
const jwk = { ...(await exportJWK(ours.publicKey)), kid: "one", alg: "RS256" };

function open() {
  const clock = new FakeClock();
  const provider = { isAway: false };
  const tokens = new LogoutTokens(
    { clientId: "desk", clockSkewS: 30 },
    {
      clock,
      issuer: async () => ISSUER,
      keys: {
        finder: (library) => async (header, token) => {
          if (provider.isAway) throw new AuthError("provider_unreachable", "no answer");
          return library.createLocalJWKSet({ keys: [jwk] })(header, token);
        },
      },
    },
  );
  const nowS = (): number => Math.floor(clock.date().getTime() / 1000);
  let made = 0;
  const sign = (
    claims: Readonly<Record<string, unknown>> = {},
    { typ = "logout+jwt", key = ours.privateKey } = {},
  ): Promise<string> => {
    made++;
    return new SignJWT({
      ...{ iss: ISSUER, aud: "desk", sub: "ada", sid: "s1", iat: nowS(), jti: `j${made}`, events: EVENTS },
      ...claims,
    })
      .setProtectedHeader({ alg: "RS256", kid: "one", typ })
      .sign(key);
  };
  return { clock, provider, tokens, sign, nowS };
}

t.test("what the provider signed a moment ago for us counts, once", async (t) => {
  const { tokens, sign, nowS } = open();
  const token = await sign();
  t.strictSame(await tokens.judge(token), { kind: "known", subject: "ada", sid: "s1", atS: nowS() });
  t.match(await tokens.judge(token), { kind: "wrong", reason: /sent before/ });
  t.match(await tokens.judge(await sign({ sid: undefined })), { kind: "known", sid: null });
  t.match(await tokens.judge(await sign({ sub: undefined })), { kind: "known", subject: null });
  for (const typ of ["JWT", "application/logout+jwt"])
    t.match(await tokens.judge(await sign({}, { typ })), { kind: "known" }, typ);
});

t.test("nothing else does", async (t) => {
  const { tokens, sign, nowS } = open();
  for (const [claims, reason] of [
    [{ iss: "https://other.example.com" }, /"iss"/],
    [{ aud: "another" }, /"aud"/],
    [{ iat: undefined }, /"iat"/],
    [{ iat: nowS() - 331 }, /"iat"/],
    [{ iat: nowS() + 31 }, /"iat"/],
    [{ exp: nowS() - 31 }, /"exp"/],
    [{ jti: undefined }, /"jti"/],
    [{ events: undefined }, /no event/],
    [{ events: [] }, /no event/],
    [{ events: { "http://schemas.openid.net/event/other": {} } }, /no event/],
    [{ nonce: "n" }, /nonce/],
    [{ sub: undefined, sid: undefined }, /neither/],
    [{ sub: 1, sid: {} }, /neither|"sub"/],
  ] as const)
    t.match(await tokens.judge(await sign(claims)), { kind: "wrong", reason }, JSON.stringify(claims));
  t.match(await tokens.judge(await sign({}, { typ: "at+jwt" })), { kind: "wrong", reason: /type/ });
  t.match(await tokens.judge(await sign({}, { key: strangers.privateKey })), { kind: "wrong" });
  const [, body = ""] = (await sign()).split(".");
  const none = Buffer.from(JSON.stringify({ alg: "none", typ: "logout+jwt" })).toString("base64url");
  for (const text of ["", "x", "x.y.z", `${none}.${body}.`, "x".repeat(20_000)])
    t.match(await tokens.judge(text), { kind: "wrong" }, text.slice(0, 20));
});

t.test("without the provider's keys nothing is believed", async (t) => {
  const { tokens, sign, provider } = open();
  provider.isAway = true;
  const token = await sign();
  t.strictSame(await tokens.judge(token), { kind: "unreachable", reason: "no answer" });
  provider.isAway = false;
  t.match(await tokens.judge(token), { kind: "known" }, "and it may be sent again");
});
