/**
 * A real OpenID provider (oidc-provider) on loopback, told by POST /_test/… what to do. Prints its issuer when it listens.
 * Run as a program of its own: node oidc-host.mjs
 */
import { createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const GROUPS = { ada: ["desk-admins", "staff"], vera: ["watchers"], nora: ["staff"] };
const CLIENT_SECRET = "the-secret-of-the-client-0123456789";
const ahead = { id: 0 };

let keys = [newKey()];
let handle = null;
let provider = null;
/** What is done to the claims of the next ID tokens; null: nothing. */
let forge = null;
/** Access tokens last so long. */
let accessSeconds = 300;
const grants = new Set();

function newKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  ahead.id += 1;
  return {
    ...privateKey.export({ format: "jwk" }),
    kid: `key-${ahead.id}`,
    alg: "RS256",
    use: "sig",
    privateKey,
  };
}

function start(app) {
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: "desk",
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${app}/signin/oidc/callback`],
        post_logout_redirect_uris: [`${app}/signin`],
        backchannel_logout_uri: `${app}/signin/oidc/logout`,
        backchannel_logout_session_required: true,
        grant_types: ["authorization_code", "refresh_token"],
      },
      {
        client_id: "mcp-client",
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: ["http://127.0.0.1:1/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    jwks: { keys: keys.map(({ privateKey: _, ...jwk }) => jwk) },
    cookies: { keys: ["of-cookies-in-this-test"] },
    claims: { openid: ["sub", "sid"], profile: ["name"], groups: ["groups"] },
    // Its own refuses loopback, where this test has the appliance that is told of sessions that end.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
    pkce: { required: () => true },
    features: {
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: "ocp:mcp",
          audience: resource,
          accessTokenTTL: accessSeconds,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    extraTokenClaims: (_ctx, { accountId }) => ({
      groups: GROUPS[accountId] ?? [],
      name: `${accountId} of the test`,
    }),
    findAccount: async (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, name: `${id} of the test`, groups: GROUPS[id] ?? [] }),
    }),
  });
  provider.on("grant.success", (ctx) => {
    if (ctx.oidc.entities.Grant !== undefined) grants.add(ctx.oidc.entities.Grant.jti);
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== "/token" || forge === null) return;
    if (ctx.body?.id_token !== undefined) ctx.body.id_token = forged(ctx.body.id_token, forge);
  });
  handle = provider.callback();
}

/** The same token with other claims, times in seconds from now on, signed by a key of the provider or by a stranger's. */
function forged(token, { claims = {}, times = {}, key = "ours", typ = "JWT" }) {
  const payload = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
  const now = Math.floor(Date.now() / 1000);
  for (const [name, seconds] of Object.entries(times)) payload[name] = now + seconds;
  Object.assign(payload, claims);
  const signer = key === "ours" ? keys[0] : { ...newKey(), kid: keys[0].kid };
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", typ, kid: signer.kid })}.${part(payload)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(signer.privateKey).toString("base64url")}`;
}

const COMMANDS = {
  start: ({ app }) => void start(app),
  rotate: ({ app }) => {
    keys = [newKey()];
    start(app);
  },
  forge: (change) => {
    forge = Object.keys(change).length === 0 ? null : change;
  },
  groups: ({ user, groups }) => {
    GROUPS[user] = groups;
  },
  accessSeconds: ({ seconds }) => {
    accessSeconds = seconds;
  },
  /** The same access token with other claims, header or signature; what it is told by. */
  resign: ({ token, change }) => forged(token, change),
  /** Tells the appliance that somebody's session ended; what it answers. */
  logout: async ({ app, claims, key = "ours" }) => {
    const payload = {
      ...{ iss: issuer, aud: "desk", iat: Math.floor(Date.now() / 1000), jti: randomUUID() },
      ...{ events: { "http://schemas.openid.net/event/backchannel-logout": {} }, ...claims },
    };
    const part = Buffer.from(JSON.stringify(payload)).toString("base64url");
    const logout_token = forged(`.${part}.`, { key, typ: "logout+jwt" });
    const body = new URLSearchParams({ logout_token });
    return String((await fetch(`${app}/signin/oidc/logout`, { method: "POST", body })).status);
  },
  revoke: async () => {
    for (const id of grants) await provider.AccessToken.revokeByGrantId(id);
  },
};

const server = createServer(async (request, response) => {
  const command = /^\/_test\/(\w+)$/.exec(request.url ?? "")?.[1];
  if (command === undefined) {
    if (handle === null) response.writeHead(503).end();
    else handle(request, response);
    return;
  }
  let body = "";
  for await (const chunk of request) body += chunk;
  response.end((await COMMANDS[command](JSON.parse(body || "{}"))) ?? "done");
});
let issuer = "";
server.listen(0, "localhost", () => {
  issuer = `http://localhost:${server.address().port}`;
  process.stdout.write(`${issuer}\n`);
});
