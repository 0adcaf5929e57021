import t from "tap";
import { ByteQueue } from "../../../../src/protocols/byte-queue.ts";
import { copyRect, readCopyMove } from "../../../../src/protocols/rfb/encodings/copy-rect.ts";
import { raw } from "../../../../src/protocols/rfb/encodings/raw.ts";
import { checkDecodes, checkRefuses, picture, type WireRect } from "./decode-harness.ts";

const colours = { a: 0x0a0a0a, b: 0x0b0b0b, c: 0x0c0c0c };

/** "abc" in the first row of a picture. */
const letters: WireRect = {
  encoding: raw,
  rect: { x: 0, y: 0, width: 3, height: 1 },
  body: Uint8Array.from([10, 10, 10, 0, 11, 11, 11, 0, 12, 12, 12, 0]),
};

t.test("pixels are taken from the position in the body", async (t) => {
  const copy = {
    encoding: copyRect,
    rect: { x: 1, y: 2, width: 2, height: 1 },
    body: Uint8Array.of(0, 1, 0, 0),
  };
  checkDecodes(t, [letters, copy], picture(["abc", "...", ".bc"], colours));
});

t.test("source and target may overlap", async (t) => {
  const copy = {
    encoding: copyRect,
    rect: { x: 1, y: 0, width: 2, height: 1 },
    body: Uint8Array.of(0, 0, 0, 0),
  };
  checkDecodes(t, [letters, copy], picture(["aab", "...", "..."], colours));
});

t.test("case 13: a source outside the picture is refused", async (t) => {
  const rect = { x: 0, y: 0, width: 2, height: 1 };
  for (const body of [
    Uint8Array.of(0, 2, 0, 0),
    Uint8Array.of(0, 0, 0, 3),
    Uint8Array.of(255, 255, 255, 255),
  ]) {
    checkRefuses(t, [{ encoding: copyRect, rect, body }], 3, 3, /^copyrect from .* expected inside 3x3$/);
  }
});

t.test("the move can be read without being made", async (t) => {
  const queue = new ByteQueue();
  queue.push(Uint8Array.of(0, 5, 0, 6));
  const to = { x: 1, y: 1, width: 2, height: 2 };
  const step = readCopyMove(queue, { width: 10, height: 10 }, to).next();
  t.same(step, { done: true, value: { fromX: 5, fromY: 6, to } });
});
