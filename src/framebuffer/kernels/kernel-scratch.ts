import { type Kernels, openKernelMemory } from "./kernels.ts";

/** Bytes read or written past the end of what is asked for, at most. */
const SLACK_BYTES = 64;

/** Room for 32 rows of the widest picture, packed and not: 2 MiB and 1.5 MiB. */
const SIZE_BYTES = 4 * 1024 * 1024;

/**
 * Scratch memory in which kernels work on what lies elsewhere: rows are put on it, worked on, and taken off. Bands that
 * fit the processor's cache make the way there and back cost less than a tenth of the work.
 *
 * INVARIANT: nobody keeps anything on it past the call in which it was put there, so one serves the whole process.
 */
export class KernelScratch {
  readonly kernels: Kernels;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  #used = 0;

  constructor(kernels: Kernels, buffer: ArrayBuffer) {
    this.kernels = kernels;
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
  }

  /** Takes everything off. */
  clear(): void {
    this.#used = SLACK_BYTES;
  }

  /** The address of `sizeBytes` free bytes, a multiple of 16; -1 where it has no room for them. */
  take(sizeBytes: number): number {
    const at = this.#used;
    const end = at + Math.ceil((sizeBytes + SLACK_BYTES) / 16) * 16;
    if (end > this.bytes.length) return -1;
    this.#used = end;
    return at;
  }
}

let only: KernelScratch | null | undefined;

/** The process's scratch memory, cleared; null on hosts without the kernels. */
export function clearedScratch(): KernelScratch | null {
  if (only === undefined) {
    const memory = openKernelMemory(SIZE_BYTES);
    only = memory === null ? null : new KernelScratch(memory.kernels, memory.buffer);
  }
  only?.clear();
  return only;
}
