import { openPictureMemory, type PictureMemory } from "./kernels/picture-memory.ts";
import type { Rect, Size } from "./rect.ts";

/** Spare memory that is kept: seven pictures of 1080p, of which each serves one target while an update of it comes. */
const MOST_SPARE_BYTES = 64 * 1024 * 1024;

/** Where the pixels of a picture lie; both views look at the same bytes. */
export interface PixelMemory {
  readonly words: Uint32Array;
  readonly bytes: Uint8Array;
  /** The kernels that work there; null where there are none. */
  readonly kernelMemory: PictureMemory | null;
}

interface Spare {
  readonly memory: PixelMemory;
  readonly width: number;
  readonly height: number;
  /** Wanted with kernels, whether or not the host has any. */
  readonly hasKernels: boolean;
}

/** Oldest first. */
const spares: Spare[] = [];

/** Memory for a picture of this size, all of it zero; with kernels where they are wanted and the host has any. */
export function takePixelMemory({ width, height }: Size, hasKernels: boolean): PixelMemory {
  const at = spares.findLastIndex(
    (spare) => spare.width === width && spare.height === height && spare.hasKernels === hasKernels,
  );
  const [spare] = at === -1 ? [] : spares.splice(at, 1);
  if (spare !== undefined) return spare.memory;
  const kernelMemory = hasKernels ? openPictureMemory(width, height) : null;
  if (kernelMemory === null) return pixelMemoryOver(new Uint32Array(width * height));
  const { buffer, pixels } = kernelMemory;
  return pixelMemoryOver(new Uint32Array(buffer, pixels, width * height), kernelMemory);
}

export function pixelMemoryOver(words: Uint32Array, kernelMemory: PictureMemory | null = null): PixelMemory {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return { words, bytes, kernelMemory };
}

/**
 * Nobody looks at this memory any longer, which had a picture of this size within `painted`: the next who takes as much
 * gets it.
 *
 * INVARIANT: all pixels of spare memory are zero, so that none of one desktop is ever in another's picture.
 */
export function returnPixelMemory(
  memory: PixelMemory,
  { width, height }: Size,
  hasKernels: boolean,
  painted: readonly Rect[],
): void {
  for (const r of painted) {
    for (let row = 0, at = r.y * width + r.x; row < r.height; row++, at += width) {
      memory.words.fill(0, at, at + r.width);
    }
  }
  spares.push({ memory, width, height, hasKernels });
  let sizeBytes = spares.reduce((sum, spare) => sum + spare.memory.bytes.length, 0);
  while (spares.length > 1 && sizeBytes > MOST_SPARE_BYTES) {
    sizeBytes -= spares.shift()?.memory.bytes.length ?? 0;
  }
}
