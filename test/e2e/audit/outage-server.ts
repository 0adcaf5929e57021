import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const TOKEN = "the-token-of-this-test-0123456789";
const START_MS = 240_000;

export const lineSchema = z.looseObject({
  event_id: z.string(),
  event_type: z.string(),
  chain: z.looseObject({ seq: z.int() }),
});
export const seqOf = (line: string): number => lineSchema.parse(JSON.parse(line)).chain.seq;

/** The built server on one data directory and one port, which is killed and started again. */
export class OutageServer {
  readonly #owner: Owner;
  readonly #dataDir: string;
  readonly #port: number;
  readonly #env: Readonly<Record<string, string>>;
  #program: Program;
  #desktop = "";
  /** Changes that were answered with 200, and those that were refused with 503. */
  done = 0;
  refused = 0;

  private constructor(owner: Owner, dataDir: string, port: number, env: Readonly<Record<string, string>>) {
    this.#owner = owner;
    this.#dataDir = dataDir;
    this.#port = port;
    this.#env = env;
    this.#program = this.#spawn();
  }

  static async start(owner: Owner, dataDir: string, env: Readonly<Record<string, string>>) {
    const server = new OutageServer(owner, dataDir, await freePort(), env);
    await server.#ready();
    return server;
  }

  async kill(): Promise<void> {
    await this.#program.stop("SIGKILL");
  }

  async restart(): Promise<void> {
    this.#program = this.#spawn();
    await this.#ready();
  }

  /** Changes the mode so many times; each change is in the audit log before it is answered. */
  async act(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const { status } = await this.fetch(`/api/v1/desktops/${this.#desktop}/mode`, { mode: "passive" });
      if (status === 200) this.done += 1;
      else if (status === 503) this.refused += 1;
      else throw new Error(`a change was answered with ${status}, expected 200 or 503`);
    }
  }

  fetch(path: string, body?: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#port}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", connection: "close" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
  }

  /** Complete lines of the log. */
  log(): string[] {
    return readFileSync(join(this.#dataDir, "audit.ndjson"), "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}}"));
  }

  /** Runs `audit verify`; throws where the log is not as it was written. */
  verify(): string {
    const args = [MAIN, "audit", "verify", "--data-dir", this.#dataDir];
    return execFileSync(process.execPath, args, { encoding: "utf8" });
  }

  #spawn(): Program {
    const flags = ["--host", "127.0.0.1", "--port", `${this.#port}`, "--data-dir", this.#dataDir, "--demo"];
    return new Program(this.#owner, process.execPath, [MAIN, ...flags], {
      env: { OC_TOKEN: TOKEN, OC_RATE_LIMITS: "off", ...this.#env },
    });
  }

  async #ready(): Promise<void> {
    const desktops = await until(
      "the server to answer",
      async () => {
        if (!this.#program.isRunning) throw new Error(this.#program.stderr.slice(-1000));
        const answer = await this.fetch("/api/v1/desktops");
        return answer.ok ? z.array(z.object({ id: z.string() })).parse(await answer.json()) : null;
      },
      START_MS,
    );
    this.#desktop = desktops[0]?.id ?? "";
  }
}

/** A file system of 12 MiB at `folder`; false where this user may not mount one. */
export function mountSmallDisk(owner: Owner, folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=12m,mode=700", "audit", folder], { stdio: "pipe" });
  } catch {
    process.stderr.write("SKIPPED: needs the right to mount a tmpfs\n");
    return false;
  }
  owner.teardown(() => execFileSync("umount", ["-l", folder]));
  return true;
}

/** Takes all room of a file system; calling what it gives makes room again. */
export function fillDisk(folder: string): () => void {
  const ballast = join(folder, "ballast");
  for (const bytes of [2 ** 20, 4096, 1]) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: "a" });
    } catch {
      // No room for another piece of this size.
    }
  }
  return () => rmSync(ballast);
}
