import { Buffer } from "node:buffer";
import turbo from "@julusian/jpeg-turbo";
import { BYTES_PER_PIXEL, isAcceptableSize } from "../../framebuffer/framebuffer.ts";
import type { JpegCodec } from "../../protocols/platform.ts";
import { decodeAccurately } from "./jpeg-accurate.ts";
import { jpegSize, luminanceStep } from "./jpeg-size.ts";

/** From this quality on colours keep their full resolution, so that coloured text stays readable. */
const LEAST_FULL_COLOUR_QUALITY = 80;

/**
 * Up to this step of luminance (qualities from 93 on, libjpeg's scale) the fast DCT, which is all that the binding has,
 * is what limits a decoded picture: it costs 2.4 dB of text at 95 and 20 dB at 100, 1 dB at 92, and half the time
 * (docs/performance.md). Encoding needs nothing: libjpeg-turbo itself takes the accurate DCT from 96 on.
 */
const MOST_ACCURATE_STEP = 2;

/** Beyond this the accurate decoder's own memory (three bytes a pixel beside the file) is too much for a thread. */
const MOST_ACCURATE_PIXELS = 3840 * 2160;

const { bufferSize, compressSync, decompressSync, FORMAT_RGBA, SAMP_420, SAMP_444 } = turbo;

/** A baseline image has at most 4 scans, a progressive one of an ordinary encoder about 10. */
const MOST_SCANS = 16;

const RGBA = { format: FORMAT_RGBA };

const START_OF_SCAN = Buffer.of(0xff, 0xda);

/** Kept for the next image: a strip of 16,384 pixels in full colour, or the largest rectangle of a viewer. */
const MOST_KEPT_BYTES = 2 * 1024 * 1024;

/** Of this thread: where the binding writes what it encodes. */
let output = Buffer.alloc(0);

/** JPEG through libjpeg-turbo: the only file that knows its native binding. */
export const jpegTurbo: JpegCodec = {
  size: jpegSize,

  decode(jpeg, into) {
    const { width, height } = jpegSize(jpeg);
    const source = bufferOf(jpeg);
    checkScans(source);
    const sizeBytes = width * height * BYTES_PER_PIXEL;
    if (luminanceStep(jpeg) <= MOST_ACCURATE_STEP && width * height <= MOST_ACCURATE_PIXELS) {
      const rgba =
        into === undefined || into.length < sizeBytes
          ? new Uint8Array(sizeBytes)
          : into.subarray(0, sizeBytes);
      decodeAccurately(jpeg, width, height, rgba);
      return { width, height, rgba };
    }
    // Memory of its own for each image costs as much as half the decoding: clearing it, and collecting it.
    const image =
      into === undefined || into.length < sizeBytes
        ? decompressSync(source, RGBA)
        : decompressSync(source, bufferOf(into.subarray(0, sizeBytes)), RGBA);
    if (image.width !== width || image.height !== height) {
      throw new Error(`jpeg decoded to ${image.width}x${image.height}, its header said ${width}x${height}`);
    }
    return { width, height, rgba: image.data };
  },

  encode(rgba, width, height, strideBytes, quality) {
    const { pixels, options } = encoding(rgba, width, height, strideBytes, quality);
    // The binding wants room for the worst of pictures, six bytes a pixel in full colour: with memory of its own for each
    // strip all of that is there until it is collected.
    return new Uint8Array(compressSync(pixels, outputOf(bufferSize(options)), options));
  },
};

/** Memory of at least so many bytes, whose content counts until the next call. */
function outputOf(sizeBytes: number): Buffer {
  if (output.length >= sizeBytes) return output;
  const made = Buffer.allocUnsafeSlow(sizeBytes);
  if (sizeBytes <= MOST_KEPT_BYTES) output = made;
  return made;
}

/** What the binding is told. Throws a RangeError for a size we do not hold and for pixels that are not there. */
function encoding(rgba: Uint8Array, width: number, height: number, strideBytes: number, quality: number) {
  if (!isAcceptableSize({ width, height })) throw new RangeError(`jpeg of ${width}x${height} pixels refused`);
  if (strideBytes % BYTES_PER_PIXEL !== 0 || strideBytes < width * BYTES_PER_PIXEL) {
    throw new RangeError(`jpeg rows of ${strideBytes} bytes, expected a multiple of 4 from ${width * 4} on`);
  }
  const needed = strideBytes * (height - 1) + width * BYTES_PER_PIXEL;
  if (rgba.length < needed) {
    throw new RangeError(`jpeg of ${rgba.length} bytes of pixels, expected ${needed}`);
  }
  // The binding wants the last row as long as the others, which the last rows of a picture are not.
  const isWhole = rgba.length >= strideBytes * height;
  const clamped = Math.min(100, Math.max(1, Math.round(quality)));
  return {
    pixels: bufferOf(isWhole ? rgba : packed(rgba, width, height, strideBytes)),
    options: {
      format: FORMAT_RGBA,
      width,
      height,
      // In pixels, unlike everywhere else.
      stride: isWhole ? strideBytes / BYTES_PER_PIXEL : width,
      quality: clamped,
      subsampling: clamped >= LEAST_FULL_COLOUR_QUALITY ? SAMP_444 : SAMP_420,
    },
  };
}

/**
 * Each scan goes over the whole image, and a few bytes make one: without a limit a small file costs minutes.
 * Within image data the two bytes of a marker never stand together.
 */
function checkScans(jpeg: Buffer): void {
  let scans = 0;
  for (let at = jpeg.indexOf(START_OF_SCAN); at >= 0; at = jpeg.indexOf(START_OF_SCAN, at + 2)) {
    scans++;
    if (scans > MOST_SCANS) throw new Error(`jpeg of more than ${MOST_SCANS} scans refused`);
  }
}

function packed(rgba: Uint8Array, width: number, height: number, strideBytes: number): Uint8Array {
  const rowBytes = width * BYTES_PER_PIXEL;
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    out.set(rgba.subarray(y * strideBytes, y * strideBytes + rowBytes), y * rowBytes);
  }
  return out;
}

/** The same memory as a Buffer, which the binding asks for. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
