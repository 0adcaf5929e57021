import type { CopyMove } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";

/** Beyond so many rectangles the bounds are sent again: what is remembered of a viewer costs bounded memory. */
const MAX_RECTS = 256;

/** What a viewer shows only nearly, because it was sent as JPEG, and for how long that has stood unchanged. */
export class LossyRegion {
  /** Sent since the last turn. */
  #fresh = Region.empty;
  /** Sent before the last turn. */
  #ageing = Region.empty;
  /** Sent before the turn before. */
  #still = Region.empty;

  /** What no update touched for a whole turn: worth being sent exactly. */
  get still(): Region {
    return this.#still;
  }

  /** True where a turn would make more of it still. */
  get isTurnDue(): boolean {
    return !this.#fresh.isEmpty || !this.#ageing.isEmpty;
  }

  /** Rectangles were sent, some of them as JPEG. */
  sent(exact: readonly Rect[], lossy: readonly Rect[]): void {
    if (lossy.length === 0 && this.#isEmpty) return;
    const fresh = Region.from(lossy);
    const touched = Region.from(exact).union(fresh);
    this.#still = this.#still.subtract(touched);
    this.#ageing = this.#ageing.subtract(touched);
    this.#fresh = this.#fresh.subtract(touched).union(fresh).simplified(MAX_RECTS);
  }

  /** A part was moved on the viewer's side, with what it has of JPEG in it. */
  moved({ fromX, fromY, to }: CopyMove): void {
    if (this.#isEmpty) return;
    const source = { x: fromX, y: fromY, width: to.width, height: to.height };
    const carried = this.#fresh.union(this.#ageing).union(this.#still).clip(source);
    this.sent([to], carried.translate(to.x - fromX, to.y - fromY).rects);
  }

  /** Some time passed, the same from turn to turn. `moving`: where nothing gets older for now. */
  turn(moving: Region): void {
    this.#still = this.#still.union(this.#ageing.subtract(moving)).simplified(MAX_RECTS);
    this.#ageing = this.#fresh.union(this.#ageing.intersect(moving));
    this.#fresh = Region.empty;
  }

  /** The viewer's picture begins anew. */
  clear(): void {
    this.#fresh = Region.empty;
    this.#ageing = Region.empty;
    this.#still = Region.empty;
  }

  get #isEmpty(): boolean {
    return this.#fresh.isEmpty && this.#ageing.isEmpty && this.#still.isEmpty;
  }
}
