import type { OverlaySpec } from "../../src/compositor/overlay.ts";
import type { SceneTimer } from "../../src/compositor/scene.ts";

/** What draw_overlay fills in by itself, around what a test cares for. */
export function spec(given: Partial<OverlaySpec> = {}): OverlaySpec {
  return {
    kind: "box",
    x: 10,
    y: 10,
    width: 40,
    height: 30,
    color: "#ffff00",
    opacity: 0.5,
    label: null,
    temporaryMs: null,
    clickThrough: true,
    monitorIndex: 0,
    ...given,
  };
}

/** Time that a test moves by hand. */
export class HandTimer implements SceneTimer {
  #nowMs = 0;
  readonly #waiting = new Set<{ readonly atMs: number; readonly call: () => void }>();

  get waiting(): number {
    return this.#waiting.size;
  }

  after(delayMs: number, call: () => void): () => void {
    const entry = { atMs: this.#nowMs + delayMs, call };
    this.#waiting.add(entry);
    return () => {
      this.#waiting.delete(entry);
    };
  }

  date(): Date {
    return new Date(Date.UTC(2026, 10, 21) + this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const entry of [...this.#waiting].sort((a, b) => a.atMs - b.atMs)) {
      if (entry.atMs > this.#nowMs || !this.#waiting.delete(entry)) continue;
      entry.call();
    }
  }
}
