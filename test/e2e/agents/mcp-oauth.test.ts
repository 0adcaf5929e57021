import { createPublicKey, createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { SignJWT } from "jose";
import t, { type Test } from "tap";
import * as z from "zod";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";

const HOST = fileURLToPath(new URL("../web/oidc-host.mjs", import.meta.url));
/** Where many programs share few cores. */
const PATIENCE_MS = 120_000;
const REDIRECT = "http://127.0.0.1:1/callback";

const jwksSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

const connectionsSchema = z.object({ connections: z.tuple([z.object({ id: z.string() })]) });

interface House {
  readonly appliance: Appliance;
  readonly issuer: string;
  tell(command: string, body?: object): Promise<string>;
}

async function openHouse(t: Test): Promise<House> {
  const host = new Program(t, process.execPath, [HOST]);
  const issuer = await host.waitFor(
    "its issuer",
    ({ stdout }) => /^http:\S+/m.exec(stdout)?.[0] ?? null,
    PATIENCE_MS,
  );
  const tell = async (command: string, body: object = {}): Promise<string> => {
    const answer = await fetch(`${issuer}/_test/${command}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the provider answered ${answer.status} to ${command}`);
    return answer.text();
  };
  const appliance = await Appliance.start(t, {
    env: (url) => ({
      OC_OIDC_ISSUER: issuer,
      OC_OIDC_CLIENT_ID: "desk",
      OC_OIDC_ROLES: "desk-admins=admin,watchers=viewer,bound=operator",
      OC_OIDC_DESKTOPS: "bound=nothing-there",
      OC_OIDC_MCP_RESOURCE: `${url}/mcp`,
      OC_OIDC_MCP_SCOPES: "ocp:mcp",
      OC_OIDC_CLOCK_SKEW_S: "0",
      OC_LOG_LEVEL: "debug",
    }),
  });
  await tell("start", { app: appliance.url });
  return { appliance, issuer, tell };
}

/** An MCP client's sign-in whose person presses what the provider's pages ask, without a browser. */
class Person implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { redirect_uris: [REDIRECT], client_name: "test" };
  readonly #name: string;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  /** What the client was sent back with. */
  answer: URLSearchParams | null = null;
  /** Where the client went to. */
  asked: URL | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  clientInformation(): { client_id: string } {
    return { client_id: "mcp-client" };
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  get accessToken(): string {
    return this.#tokens?.access_token ?? "";
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked = url;
    const cookies = new Map<string, string>();
    let form: URLSearchParams | null = null;
    for (let at = url; !at.href.startsWith(REDIRECT); ) {
      const page: Response = await fetch(at, {
        redirect: "manual",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
        ...(form === null ? {} : { method: "POST", body: form }),
      });
      form = null;
      for (const cookie of page.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = page.headers.get("location");
      if (location !== null) {
        at = new URL(location, at);
        if (at.href.startsWith(REDIRECT)) this.answer = at.searchParams;
        continue;
      }
      const html = await page.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
      if (action === undefined || prompt === undefined) throw new Error(`a page of no form: ${html}`);
      at = new URL(action, at);
      form = new URLSearchParams({
        prompt,
        ...(prompt === "login" ? { login: this.#name, password: "x" } : {}),
      });
    }
  }
}

/** A client that signed in by itself, told nothing but the address. */
async function signIn(url: string, person: Person): Promise<Client> {
  const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: person });
  const first = open();
  const name = { name: "by-itself", version: "1" };
  const before = new Client(name, { versionNegotiation: { mode: "auto" } });
  try {
    await before.connect(first);
    throw new Error("it was let in without a token");
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  if (person.answer === null) throw new Error("it was not asked to sign in");
  await first.finishAuth(person.answer);
  const client = new Client(name, { versionNegotiation: { mode: "auto" } });
  await client.connect(open());
  return client;
}

t.test("an MCP client signs in by itself at a real provider", { timeout: 900_000 }, async (t) => {
  const { appliance, issuer, tell } = await openHouse(t);
  const { url } = appliance;
  const ada = new Person("ada");
  const list = (token: string, path = "/mcp"): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
  const status = async (token: string): Promise<number> => (await list(token)).status;
  const logs = (): string =>
    appliance.program.stderr + readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
  /** Of a client of the older protocol, which waits for what the server has to say. */
  const openStream = async (person: Person): Promise<Response> => {
    await (await signIn(url, person)).close();
    const headers = {
      authorization: `Bearer ${person.accessToken}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const params = {
      ...{ protocolVersion: "2025-11-25", capabilities: {} },
      clientInfo: { name: "old", version: "1" },
    };
    const begun = await fetch(`${url}/mcp`, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    await begun.text();
    const sessionId = begun.headers.get("mcp-session-id") ?? "";
    const stream = await fetch(`${url}/mcp`, { headers: { ...headers, "mcp-session-id": sessionId } });
    t.equal(stream.status, 200, "a stream is open");
    return stream;
  };

  await t.test("told nothing but the address, and acts as an agent", async (t) => {
    const client = await signIn(url, ada);
    t.teardown(() => client.close());
    t.equal(ada.asked?.searchParams.get("resource"), `${url}/mcp`, "for us alone");
    t.equal(ada.asked?.searchParams.get("scope"), "ocp:mcp", "and for no more than it needs");
    const { tools } = await client.listTools();
    t.ok(tools.length > 40);
    const shot = await client.callTool({ name: "take_screenshot", arguments: {} });
    t.notOk(shot.isError);
    const { structuredContent } = await client.callTool({ name: "list_connections", arguments: {} });
    const [{ id: connection_id }] = connectionsSchema.parse(structuredContent).connections;
    const removed = await client.callTool({ name: "remove_connection", arguments: { connection_id } });
    t.match(
      removed.structuredContent,
      { error: { code: "permission_denied" } },
      "though ada is an administrator",
    );
    await until("the audit to tell who it was", () =>
      logs().includes('"user_id":"mcp:ada|mcp-client","name":"ada of the test, by mcp-client"'),
    );
  });

  await t.test("the way in is said on every refusal", async (t) => {
    const anonymous = await fetch(`${url}/mcp`, { method: "POST" });
    t.equal(anonymous.status, 401);
    t.equal(
      anonymous.headers.get("www-authenticate"),
      `Bearer scope="ocp:mcp", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
    );
    t.same(await (await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).json(), {
      resource: `${url}/mcp`,
      authorization_servers: [issuer],
      scopes_supported: ["ocp:mcp"],
      bearer_methods_supported: ["header"],
      resource_name: "Overlay Companion",
    });
  });

  await t.test("it opens MCP and nothing else, beside tokens of this server", async (t) => {
    // Five wrong ones in all are free: more would shut out this address, as forged ones do.
    const headers = { authorization: `Bearer ${ada.accessToken}` };
    t.equal((await fetch(`${url}/api/v1/desktops`, { headers })).status, 401);
    const session = await fetch(`${url}/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: ada.accessToken }),
    });
    t.equal(session.status, 401, "and is no way to sign in");
    t.equal(await status(appliance.agentToken), 200);
    t.equal(await status(appliance.adminToken), 200);
  });

  await t.test("what is not made for us, or by another, is refused", async (t) => {
    const token = ada.accessToken;
    const changed = (change: object): Promise<string> =>
      tell("resign", { token, change: { typ: "at+jwt", ...change } });
    t.equal(await status(await changed({})), 200, "as the provider signs it");
    for (const change of [
      { claims: { aud: "https://other.example.com/mcp" } },
      { claims: { aud: issuer } },
      { claims: { iss: "http://localhost:1" } },
      { times: { exp: -1 } },
      { times: { nbf: 60 } },
      { key: "strangers" },
      { typ: "logout+jwt" },
      { claims: { cnf: { jkt: "x" } } },
    ]) {
      const answer = await list(await changed(change));
      t.equal(answer.status, 401, JSON.stringify(change));
      t.match(answer.headers.get("www-authenticate"), /^Bearer error="invalid_token", scope="ocp:mcp", /);
    }
    const [head = "", claims = ""] = token.split(".");
    const { kid } = JSON.parse(Buffer.from(head, "base64url").toString());
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt", kid })).toString("base64url");
    t.equal(await status(`${none}.${claims}.`), 401, "alg none");
    const { keys } = jwksSchema.parse(await (await fetch(`${issuer}/jwks`)).json());
    const pem = createPublicKey({ key: keys[0] ?? {}, format: "jwk" }).export({
      type: "spki",
      format: "pem",
    });
    const secret = await new SignJWT(JSON.parse(Buffer.from(claims, "base64url").toString()))
      .setProtectedHeader({ alg: "HS256", kid, typ: "at+jwt" })
      .sign(createSecretKey(Buffer.from(pem)));
    t.equal(await status(secret), 401, "HS256 by the public key");
    const few = await list(await changed({ claims: { scope: "openid" } }));
    t.equal(few.status, 403);
    t.equal(
      few.headers.get("www-authenticate"),
      `Bearer error="insufficient_scope", scope="ocp:mcp", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
    );
    t.equal(
      await status(await changed({ claims: { groups: ["watchers"] } })),
      403,
      "who only watches has no agent",
    );
    t.equal(await status(token), 200, "the right one goes on");
  });

  await t.test("desktops come from the same groups as for people", async (t) => {
    await tell("groups", { user: "bob", groups: ["bound"] });
    const client = await signIn(url, new Person("bob"));
    t.teardown(() => client.close());
    const { structuredContent } = await client.callTool({ name: "list_connections", arguments: {} });
    t.match(structuredContent, { connections: [], total_connections: 0 });
    t.ok((await client.callTool({ name: "take_screenshot", arguments: {} })).isError);
  });

  await t.test("what it keeps open ends when it expires", async (t) => {
    await tell("accessSeconds", { seconds: 8 });
    const brief = new Person("ada");
    const stream = await openStream(brief);
    // Its end is our doing: nothing else was to come, and the server keeps it open for as long as it may.
    await t.rejects(stream.text(), "cut off");
    t.equal(await status(brief.accessToken), 401);
  });

  await t.test("and when its person signs out at the provider, who tells us", async (t) => {
    await tell("accessSeconds", { seconds: 3600 });
    const [person, other] = [new Person("ada"), new Person("bob")];
    const stream = await openStream(person);
    await (await signIn(url, other)).close();
    const claims = { sub: "ada", sid: "a-session" };
    t.equal(await tell("logout", { app: url, claims, key: "another's" }), "400");
    t.equal(await status(person.accessToken), 200, "a stranger's word ends nothing");
    t.equal(await tell("logout", { app: url, claims }), "200");
    await t.rejects(stream.text(), "cut off");
    t.equal(await status(person.accessToken), 401, "though it has not expired");
    t.equal(await status(other.accessToken), 200);
  });

  await t.test("keys that were changed a moment ago are taken", async (t) => {
    await tell("accessSeconds", { seconds: 300 });
    await tell("rotate", { app: url });
    // Not her who signed out: what she is given in the same second counts as given before.
    const again = new Person("bob");
    const client = await signIn(url, again);
    t.teardown(() => client.close());
    t.equal(await status(again.accessToken), 200);
  });

  await t.test("no token is in a log or the audit", async (t) => {
    t.match(logs(), /Access token refused/);
    t.notMatch(logs(), /eyJ[\w-]{20}/);
  });
});
