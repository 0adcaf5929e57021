import type { Clock } from "../../platform/clock.ts";
import type { ObservedInput } from "../events/input-events.ts";
import type { Display } from "../picture/display.ts";
import type { Arbiter } from "./arbiter.ts";

/** Where the pointer could not be moved, it is tried again after this part of the time … */
const AGAIN_SHARE = 0.25;
/** … but not sooner. */
const LEAST_AGAIN_MS = 1000;

interface KeepAwakePorts {
  readonly clock: Clock;
  /** Seconds without input; undefined: it is not wanted. */
  seconds(): number | undefined;
  readonly input: Pick<ObservedInput, "sentAtMs" | "nudge">;
  readonly display: Pick<Display, "isFresh" | "bounds">;
  readonly gate: { readonly isStopped: boolean; readonly arbiter: Pick<Arbiter, "isBusy"> };
}

/** Keeps a target from locking or blanking while nobody uses it. Nothing is sent and no timer runs unless it is wanted. */
export class KeepAwake {
  readonly #ports: KeepAwakePorts;
  #nudgedAtMs: number;
  #cancel: () => void = () => {};

  constructor(ports: KeepAwakePorts) {
    this.#ports = ports;
    this.#nudgedAtMs = ports.clock.nowMs();
    this.changed();
  }

  /** What is wanted may be another now. */
  changed(): void {
    this.#cancel();
    if (this.#ports.seconds() !== undefined) this.#look();
  }

  close(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock } = this.#ports;
    const everyMs = (this.#ports.seconds() ?? 0) * 1000;
    const nowMs = clock.nowMs();
    let waitMs = Math.max(this.#ports.input.sentAtMs, this.#nudgedAtMs) + everyMs - nowMs;
    if (waitMs <= 0) {
      const isNudged = this.nudge();
      if (isNudged) this.#nudgedAtMs = nowMs;
      waitMs = isNudged ? everyMs : Math.max(LEAST_AGAIN_MS, everyMs * AGAIN_SHARE);
    }
    this.#cancel = clock.after(waitMs, () => this.#look(), { isIdle: true });
  }

  /** Moves the pointer by nothing. False where it would be in somebody's way: a person or an agent is at it, or the desktop was stopped. */
  nudge(): boolean {
    const { gate, display, input } = this.#ports;
    if (gate.isStopped || gate.arbiter.isBusy || !display.isFresh) return false;
    return input.nudge(display.bounds);
  }
}
