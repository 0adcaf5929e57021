import t from "tap";
import { nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { trle } from "../../../../src/protocols/rfb/encodings/trle.ts";
import { checkDecodes, checkRefuses, decode, picture, sameWords } from "./decode-harness.ts";
import { FORMATS } from "./formats.ts";
import { noisePicture } from "./pictures.ts";

const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];
const colours = { r: 0xff0000, g: 0x00ff00, b: 0x0000ff, w: 0xffffff };
const rect = { x: 1, y: 0, width: 3, height: 2 };

function decodes(name: string, body: readonly number[], rows: readonly string[], place = rect): void {
  t.test(name, async (t) =>
    checkDecodes(t, [{ encoding: trle, rect: place, body: Uint8Array.from(body) }], picture(rows, colours)),
  );
}

decodes("a raw tile", [0, ...RED, ...GREEN, ...BLUE, ...BLUE, ...GREEN, ...RED], [".rgb", ".bgr"]);
decodes("a solid tile", [1, ...GREEN], [".ggg", ".ggg"]);
decodes("a packed palette", [2, ...RED, ...BLUE, 0b01000000, 0b10100000], [".rbr", ".brb"]);
decodes("plain runs", [128, ...RED, 3, ...BLUE, 1], [".rrr", ".rbb"]);
decodes("palette runs", [131, ...RED, ...GREEN, ...BLUE, 0x81, 2, 1, 0x80, 1], [".ggg", ".grr"]);

// Two tiles and more: 16 wide each.
const wide = { x: 0, y: 0, width: 18, height: 1 };
const sixteen = "r".repeat(16);
decodes(
  "a packed tile may use the palette of the one before",
  [2, ...RED, ...BLUE, 0, 0, 127, 0b01000000],
  [`${sixteen}rb`],
  wide,
);
decodes(
  "a tile of runs may use the palette of the one before",
  [2, ...RED, ...BLUE, 0, 0, 129, 0x81, 1],
  [`${sixteen}bb`],
  wide,
);
decodes(
  "a packed tile may use the palette of runs",
  [130, ...RED, ...BLUE, 0x80, 15, 127, 0b10000000],
  [`${sixteen}br`],
  wide,
);
decodes("the palette of a solid tile is its colour", [1, ...RED, 127], [`${sixteen}rr`], wide);
decodes(
  "tiles that bring no palette leave it as it was",
  [...[2, ...RED, ...BLUE, 0, 0], ...[128, ...GREEN, 15], ...[127, 0b10000000]],
  [`${sixteen}${"g".repeat(16)}br`],
  { x: 0, y: 0, width: 34, height: 1 },
);

function refused(name: string, body: readonly number[], message: RegExp, place = rect): void {
  t.test(name, async (t) =>
    checkRefuses(t, [{ encoding: trle, rect: place, body: Uint8Array.from(body) }], 40, 40, message),
  );
}

decodes("case 19: a run longer than its tile ends with it", [128, ...RED, 1, ...BLUE, 9], [".rrb", ".bbb"]);
refused("case 19: a run without end is refused", [128, ...RED, ...Array(300).fill(255)], /trle run of/);
refused("case 19: an index beyond the palette is refused", [130, ...RED, ...BLUE, 2], /palette index 2/);
refused("a tile that uses a palette no tile had is refused", [127, 0], /without palette/);
refused("runs that use a palette no tile had are refused", [129, 0], /without palette/);
refused("subencoding 17 is refused", [17], /trle subencoding 17/);
const many = Array.from({ length: 17 }, (_, i) => [i, 0, 0]).flat();
refused(
  "a packed tile with a palette of more than 16 colours is refused",
  [128 + 17, ...many, 0x80, 15, 127],
  /packed tile of 17 colours/,
  wide,
);

t.test("a large picture comes in little queue at any chunking", async (t) => {
  const from = noisePicture(100, 70);
  const body: number[] = [];
  for (let y = 0; y < 70; y += 16) {
    for (let x = 0; x < 100; x += 16) {
      const tile = { x, y, width: Math.min(16, 100 - x), height: Math.min(16, 70 - y) };
      body.push(0);
      for (const [i, byte] of from.read(tile).entries()) if (i % 4 < 3) body.push(byte);
    }
  }
  const wire = [{ encoding: trle, rect: from.rect, body: Uint8Array.from(body) }];
  for (const size of [1, 50, 1460, 100_000]) {
    const run = decode(wire, 100, 70, [size]);
    t.ok(sameWords(run.framebuffer.words, from.words));
    t.ok(run.mostQueued < 1 + 16 * 16 * 3 + size, `${run.mostQueued} bytes waited at most`);
  }
});

t.test("tiles in 16 bits a pixel", async (t) => {
  const format = FORMATS["565"];
  const body = Uint8Array.of(2, 0x00, 0xf8, 0x1f, 0x00, 0b01000000, 0b10100000);
  const { framebuffer } = decode([{ encoding: trle, rect, body }], 4, 2, [1], nodeInflate, format);
  t.ok(sameWords(framebuffer.words, picture([".rbr", ".brb"], colours).words));
});
