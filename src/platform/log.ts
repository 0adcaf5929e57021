import pino, { type Logger } from "pino";

export type { Logger } from "pino";

/** So many lines are kept back at most, and for so long: who waits for a start that hangs must see where it does. */
const MOST_HELD = 500;
const HELD_MS = 10_000;

/** Lines of the log on their way to standard error, kept back until `release`, and until the process ends at the latest. */
export class HeldLines {
  readonly #write: (line: string) => void;
  #held: string[] | null = [];
  readonly #timer = setTimeout(() => this.release(), HELD_MS).unref();
  readonly #onExit = (): void => this.release();

  constructor(write: (line: string) => void) {
    this.#write = write;
    process.once("exit", this.#onExit);
  }

  write(line: string): void {
    if (this.#held === null) {
      this.#write(line);
      return;
    }
    this.#held.push(line);
    if (this.#held.length >= MOST_HELD) this.release();
  }

  /** Writes what was kept back, and from now on each line at once. */
  release(): void {
    const lines = this.#held ?? [];
    this.#held = null;
    clearTimeout(this.#timer);
    process.off("exit", this.#onExit);
    for (const line of lines) this.#write(line);
  }
}

/** Where the log goes: standard error, written at once. */
export function logOutput(): { write(line: string): void } {
  return pino.destination({ dest: 2, sync: true });
}

/** The log: JSON lines on standard error, so that standard output stays free for MCP. Never secrets, never URLs. */
export function openLog(level: "debug" | "info" | "warn" | "error" | "silent", output = logOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["req.headers", "req.url", "*.password", "*.token"],
    },
    output,
  );
}
