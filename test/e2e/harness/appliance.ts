import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Agent, type Era } from "./mcp-client.ts";

/** The built program. */
export const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/** Starting makes an RSA key, which takes its time where many programs share few cores. */
const START_MS = 180_000;

export interface ApplianceOptions {
  /** URLs for --connect; none: the demo desktop. */
  readonly connect?: readonly string[];
  /** Default autopilot: the tests have no human who approves. */
  readonly mode?: string;
  /** Where it listens, "127.0.0.2:20123". Default: a port of 127.0.0.1 that is free. */
  readonly listen?: string;
  /** Also listens for VNC viewers. */
  readonly hasVnc?: boolean;
  /** Default off: these tests are faster than an agent. */
  readonly rateLimits?: "on" | "off";
  readonly args?: readonly string[];
  /** One that has ended: this one has its data folder, port and administrator's token. */
  readonly after?: Appliance;
  /** A folder that is there, and stays. Default: that of `after`, or a new one, which goes with the test. */
  readonly dataDir?: string;
  /** Its working folder, where the system may write a core file as large as it gets. Default: that of the test, with its limit. */
  readonly coreFolder?: string;
  /** Also as what follows from where it will listen. */
  readonly env?: Readonly<Record<string, string>> | ((url: string) => Readonly<Record<string, string>>);
}

/** The built appliance as a process of its own, with a data directory and ports of its own. */
export class Appliance {
  /** "http://127.0.0.1:40123" */
  readonly url: string;
  /** null unless asked for. */
  readonly vncPort: number | null;
  readonly dataDir: string;
  readonly program: Program;
  readonly adminToken: string;
  readonly #owner: Owner;

  private constructor(
    owner: Owner,
    program: Program,
    facts: Pick<Appliance, "url" | "vncPort" | "dataDir" | "adminToken">,
  ) {
    this.#owner = owner;
    this.program = program;
    this.url = facts.url;
    this.vncPort = facts.vncPort;
    this.dataDir = facts.dataDir;
    this.adminToken = facts.adminToken;
  }

  /** Starts it and waits until it answers. */
  static async start(owner: Owner, options: ApplianceOptions = {}): Promise<Appliance> {
    if (!existsSync(MAIN))
      throw new Error("dist/main.js is not there: run npm run build, or npm run test:e2e");
    const { after } = options;
    const dataDir = options.dataDir ?? after?.dataDir ?? mkdtempSync(join(tmpdir(), "oc-e2e-"));
    const adminToken = after?.adminToken ?? randomBytes(24).toString("base64url");
    const listen = options.listen ?? (after ? new URL(after.url).host : `127.0.0.1:${await freePort()}`);
    const [host = "", port = ""] = listen.split(":");
    const vncPort = options.hasVnc ? await freePort() : null;
    const url = `http://${listen}`;
    const env = typeof options.env === "function" ? options.env(url) : options.env;
    const { coreFolder: cwd } = options;
    const [command = "", ...words] = [
      ...(cwd === undefined ? [] : ["/bin/sh", "-c", 'ulimit -c unlimited && exec "$@"', "sh"]),
      process.execPath,
    ];
    const program = new Program(
      owner,
      command,
      [
        ...words,
        MAIN,
        ...["--host", host, "--port", port, "--data-dir", dataDir],
        ...["--mode", options.mode ?? "autopilot"],
        ...(vncPort === null ? [] : ["--vnc-port", `${vncPort}`]),
        ...(options.connect ?? []).flatMap((url) => ["--connect", url]),
        ...(options.args ?? []),
      ],
      {
        ...(cwd === undefined ? {} : { cwd }),
        env: { OC_TOKEN: adminToken, OC_RATE_LIMITS: options.rateLimits ?? "off", ...env },
      },
    );
    // Registered last, so it runs after the process has gone.
    owner.teardown(async () => {
      await program.stop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    });
    const appliance = new Appliance(owner, program, {
      url,
      vncPort,
      dataDir,
      adminToken,
    });
    await until(
      "GET /health",
      // One that has ended is waited for no longer.
      () => !program.isRunning || appliance.fetch("/health").then(({ ok }) => ok),
      START_MS,
    );
    appliance.assertAlive();
    return appliance;
  }

  /** The token that an agent's snippet holds. */
  get agentToken(): string {
    return readFileSync(join(this.dataDir, "agent-token"), "utf8").trim();
  }

  /** An MCP client that is closed with the test. */
  async agent(
    options: { token?: string; era?: Era; name?: string; fetch?: typeof fetch } = {},
  ): Promise<Agent> {
    const agent = await Agent.connect(
      `${this.url}/mcp`,
      options.token ?? this.adminToken,
      options.era,
      options.name,
      options.fetch,
    );
    this.#owner.teardown(() => agent.close());
    return agent;
  }

  /** A request as the administrator; `body` makes it a POST of JSON. */
  fetch(path: string, body?: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.adminToken}` };
    const request: RequestInit =
      body === undefined
        ? { headers }
        : {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(body),
          };
    return fetch(`${this.url}${path}`, { ...request, ...init });
  }

  /** Throws, with what it wrote, where the process has ended or warned of listeners that pile up. */
  assertAlive(): void {
    const { isRunning, exitCode, stderr } = this.program;
    if (!isRunning) throw new Error(`the appliance ended with ${exitCode}: ${stderr.slice(-2000)}`);
    // What Node says of listeners that pile up on one thing: each is memory for as long as that lives.
    const leak = /MaxListenersExceededWarning.*/.exec(stderr);
    if (leak !== null) throw new Error(`the appliance leaks listeners: ${leak[0]}`);
  }

  /** Memory of the process as Linux counts it, in bytes. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.program.pid}/status`, "utf8");
    return Number(status.match(/^VmRSS:\s+(\d+) kB$/m)?.[1]) * 1024;
  }
}
