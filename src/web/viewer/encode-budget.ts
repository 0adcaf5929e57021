import { loopTurns } from "../../platform/loop-turns.ts";

/** The time that encoding for all viewers may take in each turn of the event loop; see loopTurns. */
export class EncodeBudget {
  readonly #loop: typeof loopTurns;
  #first: (() => void)[] = [];
  #soon: (() => void)[] = [];

  constructor(loop = loopTurns) {
    this.#loop = loop;
  }

  /** True where encoding for so many milliseconds more fits into this turn. */
  hasTimeFor(ms: number): boolean {
    return this.#loop.hasTimeFor("viewers", ms);
  }

  /** Encoding took so many milliseconds of this turn. */
  took(ms: number): void {
    this.#loop.took("viewers", ms);
  }

  /** Calls when a turn has time again. */
  next(call: () => void): void {
    this.#loop.next("viewers", 0, call);
  }

  /** Calls when what happens now has happened: one walk over all who ask meanwhile, the hurried ones before the others. */
  soon(call: () => void, isHurried = false): void {
    if (this.#first.length + this.#soon.length === 0) queueMicrotask(() => this.#walk());
    (isHurried ? this.#first : this.#soon).push(call);
  }

  #walk(): void {
    const calls = this.#first.concat(this.#soon);
    this.#first = [];
    this.#soon = [];
    for (const call of calls) call();
  }
}
