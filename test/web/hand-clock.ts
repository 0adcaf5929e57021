import type { Clock } from "../../src/platform/clock.ts";

/** A clock that only the test moves. */
export class HandClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly call: () => void }>();

  get timers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(this.#nowMs);
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves on, calling what becomes due in its order. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (;;) {
      const [due] = [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.call();
    }
    this.#nowMs = endMs;
  }
}
