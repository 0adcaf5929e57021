import type { GreyPicture } from "./ocr-engine.ts";

/** TIFF 6.0, section 2: byte order "II", the number 42, the place of the first directory. */
const HEADER = Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0);

const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;

const TAGS = 10;
/** A directory: how many tags, 12 bytes each, where the next directory is. */
const DIRECTORY = 2 + TAGS * 12 + 4;
const RESOLUTION = 8;

/** Grey pictures, uncompressed, as the pages of one TIFF file. `perInch`: pixels. */
export function greyTiff(pictures: readonly GreyPicture[], perInch: number): Uint8Array {
  const sizes = pictures.map(({ grey }) => DIRECTORY + RESOLUTION + grey.length + (grey.length & 1));
  const file = new Uint8Array(sizes.reduce((sum, size) => sum + size, HEADER.length));
  file.set(HEADER);
  const view = new DataView(file.buffer);
  let at = HEADER.length;
  for (const [index, { width, height, grey }] of pictures.entries()) {
    const resolutionAt = at + DIRECTORY;
    const pixelsAt = resolutionAt + RESOLUTION;
    const tags: readonly (readonly [tag: number, type: number, value: number])[] = [
      [256 /* ImageWidth */, LONG, width],
      [257 /* ImageLength */, LONG, height],
      [258 /* BitsPerSample */, SHORT, 8],
      [259 /* Compression: none */, SHORT, 1],
      [262 /* PhotometricInterpretation: black is zero */, SHORT, 1],
      [273 /* StripOffsets */, LONG, pixelsAt],
      [277 /* SamplesPerPixel */, SHORT, 1],
      [278 /* RowsPerStrip */, LONG, height],
      [279 /* StripByteCounts */, LONG, grey.length],
      [282 /* XResolution */, RATIONAL, resolutionAt],
    ];
    view.setUint16(at, TAGS, true);
    for (const [number, [tag, type, value]] of tags.entries()) {
      const entry = at + 2 + number * 12;
      view.setUint16(entry, tag, true);
      view.setUint16(entry + 2, type, true);
      view.setUint32(entry + 4, 1, true);
      view.setUint32(entry + 8, value, true);
    }
    const next = at + (sizes[index] ?? 0);
    view.setUint32(at + DIRECTORY - 4, index === pictures.length - 1 ? 0 : next, true);
    view.setUint32(resolutionAt, perInch, true);
    view.setUint32(resolutionAt + 4, 1, true);
    file.set(grey, pixelsAt);
    at = next;
  }
  return file;
}
