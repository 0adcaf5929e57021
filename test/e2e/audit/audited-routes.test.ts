import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import * as z from "zod";
import { ROUTE_EVENTS } from "../../../scripts/docs-audit-events.ts";
import { EXTENSION_ORIGIN, SUBPROTOCOL } from "../../../src/browser/wire/calls.ts";
import { parsePairingLink } from "../../../src/browser/wire/pairing-link.ts";
import { proofOf } from "../../../src/browser/wire/proof.ts";
import { NONCE } from "../../browser/fake-extension.ts";
import { browserOf, PostServer } from "../../push/push-house.ts";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { ROUTES } from "../../web/http/route-table.ts";
import { Appliance } from "../harness/appliance.ts";
import { Agent } from "../harness/mcp-client.ts";
import { CertificateTarget } from "../hostile/certificate-target.ts";
import { AuditTail } from "./audit-tail.ts";
import { signInAtProvider } from "./oidc-visit.ts";

// Every route is called on a running server, and what the audit log tells of it is what docs/audit-events.md says.

const HOST = fileURLToPath(new URL("../web/oidc-host.mjs", import.meta.url));

const listSchema = z.array(z.looseObject({ id: z.string() }));
const idSchema = z.looseObject({ id: z.string() });

/** A credential of its own for each call: what is looked at again by the same one is told once a minute. */
interface Caller {
  readonly token: string;
  readonly id: string;
  /** Throws for an answer that is no success. */
  ask(method: string, path: string, body?: unknown): Promise<Response>;
}

interface Stage {
  readonly t: Test;
  readonly appliance: Appliance;
  readonly agent: Agent;
  readonly hook: PostServer;
  readonly issuer: string;
  /** The demo desktop. */
  readonly desktop: string;
  /** A desktop whose target has a certificate. */
  readonly certified: string;
  readonly port: number;
  /** What earlier calls made. */
  readonly known: Map<string, string>;
  admin(method: string, path: string, body?: unknown): Promise<Response>;
}

type Play = (stage: Stage, caller: Caller) => Promise<unknown>;

const D = (stage: Stage): string => `/api/v1/desktops/${stage.desktop}`;
const R = ({ known }: Stage): string => `/api/v1/recordings/${known.get("recording")}`;
const idOf = async (answer: Response): Promise<string> => idSchema.parse(await answer.json()).id;

/** A call of an agent that waits for a human; what gives is its question. */
async function question(stage: Stage): Promise<string> {
  // Whatever becomes of it: what is asked about is what counts.
  stage.agent.call("click_at", { x: 600, y: 700 }).catch(() => undefined);
  const list = async () => listSchema.parse(await (await stage.admin("GET", "/api/v1/approvals")).json());
  return await until("a question", async () => (await list())[0]?.id ?? null);
}

async function answered(stage: Stage): Promise<void> {
  await until("no question", async () => {
    const list = listSchema.parse(await (await stage.admin("GET", "/api/v1/approvals")).json());
    return list.length === 0;
  });
}

const box = { x: 20, y: 20, width: 60, height: 40 };
const RULES = {
  ...{ pointer: "ask", keys: "ask", text: "deny", write_clipboard: "ask", read_clipboard: "ask" },
  ...{ resize: "deny", areas: [] },
};
const PUSH = "https://127.0.0.1:9/push/of-nobody";
const hookSchema = z.looseObject({ url: z.string() });
const helloSchema = z.object({ type: z.literal("hello"), nonce: z.string() });
const welcomeSchema = z.object({ type: z.literal("welcome"), key_id: z.string() });

const call = (method: string, path: (stage: Stage) => string, body?: unknown): Play => {
  return (stage, { ask }) => ask(method, path(stage), body);
};

/** A WebSocket that is closed again once something came, or it was open. */
function socket(path: (stage: Stage) => string, isRfb: boolean): Play {
  return async (stage, { token }) => {
    const url = stage.appliance.url.replace("http", "ws") + path(stage);
    const peer = new WebSocket(url, isRfb ? ["binary"] : [], {
      headers: { authorization: `Bearer ${token}` },
    });
    stage.t.teardown(() => peer.terminate());
    if (isRfb) {
      // RFC 6143 section 7.1: version, security, ClientInit; then there is a viewer.
      const said = [Buffer.from("RFB 003.008\n"), Buffer.of(1), Buffer.of(1)];
      const inits = new Promise<void>((resolve) => {
        peer.on("message", () => {
          const next = said.shift();
          if (next === undefined) resolve();
          else peer.send(next);
        });
      });
      await inits;
    } else await once(peer, "open");
    peer.close();
    await once(peer, "close");
  };
}

