import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import t, { type Test } from "tap";
import * as z from "zod";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { withoutPackage } from "../harness/blocked-package.ts";
import { accessibilityFaults, openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

const HOST = fileURLToPath(new URL("oidc-host.mjs", import.meta.url));
const CLIENT_SECRET = "the-secret-of-the-client-0123456789";
/** Where many programs share few cores. */
const PATIENCE_MS = 120_000;
const meSchema = z.object({ id: z.string(), name: z.string(), role: z.string() });

interface House {
  readonly appliance: Appliance;
  readonly browser: Browser;
  readonly issuer: string;
  /** Tells the provider to do something. */
  tell(command: string, body?: object): Promise<void>;
}

async function openHouse(t: Test, env: Readonly<Record<string, string>> = {}): Promise<House> {
  const host = new Program(t, process.execPath, [HOST]);
  const issuer = await host.waitFor(
    "its issuer",
    ({ stdout }) => /^http:\S+/m.exec(stdout)?.[0] ?? null,
    PATIENCE_MS,
  );
  const tell = async (command: string, body: object = {}): Promise<void> => {
    const answer = await fetch(`${issuer}/_test/${command}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the provider answered ${answer.status} to ${command}`);
  };
  const appliance = await Appliance.start(t, {
    env: {
      OC_OIDC_ISSUER: issuer,
      OC_OIDC_CLIENT_ID: "desk",
      OC_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OC_OIDC_NAME: "Example",
      OC_OIDC_SCOPES: "openid,profile,groups",
      OC_OIDC_ROLES: "desk-admins=admin,watchers=viewer",
      OC_OIDC_CHECK_SECONDS: "5",
      OC_LOG_LEVEL: "debug",
      ...env,
    },
  });
  await tell("start", { app: appliance.url });
  return { appliance, browser: await openBrowser(t), issuer, tell };
}

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Presses the button, and does what the provider's pages ask. */
async function signInAs(page: Page, appliance: Appliance, user: string, path = "/"): Promise<void> {
  await page.goto(`${appliance.url}/signin?next=${encodeURIComponent(path)}`);
  await page.getByRole("link", { name: "Sign in with Example" }).click();
  await page.locator("input[name=login]").fill(user);
  await page.locator("input[name=password]").fill("the-password-at-the-provider");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

async function meOf(page: Page): Promise<z.infer<typeof meSchema> | number> {
  const said = await page.evaluate<unknown>(
    `fetch("/api/v1/me").then((answer) => answer.ok ? answer.json() : answer.status)`,
  );
  return typeof said === "number" ? said : meSchema.parse(said);
}

/** Begins again where the provider still knows the browser: no page of it is shown. */
async function again(page: Page, appliance: Appliance): Promise<string> {
  await page.goto(`${appliance.url}/signin/oidc`);
  await page.waitForURL((url) => url.port === new URL(appliance.url).port && !url.pathname.includes("/oidc"));
  const { pathname, search } = new URL(page.url());
  return pathname + search;
}

const sessionsIn = async (context: BrowserContext): Promise<string[]> =>
  (await context.cookies()).map(({ name }) => name).filter((name) => name.startsWith("oc_session_"));

/** Signs out at the provider's own page; gives the page, which has arrived: Chromium may never close one on its way. */
async function endAtProvider(context: BrowserContext, issuer: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${issuer}/session/end`);
  await page.getByRole("button", { name: /Yes, sign me out/ }).click();
  await page.waitForURL(`${issuer}/session/end/success**`);
  return page;
}

/** The code that the server closes a live socket with; on a page of its own, where no app goes on to the sign-in page. */
async function openSocket(
  context: BrowserContext,
  appliance: Appliance,
): Promise<{ readonly end: Promise<number> }> {
  const page = await context.newPage();
  await page.goto(`${appliance.url}/health`);
  await page.evaluate(
    `new Promise((resolve, reject) => {
      const socket = new WebSocket("/ws/events");
      socket.onopen = resolve;
      window.ended = new Promise((end) => { socket.onclose = ({ code }) => { reject(code); end(code); }; });
    })`,
  );
  return { end: page.evaluate<number>("window.ended").finally(() => page.close()) };
}

t.test("people sign in at a real provider", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const { appliance, browser, tell, issuer } = await openHouse(t);
  const context = await newContext(browser);
  const page = await context.newPage();
  const logs = (): string =>
    appliance.program.stderr + readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
  // What happened is written down a moment later.
  const logged = (what: RegExp): Promise<unknown> =>
    until(`the log to tell ${what}`, () => what.test(logs()));

  await t.test("by the button, back to where they wanted to go, with the role of their group", async (t) => {
    await page.goto(`${appliance.url}/approvals`);
    await page.getByRole("link", { name: "Sign in with Example" }).waitFor();
    t.same(await accessibilityFaults(page, "main"), []);
    await signInAs(page, appliance, "ada", "/approvals");
    await page.waitForURL(`${appliance.url}/approvals`);
    t.same(await meOf(page), { id: "oidc:ada", name: "ada of the test", role: "admin" });
    await logged(/"event_type":"auth\.login".*"user_id":"oidc:ada"/);
  });

  await t.test(
    "what the provider signs for others, too early, too late or not at all is refused",
    async (t) => {
      const fresh = async (change: object): Promise<string> => {
        // The app of a page without a session goes to the sign-in page by itself, in place of where we go.
        await page.goto("about:blank");
        await context.clearCookies({ name: /^oc_session_/ });
        await tell("forge", change);
        return again(page, appliance);
      };
      for (const [change, reason] of [
        [{ claims: { aud: "another-client" } }, /unexpected JWT \\"aud\\"/],
        [{ claims: { iss: "http://localhost:1" } }, /unexpected JWT \\"iss\\"/],
        [{ claims: { nonce: "another" } }, /unexpected ID Token \\"nonce\\"/],
        [{ times: { exp: -60 } }, /unexpected JWT \\"exp\\"/],
        [{ times: { nbf: 120 } }, /unexpected JWT \\"nbf\\"/],
        [{ key: "strangers" }, /JWT signature verification failed/],
      ] as const) {
        t.equal(await fresh(change), "/signin?error=provider", String(reason));
        t.same(await sessionsIn(context), [], `${String(reason)}: no session`);
        t.match(await page.locator("#sign-in-error").textContent(), /not accepted/);
        await logged(reason);
      }
      for (const change of [{ times: { exp: -10 } }, { times: { nbf: 20 } }, {}])
        t.equal(await fresh(change), "/", `within the clocks' difference: ${JSON.stringify(change)}`);
    },
  );

  await t.test("keys that were changed a moment ago are taken", async (t) => {
    await context.clearCookies({ name: /^oc_session_/ });
    await tell("rotate", { app: appliance.url });
    // It has forgotten who was signed in there.
    await signInAs(page, appliance, "ada");
    await page.waitForURL(`${appliance.url}/`);
    t.match(await meOf(page), { id: "oidc:ada" });
  });

  await t.test("a sign-in that another browser began is refused", async (t) => {
    const other = await newContext(browser);
    const stranger = await other.newPage();
    await stranger.goto(
      `${appliance.url}/signin/oidc/callback?code=x&state=y&iss=${encodeURIComponent(issuer)}`,
    );
    t.equal(new URL(stranger.url()).search, "?error=expired");
    t.same(await sessionsIn(other), []);
    await other.close();
  });

  await t.test("who has no role is told so, and has no session", async (t) => {
    const other = await newContext(browser);
    const visitor = await other.newPage();
    await signInAs(visitor, appliance, "nora");
    await visitor.waitForURL(`${appliance.url}/signin?error=role`);
    t.match(await visitor.locator("#sign-in-error").textContent(), /none of your groups has a role here/);
    t.same(await sessionsIn(other), []);
    t.equal(await meOf(visitor), 401);
    await other.close();
  });

  await t.test("a role that changed at the provider ends the session, live sockets included", async (t) => {
    const other = await newContext(browser);
    const visitor = await other.newPage();
    await signInAs(visitor, appliance, "vera");
    await visitor.waitForURL(`${appliance.url}/`);
    t.match(await meOf(visitor), { role: "viewer" });
    const socket = await openSocket(other, appliance);
    await tell("groups", { user: "vera", groups: ["desk-admins"] });
    t.equal(await socket.end, 1008, "signed out");
    await logged(/"event_type":"auth\.logout".*"user_id":"oidc:vera".*role_changed/);
    // Chromium may never close a page that is just on its way elsewhere.
    await visitor.waitForURL(({ pathname }) => pathname === "/signin");
    await other.close();
  });

  await t.test("a session that the provider ends ends here, live sockets included", async (t) => {
    const socket = await openSocket(context, appliance);
    const end = await endAtProvider(context, issuer);
    t.equal(await socket.end, 1008, "signed out");
    await end.close();
    await logged(/session_over/);
    await logged(/"route":"\/signin\/oidc\/logout","status":200/);
  });

  await t.test("and one whose tokens it took back, without a word", async (t) => {
    // The app of this page goes there by itself, which would end a navigation of ours.
    await page.waitForURL(({ pathname }) => pathname === "/signin");
    await signInAs(page, appliance, "ada");
    await page.waitForURL(`${appliance.url}/`);
    const socket = await openSocket(context, appliance);
    await tell("revoke");
    t.equal(await socket.end, 1008, "signed out");
  });

  await t.test("who signs out here is asked to do so there", async (t) => {
    const other = await newContext(browser);
    const visitor = await other.newPage();
    await signInAs(visitor, appliance, "ada");
    await visitor.waitForURL(`${appliance.url}/`);
    await visitor.getByRole("button", { name: "Sign out" }).click();
    await visitor.waitForURL(`${issuer}/session/end**`);
    t.equal((await other.request.get(`${appliance.url}/api/v1/me`)).status(), 401);
    await visitor.getByRole("button", { name: /Yes, sign me out/ }).click();
    await visitor.waitForURL(`${appliance.url}/signin`);
    await other.close();
  });

  await t.test("no secret is in a log, the audit or a file", async (t) => {
    const text = logs();
    t.notMatch(text, new RegExp(CLIENT_SECRET));
    t.notMatch(text, /eyJ[\w-]{20}/, "no token");
    t.notMatch(text, /code=|code_verifier|[?&]state=/, "nothing of an address");
    t.notMatch(text, /the-password-at-the-provider/);
  });
});

