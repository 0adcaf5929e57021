import { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";

/**
 * The least time between two updates that are passed on: each costs every listener the same, however little it painted.
 */
const APART_MS = 8;
/** More rectangles than these do not wait: as fewer, larger ones they would include pixels that were not painted. */
const MAX_RECTS = 512;
/** Within one frame, which cannot be told before it is whole, more are kept as their bounds. */
const MAX_FRAME_RECTS = 8192;

export interface UpdateJoinerPorts {
  /** False while pixels of the next update are in the picture already: who is told then would see half of it. */
  isWhole(): boolean;
  tell(painted: Region): void;
}

/**
 * Tells of updates: of the first after a pause at once, of those that come close upon it together. xrdp paints scrolling
 * text in thousands of strips a second.
 */
export class UpdateJoiner {
  readonly #ports: UpdateJoinerPorts;
  readonly #clock: Clock;
  #painted = Region.empty;
  #cancel: (() => void) | null = null;
  #nextAtMs = 0;

  constructor(ports: UpdateJoinerPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** An update is in the picture. */
  add(painted: Region): void {
    this.#painted = this.#painted.union(painted);
    if (this.#painted.simplified(MAX_RECTS) !== this.#painted) {
      this.flush();
      this.#painted = this.#painted.simplified(MAX_FRAME_RECTS);
      return;
    }
    if (this.#cancel !== null) return;
    const waitMs = this.#nextAtMs - this.#clock.nowMs();
    if (waitMs <= 0) this.flush();
    else this.#cancel = this.#clock.after(waitMs, () => this.flush());
  }

  /** Tells of what waits; where that has to wait for the end of the next update, it is told then. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#painted.isEmpty || !this.#ports.isWhole()) return;
    const painted = this.#painted;
    this.#painted = Region.empty;
    this.#ports.tell(painted);
    this.#nextAtMs = this.#clock.nowMs() + APART_MS;
  }

  /** Forgets what waits: the picture that it lies in is no more. */
  drop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#painted = Region.empty;
  }
}