async function tool(url: string, token: string): Promise<void> {
  const agent = await Agent.connect(url, token);
  await agent.call("list_connections");
  await agent.close();
}

/** Every route that is no plain GET, and those that need more than the ids of what is there. */
const PLAYS: Readonly<Record<string, Play>> = {
  "POST /": ({ appliance }, { token }) => tool(`${appliance.url}/`, token),
  "POST /mcp": ({ appliance }, { token }) => tool(`${appliance.url}/mcp`, token),
  "GET /mcp": bare("GET", "/mcp"),
  "DELETE /": bare("DELETE", "/"),
  "DELETE /mcp": bare("DELETE", "/mcp"),
  "POST /sse": bare("POST", "/sse"),
  "GET /sse": async () => undefined,
  // Its events come by GET /sse, which this opens.
  "POST /message": async ({ appliance }, { token }) => {
    const client = new Client({ name: "old", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new SSEClientTransport(new URL(`${appliance.url}/sse`), { requestInit }));
    await client.callTool({ name: "list_connections", arguments: {} });
    await client.close();
  },
  // The demo has no files: each is refused, and what is told of is told.
  "POST /api/v1/desktops/:id/files": refusedWith(422, "POST", (stage) => `${D(stage)}/files`, {
    files: [{ name: "a", size: 1 }],
  }),
  "PUT /api/v1/desktops/:id/files/:sendingId/:index": refusedWith(
    400,
    "PUT",
    (stage) => `${D(stage)}/files/none/0`,
    {},
  ),
  "DELETE /api/v1/desktops/:id/files/:sendingId": call("DELETE", (stage) => `${D(stage)}/files/none`),
  "GET /api/v1/desktops/:id/files/copied/:list/:index": refusedWith(
    404,
    "GET",
    (stage) => `${D(stage)}/files/copied/0/0`,
  ),
  "GET /connect": call("GET", () => "/connect"),
  "GET /signin/oidc": async () => undefined,
  "GET /signin/oidc/callback": async ({ appliance }) => {
    const answer = await signInAtProvider(appliance.url, "ada");
    if (!answer.ok) throw new Error(`the callback was answered with ${answer.status}`);
  },
  "POST /signin/oidc/logout": async ({ appliance, issuer }) => {
    const body = JSON.stringify({ app: appliance.url, claims: { sub: "ada" } });
    const answer = await fetch(`${issuer}/_test/logout`, { method: "POST", body });
    if ((await answer.text()) !== "200") throw new Error("the notice was refused");
  },
  "POST /api/v1/session": async ({ appliance }, { token }) => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const answer = await fetch(`${appliance.url}/api/v1/session`, {
      ...init,
      body: JSON.stringify({ token }),
    });
    if (!answer.ok) throw new Error(`the sign-in was answered with ${answer.status}`);
  },
  "DELETE /api/v1/session": call("DELETE", () => "/api/v1/session"),
  "PUT /api/v1/push/subscription": async ({ known }, { ask, token }) => {
    const { keys } = browserOf(PUSH);
    await ask("PUT", "/api/v1/push/subscription", { endpoint: PUSH, keys });
    known.set("subscriber", token);
  },
  "DELETE /api/v1/push/subscription": ({ appliance, known }) =>
    request(appliance, known.get("subscriber") ?? "", "DELETE", "/api/v1/push/subscription", {
      endpoint: PUSH,
    }),
  "POST /api/v1/answers/open": async (stage) => {
    const before = stage.hook.had.length;
    await question(stage);
    await until("the webhook", () => stage.hook.had.length > before);
    const { url } = hookSchema.parse(JSON.parse(stage.hook.had.at(-1)?.body ?? ""));
    const ticket = new URL(url).hash.slice("#t=".length);
    const opened = await stage.admin("POST", "/api/v1/answers/open", { ticket });
    stage.known.set("key", z.looseObject({ key: z.string() }).parse(await opened.json()).key);
  },
  "POST /api/v1/answers": async (stage) => {
    await stage.admin("POST", "/api/v1/answers", { key: stage.known.get("key"), decision: "approve" });
    await answered(stage);
  },
  "POST /api/v1/requests/:id": async ({ agent }, { ask }) => {
    const { request_id } = await agent.call("request_human", { reason: "log in", kind: "login" });
    await ask("POST", `/api/v1/requests/${request_id}`, { do: "take" });
    await ask("POST", `/api/v1/requests/${request_id}`, { do: "done" });
  },
  "POST /api/v1/desktops": async ({ port, known }, { ask }) => {
    const body = { name: "another", protocol: "vnc", host: "127.0.0.1", port };
    known.set("another", await idOf(await ask("POST", "/api/v1/desktops", body)));
  },
  "POST /api/v1/desktops/test": (stage, { ask }) =>
    ask("POST", "/api/v1/desktops/test", { protocol: "vnc", host: "127.0.0.1", port: stage.port }),
  "PUT /api/v1/desktops/:id/connection": ({ known, port }, { ask }) =>
    ask("PUT", `/api/v1/desktops/${known.get("another")}/connection`, {
      ...{ name: "other words", protocol: "vnc", host: "127.0.0.1", port },
    }),
  "DELETE /api/v1/desktops/:id": ({ known }, { ask }) =>
    ask("DELETE", `/api/v1/desktops/${known.get("another")}`),
  "GET /api/v1/desktops/:id/connection": call(
    "GET",
    ({ certified }) => `/api/v1/desktops/${certified}/connection`,
  ),
  "GET /api/v1/desktops/:id/actions/:actionId/before.png": call(
    "GET",
    (stage) => `${D(stage)}/actions/${stage.known.get("action")}/before.png`,
  ),
  "GET /api/v1/desktops/:id/actions/:actionId/after.png": call(
    "GET",
    (stage) => `${D(stage)}/actions/${stage.known.get("action")}/after.png`,
  ),
  "POST /api/v1/desktops/:id/masks": async (stage, { ask }) => {
    const body = { label: "one", audiences: ["agent"], rect: box };
    stage.known.set("mask", await idOf(await ask("POST", `${D(stage)}/masks`, body)));
  },
  "DELETE /api/v1/desktops/:id/masks/:maskId": (stage, { ask }) =>
    ask("DELETE", `${D(stage)}/masks/${stage.known.get("mask")}`),
  "POST /api/v1/desktops/:id/rules/try": call("POST", (stage) => `${D(stage)}/rules/try`, {
    ...{ rules: RULES, subject: "pointer", x: 1, y: 1 },
  }),
  "POST /api/v1/desktops/:id/mode": call("POST", (stage) => `${D(stage)}/mode`, { mode: "assist" }),
  "PUT /api/v1/desktops/:id/rules": async (stage, { ask }) => {
    await ask("PUT", `${D(stage)}/rules`, { rules: RULES });
    await stage.admin("POST", `${D(stage)}/mode`, { mode: "assist" });
  },
  "POST /api/v1/desktops/:id/stop": call("POST", (stage) => `${D(stage)}/stop`, {}),
  "POST /api/v1/desktops/:id/resume": call("POST", (stage) => `${D(stage)}/resume`, {}),
  "POST /api/v1/desktops/:id/reconnect": call(
    "POST",
    ({ certified }) => `/api/v1/desktops/${certified}/reconnect`,
    {},
  ),
  "POST /api/v1/desktops/:id/forget-identity": call(
    "POST",
    ({ certified }) => `/api/v1/desktops/${certified}/forget-identity`,
    {},
  ),
  "POST /api/v1/desktops/:id/take-over": async (stage, { ask, token }) => {
    await ask("POST", `${D(stage)}/take-over`, {});
    stage.known.set("holder", token);
  },
  "POST /api/v1/desktops/:id/ask-input": async (stage, { ask, id, token }) => {
    await ask("POST", `${D(stage)}/ask-input`, {});
    stage.known.set("asker", id);
    stage.known.set("asker's", token);
  },
  "POST /api/v1/desktops/:id/answer-input": async ({ appliance, known, ...stage }) => {
    const body = { to: known.get("asker"), give: true };
    const path = `/api/v1/desktops/${stage.desktop}/answer-input`;
    await request(appliance, known.get("holder") ?? "", "POST", path, body);
    known.set("holder", known.get("asker's") ?? "");
  },
  "POST /api/v1/desktops/:id/give-back": (stage) =>
    request(stage.appliance, stage.known.get("holder") ?? "", "POST", `${D(stage)}/give-back`, {}),
  "POST /api/v1/desktops/:id/tickets": call("POST", (stage) => `${D(stage)}/tickets`, {}),
  "DELETE /api/v1/desktops/:id/overlays": async (stage, { ask }) => {
    await stage.agent.call("draw_overlay", box);
    await ask("DELETE", `${D(stage)}/overlays`);
  },
  "DELETE /api/v1/desktops/:id/overlays/:overlayId": async (stage, { ask }) => {
    const { overlay_id } = await stage.agent.call("draw_overlay", box);
    await ask("DELETE", `${D(stage)}/overlays/${overlay_id}`);
  },
  "POST /api/v1/recordings": async (stage, { ask }) => {
    const body = { desktop_id: stage.desktop };
    stage.known.set("recording", await idOf(await ask("POST", "/api/v1/recordings", body)));
    await stage.agent.call("type_text", { text: "a" }).catch(() => undefined);
  },
  "POST /api/v1/recordings/:id/bookmarks": call("POST", (stage) => `${R(stage)}/bookmarks`, {
    label: "here",
  }),
  "POST /api/v1/recordings/:id/stop": call("POST", (stage) => `${R(stage)}/stop`, {}),
  "PATCH /api/v1/recordings/:id": call("PATCH", R, { name: "one" }),
  "POST /api/v1/recordings/:id/markers": async (stage, { ask }) => {
    stage.known.set("marker", await idOf(await ask("POST", `${R(stage)}/markers`, { at_ms: 0, label: "x" })));
  },
  "DELETE /api/v1/recordings/:id/markers/:markerId": (stage, { ask }) =>
    ask("DELETE", `${R(stage)}/markers/${stage.known.get("marker")}`),
  "POST /api/v1/recordings/:id/verify": call("POST", (stage) => `${R(stage)}/verify`, {}),
  "POST /api/v1/recordings/:id/replay": async (stage, { ask }) => {
    const answer = await ask("POST", `${R(stage)}/replay`, {});
    const { desktop_id } = z.object({ desktop_id: z.string() }).parse(await answer.json());
    stage.known.set("replay", desktop_id);
  },
  "GET /api/v1/desktops/:id/replay": call(
    "GET",
    ({ known }) => `/api/v1/desktops/${known.get("replay")}/replay`,
  ),
  "PATCH /api/v1/desktops/:id/replay": call(
    "PATCH",
    ({ known }) => `/api/v1/desktops/${known.get("replay")}/replay`,
    {
      is_playing: false,
    },
  ),
  "GET /api/v1/recordings/:id/search": call("GET", (stage) => `${R(stage)}/search?query=a`),
  "GET /api/v1/recordings/:id/text": call("GET", (stage) => `${R(stage)}/text?at_ms=0`),
  "GET /api/v1/recordings/search": call("GET", () => "/api/v1/recordings/search?text=demo"),
  "GET /api/v1/recordings/:id/chunks/:index": call("GET", (stage) => `${R(stage)}/chunks/0`),
  "GET /api/v1/recordings/:id/run": call("GET", (stage) => `${R(stage)}/run?at_ms=0`),
  "GET /api/v1/approvals": async (stage, { ask }) => {
    stage.known.set("approval", await question(stage));
    await ask("GET", "/api/v1/approvals");
  },
  "GET /api/v1/approvals/:approvalId/picture.png": call(
    "GET",
    ({ known }) => `/api/v1/approvals/${known.get("approval")}/picture.png`,
  ),
  "POST /api/v1/approvals/:approvalId": async (stage, { ask }) => {
    const body = { decision: "approve", allow_for_ms: 600_000 };
    await ask("POST", `/api/v1/approvals/${stage.known.get("approval")}`, body);
    await answered(stage);
  },
  "DELETE /api/v1/grants/:grantId": async (stage, { ask }) => {
    const [grant] = listSchema.parse(await (await stage.admin("GET", "/api/v1/grants")).json());
    await ask("DELETE", `/api/v1/grants/${grant?.id}`);
  },
  "POST /api/v1/tokens": async ({ known }, { ask }) => {
    known.set("token", await idOf(await ask("POST", "/api/v1/tokens", { name: "x", role: "viewer" })));
  },
  "DELETE /api/v1/tokens/:id": ({ known }, { ask }) => ask("DELETE", `/api/v1/tokens/${known.get("token")}`),
  // This server is alone: it is refused, and told as that.
  "POST /api/v1/fleet/nodes/:id/drain": async ({ t }, { ask }) => {
    await t.rejects(ask("POST", "/api/v1/fleet/nodes/none/drain", {}), {
      message: /answered with 422.*alone/,
    });
  },
  // Nodes alone ask so: nothing is done, and nothing told.
  "POST /api/v1/fleet/recordings/:id": async ({ t, known }, { ask }) => {
    const path = `/api/v1/fleet/recordings/${known.get("recording")}`;
    await t.rejects(ask("POST", path, { ask: "open" }), { message: /answered with 422.*one of a node/ });
  },
  "PUT /api/v1/secrets/:id": call("PUT", () => "/api/v1/secrets/mail", {
    ...{ value: "s3cret-of-the-mail", desktops: ["*"], agents: ["*"] },
  }),
  "DELETE /api/v1/secrets/:id": call("DELETE", () => "/api/v1/secrets/mail"),
  "POST /api/v1/browsers/pairings": async ({ known }, { ask }) => {
    const answer = await ask("POST", "/api/v1/browsers/pairings", {});
    known.set("link", z.looseObject({ link: z.string() }).parse(await answer.json()).link);
  },
  "GET /ws/browser": async ({ t, known }) => {
    const { url, id, code } = parsePairingLink(known.get("link") ?? "");
    const peer = new WebSocket(url, [SUBPROTOCOL], { headers: { origin: EXTENSION_ORIGIN } });
    t.teardown(() => peer.terminate());
    const said: unknown[] = [];
    peer.on("message", (data) => said.push(JSON.parse(String(data))));
    const { nonce: serverNonce } = helloSchema.parse(await until("hello", () => said.shift() ?? null));
    const mac = await proofOf(code, "extension", { keyId: id, serverNonce, extensionNonce: NONCE, url });
    const told = { nonce: NONCE, url, mac, version: "1", browser: "Test 1" };
    peer.send(JSON.stringify({ type: "pair", key_id: id, ...told }));
    const { key_id } = welcomeSchema.parse(await until("welcome", () => said.shift() ?? null));
    known.set("browser", key_id);
    peer.close();
    await once(peer, "close");
  },
  "DELETE /api/v1/browsers/:id": ({ known }, { ask }) =>
    ask("DELETE", `/api/v1/browsers/${known.get("browser")}`),
  "GET /assets/*": async (_stage, { ask }) => {
    const html = await (await ask("GET", "/signin")).text();
    await ask("GET", `/assets/${/assets\/([^"]+)/.exec(html)?.[1]}`);
  },
  // Only where the built app has one beside its assets.
  "GET /favicon.svg": bare("GET", "/favicon.svg"),
  "GET /ws/events": socket(() => "/ws/events", false),
  "GET /ws/overlays": socket(({ desktop }) => `/ws/overlays?desktop=${desktop}`, false),
  "GET /ws/desktops/:id": socket(({ desktop }) => `/ws/desktops/${desktop}`, true),
  "GET /ws/desktops/:id/sound": socket(({ desktop }) => `/ws/desktops/${desktop}/sound`, false),
  "GET /websockify": socket(() => "/websockify", true),
  "DELETE /api/v1/recordings/:id": call("DELETE", R),
};

