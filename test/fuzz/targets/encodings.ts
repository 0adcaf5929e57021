import { Framebuffer, OPAQUE } from "../../../src/framebuffer/framebuffer.ts";
import { RGBX } from "../../../src/framebuffer/pixel-format.ts";
import { ByteQueue } from "../../../src/protocols/byte-queue.ts";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import { DecoderStreams } from "../../../src/protocols/rfb/encodings/decoder-state.ts";
import type { Encoding } from "../../../src/protocols/rfb/encodings/encoding.ts";
import { ALL_ENCODINGS } from "../../../src/protocols/rfb/encodings/list.ts";
import { FORMATS } from "../../protocols/rfb/encodings/formats.ts";
import { noisePicture, photoPicture } from "../../protocols/rfb/encodings/pictures.ts";
import { encoderState, joinBytes, pixelsAt } from "../../protocols/rfb/encodings/wire.ts";
import { PORTS } from "../ports.ts";
import { type FuzzTarget, hashOf, piecesOf } from "../target.ts";

const SIDE = 150;
const formats = Object.values(FORMATS);

/** U8 format, U8 how the rest is wrapped, then of each of two rectangles U8 width, U8 height. */
const HEADER_BYTES = 6;

/**
 * The bytes of both rectangles. `wrap` 0: as they are. Else what lies behind compression is reached: the first
 * `wrap` - 1 bytes as they are, then a length and the rest as zlib data.
 */
function wireOf(encoding: Encoding, wrap: number, body: Uint8Array): Uint8Array {
  if (wrap === 0) return body;
  const head = body.subarray(0, wrap - 1);
  const data = PORTS.deflate.zlib(body.subarray(wrap - 1), 1);
  const to = new ByteWriter().put(head);
  if (encoding.name === "tight") {
    to.u8((data.length & 127) | 128)
      .u8(((data.length >> 7) & 127) | 128)
      .u8(data.length >> 14);
  } else {
    to.u32(data.length);
  }
  return to.put(data).bytes();
}

function run(encoding: Encoding, input: Uint8Array, sizes: readonly number[]): string {
  const [format = 0, wrap = 0, ...sides] = input.subarray(0, HEADER_BYTES);
  const to = new Framebuffer(SIDE, SIDE);
  const state = new DecoderStreams(PORTS);
  state.format = formats[format % formats.length] ?? RGBX;
  const queue = new ByteQueue();
  const wire = wireOf(encoding, wrap % 16, input.subarray(HEADER_BYTES));
  const pieces = piecesOf(wire, sizes);
  try {
    for (const place of [0, 2]) {
      const width = (sides[place] ?? 0) % (SIDE - 1);
      const height = (sides[place + 1] ?? 0) % (SIDE - 2);
      const parser = encoding.decode(queue, to, { x: 1, y: 2, width, height }, state);
      for (let step = parser.next(); step.done !== true; step = parser.next()) {
        if (step.value <= queue.size) {
          throw new Error(`waits for ${step.value} bytes where ${queue.size} are there`);
        }
        while (!queue.has(step.value)) {
          const piece = pieces.next();
          if (piece.done === true) return `waits in rectangle ${place / 2}`;
          queue.push(piece.value);
        }
      }
    }
    for (const word of to.words) if (word >>> 24 !== OPAQUE >>> 24) throw new Error("a pixel lost its alpha");
    return `picture ${hashOf(to.words)}`;
  } finally {
    state.close();
  }
}

function seedsOf(encoding: Encoding): Uint8Array[] {
  const head = (format: number, wrap: number, width: number, height: number): Uint8Array =>
    Uint8Array.of(format, wrap, width, height, 3, 3);
  const flat = new Framebuffer(20, 9);
  flat.fill({ x: 3, y: 2, width: 8, height: 5 }, 0x808040);
  const seeds = [0, 1].map((wrap) => joinBytes([head(0, wrap, 9, 4), new Uint8Array(160)]));
  for (const from of [flat, photoPicture(18, 17), noisePicture(5, 4)]) {
    for (const [index, format] of formats.entries()) {
      if (encoding.encode === undefined || (index % 4 !== 0 && from !== flat)) continue;
      const to = new ByteWriter();
      encoding.encode(to, pixelsAt(from, 0, 0), from.rect, encoderState({ format }));
      seeds.push(joinBytes([head(index, 0, from.width, from.height), to.bytes()]));
    }
  }
  if (encoding.name === "jpeg") {
    const photo = photoPicture(16, 16);
    const image = PORTS.jpeg.encode(photo.bytes, 16, 16, photo.strideBytes, 60);
    seeds.push(joinBytes([head(0, 0, 16, 16), image]));
  }
  return seeds;
}

/** The decoder of every encoding, in every pixel format. */
export const encodingTargets: readonly FuzzTarget[] = ALL_ENCODINGS.map((encoding) => ({
  name: encoding.name,
  seeds: () => seedsOf(encoding),
  run: (input, sizes) => run(encoding, input, sizes),
}));
