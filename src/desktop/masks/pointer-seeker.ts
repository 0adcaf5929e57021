import { holdsRect, isEmptyRect, type Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";

export interface PointerSeekerPorts {
  readonly clock: Clock;
  /**
   * Moves the target's pointer by nothing, after which it is where we put it, and no target draws it there. False where that
   * is not to be done now.
   */
  nudgePointer(): boolean;
  /** What was sought is found, or will not be. */
  found(): void;
}

/** A target that was nudged tells of its pointer within some ms; one that says nothing takes no input. */
const NUDGED_MS = 1000;

/**
 * The pointer that a target may have drawn into the picture. Where it may be anywhere, as with TigerVNC before the first move
 * of a connection, the target is made to draw it no more: by a move of nothing.
 */
export class PointerSeeker {
  readonly #ports: PointerSeekerPorts;
  #area: Rect | null = null;
  #isNudged = false;
  /** While it is awaited what the target says. */
  #cancel: (() => void) | null = null;

  constructor(ports: PointerSeekerPorts) {
    this.#ports = ports;
  }

  /** Desktop pixels; null: none is drawn. */
  set area(area: Rect | null) {
    this.#area = area;
    this.#isNudged = false;
    this.close();
  }

  get isDrawn(): boolean {
    return this.#area !== null;
  }

  /** Whether the target is about to say where its pointer is; asks it, once, where that may be anywhere in `bounds`. */
  isSought(bounds: Rect): boolean {
    const isLost = this.#area !== null && !isEmptyRect(bounds) && holdsRect(this.#area, bounds);
    if (isLost && !this.#isNudged && this.#ports.nudgePointer()) {
      this.#isNudged = true;
      this.#cancel = this.#ports.clock.after(NUDGED_MS, () => {
        this.#cancel = null;
        this.#ports.found();
      });
    }
    return this.#cancel !== null;
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
