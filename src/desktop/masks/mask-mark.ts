import { deflateRawSync, inflateRawSync } from "node:zlib";
import { Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import { MAX_PATCH_PIXELS } from "../../framebuffer/kernels/picture-memory.ts";
import { type Patch, takePatch } from "../../framebuffer/patch.ts";
import { intersectRects, overlapRects, type Point, type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import { findExact, isExactlyAt } from "../../framebuffer/search-exact.ts";
import { findTolerant } from "../../framebuffer/search-tolerant.ts";
import { RefusedError } from "../error.ts";

/** How far a channel may be off where the mark is looked for with tolerance. */
const TOLERANCE = 16;
/** So many places of one mark are followed; where there are more, those known stay hidden as well. */
const MOST_PLACES = 8;

/** The looks of what a mask follows. */
export interface MaskMark {
  readonly patch: Patch;
  /** Where it stood when it was chosen, desktop pixels. */
  readonly chosenAt: Point;
}

/** A mark as it is kept in a file. */
export interface StoredMark {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Its pixels, 0xAABBGGRR little-endian, deflated, in base64. */
  readonly pixels: string;
}

/**
 * Remembers a rectangle's looks. Throws RefusedError invalid_parameters where it is outside or too large, or where it
 * stands in other places as well, so that nothing could be said of where it goes.
 */
export function takeMark(frame: Framebuffer, rect: Rect): MaskMark {
  let patch: Patch;
  try {
    patch = takePatch(frame, rect);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "cannot be remembered";
    throw new RefusedError("invalid_parameters", `got an anchor that cannot be used: ${reason}`, { cause });
  }
  const { places, isComplete } = findExact(frame, patch, frame.rect, 2);
  if (places.length !== 1 || !isComplete) {
    throw new RefusedError(
      "invalid_parameters",
      "got an anchor that stands in several places or is all alike, expected something that is there once: choose more of it",
    );
  }
  return { patch, chosenAt: { x: rect.x, y: rect.y } };
}

export function storedMark({ patch, chosenAt }: MaskMark): StoredMark {
  const { width, height, words } = patch;
  const pixels = deflateRawSync(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  return { ...chosenAt, width, height, pixels: pixels.toString("base64") };
}

/** Throws RefusedError invalid_parameters for what is none of ours. */
export function readMark({ x, y, width, height, pixels }: StoredMark): MaskMark {
  const refused = (cause?: unknown): RefusedError =>
    new RefusedError("invalid_parameters", `got pixels that are no anchor of ${width}x${height}`, { cause });
  if (width < 1 || height < 1 || width * height > MAX_PATCH_PIXELS) throw refused();
  let bytes: Buffer;
  try {
    bytes = inflateRawSync(Buffer.from(pixels, "base64"), { maxOutputLength: width * height * 4 });
  } catch (cause) {
    throw refused(cause);
  }
  if (bytes.length !== width * height * 4) throw refused();
  const frame = new Framebuffer(width, height);
  frame.bytes.set(bytes);
  frame.words.forEach((word, i) => {
    frame.words[i] = (word | OPAQUE) >>> 0;
  });
  return { patch: takePatch(frame, rectOfSize(frame)), chosenAt: { x, y } };
}

/**
 * Where a mark stands, update by update.
 *
 * INVARIANT: where it is not found, or not all places could be told, the places where it last was are kept.
 */
export class MarkFollower {
  readonly #patch: Patch;
  #places: readonly Point[];
  #isFound = false;
  /** Nothing was looked through yet. */
  #isNew = true;

  constructor({ patch, chosenAt }: MaskMark) {
    this.#patch = patch;
    this.#places = [chosenAt];
  }

  get places(): readonly Point[] {
    return this.#places;
  }

  get isFound(): boolean {
    return this.#isFound;
  }

  /** Looks for it anew, everywhere, at the next update. */
  lose(): void {
    this.#isFound = false;
    this.#isNew = true;
  }

  /** The picture changed there; true where the places or the state are others now. */
  update(frame: Framebuffer, damage: Region): boolean {
    const before = { places: this.#places, isFound: this.#isFound };
    const damaged = this.#isNew ? frame.rect : damage.bounds;
    this.#isNew = false;
    const { width, height } = this.#patch;
    const isTouched = (at: Point): boolean => overlapRects({ ...at, width, height }, damaged);
    const standing = this.#isFound
      ? this.#places.filter((at) => !isTouched(at) || isExactlyAt(frame, this.#patch, at))
      : [];
    // What came into view came with this update, or the mark would have been found before.
    const area = intersectRects(
      {
        x: damaged.x - width,
        y: damaged.y - height,
        width: damaged.width + 2 * width,
        height: damaged.height + 2 * height,
      },
      frame.rect,
    );
    const exact = findExact(frame, this.#patch, area, MOST_PLACES);
    let found = union(standing, exact.places);
    let isAll = exact.isComplete;
    if (found.length === 0) {
      const alike = findTolerant(frame, this.#patch, area, TOLERANCE);
      found = union([], alike.places.slice(0, MOST_PLACES));
      isAll = alike.isComplete;
    }
    this.#isFound = found.length > 0 && isAll;
    if (this.#isFound) this.#places = found;
    else if (found.length > 0) this.#places = union(this.#places, found).slice(0, 2 * MOST_PLACES);
    const isSame =
      before.places.length === this.#places.length &&
      before.places.every((at, i) => at.x === this.#places[i]?.x && at.y === this.#places[i]?.y);
    return !isSame || before.isFound !== this.#isFound;
  }
}

function union(a: readonly Point[], b: readonly Point[]): readonly Point[] {
  const fresh = b.filter(({ x, y }) => !a.some((one) => one.x === x && one.y === y));
  return [...a, ...fresh.map(({ x, y }) => ({ x, y }))];
}
