import type { Clock } from "../../src/platform/clock.ts";

/** Time that moves only when a test says so. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #due: { atMs: number; call: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(1_800_000_000_000 + this.#nowMs);
  }

  after(delayMs: number, call: () => void): () => void {
    const entry = { atMs: this.#nowMs + delayMs, call };
    this.#due.push(entry);
    return () => {
      const index = this.#due.indexOf(entry);
      if (index >= 0) this.#due.splice(index, 1);
    };
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#due.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.#nowMs = next.atMs;
      next.call();
    }
    this.#nowMs = endMs;
  }
}
