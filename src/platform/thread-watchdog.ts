import type { Clock } from "./clock.ts";

/** How often a link's thread is asked whether it still runs. */
const ASK_MS = 5000;
/** It hangs after PATIENCE of these without a message: one may pass while the whole machine sleeps. */
const ANSWER_MS = 10_000;
const PATIENCE = 2;

/** Notices a thread that hangs: it is asked at intervals, and hangs where it then sends nothing at all. */
export class ThreadWatchdog {
  readonly #clock: Clock;
  readonly #ask: () => void;
  readonly #onHang: () => void;
  #words = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, ask: () => void, onHang: () => void) {
    this.#clock = clock;
    this.#ask = ask;
    this.#onHang = onHang;
  }

  start(): void {
    this.#cancel = this.#clock.after(ASK_MS, () => {
      this.#ask();
      this.#await(this.#words, PATIENCE);
    });
  }

  /** The thread said something. */
  heard(): void {
    this.#words++;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #await(before: number, patience: number): void {
    this.#cancel = this.#clock.after(ANSWER_MS, () => {
      if (this.#words !== before) this.start();
      else if (patience > 1) this.#await(before, patience - 1);
      else this.#onHang();
    });
  }
}
