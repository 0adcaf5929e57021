import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { jpegTurbo } from "../../../../src/imaging/jpeg/jpeg-turbo.ts";
import { jpeg } from "../../../../src/protocols/rfb/encodings/jpeg.ts";
import { checkDecodes, checkRefuses, joinBytes, type WireRect } from "./decode-harness.ts";
import { photoPicture } from "./pictures.ts";

const HUFFMAN = 0xc4;
const QUANTISATION = 0xdb;
const SCAN = 0xda;

const place = { x: 3, y: 2, width: 40, height: 24 };
const image = imageOf(photoPicture(40, 24), 90);

function imageOf(from: Framebuffer, quality: number): Uint8Array {
  return jpegTurbo.encode(from.bytes, from.width, from.height, from.strideBytes, quality);
}

/** The image without the segments of some kinds. */
function without(jpegBytes: Uint8Array, ...kinds: readonly number[]): Uint8Array {
  const parts = [jpegBytes.subarray(0, 2)];
  let at = 2;
  for (;;) {
    const kind = jpegBytes[at + 1] ?? 0;
    const length = 2 + ((jpegBytes[at + 2] ?? 0) << 8) + (jpegBytes[at + 3] ?? 0);
    if (!kinds.includes(kind)) parts.push(jpegBytes.subarray(at, at + length));
    at += length;
    if (kind === SCAN) return joinBytes([...parts, jpegBytes.subarray(at)]);
  }
}

/** What libjpeg-turbo makes of whole images, each at its place. */
function painted(...images: readonly { bytes: Uint8Array; x: number; y: number }[]) {
  const to = new Framebuffer(100, 60);
  for (const { bytes, x, y } of images) {
    const { width, height, rgba } = jpegTurbo.decode(bytes);
    for (let row = 0; row < height; row++) {
      const pixels = rgba.subarray(row * width * 4, (row + 1) * width * 4);
      to.bytes.set(pixels, ((y + row) * to.width + x) * 4);
    }
  }
  return to;
}

t.test("an image ends where its markers say", async (t) => {
  const second = { ...place, x: 50 };
  const rects: WireRect[] = [
    { encoding: jpeg, rect: place, body: image },
    { encoding: jpeg, rect: second, body: image },
  ];
  checkDecodes(t, rects, painted({ bytes: image, x: 3, y: 2 }, { bytes: image, x: 50, y: 2 }));
});

t.test("tables that an image leaves out are those of the image before", async (t) => {
  const other = imageOf(photoPicture(40, 24), 50);
  const bare = without(other, HUFFMAN, QUANTISATION);
  const half = without(other, HUFFMAN);
  const rects = [other, bare, half].map((body, i) => ({
    encoding: jpeg,
    rect: { x: i * 20, y: i * 17, width: 40, height: 24 },
    body,
  }));
  const expected = painted(...rects.map(({ rect }) => ({ bytes: other, x: rect.x, y: rect.y })));
  checkDecodes(t, rects, expected);
});

t.test("fill bytes before markers are allowed", async (t) => {
  const filled = joinBytes([image.subarray(0, 2), Uint8Array.of(0xff, 0xff), image.subarray(2)]);
  checkDecodes(t, [{ encoding: jpeg, rect: place, body: filled }], painted({ bytes: image, x: 3, y: 2 }));
});

t.test(
  "case 18: images that are none, of another size, without tables or too long are refused",
  async (t) => {
    const refuse = (body: Uint8Array, message: RegExp, rect = place): void =>
      checkRefuses(t, [{ encoding: jpeg, rect, body }], 100, 60, message);
    refuse(Uint8Array.of(0x89, 0x50), /jpeg byte 137, expected a marker/);
    refuse(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 1), /segment of 1 bytes/);
    refuse(image, /jpeg of 40x24, expected 39x24/, { ...place, width: 39 });
    refuse(without(image, HUFFMAN, QUANTISATION), /jpeg is damaged/);
    refuse(Uint8Array.of(0xff, 0xd8, 0xff, 0xd9), /jpeg is damaged/);
    const endless = joinBytes([image.subarray(0, image.length - 2), new Uint8Array(100_000)]);
    refuse(endless, /jpeg of more than \d+ bytes/);
    const table = Uint8Array.from([0xff, QUANTISATION, 0x1f, 0xff, ...new Uint8Array(0x1ffd)]);
    refuse(joinBytes([Uint8Array.of(0xff, 0xd8), table, table]), /more tables than there can be/);
  },
);
