import type { Clock } from "../../platform/clock.ts";

/** A target that was silent so long is asked whether it is still there. */
const QUIET_MS = 5000;
/** An answer to that takes at most so long. */
const ANSWER_MS = 4500;
/** A stalled target is given up after so long. */
const GIVE_UP_MS = 30_000;

/** A target that may not be asked is looked at again after so long. */
const PAUSE_MS = 1000;

export interface WatchdogPorts {
  /** False while the target would not answer, which then says nothing about it. Default: it always may. */
  mayAsk?(): boolean;
  /** Asks the target anything. */
  ask(): void;
  /** The target stopped answering, or answers again. */
  stalled(isStalled: boolean): void;
  giveUp(): void;
}

/** Notices when a target is silent for long, also where its connection stays up. */
export class Watchdog {
  readonly #ports: WatchdogPorts;
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;
  #heardAtMs = 0;
  #isStalled = false;

  constructor(ports: WatchdogPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  start(): void {
    this.#watch(QUIET_MS);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** The target said something. */
  heard(nowMs: number): void {
    this.#heardAtMs = nowMs;
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#ports.stalled(false);
  }

  /** Looks again when the target could have been quiet for long enough to be asked. */
  #watch(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => {
      const quietMs = this.#clock.nowMs() - this.#heardAtMs;
      if (quietMs >= QUIET_MS && this.#ports.mayAsk?.() !== false) this.#probe();
      else this.#watch(quietMs < QUIET_MS ? QUIET_MS - quietMs : PAUSE_MS);
    });
  }

  #probe(): void {
    const askedAtMs = this.#clock.nowMs();
    this.#ports.ask();
    this.#cancel = this.#clock.after(ANSWER_MS, () => {
      if (this.#heardAtMs >= askedAtMs) {
        this.#watch(QUIET_MS);
        return;
      }
      this.#isStalled = true;
      this.#ports.stalled(true);
      this.#cancel = this.#clock.after(GIVE_UP_MS, () => {
        if (this.#isStalled) this.#ports.giveUp();
        else this.#watch(QUIET_MS);
      });
    });
  }
}
