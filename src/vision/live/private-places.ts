import { overlapRects, type Rect } from "../../framebuffer/rect.ts";

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
  /** Something was painted at it, and most of its ink is there. */
  isThere: boolean;
  /** And something lies on a part of it. */
  isPartly: boolean;
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
    if (!isSure && this.#places.some((one) => isOver(one) && one.isPartly)) return;
    const kept = {
      ...place,
      ground: commonestOf(place.pixels),
      isTouched: false,
      isThere: false,
      isPartly: false,
    };
    this.#places = [...this.#places.filter((one) => !isOver(one)), kept].slice(-MOST_PLACES);
  }

  /** The picture changed there. */
  touch(rect: Rect): void {
    for (const place of this.#places) place.isTouched ||= overlapRects(place.rect, rect);
  }

  /** Those at which something was painted, and most of whose ink is there. `pixelsOf`: of the picture as it is. */
  there(pixelsOf: (rect: Rect) => Uint32Array | null): readonly PrivatePlace[] {
    for (const place of this.#places) {
      if (!place.isTouched) continue;
      place.isTouched = false;
      const share = shareOf(place, pixelsOf(place.rect));
      place.isThere = share >= LEAST_SAME;
      place.isPartly = place.isThere && share < 1;
    }
    return this.#places.filter((place) => place.isThere);
  }
}

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
