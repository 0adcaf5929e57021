import t from "tap";
import { LineSpeed } from "../../../../src/desktop/links/vnc/line-speed.ts";

const PIECE_BYTES = 64 * 1024;
const PIECES = 10;

/** A line and what was asked over it. */
function line(): { readonly asked: boolean[]; update(mbPerSecond: number, pieces?: number): void } {
  const asked: boolean[] = [];
  const speed = new LineSpeed((isPlain) => asked.push(isPlain));
  let nowMs = 0;
  return {
    asked,
    update(mbPerSecond, pieces = PIECES) {
      nowMs += 100;
      for (let piece = 0; piece < pieces; piece++) {
        speed.received(PIECE_BYTES, nowMs);
        if (piece < pieces - 1) nowMs += PIECE_BYTES / (mbPerSecond * 1000);
      }
      speed.updated(nowMs);
    },
  };
}

t.test("large updates that come fast are asked for without compression, once", async (t) => {
  const { asked, update } = line();
  update(2);
  t.same(asked, [], "not over a slow line");
  update(50, 4);
  t.same(asked, [], "a small update says nothing");
  update(8);
  t.same(asked, [true]);
  update(300);
  t.same(asked, [true]);
});

t.test("a line that proves too slow for plain pictures has them compressed again, for good", async (t) => {
  const { asked, update } = line();
  update(8);
  for (let i = 0; i < 15; i++) update(12);
  t.same(asked, [true], "some that come late are no proof");
  update(200);
  for (let i = 0; i < 15; i++) update(12);
  t.same(asked, [true], "nor are they after a fast one");
  update(12);
  t.same(asked, [true, false]);
  update(200);
  t.same(asked, [true, false]);
});
