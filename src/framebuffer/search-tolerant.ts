import type { Framebuffer } from "./framebuffer.ts";
import { MAX_PLACES, type PictureMemory } from "./kernels/picture-memory.ts";
import { greyOf, type Patch } from "./patch.ts";
import { intersectRects, type Point, type Rect } from "./rect.ts";

/** Of a patch's ink, the share of pixels that may be off where it is found again. */
const MOST_OFF = 0.2;

/** Of the samples, the share that may be off. */
const MOST_MISSES = 1 / 6;

/** Places nearer to a better one than this are the same one. */
const SAME_PLACE = 3;

/** Samples a search keeps beside the rows of greys: 32-bit pairs. */
const SAMPLE_BYTES = 8;

/** A place that looks like the patch. */
export interface Likeness extends Point {
  /** Pixels that are off by more than the tolerance in some channel. */
  readonly off: number;
  /** Sum of all channels' differences. */
  readonly difference: number;
}

export interface TolerantPlaces {
  /** The best first; of neighbours only the best. */
  readonly places: readonly Likeness[];
  /** False where there were too many places to look at, or the patch has too little ink to tell. */
  readonly isComplete: boolean;
}

/**
 * Where a patch stands within `area` though no channel need be exact: a pixel counts as off beyond `tolerance` (0 to
 * 127), and at most a fifth as many may be off as the patch has ink. For noise, JPEG, a caret, a changed detail.
 */
export function findTolerant(
  frame: Framebuffer,
  patch: Patch,
  area: Rect,
  tolerance: number,
): TolerantPlaces {
  const r = intersectRects(area, frame.rect);
  const last = { x: r.x + r.width - patch.width, y: r.y + r.height - patch.height };
  if (last.x < r.x || last.y < r.y) return { places: [], isComplete: true };
  if (patch.samples.length === 0) return { places: [], isComplete: false };
  const { kernelMemory } = frame;
  const candidates =
    kernelMemory === null
      ? sampledScalar(frame, patch, r, tolerance)
      : sampled(frame, kernelMemory, patch, r, tolerance);
  const likely = likenesses(frame, patch, candidates, tolerance);
  return { places: distinct(likely), isComplete: candidates.length < MAX_PLACES };
}

/** How a place compares with the patch; null where it is not within the picture or not like it. */
export function likenessAt(
  frame: Framebuffer,
  patch: Patch,
  place: Point,
  tolerance: number,
): Likeness | null {
  const { x, y } = place;
  if (x < 0 || y < 0 || x + patch.width > frame.width || y + patch.height > frame.height) return null;
  return likenesses(frame, patch, [place], tolerance)[0] ?? null;
}

function mostOff(patch: Patch): number {
  return Math.floor(patch.ink * MOST_OFF);
}

function mostMisses(patch: Patch): number {
  return Math.floor(patch.samples.length * MOST_MISSES);
}

/** Places at which nearly all samples agree, in reading order, at most MAX_PLACES. */
function sampled(
  frame: Framebuffer,
  kernelMemory: PictureMemory,
  patch: Patch,
  r: Rect,
  tolerance: number,
): Point[] {
  const { samples } = patch;
  const columns = r.width - patch.width + 1;
  const lastRow = r.y + r.height - patch.height;
  const top = Math.min(...samples.map(({ y }) => y));
  const reach = Math.max(...samples.map(({ y }) => y)) - top + 1;
  const greyStride = Math.ceil(r.width / 16) * 16;
  // One row is left free: the last places are read in whole sixteens.
  const rowsAtOnce = Math.floor(kernelMemory.bandBytes / greyStride) - 1;
  const words = new Int32Array(kernelMemory.buffer);
  // The samples lie where an exact search keeps its patch.
  samples.forEach(({ x, y, grey }, i) => {
    const at = (kernelMemory.patch + i * SAMPLE_BYTES) / 4;
    words[at] = (y - top) * greyStride + x;
    words[at + 1] = grey;
  });
  let found = 0;
  for (let y = r.y; y <= lastRow && found < MAX_PLACES; ) {
    const rows = Math.min(lastRow - y + 1, rowsAtOnce - reach + 1);
    const source = kernelMemory.pixels + (y + top) * frame.strideBytes + r.x * 4;
    kernelMemory.kernels.toGrey(
      source,
      frame.strideBytes,
      kernelMemory.band,
      greyStride,
      r.width,
      rows + reach - 1,
    );
    found = kernelMemory.kernels.findSamples(
      kernelMemory.band,
      greyStride,
      columns,
      rows,
      kernelMemory.patch,
      samples.length,
      tolerance,
      mostMisses(patch),
      r.x,
      y,
      kernelMemory.places,
      found,
      MAX_PLACES,
    );
    y += rows;
  }
  const places: Point[] = [];
  for (let i = 0; i < found; i++) {
    const at = kernelMemory.places / 4 + 2 * i;
    places.push({ x: words[at] ?? 0, y: words[at + 1] ?? 0 });
  }
  return places;
}

