import { type ChildProcess, spawn } from "node:child_process";
import { access, constants, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { Duplex, type Readable, type Writable } from "node:stream";
import type { Size } from "../../../framebuffer/rect.ts";
import type { TargetReach } from "../../connections/target-guard.ts";
import { LinkError } from "../../error.ts";
import type { BrowserHost } from "./browser-host.ts";
import { GuardProxy } from "./guard-proxy.ts";

/** Chromium and what is made of it, the best first. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"] as const;
const INSTALL_LINE = "apt-get install chromium";

/** What it takes to end by itself once its pipe has; a profile that is kept is written meanwhile. */
const END_MS = 3000;
/** Of what it says on its standard error, for its reason: never passed on, for it may name addresses. */
const MOST_SAID = 16 * 1024;
const TEMPORARY = "overlay-companion-browser-";

export interface ChromiumOptions {
  readonly size: Size;
  /** Where the profile is kept; null: in a folder that goes with the browser. */
  readonly profile: string | null;
  /** False: without Chromium's sandbox, as it must be for root. */
  readonly isSandboxed: boolean;
  /** Where its pages may lead. */
  readonly reach: TargetReach;
  /** True: to loopback and private networks as well. */
  readonly reachesPrivate: boolean;
  readonly environment: BrowserHost["environment"];
}

/** The path of a Chromium; null where none is installed. */
async function findChromium(path: string): Promise<string | null> {
  const folders = path.split(delimiter).filter(isAbsolute);
  for (const program of PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}

/**
 * A Chromium of our own and the DevTools protocol in its pipe. Emits "connect" when it runs. It ends with this stream, and by
 * itself when this process does, however that ends: it reads that its pipe was closed.
 */
export class ChromiumStream extends Duplex {
  readonly #options: ChromiumOptions;
  #program: ChildProcess | null = null;
  #proxy: GuardProxy | null = null;
  /** A profile that goes with it. */
  #temporary: string | null = null;
  #said = "";

  constructor(options: ChromiumOptions) {
    super({ allowHalfOpen: false });
    this.#options = options;
    this.#start().catch((error: unknown) =>
      this.destroy(error instanceof Error ? error : new Error("the browser could not be started")),
    );
  }

  override _read(): void {
    this.#output?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const input = this.#input;
    if (input === null || input.destroyed) done(new LinkError("target_closed", "the browser has ended"));
    else input.write(chunk, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#end().then(
      () => undefined,
      () => undefined,
    );
    done(error);
  }

  get #input(): Writable | null {
    const pipe = this.#program?.stdio[3];
    return pipe !== null && pipe !== undefined && "write" in pipe ? pipe : null;
  }

  get #output(): Readable | null {
    const pipe = this.#program?.stdio[4];
    return pipe !== null && pipe !== undefined && "read" in pipe ? pipe : null;
  }

  async #start(): Promise<void> {
    const { reach, reachesPrivate, environment } = this.#options;
    const program = await findChromium(environment["PATH"] ?? "");
    if (program === null) {
      throw new LinkError(
        "no_browser",
        `no Chromium was found in PATH, expected one of ${PROGRAMS.join(", ")}: install it (${INSTALL_LINE}), then reconnect`,
        { isFinal: true },
      );
    }
    const profile = await this.#profileFolder();
    const proxy = await GuardProxy.open(reach, reachesPrivate);
    this.#proxy = proxy;
    // Closed meanwhile: what was made until now goes.
    if (this.destroyed) await this.#end();
    else this.#run(program, profile, proxy.port);
  }

  async #profileFolder(): Promise<string> {
    const { profile, environment } = this.#options;
    if (profile !== null) {
      await mkdir(profile, { recursive: true, mode: 0o700 });
      return profile;
    }
    const folder = environment["TMPDIR"] ?? tmpdir();
    await sweepProfiles(folder);
    this.#temporary = await mkdtemp(join(folder, `${TEMPORARY}${process.pid}-`));
    return this.#temporary;
  }

  #run(program: string, profile: string, proxyPort: number): void {
    const child = spawn(program, [...this.#argumentsFor(profile, proxyPort)], {
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      env: { ...this.#options.environment, HOME: profile },
    });
    this.#program = child;
    child.once("spawn", () => this.emit("connect"));
    child.once("error", (cause) =>
      this.destroy(new LinkError("no_browser", "Chromium could not be started", { cause })),
    );
    child.once("exit", (code) => this.destroy(this.#reasonOfExit(code)));
    child.stderr?.on("data", (chunk: Buffer) => {
      if (this.#said.length < MOST_SAID) this.#said += chunk.toString("latin1");
    });
    for (const pipe of child.stdio) pipe?.on("error", () => undefined); // "exit" follows, and says the rest
    this.#output?.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) this.#output?.pause();
    });
  }

  *#argumentsFor(profile: string, proxyPort: number): Iterable<string> {
    const { size, isSandboxed } = this.#options;
    yield* ["--headless=new", "--remote-debugging-pipe", "--no-startup-window", `--user-data-dir=${profile}`];
    yield* ["--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-breakpad"];
    yield* ["--disable-extensions", "--disable-sync", "--disable-background-networking"];
    yield* ["--disable-component-update", "--password-store=basic", "--force-color-profile=srgb"];
    // All that pages reach goes through our proxy, which judges it; nothing is resolved or sent beside it.
    yield* [`--proxy-server=http://127.0.0.1:${proxyPort}`, "--proxy-bypass-list=<-loopback>"];
    yield* ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-quic"];
    yield* ["--force-webrtc-ip-handling-policy=disable_non_proxied_udp"];
    yield* ["--webrtc-ip-handling-policy=disable_non_proxied_udp"];
    yield `--window-size=${size.width},${size.height}`;
    if (!isSandboxed) yield "--no-sandbox";
  }

  #reasonOfExit(code: number | null): LinkError {
    const ended = `Chromium ended${code === null ? "" : ` with ${code}`}`;
    if (/no usable sandbox|without --no-sandbox|sandbox_host/i.test(this.#said)) {
      return new LinkError(
        "no_browser",
        `${ended}: it finds no way to make its sandbox here: allow user namespaces to it, or set browser.sandbox to off for this desktop`,
        { isFinal: true },
      );
    }
    if (/profile appears to be in use|ProcessSingleton/i.test(this.#said)) {
      return new LinkError(
        "no_browser",
        `${ended}: its profile is in use by another browser: choose another one`,
      );
    }
    return new LinkError("target_closed", `${ended}: it is started again`);
  }

  /** Asks it to end, then makes it; then what was made for it goes. */
  async #end(): Promise<void> {
    const child = this.#program;
    this.#program = null;
    if (child?.pid !== undefined) await endGroup(child, child.pid);
    this.#proxy?.close();
    if (this.#temporary === null) return;
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 5 });
    this.#temporary = null;
  }
}

async function endGroup(child: ChildProcess, group: number): Promise<void> {
  const pipe = child.stdio[3];
  if (pipe !== null && pipe !== undefined && "end" in pipe) pipe.end();
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const patience = setTimeout(() => killGroup(group), END_MS);
    await ended;
    clearTimeout(patience);
  }
  // What it had started and left behind.
  killGroup(group);
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // There is nobody left.
  }
}

/** Removes the profiles of processes that ended without doing so. */
async function sweepProfiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^overlay-companion-browser-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Those of another user are not ours to remove.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
