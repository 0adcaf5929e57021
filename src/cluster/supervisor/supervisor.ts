import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../platform/clock.ts";
import { type Charge, MOST_LEASES } from "./charge.ts";

const AGAIN_AFTER_MS = 5000;
const PASSED_ON = new Set(["PATH", "HOME", "LANG", "TZ", "SYSTEMROOT", "NODE_OPTIONS"]);

interface SupervisorOptions {
  /** What starts it: see `supervise`. */
  readonly command: readonly [string, ...string[]];
  readonly charge: Omit<Charge, "pid">;
  readonly clock: Clock;
  /** It ended, by itself or by others; another one is started soon. */
  onLost(why: string): void;
}

/**
 * A process beside this one that is told of its leases, and gives them back where this one dies. Without it others wait until they
 * are over: so it is no reason to stop where it cannot run.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #leases: string[] = [];
  #child: ChildProcess | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#start();
  }

  /** Of a lease, before it is taken. */
  tell(lease: string): void {
    this.#leases.push(lease);
    if (this.#leases.length > MOST_LEASES) this.#leases.shift();
    this.#say({ lease });
  }

  #start(): void {
    const { command, charge, clock, onLost } = this.#options;
    const [program, ...words] = command;
    const child = spawn(program, words, {
      stdio: ["pipe", "ignore", "inherit"],
      env: withoutSecrets(process.env),
      // Signals of a terminal are not for it, and Windows has no groups of processes.
      ...{ detached: process.platform !== "win32", windowsHide: true },
    });
    this.#child = child;
    let isLost = false;
    const lost = (why: string): void => {
      if (isLost) return;
      isLost = true;
      this.#child = null;
      onLost(why);
      clock.after(AGAIN_AFTER_MS, () => this.#start(), { isIdle: true });
    };
    child.once("error", (error) => lost(error.message));
    child.once("exit", (code, signal) => lost(`it ended with ${signal ?? `status ${code}`}`));
    // One that is gone takes no words.
    child.stdin?.on("error", () => undefined);
    child.unref();
    this.#say({ ...charge, pid: process.pid });
    for (const lease of this.#leases) this.#say({ lease });
  }

  #say(words: object): void {
    this.#child?.stdin?.write(`${JSON.stringify(words)}\n`);
  }
}

/** What the server is configured by, secrets among it, is not for others. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.has(name)));
}
