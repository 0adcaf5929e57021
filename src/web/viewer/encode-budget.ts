/** How long all viewers' encoding together may hold the event loop at a time, in milliseconds. */
const TURN_MS = 3;

/**
 * Shares each turn of the event loop among all viewers: who finds its time used up waits for a later turn, in the order
 * of asking. Where nothing takes long, nobody ever waits.
 */
export class ViewerTurns {
  #usedMs = 0;
  #isArmed = false;
  #waiting: (() => void)[] = [];
  #soon: (() => void)[] = [];

  /** True where so many milliseconds more fit into this turn; what is first in a turn always fits. */
  hasTimeFor(ms: number): boolean {
    return this.#usedMs === 0 || this.#usedMs + ms <= TURN_MS;
  }

  /** Encoding took so many milliseconds of this turn. */
  took(ms: number): void {
    this.#usedMs += ms;
    this.#arm();
  }

  /** Calls when what happens now has happened: one walk over all who ask meanwhile. */
  soon(call: () => void): void {
    if (this.#soon.length === 0) queueMicrotask(() => this.#walk());
    this.#soon.push(call);
  }

  /** Calls when a turn has time again. */
  next(call: () => void): void {
    this.#waiting.push(call);
    this.#arm();
  }

  #walk(): void {
    const calls = this.#soon;
    this.#soon = [];
    for (const call of calls) call();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#turn());
  }

  /** Who is called and asks again stands last, so that nobody starves. */
  #turn(): void {
    this.#isArmed = false;
    this.#usedMs = 0;
    for (let left = this.#waiting.length; left > 0 && this.hasTimeFor(0); left--) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#arm();
  }
}
