import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** The part of a tap test that owns what it starts. */
export interface Owner {
  teardown(call: () => unknown): void;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Its working folder. Default: that of the test. */
  readonly cwd?: string;
  /** File descriptors 0, 1, 2, … of the program; default: nothing in, both outputs read. */
  readonly stdin?: "pipe";
  /** Opens descriptor 3 as a pipe that is read to `extra`. */
  readonly hasExtraPipe?: boolean;
}

const KILL_AFTER_MS = 5_000;

/** A child process that lives no longer than the test that started it, and what it has written so far. */
export class Program {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #listeners = new Set<() => void>();
  #stdout = "";
  #stderr = "";
  #extra = "";
  #isClosed = false;

  constructor(owner: Owner, name: string, args: readonly string[], options: ProgramOptions = {}) {
    this.#name = name;
    const child = spawn(name, [...args], {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
      stdio: [options.stdin ?? "ignore", "pipe", "pipe", options.hasExtraPipe ? "pipe" : "ignore"],
    });
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#hear(() => (this.#stdout += text)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#hear(() => (this.#stderr += text)));
    const extra = child.stdio[3];
    if (extra !== null && extra !== undefined && "read" in extra) {
      extra.setEncoding("utf8").on("data", (text: string) => this.#hear(() => (this.#extra += text)));
    }
    child.once("error", (error) => this.#hear(() => (this.#stderr += error.message)));
    child.once("close", () =>
      this.#hear(() => {
        this.#isClosed = true;
      }),
    );
    owner.teardown(() => this.stop());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return !this.#isClosed;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** What came on descriptor 3. */
  get extra(): string {
    return this.#extra;
  }

  /** More on descriptor 0. */
  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** All that it gets on descriptor 0. */
  endInput(bytes: Uint8Array): void {
    this.#child.stdin?.end(bytes);
  }

  /** Resolves with what `look` finds in the output; rejects when the program ends or `mostMs` passes before. */
  waitFor<T>(what: string, look: (program: Program) => T | null, mostMs = 15_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#listeners.delete(listen);
        clearTimeout(timer);
        settle();
      };
      const listen = (): void => {
        const found = look(this);
        if (found !== null) end(() => resolve(found));
        else if (this.#isClosed)
          end(() => reject(new Error(`${this.#name} ended before ${what}: ${this.#tail()}`)));
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`${this.#name}: no ${what} within ${mostMs} ms: ${this.#tail()}`))),
        mostMs,
      );
      this.#listeners.add(listen);
      listen();
    });
  }

  /** Ends it, with SIGKILL where it does not go by itself. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#isClosed || this.#child.pid === undefined) return;
    const closed = once(this.#child, "close");
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), KILL_AFTER_MS);
    await closed;
    clearTimeout(timer);
  }

  /** Has it crash by a signal, and waits as long as it takes: the kernel may write a core file first. */
  async crash(signal: "SIGSEGV" | "SIGABRT"): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill(signal);
    await closed;
  }

  /** Suspends and resumes it: a peer that is alive and says nothing. */
  freeze(isFrozen: boolean): void {
    this.#child.kill(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  #hear(take: () => void): void {
    take();
    for (const listener of [...this.#listeners]) listener();
  }

  #tail(): string {
    return `${this.#stdout}\n${this.#stderr}`.trim().slice(-600);
  }
}