/** A call that is refused, with this status. */
function refusedWith(status: number, method: string, path: (stage: Stage) => string, body?: unknown): Play {
  return async (stage, { token }) => {
    const answer = await fetch(stage.appliance.url + path(stage), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.body?.cancel();
    if (answer.status !== status)
      throw new Error(`${method} ${path(stage)} was answered with ${answer.status}`);
  };
}

/** Of MCP's addresses with methods that need a session, or are not for them: whatever it answers. */
function bare(method: string, path: string): Play {
  return async ({ appliance }, { token }) => {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const answer = await fetch(appliance.url + path, { method, headers });
    if (answer.status >= 500) throw new Error(`${method} ${path} was answered with ${answer.status}`);
    await answer.body?.cancel();
  };
}

/** The order in which they are called: that of the plays, with all others after what makes what they read. */
function inOrder(): string[] {
  const all = ROUTES.map(([method, url]) => `${method} ${url}`);
  const played = Object.keys(PLAYS);
  const last = ["DELETE /api/v1/recordings/:id"];
  return [
    ...played.filter((route) => !last.includes(route)),
    ...all.filter((route) => !(route in PLAYS)),
    ...last,
  ];
}

async function request(
  { url }: Appliance,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const answer = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.status >= 400)
    throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function openStage(t: Test): Promise<Stage> {
  const [hook, target] = [await PostServer.open(t), await CertificateTarget.start(t)];
  const provider = new Program(t, process.execPath, [HOST]);
  const issuer = await provider.waitFor(
    "its issuer",
    ({ stdout }) => /^http:\S+/m.exec(stdout)?.[0] ?? null,
    120_000,
  );
  const config = join(mkdtempSync(join(tmpdir(), "oc-audited-")), "config.yaml");
  const appliance = await Appliance.start(t, {
    mode: "assist",
    args: ["--demo", "--config", config],
    env: (url) => {
      const webhooks = [
        { name: "phones", url: `${hook.url}/hook`, link: "ticket", key: "a key of sixteen characters" },
      ];
      const web = { subject: "mailto:ops@example.com", services: ["127.0.0.1:9"] };
      writeFileSync(config, JSON.stringify({ push: { base_url: url, webhooks, web } }));
      return {
        OC_APPROVAL_ARMING_MS: "0",
        OC_RECORDING_TEXT: "on",
        OC_OIDC_ISSUER: issuer,
        OC_OIDC_CLIENT_ID: "desk",
        OC_OIDC_CLIENT_SECRET: "the-secret-of-the-client-0123456789",
        OC_OIDC_SCOPES: "openid,profile,groups",
        OC_OIDC_ROLES: "desk-admins=admin",
      };
    },
  });
  await fetch(`${issuer}/_test/start`, { method: "POST", body: JSON.stringify({ app: appliance.url }) });
  const admin = (method: string, path: string, body?: unknown): Promise<Response> =>
    request(appliance, appliance.adminToken, method, path, body);
  const desktop = listSchema.parse(await (await admin("GET", "/api/v1/desktops")).json())[0]?.id ?? "";
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const certified = await idOf(
    await admin("POST", "/api/v1/desktops", {
      name: "tls",
      protocol: "vnc",
      host: "127.0.0.1",
      port: target.port,
    }),
  );
  await until("its certificate", () => target.signIns > 0);
  const known = new Map<string, string>();
  const stage = {
    t,
    appliance,
    agent,
    hook,
    issuer,
    desktop,
    certified,
    port: await freePort(),
    known,
    admin,
  };
  // An agent's click, with its pictures.
  const asked = await question(stage);
  await admin("POST", `/api/v1/approvals/${asked}`, { decision: "approve" });
  const actions = z.array(z.looseObject({ id: z.string(), pictures: z.unknown() }));
  const action = await until("the pictures of an action", async () => {
    const list = actions.parse(await (await admin("GET", `/api/v1/desktops/${desktop}/actions`)).json());
    return list.find(({ pictures }) => pictures !== null) ?? null;
  });
  known.set("action", action.id);
  return stage;
}

/** An address of what is there. */
function addressOf(route: string, { desktop, known }: Stage): string {
  const url = route.slice(route.indexOf(" ") + 1);
  const id = /\/recordings\//.test(url) ? (known.get("recording") ?? "") : desktop;
  return url.replace(":id", id);
}

t.test("each route has its events", { timeout: 900_000 }, async (t) => {
  const stage = await openStage(t);
  const { appliance } = stage;
  const tail = new AuditTail(appliance.dataDir);
  const routes = inOrder();
  t.strictSame(
    routes.toSorted(),
    ROUTES.map(([method, url]) => `${method} ${url}`).toSorted(),
    "each is called",
  );
  for (const route of routes) {
    const [method = "", url = ""] = route.split(" ");
    tail.mark();
    const made = z
      .looseObject({ id: z.string(), token: z.string() })
      .parse(await (await stage.admin("POST", "/api/v1/tokens", { name: route, role: "admin" })).json());
    const caller: Caller = {
      ...made,
      ask: (asked, path, body) => request(appliance, made.token, asked, path, body),
    };
    // Its own making is told before anything is looked for.
    await tail.since(["token.issued"]);
    const expected: readonly string[] = ROUTE_EVENTS[route] ?? [];
    tail.mark();
    const play = PLAYS[route] ?? (() => caller.ask(method, addressOf(route, stage)));
    await play(stage, caller).catch((error: unknown) => t.fail(`${route}: ${error}`));
    const { told, missing } = await tail.since(expected);
    t.same(missing, [], `${route} has its events`);
    const ofCaller = told.filter(
      ({ actor, request }) =>
        actor?.user_id === made.id || (request?.path === url && request.method === method),
    );
    const types = new Set(ofCaller.map(({ event_type }) => event_type));
    t.same(
      [...types].filter((type) => !expected.includes(type)),
      [],
      `${route} is told by nothing else`,
    );
    if (!(route in ROUTE_EVENTS)) t.equal(ofCaller.length, 0, `${route} is not told`);
  }
});
