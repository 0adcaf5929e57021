import type { Framebuffer } from "./framebuffer.ts";
import { MAX_PLACES } from "./kernels/picture-memory.ts";
import type { Patch } from "./patch.ts";
import { intersectRects, type Point, type Rect } from "./rect.ts";

/** Pixels compared before a search gives up: a pattern that repeats itself all over costs at most a few milliseconds. */
const BUDGET_PIXELS = 8_000_000;

export interface ExactPlaces {
  /** Top left corners in reading order. */
  readonly places: readonly Point[];
  /** False where the search gave up or `most` places were found: there may be more. */
  readonly isComplete: boolean;
}

/** Where a patch stands exactly, wholly within `area`; ends after `most` places (1 to MAX_PLACES). */
export function findExact(frame: Framebuffer, patch: Patch, area: Rect, most: number): ExactPlaces {
  const r = intersectRects(area, frame.rect);
  const right = r.x + r.width - patch.width;
  const bottom = r.y + r.height - patch.height;
  if (right < r.x || bottom < r.y) return { places: [], isComplete: true };
  const { kernelMemory } = frame;
  if (kernelMemory === null) return findExactScalar(frame, patch, area, most);
  const words = new Uint32Array(kernelMemory.buffer);
  words.set(patch.words, kernelMemory.patch / 4);
  const count = kernelMemory.kernels.findExact(
    kernelMemory.pixels,
    frame.strideBytes,
    r.x,
    r.y,
    right,
    bottom,
    kernelMemory.patch,
    patch.width,
    patch.height,
    patch.rarest.x,
    patch.rarest.y,
    kernelMemory.places,
    Math.min(most, MAX_PLACES),
    rowsToCompare(patch),
  );
  const places: Point[] = [];
  for (let i = 0; i < count; i++) {
    const at = kernelMemory.places / 4 + 2 * i;
    places.push({ x: words[at] ?? 0, y: words[at + 1] ?? 0 });
  }
  return { places, isComplete: count >= 0 && count < most };
}

/** `findExact` without kernels. */
function findExactScalar(frame: Framebuffer, patch: Patch, area: Rect, most: number): ExactPlaces {
  const r = intersectRects(area, frame.rect);
  const wanted = patch.words[patch.rarest.y * patch.width + patch.rarest.x];
  const places: Point[] = [];
  let work = rowsToCompare(patch);
  for (let y = r.y; y <= r.y + r.height - patch.height; y++) {
    const line = (y + patch.rarest.y) * frame.width + patch.rarest.x;
    for (let x = r.x; x <= r.x + r.width - patch.width; x++) {
      if (frame.words[line + x] !== wanted) continue;
      const rows = equalRows(frame, patch, x, y);
      work -= rows + (rows < patch.height ? 1 : 0);
      if (rows === patch.height) {
        places.push({ x, y });
        if (places.length === most) return { places, isComplete: false };
      } else if (work < 0) return { places: [], isComplete: false };
    }
  }
  return { places, isComplete: true };
}

function rowsToCompare({ width }: Patch): number {
  return Math.ceil(BUDGET_PIXELS / width);
}

/** True where the patch stands at a place, in every pixel; false outside the picture. */
export function isExactlyAt(frame: Framebuffer, patch: Patch, { x, y }: Point): boolean {
  if (x < 0 || y < 0 || x + patch.width > frame.width || y + patch.height > frame.height) return false;
  return equalRows(frame, patch, x, y) === patch.height;
}

/** How many rows are equal, from the rarest pixel's on, before one differs. */
function equalRows(frame: Framebuffer, patch: Patch, x: number, y: number): number {
  const { width, height, words } = patch;
  const pixels = frame.words;
  for (let i = 0; i < height; i++) {
    const row = (patch.rarest.y + i) % height;
    let at = (y + row) * frame.width + x;
    let from = row * width;
    const end = from + width;
    while (from < end && pixels[at] === words[from]) {
      from++;
      at++;
    }
    if (from < end) return i;
  }
  return height;
}
