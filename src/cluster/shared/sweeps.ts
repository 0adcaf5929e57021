import type { Clock } from "../../platform/clock.ts";

/** Calls `sweep` `everyMs` after the one before ended, until closed. `sweep` must not reject. */
export class Sweeps {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #sweep: () => Promise<void>;
  #cancel: () => void = () => undefined;
  #isClosed = false;

  constructor(clock: Clock, everyMs: number, sweep: () => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#sweep = sweep;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  begin(): void {
    if (this.#isClosed) return;
    const next = (): void => void this.#sweep().then(() => this.begin());
    this.#cancel = this.#clock.after(this.#everyMs, next, { isIdle: true });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }
}
