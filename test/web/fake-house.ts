import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import type { Test } from "tap";
import { WebSocket } from "ws";
import type { AuditEntry } from "../../src/audit/audit-event.ts";
import { AnswerLinks } from "../../src/auth/answer-links.ts";
import { Authenticator } from "../../src/auth/authenticator.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import { OneTimeCodes, TICKETS } from "../../src/auth/one-time-codes.ts";
import type { Principal, Role } from "../../src/auth/principal.ts";
import { ROLES } from "../../src/auth/principal.ts";
import { SecretBox } from "../../src/auth/secret-box.ts";
import { SecretStore } from "../../src/auth/secrets/secret-store.ts";
import { Sessions } from "../../src/auth/sessions.ts";
import { TokenStore } from "../../src/auth/tokens.ts";
import { Browsers } from "../../src/browser/browsers.ts";
import { Pairings } from "../../src/browser/pairings.ts";
import { AgentRates } from "../../src/desktop/control/agent-rates.ts";
import type { ReadinessPorts } from "../../src/monitoring/readiness.ts";
import { readinessOf } from "../../src/monitoring/readiness.ts";
import { buildApp } from "../../src/web/http/app.ts";
import { ConnectedClients } from "../../src/web/http/connected-clients.ts";
import type { AppPorts, RfbOptions } from "../../src/web/http/ports.ts";
import { FakeClock } from "../fake-clock.ts";
import { FakeDesktops } from "./fake-desktops.ts";
import { FakeRecordings } from "./fake-recordings.ts";

export const AGENT_TOKEN = "the-agent-token-of-the-snippets";
export const OWN_TOKEN = "own-token-of-the-operator";

/** A house where nothing is to be done. */
export const WELL: ReadinessPorts = {
  targets: () => [{ id: "d1", state: { kind: "live" } }],
  freeBytes: async () => 2 ** 40,
  floorBytes: 0,
  audit: () => ({ isWorking: true, waiting: 0, dropped: 0, receivers: [] }),
  recorder: () => ({ running: 0, failing: 0 }),
  loopDelayMs: async () => 0,
};

/** One whole web face with everything behind it faked; closed with the test. */
export interface House {
  readonly app: FastifyInstance;
  /** Where its tokens are kept, which another process may change. */
  readonly dir: string;
  readonly clock: FakeClock;
  readonly desktops: FakeDesktops;
  readonly tokens: TokenStore;
  readonly codes: OneTimeCodes;
  readonly clients: ConnectedClients;
  readonly audited: AuditEntry[];
  /** Every log line so far, at the most talkative level. */
  log(): string;
  /** What reached MCP and RFB. */
  readonly mcp: { readonly body: unknown; readonly principal: Principal; readonly url: string }[];
  readonly rfb: { readonly desktopId: string; readonly options: RfbOptions; readonly socket: WebSocket }[];
  /** A token of each role. */
  readonly token: Readonly<Record<Role, string>>;
  bearer(role: Role): { readonly authorization: string };
  /** Listens on an ephemeral port. */
  listen(): Promise<string>;
}

/** What is on the disk: the web app's client, and a file beside it. */
const FILES = {
  "client/index.html": "<!doctype html><title>Overlay Companion</title>",
  "client/favicon.svg": "<svg/>",
  "client/assets/app-1a2b.js": "export {};",
  "client/assets/app-1a2b.js.br": "packed by brotli",
  "client/assets/app-1a2b.js.gz": "packed by gzip",
  "client/assets/app-1a2b.css": "body{}",
  "secret.txt": "outside of the client's directory",
};

