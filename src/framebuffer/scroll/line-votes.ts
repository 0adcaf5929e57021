import { BYTES_PER_PIXEL, type Framebuffer } from "../framebuffer.ts";
import type { PictureMemory } from "../kernels/picture-memory.ts";
import type { Rect } from "../rect.ts";
import type { Steps } from "../steps.ts";

/** How wide the strips are that lines are known by, in pixels (a multiple of 4), and how many lie side by side. */
const PROBE_PIXELS = 32;
const PROBES = 4;

/** Lines are told apart together with so many before them: one alone is often like its neighbour. */
const CONTEXT = 3;

/** Fewer lines that agree are chance, or too little to move. */
const LEAST_VOTES = 8;

/** Lines of pixels: rows move up and down, columns left and right. */
export type Axis = "rows" | "columns";

/**
 * By how many lines most of an area seems to have moved from `before` to `after`, two pictures of one size; 0 where no
 * move stands out. Looks at a few strips across the lines, so the answer is a guess to be verified; yields after each.
 */
export function* guessShift(before: Framebuffer, after: Framebuffer, area: Rect, axis: Axis): Steps<number> {
  const isRows = axis === "rows";
  const count = isRows ? area.height : area.width;
  const across = isRows ? area.width : area.height;
  if (across < PROBE_PIXELS) return 0;
  const votes = new Int32Array(2 * count);
  for (let i = 0; i < PROBES; i++) {
    const at = Math.floor(((i + 0.5) * (across - PROBE_PIXELS)) / PROBES);
    const strip = isRows
      ? { x: area.x + at, y: area.y, width: PROBE_PIXELS, height: count }
      : { x: area.x, y: area.y + at, width: count, height: PROBE_PIXELS };
    const [old, now] = [before, after].map((frame) => hashesOf(frame, strip, axis, before.kernelMemory));
    if (old !== undefined && now !== undefined) vote(inContext(old), inContext(now), votes);
    yield;
  }
  let best = 0;
  let most = LEAST_VOTES - 1;
  for (let i = 0; i < votes.length; i++) {
    if (votes[i]! <= most) continue;
    most = votes[i]!;
    best = i - count;
  }
  return best;
}

/** Mixes each line's hash with those of the lines before it. */
function inContext(hashes: Int32Array): Int32Array {
  for (let i = hashes.length - 1; i >= CONTEXT; i--) {
    let hash = hashes[i]!;
    for (let k = 1; k <= CONTEXT; k++) hash = Math.imul(hash ^ hashes[i - k]!, MIX);
    hashes[i] = hash;
  }
  return hashes;
}

/** Each changed line votes for the way it came from the only line that looked like it. */
function vote(before: Int32Array, after: Int32Array, votes: Int32Array): void {
  const count = before.length;
  const mask = 2 ** Math.ceil(Math.log2(2 * count)) - 1;
  // An open hash table of the lines before: in each slot one line's number more 1, negative where there are several.
  const slots = new Int32Array(mask + 1);
  for (let i = 0; i < count; i++) {
    const slot = slotOf(before, slots, before[i]!, mask);
    slots[slot] = slots[slot] === 0 ? i + 1 : -Math.abs(slots[slot]!);
  }
  for (let i = 0; i < count; i++) {
    if (after[i] === before[i]) continue;
    const line = slots[slotOf(before, slots, after[i]!, mask)]!;
    if (line > 0) votes[i - (line - 1) + count]!++;
  }
}

/** The slot that has a line of this hash, else the free one for it. */
function slotOf(hashes: Int32Array, slots: Int32Array, hash: number, mask: number): number {
  let slot = (hash ^ (hash >>> 15)) & mask;
  while (slots[slot] !== 0 && hashes[Math.abs(slots[slot]!) - 1] !== hash) slot = (slot + 1) & mask;
  return slot;
}

/** A number for each line of a strip: by the kernels of `kernelMemory`, to which the rows of other pictures are brought, else here. */
function hashesOf(
  frame: Framebuffer,
  strip: Rect,
  axis: Axis,
  kernelMemory: PictureMemory | null,
): Int32Array {
  const isRows = axis === "rows";
  if (kernelMemory === null) return isRows ? hashRows(frame, strip) : hashColumns(frame, strip);
  const { kernels, buffer, band, bandBytes, patch } = kernelMemory;
  const { x, y, width, height } = strip;
  const stride = frame.strideBytes;
  const start = y * stride + x * BYTES_PER_PIXEL;
  const hash = isRows ? kernels.hashRows : kernels.hashColumns;
  const hashes = new Int32Array(buffer, patch, isRows ? height : width);
  if (frame.kernelMemory === kernelMemory) {
    hash(kernelMemory.pixels + start, stride, width, height, patch);
    return hashes.slice();
  }
  const rowBytes = width * BYTES_PER_PIXEL;
  const most = Math.floor(bandBytes / rowBytes);
  for (let done = 0; done < height; done += most) {
    const rows = Math.min(most, height - done);
    const first = (y + done) * frame.width + x;
    bringRows(frame, first, width, rows, new Uint32Array(buffer, band, width * rows));
    hash(band, rowBytes, width, rows, patch + 4 * done);
  }
  return hashes.slice();
}

/** Copies rows, without padding between them; narrow ones word by word: a view of each would cost more, and is garbage. */
function bringRows(
  { words, width: stride }: Framebuffer,
  first: number,
  width: number,
  rows: number,
  into: Uint32Array,
): void {
  for (let row = 0, from = first, to = 0; row < rows; row++, from += stride, to += width) {
    if (width > PROBE_PIXELS) into.set(words.subarray(from, from + width), to);
    else for (let i = 0; i < width; i++) into[to + i] = words[from + i]!;
  }
}

/** The twin of the kernel. */
function hashRows({ words, width: stride }: Framebuffer, { x, y, width, height }: Rect): Int32Array {
  const hashes = new Int32Array(height);
  for (let row = 0, start = y * stride + x; row < height; row++, start += stride) {
    let hash = 0;
    for (let lane = 0; lane < 4; lane++) {
      let column = 0;
      for (let i = start + lane; i < start + width; i += 4) column = Math.imul(column ^ words[i]!, MIX);
      hash = Math.imul(hash ^ column, MIX);
    }
    hashes[row] = hash;
  }
  return hashes;
}

/** The twin of the kernel. */
function hashColumns({ words, width: stride }: Framebuffer, { x, y, width, height }: Rect): Int32Array {
  const hashes = new Int32Array(width);
  for (let row = 0, start = y * stride + x; row < height; row++, start += stride) {
    for (let i = 0; i < width; i++) hashes[i] = Math.imul(hashes[i]! ^ words[start + i]!, MIX);
  }
  return hashes;
}

/** An odd number with its bits well spread: 2^32 divided by the golden ratio. */
const MIX = 0x9e3779b1;
