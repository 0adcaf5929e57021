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
  /** Who had it last. */
  readonly owner: Size;
  /** Where the pixels of its owner are. */
  readonly painted: readonly Rect[];
}

/** Oldest first. */
const spares: Spare[] = [];

/** Whose memory has been lent to them again as it was: more of it than they painted last may hold their pixels. */
const lentAgain = new WeakSet<PixelMemory>();

/**
 * Memory for a picture of the size of `owner`; with kernels where they are wanted and the host has any.
 *
 * INVARIANT: it is zero but for what this owner itself painted before, or the picture that rested on it and took its
 * memory, so that no pixel of one desktop is ever in another's picture.
 */
export function takePixelMemory(owner: Size, hasKernels: boolean): PixelMemory {
  const { width, height } = owner;
  const isFit = (spare: Spare): boolean =>
    spare.width === width && spare.height === height && spare.hasKernels === hasKernels;
  const own = spares.findLastIndex((spare) => isFit(spare) && spare.owner === owner);
  const at = own === -1 ? spares.findLastIndex(isFit) : own;
  const [spare] = at === -1 ? [] : spares.splice(at, 1);
  if (spare !== undefined) {
    if (spare.owner === owner) lentAgain.add(spare.memory);
    else clear(spare);
    return spare.memory;
  }
  const kernelMemory = hasKernels ? openPictureMemory(width, height) : null;
  if (kernelMemory === null) return pixelMemoryOver(new Uint32Array(width * height));
  const { buffer, pixels } = kernelMemory;
  return pixelMemoryOver(new Uint32Array(buffer, pixels, width * height), kernelMemory);
}

function clear({ memory, width, painted }: Spare): void {
  if (lentAgain.delete(memory)) {
    memory.words.fill(0);
    return;
  }
  for (const r of painted) {
    for (let row = 0, at = r.y * width + r.x; row < r.height; row++, at += width) {
      memory.words.fill(0, at, at + r.width);
    }
  }
}

export function pixelMemoryOver(words: Uint32Array, kernelMemory: PictureMemory | null = null): PixelMemory {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return { words, bytes, kernelMemory };
}

/** Nobody looks at this memory any longer, in which `owner` painted: the next who takes as much gets it, cleared. */
export function returnPixelMemory(
  memory: PixelMemory,
  owner: Size,
  hasKernels: boolean,
  painted: readonly Rect[],
): void {
  const { width, height } = owner;
  spares.push({ memory, width, height, hasKernels, owner, painted });
  let sizeBytes = spares.reduce((sum, spare) => sum + spare.memory.bytes.length, 0);
  while (spares.length > 1 && sizeBytes > MOST_SPARE_BYTES) {
    sizeBytes -= spares.shift()?.memory.bytes.length ?? 0;
  }
}
