import type { CopyMove } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { RfbClientEvent } from "./client-context.ts";

/** Beyond so many rectangles an update's damage is joined, and kept as its bounds where that leaves too many. */
const MAX_DAMAGE_RECTS = 2048;

/** What one FramebufferUpdate did, told when it is whole. Its memory is bounded, however long the update is. */
export class Update {
  readonly copies: CopyMove[] = [];
  /** It began before there was a whole picture. */
  readonly isFirst: boolean;
  hasResized = false;
  #isExact = true;
  #painted: Rect[] = [];
  /** The last of each type: what came before it within the update is past. */
  readonly #after = new Map<RfbClientEvent["type"], RfbClientEvent>();

  constructor(isFirst: boolean) {
    this.isFirst = isFirst;
  }

  paint(r: Rect): void {
    if (this.#painted.length === MAX_DAMAGE_RECTS) {
      const joined = Region.from(this.#painted);
      const kept = joined.simplified(MAX_DAMAGE_RECTS / 2);
      this.#isExact &&= kept === joined;
      this.#painted = [...kept.rects];
    }
    this.#painted.push(r);
  }

  /** A move after pixels were painted may have moved those: it counts as painted itself. */
  copy(move: CopyMove): void {
    if (this.#painted.length === 0 && this.copies.length < MAX_DAMAGE_RECTS) this.copies.push(move);
    else this.paint(move.to);
  }

  /** Holds the event of a pseudo-rectangle back until the update is over. */
  after(event: RfbClientEvent): void {
    this.#after.set(event.type, event);
  }

  get events(): Iterable<RfbClientEvent> {
    return this.#after.values();
  }

  get painted(): Region {
    return Region.from(this.#painted);
  }

  /** False where `painted` has more than was painted. */
  get isExact(): boolean {
    return this.#isExact;
  }
}
