import type { Rect, Size } from "../../framebuffer/rect.ts";
import { LostPartError } from "../library/refused.ts";
import type { RecordedFrame, RecordingReader } from "../read/reader.ts";
import { type DecorOptions, ExportDecor } from "./export-decor.ts";

/** A picture of an export and how long it stays. */
export interface ExportFrame {
  /** Since the beginning of the export. */
  readonly atMs: number;
  readonly durationMs: number;
  /** R, G, B, 255; of the export's size. */
  readonly rgba: Uint8Array;
}

export interface ExportRange {
  readonly fromMs: number;
  /** Not before `fromMs`. */
  readonly toMs: number;
  /** At most so many pictures a second. */
  readonly framesPerSecond: number;
  /** What is painted over them. */
  readonly decor: DecorOptions;
}

/**
 * The pictures of a range that differ, each with its time on the screen: a still hour is one picture. All have the size
 * of the first; a desktop that was resized later is cut, or stands on black. What cannot be read now is black. Rejects with the
 * signal's reason.
 */
export async function* exportFrames(
  reader: RecordingReader,
  { fromMs, toMs, framesPerSecond, decor: options }: ExportRange,
  signal: AbortSignal,
): AsyncGenerator<ExportFrame & Size> {
  const slotMs = 1000 / framesPerSecond;
  const decor = new ExportDecor(reader, options);
  const first = await frameOrBlack(reader, fromMs, reader.summary);
  const size = { width: first.width, height: first.height };
  let shown = await decor.paint(first, fromMs);
  let shownAtMs = fromMs;
  // Read by the minute: hours of frame times need not be in memory at once.
  for (let spanMs = fromMs; spanMs < toMs; spanMs += MINUTE_MS) {
    const endMs = Math.min(toMs, spanMs + MINUTE_MS);
    const times = merged(await reader.frameTimes(spanMs, endMs), await decor.times(spanMs, endMs));
    for (let i = 0; i < times.length; i++) {
      signal.throwIfAborted();
      const time = times[i] ?? fromMs;
      if (time <= fromMs) continue;
      const next = times[i + 1];
      const slot = Math.floor((time - fromMs) / slotMs);
      // The last of a slot stands for all of it: what moves ends where it really ended.
      if (next !== undefined && Math.floor((next - fromMs) / slotMs) === slot) continue;
      const atMs = Math.max(fromMs + slot * slotMs, shownAtMs);
      const frame = await frameOrBlack(reader, time, size);
      const rgba = fitted(await decor.paint(frame, time), frame, size);
      if (areEqual(rgba, shown)) continue;
      if (atMs > shownAtMs) {
        yield { ...size, atMs: shownAtMs - fromMs, durationMs: atMs - shownAtMs, rgba: shown };
      }
      shown = rgba;
      shownAtMs = atMs;
    }
  }
  const durationMs = Math.max(LEAST_MS, toMs - shownAtMs);
  yield { ...size, atMs: shownAtMs - fromMs, durationMs, rgba: shown };
}

/** Black where the moment lies in a part of a whole that cannot be read now. */
async function frameOrBlack(reader: RecordingReader, ms: number, size: Size): Promise<RecordedFrame> {
  try {
    return await reader.frameAt(ms);
  } catch (error) {
    if (!(error instanceof LostPartError)) throw error;
    const { width, height } = size;
    const rgba = new Uint8Array(width * height * 4);
    for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255;
    return { width, height, atMs: ms, generation: 0, isExact: false, rgba };
  }
}

function merged(a: readonly number[], b: readonly number[]): readonly number[] {
  return b.length === 0 ? a : [...new Set([...a, ...b])].sort((one, other) => one - other);
}

const MINUTE_MS = 60_000;
/** A last picture that came up with the end is seen all the same. */
const LEAST_MS = 40;

function fitted(rgba: Uint8Array, from: Size, to: Size): Uint8Array {
  if (from.width === to.width && from.height === to.height) return rgba;
  const out = new Uint8Array(to.width * to.height * 4);
  for (let at = 3; at < out.length; at += 4) out[at] = 255;
  const width = Math.min(from.width, to.width);
  for (let y = 0; y < Math.min(from.height, to.height); y++) {
    const row = y * from.width * 4;
    out.set(rgba.subarray(row, row + width * 4), y * to.width * 4);
  }
  return out;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/** Side of the squares in which pictures are compared. */
const CELL = 64;
/** More parts than this cost more than the pixels between them. */
const MOST_PARTS = 48;

/** Where two pictures of one size differ: rectangles of whole cells, clipped, that do not overlap. */
export function changedParts(
  before: Uint8Array,
  after: Uint8Array,
  { width, height }: Size,
): readonly Rect[] {
  const old = wordsOf(before);
  const now = wordsOf(after);
  const parts: Rect[] = [];
  for (let y = 0; y < height; y += CELL) {
    const rows = Math.min(CELL, height - y);
    let start = -1;
    for (let x = 0; x <= width; x += CELL) {
      const isChanged = x < width && differs(old, now, width, x, y, Math.min(CELL, width - x), rows);
      if (isChanged && start < 0) start = x;
      if (isChanged || start < 0) continue;
      parts.push({ x: start, y, width: Math.min(x, width) - start, height: rows });
      start = -1;
    }
    if (start >= 0) parts.push({ x: start, y, width: width - start, height: rows });
  }
  return parts.length > MOST_PARTS ? [boundsOf(parts)] : parts;
}

/** The rectangle's pixels of an RGBA picture, rows without a gap. */
export function pixelsOf(rgba: Uint8Array, { width }: Size, part: Rect): Uint8Array {
  const out = new Uint8Array(part.width * part.height * 4);
  for (let row = 0; row < part.height; row++) {
    const from = ((part.y + row) * width + part.x) * 4;
    out.set(rgba.subarray(from, from + part.width * 4), row * part.width * 4);
  }
  return out;
}

function differs(
  a: Uint32Array,
  b: Uint32Array,
  stride: number,
  x: number,
  y: number,
  width: number,
  height: number,
): boolean {
  for (let row = 0; row < height; row++) {
    const from = (y + row) * stride + x;
    for (let at = from; at < from + width; at++) if (a[at]! !== b[at]!) return true;
  }
  return false;
}

function wordsOf(rgba: Uint8Array): Uint32Array {
  const whole = rgba.byteOffset % 4 === 0 ? rgba : Uint8Array.from(rgba);
  return new Uint32Array(whole.buffer, whole.byteOffset, whole.length >> 2);
}

/** The smallest rectangle that holds all of at least one. */
export function boundsOf(parts: readonly Rect[]): Rect {
  const x = Math.min(...parts.map((part) => part.x));
  const y = Math.min(...parts.map((part) => part.y));
  const right = Math.max(...parts.map((part) => part.x + part.width));
  const bottom = Math.max(...parts.map((part) => part.y + part.height));
  return { x, y, width: right - x, height: bottom - y };
}
