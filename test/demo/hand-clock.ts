import type { Clock } from "../../src/platform/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  readonly #start: number;
  readonly #timers = new Set<Timer>();
  #nowMs = 0;

  constructor(start = new Date(2026, 10, 24, 14, 5, 30)) {
    this.#start = start.getTime();
  }

  get timers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(this.#start + this.#nowMs);
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass; timers go off in order. */
  pass(durationMs: number): void {
    const until = this.#nowMs + durationMs;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= until).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = due.atMs;
      due.call();
    }
    this.#nowMs = until;
  }
}
