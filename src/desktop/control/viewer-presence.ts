import type { Clock } from "../../platform/clock.ts";

/** A viewer whose connection broke comes back within this time, and its person is still there. */
const GRACE_MS = 10_000;

export interface ViewerPresenceEvents {
  /** So many viewers are there now. */
  counted(viewers: number): void;
  /** The last viewer of somebody went, and none of theirs came back. */
  gone(personId: string): void;
}

/** Counts the viewers of one desktop, and knows which person each belongs to. */
export class ViewerPresence {
  readonly #clock: Clock;
  readonly #events: ViewerPresenceEvents;
  readonly #byPerson = new Map<string, number>();
  /** Those whose last viewer went a moment ago. */
  readonly #leaving = new Map<string, () => void>();
  #viewers = 0;
  #isClosed = false;

  constructor(clock: Clock, events: ViewerPresenceEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  get viewers(): number {
    return this.#viewers;
  }

  /** A viewer of somebody came; call the returned function when it went. */
  came(personId: string): () => void {
    this.#leaving.get(personId)?.();
    this.#leaving.delete(personId);
    this.#byPerson.set(personId, (this.#byPerson.get(personId) ?? 0) + 1);
    this.#count(1);
    let isThere = true;
    return () => {
      if (isThere) this.#went(personId);
      isThere = false;
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#leaving.values()) cancel();
    this.#leaving.clear();
  }

  #went(personId: string): void {
    const left = (this.#byPerson.get(personId) ?? 1) - 1;
    if (left > 0) this.#byPerson.set(personId, left);
    else {
      this.#byPerson.delete(personId);
      this.#awaitReturn(personId);
    }
    this.#count(-1);
  }

  #awaitReturn(personId: string): void {
    if (this.#isClosed) return;
    const isOver = (): void => {
      this.#leaving.delete(personId);
      this.#events.gone(personId);
    };
    this.#leaving.set(personId, this.#clock.after(GRACE_MS, isOver, { isIdle: true }));
  }

  #count(change: 1 | -1): void {
    this.#viewers += change;
    this.#events.counted(this.#viewers);
  }
}
