import {
  holdsRect,
  intersectRects,
  isEmptyRect,
  type Rect,
  rectOfSize,
  type Size,
  translateRect,
} from "../../framebuffer/rect.ts";
import { type Box, rectOfBox } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import { isLikePlaced, type KnownLine } from "../text/line-begun.ts";
import type { Reading } from "../text/line-cache.ts";

/** A place of the picture as it was when its line was cut, and what that line said. */
export interface ReadPlace {
  /** Of the line, and around it. */
  readonly rect: Rect;
  /** Its pixels, row after row. */
  readonly pixels: Uint32Array;
  /** Where the line begins, and its rows. */
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly reading: Reading;
  /** As it was read; null: not kept. */
  readonly ink: LineInk | null;
  /** Not the end of the line alone. */
  readonly isWhole: boolean;
}

/** Lines that change while they are read are few at a time. */
const MOST_PLACES = 64;
/** A letter more may make a line higher: so many rows around it are kept, which have to be empty. */
const AROUND = { across: 3, down: 6 };
/** Soft ends of letters, in pixels that are no ink. */
const SOFT = { across: 3, down: 1 };

/** What is kept of the picture with what a line says. */
export function aroundOf({ left, top, right, bottom }: Box, size: Size): Rect {
  const { across, down } = AROUND;
  return intersectRects(
    rectOfBox({ left: left - across, top: top - down, right: right + across, bottom: bottom + down }),
    rectOfSize(size),
  );
}

/**
 * What was read last where lines changed meanwhile. A line that is typed is never read as it is now: but what stands there of
 * a picture that was read, pixel by pixel, says what it said then, and only the rest is not known.
 */
export class ReadPlaces {
  /** The newest last. */
  #places: ReadPlace[] = [];

  clear(): void {
    this.#places = [];
  }

  /** Without what was not read as a whole. */
  keepWhole(): void {
    this.#places = this.#places.filter(({ isWhole }) => isWhole);
  }

  /** The line that was read last where this one begins, and as high; null: none. */
  lineAt(line: LineInk): KnownLine | null {
    const place = this.#places.findLast(({ ink }) => ink !== null && isLikePlaced(ink, line));
    if (place === undefined || place.ink === null) return null;
    const { ink, left, top, reading } = place;
    return {
      ink,
      words: reading.words.map((word) => ({ ...word, rect: translateRect(word.rect, left, top) })),
    };
  }

  add(place: ReadPlace): void {
    const { top, bottom, left } = place;
    const others = this.#places.filter(
      (one) => one.top !== top || one.bottom !== bottom || one.left !== left,
    );
    this.#places = [...others, place].slice(-MOST_PLACES);
  }

  /**
   * What was read where a line stands, and its columns from the first to the last that are others now; null: nothing of use.
   * `pixelsOf`: of the picture as it is.
   */
  changed(
    line: Rect,
    pixelsOf: (rect: Rect) => Uint32Array | null,
  ): { readonly place: ReadPlace; readonly unread: Rect } | null {
    const place = this.#places.findLast(({ rect }) => {
      const common = intersectRects(rect, line);
      return !isEmptyRect(common) && common.height === line.height;
    });
    const now = place === undefined ? null : pixelsOf(line);
    if (place === undefined || now === null) return null;
    let first = line.width;
    let end = 0;
    for (let x = 0; x < line.width; x++) {
      if (isSameColumn(place, line, now, x)) continue;
      first = Math.min(first, x);
      end = x + 1;
    }
    // The same pixels cut in another way are a line of its own.
    if (first >= end) return null;
    const from = Math.max(0, first - SOFT.across);
    return {
      place,
      unread: { ...line, x: line.x + from, width: Math.min(line.width, end + SOFT.across) - from },
    };
  }
}

/** Whether a column of a line is as it was read; above and below what was read then it has to be empty. */
function isSameColumn(place: ReadPlace, line: Rect, now: Uint32Array, x: number): boolean {
  const { rect, pixels } = place;
  if (!holdsRect(rect, { ...line, x: line.x + x, width: 1 })) return false;
  const ground = pixels[0];
  const column = line.x + x - rect.x;
  for (let y = 0; y < line.height; y++) {
    const row = line.y + y;
    const pixel = now[y * line.width + x];
    if (pixel !== pixels[(row - rect.y) * rect.width + column]) return false;
    if ((row < place.top - SOFT.down || row >= place.bottom + SOFT.down) && pixel !== ground) return false;
  }
  return true;
}
