import { sourceOf } from "../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { equalRects, holdsRect, overlapRects, type Rect, translateRect } from "../../framebuffer/rect.ts";

/** A place where a mask found something, and its pixels then, row after row. */
export interface PrivatePlace {
  /** Of the mask. */
  readonly id: string;
  readonly rect: Rect;
  readonly pixels: Uint32Array;
}

interface Kept extends PrivatePlace {
  readonly ground: number;
  /** Something was painted there since it was looked at. */
  isTouched: boolean;
  /** Of its ink what was as it was when it was looked at; null: nothing was painted there yet. */
  share: number | null;
}

/** Of a screen full of private text as much is remembered, some kilobytes each. */
const MOST_PLACES = 256;
/** Of the ink so much is as it was where something lies on it; of other text in its place less is. */
const LEAST_SAME = 0.4;

/**
 * Where private text stood, as it looked: of what is drawn over it, a pointer that nobody told of, a caret, a tip, something
 * that is dragged, a reader makes another text. INVARIANT: such a place stays private as long as most of its ink is there.
 */
export class PrivatePlaces {
  /** The newest last. */
  #places: Kept[] = [];

  clear(): void {
    this.#places = [];
  }

  /** `isSure`: it was read without doubt, so that what lay there before counts no more. */
  add(place: PrivatePlace, isSure: boolean): void {
    const isOver = ({ id, rect }: Kept): boolean => id === place.id && overlapRects(rect, place.rect);
    // What is read of it while something lies on a part of it may be less, and have that in it.
    if (!isSure && this.#places.some((one) => isOver(one) && isThere(one) && one.share !== 1)) return;
    this.#places = this.#places.filter((one) => !isOver(one));
    this.#keep({ ...place, ground: commonestOf(place.pixels), isTouched: false, share: null });
  }

  /** The picture changed there. */
  touch(rect: Rect): void {
    for (const place of this.#places) place.isTouched ||= overlapRects(place.rect, rect);
  }

  /** What lay at its source lies at its target as well, and something may lie on it there at once. */
  move(move: CopyMove): void {
    const { fromX, fromY, to } = move;
    const source = sourceOf(move);
    const taken = this.#places.filter(
      (place) => (place.isTouched || !wasGone(place)) && holdsRect(source, place.rect),
    );
    this.touch(to);
    for (const place of taken) {
      const rect = translateRect(place.rect, to.x - fromX, to.y - fromY);
      const isKnown = this.#places.some((one) => one.pixels === place.pixels && equalRects(one.rect, rect));
      if (!isKnown) this.#keep({ ...place, rect, isTouched: true });
    }
  }

  #keep(place: Kept): void {
    if (this.#places.length >= MOST_PLACES) {
      const gone = this.#places.findIndex(wasGone);
      this.#places.splice(Math.max(0, gone), 1);
    }
    this.#places.push(place);
  }

  /** Those at which something was painted, and most of whose ink is there. `pixelsOf`: of the picture as it is. */
  there(pixelsOf: (rect: Rect) => Uint32Array | null): readonly PrivatePlace[] {
    for (const place of this.#places) {
      if (place.isTouched) place.share = shareOf(place, pixelsOf(place.rect));
      place.isTouched = false;
    }
    return this.#places.filter(isThere);
  }
}

const isThere = ({ share }: Kept): boolean => share !== null && share >= LEAST_SAME;
const wasGone = ({ share }: Kept): boolean => share !== null && share < LEAST_SAME;

/** Of its ink what is as it was. */
function shareOf({ pixels, ground }: Kept, now: Uint32Array | null): number {
  if (now === null) return 0;
  let ink = 0;
  let same = 0;
  for (let at = 0; at < pixels.length; at++) {
    if (pixels[at] === ground) continue;
    ink++;
    if (now[at] === pixels[at]) same++;
  }
  return same / Math.max(1, ink);
}

function commonestOf(pixels: Uint32Array): number {
  const counts = new Map<number, number>();
  let most = 0;
  let commonest = 0;
  for (const pixel of pixels) {
    const count = (counts.get(pixel) ?? 0) + 1;
    counts.set(pixel, count);
    if (count <= most) continue;
    most = count;
    commonest = pixel;
  }
  return commonest;
}
