import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface VncClientShot {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** Compiles vncclient.c against libvncclient; returns the program's path. */
export async function compileVncClient(): Promise<string> {
  const program = join(await mkdtemp(join(tmpdir(), "oc-vncclient-")), "vncclient");
  const source = fileURLToPath(new URL("vncclient.c", import.meta.url));
  await run("gcc", ["-O1", "-o", program, source, "-lvncclient"]);
  return program;
}

/** libvncclient, told by pipes what to do. */
export class VncClient {
  readonly #child: ChildProcessWithoutNullStreams;
  #output = Buffer.alloc(0);
  #onOutput: () => void = () => {};
  #isOver = false;

  /**
   * `format`: one of vncclient.c. `encodings`: names as libvncclient has them, the preferred one first. `env`:
   * OC_SECURITY, OC_USER and OC_CA of vncclient.c.
   */
  constructor(
    program: string,
    port: number,
    format: string,
    encodings: readonly string[],
    password = "-",
    env: Readonly<Record<string, string>> = {},
  ) {
    const args = ["127.0.0.1", String(port), format, password, ...encodings];
    this.#child = spawn(program, args, { env: { ...process.env, ...env } });
    this.#child.stdout.on("data", (chunk) => {
      this.#output = Buffer.concat([this.#output, chunk]);
      this.#onOutput();
    });
    this.#child.once("close", () => {
      this.#isOver = true;
      this.#onOutput();
    });
  }

  /** "connected NAME" or "refused". */
  greeting(): Promise<string> {
    return this.#line();
  }

  say(command: string): void {
    this.#child.stdin.write(`${command}\n`);
  }

  /** The picture as soon as an update brought the bottom right pixel to these bytes. */
  async shotWhen(markerHex: string): Promise<VncClientShot> {
    this.say(`wait ${markerHex}`);
    const [width = 0, height = 0, size = 0] = (await this.#line()).split(" ").map(Number);
    await this.#until(() => this.#output.length >= size);
    const bytes = this.#output.subarray(0, size);
    this.#output = this.#output.subarray(size);
    return { width, height, bytes };
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#child.stdin.end();
    await once(this.#child, "close");
  }

  async #line(): Promise<string> {
    await this.#until(() => this.#output.includes("\n"));
    const end = this.#output.indexOf("\n");
    const line = this.#output.subarray(0, end).toString("utf8");
    this.#output = this.#output.subarray(end + 1);
    return line;
  }

  #until(isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onOutput = () => {
        if (isDone()) resolve();
        else if (this.#isOver) reject(new Error("vncclient ended before it said what was waited for"));
      };
      this.#onOutput();
    });
  }
}
