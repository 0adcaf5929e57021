import t from "tap";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { rre } from "../../../../src/protocols/rfb/encodings/rre.ts";
import { checkDecodes, checkRefuses, picture } from "./decode-harness.ts";

const rect = { x: 1, y: 1, width: 4, height: 3 };

/** Subrectangles as x, y, width, height, each red, on blue. */
function body(subrects: readonly (readonly [number, number, number, number])[], count = subrects.length) {
  const to = new ByteWriter(1024).u32(count).u8(0).u8(0).u8(255).u8(0);
  for (const [x, y, width, height] of subrects) {
    to.u8(255).u8(0).u8(0).u8(77).u16(x).u16(y).u16(width).u16(height);
  }
  return to.bytes();
}

t.test("subrectangles lie on the background", async (t) => {
  const expected = picture([".....", ".rbbb", ".bbrr", ".bbrr"], { r: 0xff0000, b: 0x0000ff });
  const subrects = body([
    [0, 0, 1, 1],
    [2, 1, 2, 2],
  ]);
  checkDecodes(t, [{ encoding: rre, rect, body: subrects }], expected);
});

t.test("without subrectangles all is background", async (t) => {
  const expected = picture([".....", ".bbbb", ".bbbb", ".bbbb"], { b: 0x0000ff });
  checkDecodes(t, [{ encoding: rre, rect, body: body([]) }], expected);
});

t.test("case 15: more subrectangles than pixels are refused before any is read", async (t) => {
  for (const count of [13, 0x7fffffff, 0xffffffff]) {
    checkRefuses(
      t,
      [{ encoding: rre, rect, body: body([], count) }],
      5,
      4,
      /subrectangles where the rectangle/,
    );
  }
});

t.test("case 15: a subrectangle that leaves its rectangle is refused", async (t) => {
  for (const subrect of [
    [4, 0, 1, 1],
    [0, 3, 1, 1],
    [3, 0, 2, 1],
    [0, 0, 0xffff, 1],
    [0xffff, 0xffff, 1, 1],
  ]) {
    const [x = 0, y = 0, width = 0, height = 0] = subrect;
    checkRefuses(
      t,
      [{ encoding: rre, rect, body: body([[x, y, width, height]]) }],
      5,
      4,
      /expected inside 4x3/,
    );
  }
});

t.test("case 15: subrectangles that cover each other again and again are refused", async (t) => {
  const subrects = body(Array.from({ length: 12 }, () => [0, 0, 4, 3]));
  checkRefuses(t, [{ encoding: rre, rect, body: subrects }], 5, 4, /overlap/);
});
