import type { Clock } from "../../platform/clock.ts";

/** A target may copy as often as it likes; ten times a second is more than anybody pastes. */
const PAUSE_MS = 100;

/** What a target says is on its clipboard. */
export interface CopiedText {
  readonly text: string;
  /** It is kept from agents. */
  readonly isHidden?: boolean;
}

/** Passes on what a target copies, at most ten times a second: the first at once, then the newest. */
export class NewestText {
  readonly #clock: Clock;
  readonly #pass: (copied: CopiedText) => void;
  #isPausing = false;
  #waiting: CopiedText | null = null;

  constructor(clock: Clock, pass: (copied: CopiedText) => void) {
    this.#clock = clock;
    this.#pass = pass;
  }

  /** null, a text that cannot be had, takes the place of one that waits and is not passed on. */
  hear(copied: CopiedText | null): void {
    if (this.#isPausing || copied === null) {
      this.#waiting = copied;
      return;
    }
    this.#isPausing = true;
    this.#clock.after(PAUSE_MS, () => {
      this.#isPausing = false;
      const waiting = this.#waiting;
      this.#waiting = null;
      if (waiting !== null) this.hear(waiting);
    });
    this.#pass(copied);
  }
}
