import t from "tap";
import { hextile } from "../../../../src/protocols/rfb/encodings/hextile.ts";
import { checkDecodes, checkRefuses, picture } from "./decode-harness.ts";

const RED = [255, 0, 0, 0];
const GREEN = [0, 255, 0, 0];
const BLUE = [0, 0, 255, 0];
const colours = { r: 0xff0000, g: 0x00ff00, b: 0x0000ff };

/** Of RFC 6143 section 7.7.4. */
const RAW = 1;
const BACKGROUND = 2;
const FOREGROUND = 4;
const SUBRECTS = 8;
const COLOURED = 16;

const small = { x: 0, y: 0, width: 3, height: 2 };

t.test("a raw tile holds its pixels", async (t) => {
  const body = Uint8Array.from([RAW, ...RED, ...GREEN, ...BLUE, ...BLUE, ...GREEN, ...RED]);
  checkDecodes(t, [{ encoding: hextile, rect: small, body }], picture(["rgb", "bgr"], colours));
});

t.test("a raw tile ignores the other bits", async (t) => {
  const body = Uint8Array.from([RAW | 30, ...RED, ...GREEN, ...BLUE, ...BLUE, ...GREEN, ...RED]);
  checkDecodes(t, [{ encoding: hextile, rect: small, body }], picture(["rgb", "bgr"], colours));
});

t.test("subrectangles in the foreground lie on the background", async (t) => {
  const body = Uint8Array.from([
    BACKGROUND | FOREGROUND | SUBRECTS,
    ...BLUE,
    ...RED,
    2,
    0x00,
    0x00,
    0x11,
    0x10,
  ]);
  checkDecodes(t, [{ encoding: hextile, rect: small, body }], picture(["rbb", "brr"], colours));
});

t.test("coloured subrectangles each bring their pixel", async (t) => {
  const body = Uint8Array.from([
    BACKGROUND | SUBRECTS | COLOURED,
    ...BLUE,
    2,
    ...RED,
    0x00,
    0x01,
    ...GREEN,
    0x20,
    0x00,
  ]);
  checkDecodes(t, [{ encoding: hextile, rect: small, body }], picture(["rbg", "rbb"], colours));
});

t.test(
  "tiles go left to right, top to bottom, narrow at the edges, and keep the colours of those before",
  async (t) => {
    const rect = { x: 1, y: 0, width: 18, height: 17 };
    const body = Uint8Array.from([
      ...[BACKGROUND | FOREGROUND | SUBRECTS, ...BLUE, ...RED, 1, 0x00, 0xff],
      ...[SUBRECTS, 1, 0x11, 0x00],
      ...[BACKGROUND, ...GREEN],
      0,
    ]);
    const full = "r".repeat(16);
    const rows = [`.${full}bb`, `.${full}br`];
    while (rows.length < 16) rows.push(`.${full}bb`);
    rows.push(`.${"g".repeat(18)}`);
    checkDecodes(t, [{ encoding: hextile, rect, body }], picture(rows, colours));
  },
);

t.test("case 16: of a subrectangle that leaves its tile the part within is painted", async (t) => {
  for (const [place, rows] of [
    [
      [0x00, 0x30],
      ["rrr", "bbb"],
    ],
    [
      [0x00, 0x02],
      ["rbb", "rbb"],
    ],
    [
      [0x11, 0xff],
      ["bbb", "brr"],
    ],
    [
      [0x30, 0x00],
      ["bbb", "bbb"],
    ],
    [
      [0x02, 0x00],
      ["bbb", "bbb"],
    ],
    [
      [0xff, 0xff],
      ["bbb", "bbb"],
    ],
  ] as const) {
    for (const coloured of [false, true]) {
      const kind = BACKGROUND | SUBRECTS | (coloured ? COLOURED : FOREGROUND);
      const head = coloured ? [kind, ...BLUE, 1, ...RED] : [kind, ...BLUE, ...RED, 1];
      const body = Uint8Array.from([...head, ...place]);
      checkDecodes(t, [{ encoding: hextile, rect: small, body }], picture([...rows], colours));
    }
  }
});

t.test(
  "case 16: what is beyond its tile touches no other tile, and those after it are painted",
  async (t) => {
    const rect = { x: 0, y: 0, width: 18, height: 1 };
    const first = [BACKGROUND | FOREGROUND | SUBRECTS, ...BLUE, ...RED, 1, 0xe0, 0xf0];
    const body = Uint8Array.from([...first, BACKGROUND, ...GREEN]);
    checkDecodes(t, [{ encoding: hextile, rect, body }], picture([`${"b".repeat(14)}rrgg`], colours));
  },
);

t.test("case 16: a first tile without background is refused", async (t) => {
  checkRefuses(t, [{ encoding: hextile, rect: small, body: Uint8Array.of(0) }], 3, 2, /without background/);
  const afterRaw = Uint8Array.from([RAW, ...Array.from({ length: 16 * 2 * 4 }, () => 1), 0]);
  const rect = { x: 0, y: 0, width: 17, height: 2 };
  checkRefuses(t, [{ encoding: hextile, rect, body: afterRaw }], 17, 2, /without background/);
});

t.test("case 16: subrectangles in a foreground that was never given are refused", async (t) => {
  const body = Uint8Array.from([BACKGROUND | SUBRECTS, ...BLUE, 1, 0, 0]);
  checkRefuses(t, [{ encoding: hextile, rect: small, body }], 3, 2, /without foreground/);
});

t.test("a subencoding byte with unknown bits is refused", async (t) => {
  for (const kind of [32, 64, 128, 226]) {
    const body = Uint8Array.from([kind, 0, 0, 0, 0]);
    checkRefuses(t, [{ encoding: hextile, rect: small, body }], 3, 2, /subencoding/);
  }
});
