import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttps } from "node:https";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import * as z from "zod";
import { browserOf, PostServer } from "../../push/push-house.ts";
import { until } from "../../support/until.ts";
import { outcome } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

// An agent asks while nobody looks: people are told by a webhook, whose link takes the answer, and in a browser.

const hookSchema = z.looseObject({ id: z.string(), kind: z.string(), url: z.string() });

/** A push service with a certificate of its own, on loopback. */
async function pushService(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), "oc-push-"));
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const kind = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
  ];
  const name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...kind, ...name, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const had: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }[] = [];
  const server: Server = createHttps(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        had.push({ headers: request.headers, body: Buffer.concat(chunks) });
        response.writeHead(201).end();
      });
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { had, cert, host: `127.0.0.1:${address.port}` };
}

t.test("an agent asks while nobody looks", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "openssl"])) return;
  const [hook, service] = [await PostServer.open(t), await pushService(t)];
  const config = join(mkdtempSync(join(tmpdir(), "oc-push-")), "config.yaml");
  const appliance = await Appliance.start(t, {
    ...{ mode: "assist", args: ["--demo", "--config", config] },
    env: (url) => {
      const webhooks = [
        { name: "phones", url: `${hook.url}/hook`, link: "ticket", key: "a key of sixteen characters" },
      ];
      const web = { subject: "mailto:ops@example.com", services: [service.host] };
      writeFileSync(config, JSON.stringify({ push: { base_url: url, webhooks, web } }));
      return { NODE_EXTRA_CA_CERTS: service.cert };
    },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const browser = await openBrowser(t);
  /** The agent asks; the link that the webhook got. */
  const ask = async () => {
    const before = hook.had.length;
    const end = outcome(agent, "click_at", { x: 1240, y: 780, intent: "SECRET-REASON" });
    await until("the webhook", () => hook.had.length > before);
    return { end, told: hookSchema.parse(JSON.parse(hook.had.at(-1)?.body ?? "")) };
  };
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const visit = async (link: string) => {
    const context = await browser.newContext(phone);
    const page = await context.newPage();
    await page.goto(link);
    return { page, close: () => context.close() };
  };

  await t.test("a phone without a sign-in: the question with its picture, and yes", async (t) => {
    const { end, told } = await ask();
    t.match(told, { subject: "approval", kind: "click", desktop: { name: "Demo desktop" } });
    t.notMatch(hook.had.at(-1)?.body, /SECRET-REASON/);
    t.match(told.url, new RegExp(`^${appliance.url}/answer#t=[\\w-]{22}$`));
    const { page, close } = await visit(told.url);
    await page.getByRole("button", { name: "Show the question" }).waitFor();
    t.equal(new URL(page.url()).hash, "", "the ticket is not in the address bar");
    await looksWell(t, page, "answer-closed");
    await page.getByRole("button", { name: "Show the question" }).click();
    await page.getByText("SECRET-REASON").waitFor();
    const decoded = `(async (one) => { await one.decode(); return one.naturalWidth; })(
      document.querySelector(".approval-picture img"))`;
    t.ok((await page.evaluate<number>(decoded)) > 0, "its picture");
    await looksWell(t, page, "answer-open");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    t.equal(await end, "done");
    await looksWell(t, page, "answer-done");
    await close();
    const second = await visit(told.url);
    await second.page.getByRole("button", { name: "Show the question" }).click();
    await second.page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
    await looksWell(t, second.page, "answer-void");
    await second.close();
  });

  await t.test("no, and a question that was answered elsewhere", async (t) => {
    const { end, told } = await ask();
    const { page, close } = await visit(told.url);
    await page.getByRole("button", { name: "Show the question" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Denied" }).waitFor();
    t.equal(await end, "denied_by_human");
    await close();
    const next = await ask();
    const late = await visit(next.told.url);
    await late.page.getByRole("button", { name: "Show the question" }).click();
    await late.page.getByRole("button", { name: "Approve" }).waitFor();
    await appliance.fetch(`/api/v1/approvals/${next.told.id}`, { decision: "deny" });
    await late.page.getByRole("button", { name: "Approve" }).click();
    await late.page.getByText(/question of this link is over/i).waitFor();
    t.equal(await next.end, "denied_by_human");
    await late.close();
  });

  await t.test("in a browser: the switch, the message, and the notification of our worker", async (t) => {
    const { page, context } = await signIn(browser, appliance);
    await context.grantPermissions(["notifications"]);
    const own = browserOf(`https://${service.host}/subscription`);
    // Chromium's own push service is on the internet: all else of it is real.
    await page.addInitScript(`
      const made = { endpoint: ${JSON.stringify(own.endpoint)}, toJSON: () => ({ keys: ${JSON.stringify(own.keys)} }),
        options: { applicationServerKey: null }, unsubscribe: async () => { subscribed = null; return true; } };
      let subscribed = null;
      PushManager.prototype.subscribe = async (options) => { globalThis.asked = options; subscribed = made; return made; };
      PushManager.prototype.getSubscription = async () => subscribed;`);
    await page.goto(`${appliance.url}/approvals`);
    await page.getByRole("button", { name: "Notify this browser" }).click();
    await page.locator("button:enabled", { hasText: "Stop notifying this browser" }).waitFor();
    t.match(await page.evaluate("globalThis.asked.userVisibleOnly"), true);
    await looksWell(t, page, "push-on");
    await page.setViewportSize({ width: 390, height: 844 });
    await looksWell(t, page, "push-on");
    const { end, told } = await ask();
    await until("the push service", () => service.had.length > 0);
    const sent = service.had[0];
    t.match(sent?.headers, { "content-encoding": "aes128gcm", authorization: /^vapid t=/ });
    const text = own.read(sent?.body ?? Buffer.alloc(0));
    t.match(JSON.parse(text), {
      title: "Approval wanted on Demo desktop",
      url: `/approvals?card=${told.id}`,
    });
    // As Chromium hands our worker what its push service brings.
    const client = await context.newCDPSession(page);
    const ids: string[] = [];
    client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      for (const { registrationId } of registrations) ids.push(registrationId);
    });
    await client.send("ServiceWorker.enable");
    await until("the worker", () => ids.length > 0);
    // Chromium says itself what it displayed: a page that asks for its notifications before one is on the screen has it
    // taken for closed, and forgotten.
    const displayed: Record<string, string>[] = [];
    client.on("BackgroundService.backgroundServiceEventReceived", ({ backgroundServiceEvent: event }) => {
      if (event.eventName === "Notification displayed")
        displayed.push(Object.fromEntries(event.eventMetadata.map(({ key, value }) => [key, value])));
    });
    await client.send("BackgroundService.startObserving", { service: "notifications" });
    await client.send("BackgroundService.setRecording", { service: "notifications", shouldRecord: true });
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(`{
      const show = registration.showNotification.bind(registration);
      registration.showNotification = (title, options) => (globalThis.asked = options, show(title, options));
    }`);
    await client.send("ServiceWorker.deliverPushMessage", {
      ...{ origin: appliance.url, registrationId: ids[0] ?? "", data: text },
    });
    await until("the notification", () => displayed.length > 0);
    t.match(displayed, [{ Title: "Approval wanted on Demo desktop", Body: /^Asked by .*: click$/ }]);
    t.match(await worker?.evaluate("asked"), { tag: told.id, data: /^\/approvals\?card=/ });
    await appliance.fetch(`/api/v1/approvals/${told.id}`, { decision: "deny" });
    await end;
    await page.getByRole("button", { name: "Stop notifying this browser" }).click();
    await page.getByRole("button", { name: "Notify this browser" }).waitFor();
    const before = service.had.length;
    const after = await ask();
    t.equal(service.had.length, before, "told no more");
    await appliance.fetch(`/api/v1/approvals/${after.told.id}`, { decision: "deny" });
    await after.end;
    await context.close();
  });
  const audited = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
  t.match(audited, /"push\.sent".*webhook phones/);
  t.match(audited, /"approval\.granted".*whoever opened the link of webhook phones/);
  t.notMatch(audited + appliance.program.stderr, new RegExp(`${hook.port}/hook|${service.host}`));
  appliance.assertAlive();
});
