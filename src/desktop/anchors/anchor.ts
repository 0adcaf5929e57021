import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { type Patch, takePatch } from "../../framebuffer/patch.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { holdsRect, overlapRects, type Point, type Rect, translateRect } from "../../framebuffer/rect.ts";
import { findExact, isExactlyAt } from "../../framebuffer/search-exact.ts";
import { findTolerant, type Likeness, likenessAt } from "../../framebuffer/search-tolerant.ts";

/** How far a channel may be off where a patch is looked for with tolerance: noise and JPEG, not another colour. */
const DEFAULT_TOLERANCE = 16;

/** Certainty of a place whose every pixel is as it was. */
const CERTAIN = 1;

/** found: here. ambiguous: it stands in several places, or could not be told from others. lost: nowhere in view. */
type AnchorStatus = "found" | "ambiguous" | "lost";

/** Where something remembered is now. */
export interface AnchorPlace {
  readonly id: string;
  readonly status: AnchorStatus;
  /** Desktop pixels; null unless it is found. */
  readonly rect: Rect | null;
  /** 0 to 1: 1 where every pixel is as it was; 0 unless it is found. */
  readonly confidence: number;
  /** Of what others tell: why it is not seen. */
  readonly why?: string;
}

export interface AnchorSearch {
  /** Only here; default the whole desktop. */
  readonly area?: Rect | undefined;
  /** 0 to 127 for each channel; 0 looks only for exactly the same pixels. Default 16. */
  readonly tolerance?: number | undefined;
}

/** A piece of the desktop that is remembered as it looked, and where it stands now. */
export class Anchor {
  readonly id: string;
  readonly ownerId: string;
  readonly patch: Patch;
  #place: AnchorPlace;
  #lastRect: Rect;
  #scroll: Point | null = { x: 0, y: 0 };

  /** Throws a RangeError where the rectangle is no patch (see takePatch). */
  constructor(id: string, ownerId: string, frame: Framebuffer, rect: Rect) {
    this.id = id;
    this.ownerId = ownerId;
    this.patch = takePatch(frame, rect);
    this.#lastRect = rect;
    this.#place = { id, status: "found", rect, confidence: CERTAIN };
  }

  get place(): AnchorPlace {
    return this.#place;
  }

  /** Where it was last found. */
  get lastRect(): Rect {
    return this.#lastRect;
  }

  /**
   * How far what shows it was scrolled since it was remembered, to the right and down: the sum of the moves that were
   * seen. null once it was found where no move had brought it.
   */
  get scroll(): Point | null {
    return this.#scroll;
  }

  /** True where a change says nothing about this anchor. */
  isUntouchedBy(damaged: readonly Rect[], copies: readonly CopyMove[]): boolean {
    const { rect } = this.#place;
    if (rect === null) return false;
    return !damaged.some((r) => overlapRects(r, rect)) && !copies.some(({ to }) => overlapRects(to, rect));
  }

  /**
   * The cheap steps: where the target said it moved the pixels, and where they stood. A move is believed only where the
   * pixels are there. False where neither helps and a search must.
   */
  follow(frame: Framebuffer, copies: readonly CopyMove[], isExact: boolean): boolean {
    const { rect } = this.#place;
    if (rect === null) return false;
    const moved = movedBy(rect, copies);
    for (const candidate of moved === null ? [rect] : [moved, rect]) {
      const scroll = scrolledBy(this.#scroll, rect, candidate);
      if (isExactlyAt(frame, this.patch, candidate)) return this.#found(candidate, CERTAIN, scroll);
      if (isExact) continue;
      const likeness = likenessAt(frame, this.patch, candidate, DEFAULT_TOLERANCE);
      if (likeness !== null) return this.#found(candidate, confidenceOf(likeness, this.patch), scroll);
    }
    return false;
  }

  /** Looks for it: exactly, then with tolerance. Two places that look alike are never chosen from. */
  search(frame: Framebuffer, { area = frame.rect, tolerance = DEFAULT_TOLERANCE }: AnchorSearch): void {
    const exact = findExact(frame, this.patch, area, 2);
    const [first] = exact.places;
    if (first !== undefined && exact.isComplete) {
      this.#found(first, CERTAIN);
      return;
    }
    if (!exact.isComplete) {
      this.#missed("ambiguous");
      return;
    }
    const alike = tolerance === 0 ? null : findTolerant(frame, this.patch, area, tolerance);
    const [best, other] = alike?.places ?? [];
    if (best === undefined) this.#missed("lost");
    else if (other !== undefined || alike?.isComplete === false) this.#missed("ambiguous");
    else this.#found(best, confidenceOf(best, this.patch));
  }

  /** The desktop is another one: nothing is known until it is looked for. */
  lose(): void {
    this.#missed("lost");
  }

  /** `scroll`: default what it was where it stands as before, else not known. */
  #found({ x, y }: Point, confidence: number, scroll?: Point | null): true {
    const { width, height } = this.patch;
    const isThere = x === this.#lastRect.x && y === this.#lastRect.y;
    this.#scroll = scroll === undefined ? (isThere ? this.#scroll : null) : scroll;
    this.#lastRect = { x, y, width, height };
    this.#place = { id: this.id, status: "found", rect: this.#lastRect, confidence };
    return true;
  }

  #missed(status: "ambiguous" | "lost"): void {
    this.#place = { id: this.id, status, rect: null, confidence: 0 };
  }
}

/** What moves up was scrolled down. */
function scrolledBy(scroll: Point | null, from: Point, to: Point): Point | null {
  return scroll === null ? null : { x: scroll.x + from.x - to.x, y: scroll.y + from.y - to.y };
}

/** Where moves, one after the other, brought a rectangle; null where none took all of it. */
function movedBy(rect: Rect, copies: readonly CopyMove[]): Rect | null {
  let at = rect;
  for (const { fromX, fromY, to } of copies) {
    const from = { x: fromX, y: fromY, width: to.width, height: to.height };
    if (holdsRect(from, at)) at = translateRect(at, to.x - fromX, to.y - fromY);
  }
  return at === rect ? null : at;
}

/** Below 1, the less the more of the ink is off; at the most that a search accepts, 0.6. */
function confidenceOf({ off }: Likeness, { ink }: Patch): number {
  return Math.round((0.98 - (1.9 * off) / Math.max(1, ink)) * 100) / 100;
}
