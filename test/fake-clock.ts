import type { Clock } from "../src/platform/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  readonly #startDate: Date;
  readonly #timers = new Set<Timer>();
  #nowMs = 1000;

  constructor(startDate = new Date(Date.UTC(2026, 10, 21))) {
    this.#startDate = startDate;
  }

  /** Timers that have not gone off. */
  get waiting(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(this.#startDate.getTime() + this.#nowMs - 1000);
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, call };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Lets time pass; timers go off in order, those they set meanwhile too. */
  advance(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      const next = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.call();
    }
    this.#nowMs = untilMs;
  }

  /** Lets time pass in small steps with room for promises in between, so that what waits on both goes on. */
  async live(durationMs: number, stepMs = 5): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) {
      await settle();
      this.advance(Math.min(stepMs, durationMs - passed));
    }
    await settle();
  }
}

/** Lets everything go on that only waits for promises. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
