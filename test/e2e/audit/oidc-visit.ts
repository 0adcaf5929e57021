import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";

/** Where the provider sends its other client, at which nobody listens. */
const CALLBACK = "http://127.0.0.1:1/callback";

/** What a browser keeps between requests, and how far redirects are followed. */
class Visitor {
  readonly #cookies = new Map<string, string>();

  async ask(url: URL, form: URLSearchParams | null): Promise<Response> {
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === null ? {} : { method: "POST", body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }

  cookie(called: RegExp): string {
    for (const [name, value] of this.#cookies) if (called.test(name)) return value;
    throw new Error(`no cookie ${called}`);
  }
}

/** Signs somebody in at the provider, as a person with a browser would; the answer of the last address, ours. */
export async function signInAtProvider(app: string, user: string): Promise<Response> {
  const visitor = new Visitor();
  return await visitor.ask(await sentBack(visitor, new URL("/signin/oidc", app), user, app), null);
}

/** As far as the provider sends the browser back: with what, and the ticket that its cookie has from us. */
export async function signInUntilBack(
  app: string,
  user: string,
): Promise<{ readonly answer: URLSearchParams; readonly ticket: string }> {
  const visitor = new Visitor();
  const { searchParams: answer } = await sentBack(visitor, new URL("/signin/oidc", app), user, app);
  return { answer, ticket: visitor.cookie(/^oc_oidc_/) };
}

/** An access token by which somebody's agent opens a resource, as a client of its own gets it from the provider. */
export async function accessTokenOf(issuer: string, user: string, resource: string): Promise<string> {
  const verifier = randomBytes(32).toString("base64url");
  const client = { client_id: "mcp-client", redirect_uri: CALLBACK, resource };
  const at = new URL("/auth", issuer);
  at.search = new URLSearchParams({
    ...{ ...client, response_type: "code", scope: "openid ocp:mcp", code_challenge_method: "S256" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  }).toString();
  const { searchParams } = await sentBack(new Visitor(), at, user, CALLBACK);
  const answer = await fetch(`${issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      ...{ ...client, grant_type: "authorization_code", code_verifier: verifier },
      code: searchParams.get("code") ?? "",
    }),
  });
  return z.looseObject({ access_token: z.string() }).parse(await answer.json()).access_token;
}

/** Does what the provider's pages ask until it sends the browser back to `to`. */
async function sentBack(visitor: Visitor, from: URL, user: string, to: string): Promise<URL> {
  let form: URLSearchParams | null = null;
  let at = from;
  for (let nth = 0; nth < 20; nth++) {
    const answer = await visitor.ask(at, form);
    form = null;
    const location = answer.headers.get("location");
    if (location !== null) {
      at = new URL(location, at);
      if (at.origin === new URL(to).origin) return at;
      continue;
    }
    const html = await answer.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`a page of no form: ${html}`);
    at = new URL(action, at);
    form = new URLSearchParams({ prompt, ...(prompt === "login" ? { login: user, password: "x" } : {}) });
  }
  throw new Error("the provider redirects without end");
}
