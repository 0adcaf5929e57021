import type { Clock } from "../../src/platform/clock.ts";

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  #nowMs = 1000;
  #timers: { readonly atMs: number; readonly call: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(Date.UTC(2026, 10, 21) + this.#nowMs);
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Calls what is due on the way, in order. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = next.atMs;
      next.call();
    }
    this.#nowMs = untilMs;
  }

  get waiting(): number {
    return this.#timers.length;
  }
}