function sampledScalar(frame: Framebuffer, patch: Patch, r: Rect, tolerance: number): Point[] {
  const places: Point[] = [];
  const allowed = mostMisses(patch);
  for (let y = r.y; y <= r.y + r.height - patch.height; y++) {
    for (let x = r.x; x <= r.x + r.width - patch.width; x++) {
      let misses = 0;
      for (const sample of patch.samples) {
        const grey = greyOf(frame.words[(y + sample.y) * frame.width + x + sample.x] ?? 0);
        if (Math.abs(grey - sample.grey) > tolerance && ++misses > allowed) break;
      }
      if (misses > allowed) continue;
      places.push({ x, y });
      if (places.length === MAX_PLACES) return places;
    }
  }
  return places;
}

function likenesses(
  frame: Framebuffer,
  patch: Patch,
  places: readonly Point[],
  tolerance: number,
): Likeness[] {
  const compare = comparison(frame, patch, tolerance);
  return places.map(({ x, y }) => ({ x, y, ...compare(x, y) })).filter(({ off }) => off <= mostOff(patch));
}

type Comparison = (x: number, y: number) => { off: number; difference: number };

function comparison(frame: Framebuffer, patch: Patch, tolerance: number): Comparison {
  const { kernelMemory } = frame;
  const limit = mostOff(patch);
  if (kernelMemory === null) return (x, y) => compareScalar(frame, patch, x, y, tolerance, limit);
  const words = new Uint32Array(kernelMemory.buffer);
  words.set(patch.words, kernelMemory.patch / 4);
  const { kernels, pixels, places } = kernelMemory;
  const stride = frame.strideBytes;
  return (x, y) => {
    const at = pixels + y * stride + x * 4;
    const { width, height } = patch;
    const off = kernels.compareAt(at, stride, kernelMemory.patch, width, height, tolerance, limit, places);
    return { off, difference: words[places / 4] ?? 0 };
  };
}

function compareScalar(
  frame: Framebuffer,
  patch: Patch,
  x: number,
  y: number,
  tolerance: number,
  limit: number,
): { off: number; difference: number } {
  let off = 0;
  let difference = 0;
  for (let row = 0; row < patch.height && off <= limit; row++) {
    for (let column = 0; column < patch.width; column++) {
      const a = frame.words[(y + row) * frame.width + x + column]!;
      const b = patch.words[row * patch.width + column]!;
      const red = Math.abs((a & 255) - (b & 255));
      const green = Math.abs(((a >>> 8) & 255) - ((b >>> 8) & 255));
      const blue = Math.abs(((a >>> 16) & 255) - ((b >>> 16) & 255));
      if (Math.max(red, green, blue) > tolerance) off++;
      difference += red + green + blue;
    }
  }
  return { off, difference };
}

/** The best first; what lies beside a better one is left out. */
function distinct(places: readonly Likeness[]): Likeness[] {
  const sorted = [...places].sort(
    (a, b) => a.off - b.off || a.difference - b.difference || a.y - b.y || a.x - b.x,
  );
  const kept: Likeness[] = [];
  for (const place of sorted) {
    const isNear = kept.some(
      (better) => Math.abs(better.x - place.x) <= SAME_PLACE && Math.abs(better.y - place.y) <= SAME_PLACE,
    );
    if (!isNear) kept.push(place);
    // Two are enough to know that it is ambiguous.
    if (kept.length === 2) break;
  }
  return kept;
}
