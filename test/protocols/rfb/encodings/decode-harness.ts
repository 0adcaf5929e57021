import fc from "fast-check";
import t from "tap";
import { Framebuffer, OPAQUE } from "../../../../src/framebuffer/framebuffer.ts";
import { type PixelFormat, RGBX } from "../../../../src/framebuffer/pixel-format.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { jpegTurbo } from "../../../../src/imaging/jpeg/jpeg-turbo.ts";
import { nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { ByteQueue, type Parser } from "../../../../src/protocols/byte-queue.ts";
import type { Inflate } from "../../../../src/protocols/platform.ts";
import { DecoderStreams } from "../../../../src/protocols/rfb/encodings/decoder-state.ts";
import type { Encoding } from "../../../../src/protocols/rfb/encodings/encoding.ts";
import { RfbError, type RfbErrorCode } from "../../../../src/protocols/rfb/error.ts";
import { joinBytes } from "./wire.ts";

export { encoderState, joinBytes, pixelsAt } from "./wire.ts";

/** One rectangle's body as it comes over the wire. */
export interface WireRect {
  readonly encoding: Encoding;
  readonly rect: Rect;
  readonly body: Uint8Array;
}

/** What a run left behind. */
export interface Run {
  readonly framebuffer: Framebuffer;
  /** The most bytes the queue held while a parser waited. */
  readonly mostQueued: number;
}

/** Above this length not every chunk size is tried. */
const EVERY_SIZE_BYTES = 160;

/**
 * Feeds rectangles to one connection's decoders, cut by `sizes` in turn and all in the same memory, as sockets are read;
 * all bytes must be used, none too many.
 */
export function decode(
  rects: readonly WireRect[],
  width: number,
  height: number,
  sizes: readonly number[] = [Number.POSITIVE_INFINITY],
  inflate: Inflate = nodeInflate,
  format: PixelFormat = RGBX,
  hasKernels = false,
): Run {
  const framebuffer = new Framebuffer(width, height, { hasKernels });
  const state = new DecoderStreams({ inflate, jpeg: jpegTurbo });
  state.format = format;
  const stream = joinBytes(rects.map((r) => r.body));
  const queue = new ByteQueue();
  let mostQueued = 0;
  let sent = 0;
  let turn = 0;
  const memory = new Uint8Array(stream.length);
  function push(chunk: Uint8Array): void {
    memory.set(chunk);
    queue.push(memory.subarray(0, chunk.length));
    sent += chunk.length;
  }
  function drive(parser: Parser<void>): void {
    for (let step = parser.next(); step.done !== true; step = parser.next()) {
      if (step.value <= queue.size)
        throw new Error(`waits for ${step.value} bytes where ${queue.size} are there`);
      mostQueued = Math.max(mostQueued, queue.size);
      while (!queue.has(step.value)) {
        if (sent === stream.length) throw new Incomplete(`wants ${step.value} bytes, has ${queue.size}`);
        queue.settle();
        const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1);
        push(stream.subarray(sent, Math.min(stream.length, sent + size)));
      }
    }
  }
  try {
    for (const { encoding, rect } of rects) drive(encoding.decode(queue, framebuffer, rect, state));
    if (queue.size > 0 || sent < stream.length) {
      throw new Error(`${queue.size + stream.length - sent} bytes were not read`);
    }
    return { framebuffer, mostQueued };
  } finally {
    state.close();
    if (framebuffer.words.some((word) => (word & OPAQUE) >>> 0 !== OPAQUE)) {
      t.fail("a pixel lost its alpha");
    }
  }
}

/** The bytes ended within a rectangle. */
export class Incomplete extends Error {}

/** Decodes at every chunk size (long streams: at many, and at random cuts) and checks the picture each time. */
export function checkDecodes(
  test: Tap,
  rects: readonly WireRect[],
  expected: { readonly width: number; readonly height: number; readonly words: Uint32Array },
  format: PixelFormat = RGBX,
): void {
  const length = rects.reduce((sum, r) => sum + r.body.length, 0);
  const sizes: number[] = [];
  if (length <= EVERY_SIZE_BYTES) for (let size = 1; size <= length; size++) sizes.push(size);
  else sizes.push(1, 2, 3, 5, 13, 64, 251, 1460, 4099, 65_536, length);
  for (const size of sizes) {
    const { framebuffer } = decode(rects, expected.width, expected.height, [size], nodeInflate, format);
    if (!sameWords(framebuffer.words, expected.words)) test.fail(`wrong pixels at chunk size ${size}`);
  }
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 }), (cuts) => {
      const { framebuffer } = decode(rects, expected.width, expected.height, cuts, nodeInflate, format);
      return sameWords(framebuffer.words, expected.words);
    }),
    { numRuns: 10 },
  );
  test.pass(`${length} bytes at ${sizes.length} chunk sizes and at random cuts`);
}

type Tap = Pick<typeof t, "fail" | "pass" | "equal" | "throws" | "match">;

/** Checks that decoding ends in an RfbError with this code whose message matches. */
export function checkRefuses(
  test: Tap,
  rects: readonly WireRect[],
  width: number,
  height: number,
  message: RegExp,
  code: RfbErrorCode = "bad_data",
): void {
  for (const size of [1, 3, Number.POSITIVE_INFINITY]) {
    try {
      decode(rects, width, height, [size]);
      test.fail(`decoded at chunk size ${size}, expected ${code}`);
    } catch (error) {
      if (!(error instanceof RfbError)) throw error;
      test.equal(error.code, code);
      test.match(error.message, message);
      test.equal(error.phase, "rectangle");
    }
  }
}

export function sameWords(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** A picture drawn in letters: each letter is a colour of `colours`, 0xRRGGBB. */
export function picture(rows: readonly string[], colours: Readonly<Record<string, number>>) {
  const words = rows.flatMap((row) => [...row].map((letter) => wordOf(colours[letter] ?? 0)));
  return { width: rows[0]?.length ?? 0, height: rows.length, words: Uint32Array.from(words) };
}

/** A Framebuffer's word for 0xRRGGBB. */
function wordOf(rgb: number): number {
  return (OPAQUE | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
