import type { LeaseClock } from "../../../src/cluster/lease/lease-clock.ts";
import type { Clock } from "../../../src/platform/clock.ts";

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Happening {
  readonly atMs: number;
  readonly nth: number;
  readonly call: () => void;
}

/** Time of a simulation: what is to happen, in its order, with room for promises in between. */
export class World {
  readonly random: () => number;
  #nowMs = 0;
  #nth = 0;
  /** A binary heap. */
  readonly #heap: Happening[] = [];

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  at(delayMs: number, call: () => void): () => void {
    let isCancelled = false;
    this.#push({
      atMs: this.#nowMs + Math.max(0, delayMs),
      nth: this.#nth++,
      call: () => {
        if (!isCancelled) call();
      },
    });
    return () => {
      isCancelled = true;
    };
  }

  /** `look` is called after each event, when all promises that it settled have gone on. */
  async run(untilMs: number, look: () => void): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#pop();
      this.#nowMs = next.atMs;
      next.call();
      await new Promise(setImmediate);
      look();
    }
    this.#nowMs = untilMs;
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let at = heap.push(happening) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const [child, parent] = [heap[at], heap[up]];
      if (child === undefined || parent === undefined || isBefore(parent, child)) break;
      [heap[at], heap[up]] = [parent, child];
      at = up;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const [a, b] = [heap[child], heap[least]];
        if (a !== undefined && b !== undefined && isBefore(a, b)) least = child;
      }
      if (least === at) return;
      const [a, b] = [heap[at], heap[least]];
      if (a === undefined || b === undefined) return;
      [heap[at], heap[least]] = [b, a];
      at = least;
    }
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.nth < b.nth);
}

/** Faults of the clock that a real machine does not have: to show that they would be found. */
export interface ClockFaults {
  /** It does not notice that the machine slept. */
  readonly hasNoBootClock?: boolean;
}

/** A machine with clocks of its own, which run a little fast or slow, and may stand still. */
export class Machine implements Clock, LeaseClock {
  readonly #world: World;
  readonly #faults: ClockFaults;
  /** Its second, in those of the world. */
  readonly #rate: number;
  readonly #waiting: (() => void)[] = [];
  #state: "running" | "paused" | "asleep" | "dead" = "running";
  #asleepMs = 0;
  #sleptSinceMs = 0;
  #wallMs = 0;
  #backMs = 0;

  constructor(world: World, faults: ClockFaults) {
    this.#world = world;
    this.#faults = faults;
    this.#rate = 1 + world.between(-0.005, 0.005);
  }

  get state(): string {
    return this.#state;
  }

  /** Stands still while the machine sleeps, not while its process is paused. */
  monotonicMs(): number {
    const asleepMs = this.#asleepMs + (this.#state === "asleep" ? this.#world.nowMs - this.#sleptSinceMs : 0);
    return (this.#world.nowMs - asleepMs) * this.#rate - this.#backMs;
  }

  bootMs(): number {
    return this.#faults.hasNoBootClock
      ? this.monotonicMs()
      : Math.floor((this.#world.nowMs * this.#rate - this.#backMs) / 10) * 10;
  }

  nowMs(): number {
    return this.monotonicMs();
  }

  date(): Date {
    return new Date(Date.UTC(2026, 10, 27) + this.#world.nowMs + this.#wallMs);
  }

  after(delayMs: number, call: () => void): () => void {
    let isCancelled = false;
    this.#world.at(delayMs / this.#rate, () =>
      this.run(() => {
        if (!isCancelled) call();
      }),
    );
    return () => {
      isCancelled = true;
    };
  }

  /** Now, or when it goes on. */
  run(call: () => void): void {
    if (this.#state === "running") call();
    else if (this.#state !== "dead") this.#waiting.push(call);
  }

  /** SIGSTOP, or the machine sleeps. */
  stand(state: "paused" | "asleep", durationMs: number): void {
    if (this.#state !== "running") return;
    this.#state = state;
    this.#sleptSinceMs = this.#world.nowMs;
    this.#world.at(durationMs, () => {
      if (this.#state === "dead") return;
      if (state === "asleep") this.#asleepMs += this.#world.nowMs - this.#sleptSinceMs;
      this.#state = "running";
      // Each in a turn of its own, in their order; another pause may come between them.
      for (const call of this.#waiting.splice(0)) this.#world.at(0, () => this.run(call));
    });
  }

  jumpWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** The clocks that nobody sets go back, as those of a machine that is put back. */
  jumpBack(byMs: number): void {
    this.#backMs += byMs;
  }

  die(): void {
    this.#state = "dead";
    this.#waiting.length = 0;
  }
}