t.test(
  "without a provider nothing is offered, and its library is not loaded",
  { timeout: 600_000 },
  async (t) => {
    const blocked = withoutPackage(t, "openid-client");
    const appliance = await Appliance.start(t, { env: blocked });
    t.same(await (await fetch(`${appliance.url}/api/v1/session/ways`)).json(), {
      provider: null,
      ended: null,
    });
    t.equal((await fetch(`${appliance.url}/signin/oidc`, { redirect: "manual" })).status, 404);
    const env = { ...blocked, OC_OIDC_ISSUER: "http://localhost:1", OC_OIDC_CLIENT_ID: "desk" };
    const other = await Appliance.start(t, { env });
    t.same(await (await fetch(`${other.url}/api/v1/session/ways`)).json(), {
      provider: "your organisation",
      ended: null,
    });
    t.equal(
      (await fetch(`${other.url}/signin/oidc`, { redirect: "manual" })).status,
      500,
      "it is needed here",
    );
  },
);

t.test(
  "a provider that tells of ends is believed, with nobody asking in between",
  { timeout: 900_000 },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const { appliance, browser, issuer } = await openHouse(t, { OC_OIDC_CHECK_SECONDS: "3600" });
    const context = await newContext(browser);
    const page = await context.newPage();
    await signInAs(page, appliance, "ada");
    await page.waitForURL(`${appliance.url}/`);
    const socket = await openSocket(context, appliance);
    await endAtProvider(context, issuer);
    t.equal(await socket.end, 1008, "signed out");
    t.equal((await context.request.get(`${appliance.url}/api/v1/me`)).status(), 401);
    await context.close();
  },
);