export async function openHouse(t: Test, changes: Partial<AppPorts> = {}): Promise<House> {
  const dir = mkdtempSync(join(tmpdir(), "oc-house-"));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const clock = new FakeClock();
  const tokens = await TokenStore.open(dir, clock);
  const codes = new OneTimeCodes(clock);
  const tickets = new OneTimeCodes(clock, TICKETS);
  const authenticator = new Authenticator({
    clock,
    tokens,
    codes,
    tickets,
    sessions: new Sessions(clock),
    lockout: new Lockout(clock),
    ownToken: OWN_TOKEN,
  });
  const desktops = new FakeDesktops();
  desktops.open("d1");
  const lines: string[] = [];
  const logger = pino(
    { level: "trace" },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const audited: AuditEntry[] = [];
  const mcp: House["mcp"] = [];
  const rfb: House["rfb"] = [];
  const browsers = new Browsers({
    ...{ pairings: await Pairings.open(dir, clock), clock, serverName: "House" },
    onBug: (error) => t.fail(String(error)),
    changed: (change) => audited.push({ type: `browser.${change}` }),
  });
  const clients = new ConnectedClients(clock);
  const app = buildApp({
    desktops,
    authenticator,
    tokens,
    secrets: await SecretStore.open(dir, await SecretBox.open(dir), clock),
    tickets,
    browsers: { browsers, extension: new Uint8Array([80, 75]) },
    answers: new AnswerLinks(clock, 120_000, () => true),
    clients,
    clock,
    logger,
    audit: { record: (entry) => audited.push(entry), secured: async () => {}, isWorking: true },
    auditLog: {
      read: async () => ({
        ...{ events: [], next: null, lookedBackTo: null, lines: 0, changedLines: 0, missingLines: 0 },
      }),
    },
    mcp: {
      async handle(req, res, body, principal) {
        mcp.push({ body, principal, url: req.url ?? "" });
        res.writeHead(200, { "content-type": "application/json" });
        res.end('{"jsonrpc":"2.0","id":1,"result":{}}');
      },
      sessionsOf: (principalId) => (principalId === null ? 3 : 1),
    },
    rfb: {
      attach: (socket, desktopId, options) => rfb.push({ socket, desktopId, options }),
      attachFar: ({ socket, options }, _owner, desktopId) =>
        rfb.push({ socket, desktopId, options: { said: new Uint8Array(0), ...options } }),
    },
    version: "2026.11.21",
    clientDir: join(dir, "client"),
    agentToken: async ({ id }) => `${AGENT_TOKEN}-${id}`,
    stdio: { command: "node", args: ["main.js", "--stdio"] },
    host: "127.0.0.1",
    allowedHosts: [],
    corsOrigins: [],
    basePath: "",
    trustProxy: false,
    rateTiers: { isOn: true },
    rates: new AgentRates(clock, changes.rateTiers ?? { isOn: true }),
    tls: null,
    recordings: new FakeRecordings(),
    monitoring: {
      metrics: async () => ({ type: "text/plain; version=0.0.4", text: "oc_viewers 0\n" }),
      readiness: () => readinessOf(WELL),
    },
    ...changes,
  });
  t.teardown(async () => {
    await app.close();
    // It may be writing when a token was used last.
    await tokens.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const made = new Map<Role, string>();
  for (const role of ROLES) made.set(role, (await tokens.create(`the ${role}`, role)).token);
  const tokenOf = (role: Role): string => made.get(role) ?? "";
  const token = {
    admin: tokenOf("admin"),
    operator: tokenOf("operator"),
    approver: tokenOf("approver"),
    viewer: tokenOf("viewer"),
    agent: tokenOf("agent"),
  };
  return {
    app,
    dir,
    clock,
    desktops,
    tokens,
    codes,
    clients,
    audited,
    mcp,
    rfb,
    token,
    log: () => lines.join(""),
    bearer: (role) => ({ authorization: `Bearer ${token[role]}` }),
    async listen() {
      await app.listen({ host: "127.0.0.1", port: 0 });
      const address = app.server.address();
      return `127.0.0.1:${portOf(address)}`;
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the app does not listen on a port");
  return address.port;
}

/** A client's end of a WebSocket: its messages wait until they are asked for. */
export class SocketPeer {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  readonly #messages: string[] = [];
  #wake = (): void => {};

  constructor(t: Test, url: string, headers: Record<string, string>, protocols: string[] = []) {
    this.socket = new WebSocket(url, protocols, { headers });
    t.teardown(() => this.socket.terminate());
    this.opened = new Promise((resolve, reject) => {
      this.socket.once("open", () => resolve());
      this.socket.once("error", reject);
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      this.socket.once("close", (code) => resolve(code));
    });
    this.socket.on("error", () => {});
    this.socket.on("message", (data) => {
      this.#messages.push(String(data));
      this.#wake();
    });
  }

  /** The next message, read as JSON. */
  async next(): Promise<unknown> {
    while (this.#messages.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return JSON.parse(this.#messages.shift() ?? "");
  }
}

/** The HTTP status that refused an upgrade; 101 when it was not refused. */
export function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      socket.on("error", () => {});
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", reject);
  });
}
