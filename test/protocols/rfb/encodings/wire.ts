import type { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import type { Pixels } from "../../../../src/framebuffer/picture.ts";
import { RGBX } from "../../../../src/framebuffer/pixel-format.ts";
import { jpegTurbo } from "../../../../src/imaging/jpeg/jpeg-turbo.ts";
import { nodeDeflate } from "../../../../src/platform/node-zlib.ts";
import type { EncoderState } from "../../../../src/protocols/rfb/encodings/encoding.ts";

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** An encoder's state toward a viewer that takes our own format, lossless. */
export function encoderState(wishes: Partial<EncoderState> = {}): EncoderState {
  return {
    deflate: nodeDeflate,
    jpeg: jpegTurbo,
    jpegQuality: null,
    compressLevel: 1,
    format: RGBX,
    zrleStarted: false,
    ...wishes,
  };
}

/** The pixels of a Framebuffer from (x, y) on. */
export function pixelsAt(from: Framebuffer, x: number, y: number): Pixels {
  return { bytes: from.bytes, offset: y * from.strideBytes + x * 4, strideBytes: from.strideBytes };
}
