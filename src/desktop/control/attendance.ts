import type { Clock } from "../../platform/clock.ts";

/** A viewer whose connection broke comes back within this time, and its person is still there. */
const GRACE_MS = 10_000;

/** Which people sit at a viewer of one desktop. */
export class Attendance {
  readonly #clock: Clock;
  readonly #gone: (personId: string) => void;
  readonly #viewers = new Map<string, number>();
  /** Those whose last viewer went a moment ago. */
  readonly #leaving = new Map<string, () => void>();
  #isClosed = false;

  /** `gone` is told of people whose last viewer went and did not come back. */
  constructor(clock: Clock, gone: (personId: string) => void) {
    this.#clock = clock;
    this.#gone = gone;
  }

  /** A viewer of somebody came; call the returned function, once, when it went. */
  came(personId: string): () => void {
    this.#leaving.get(personId)?.();
    this.#leaving.delete(personId);
    this.#viewers.set(personId, (this.#viewers.get(personId) ?? 0) + 1);
    return () => {
      const left = (this.#viewers.get(personId) ?? 1) - 1;
      if (left > 0) {
        this.#viewers.set(personId, left);
        return;
      }
      this.#viewers.delete(personId);
      if (this.#isClosed) return;
      const isOver = (): void => {
        this.#leaving.delete(personId);
        this.#gone(personId);
      };
      this.#leaving.set(personId, this.#clock.after(GRACE_MS, isOver, { isIdle: true }));
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#leaving.values()) cancel();
    this.#leaving.clear();
  }
}
