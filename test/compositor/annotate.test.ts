import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { type Annotation, annotate } from "../../src/compositor/annotate.ts";

const picture = { width: 64, height: 48, rgba: new Uint8ClampedArray(64 * 48 * 4).fill(255) };
const mark: Annotation = {
  type: "rect",
  color: "#ff0000",
  strokeWidth: 2,
  x: 8,
  y: 8,
  width: 20,
  height: 20,
};

t.test("marks are drawn on a copy, in their order", async (t) => {
  const marks: Annotation[] = [mark, { ...mark, color: "#0000ff" }];
  const { rgba } = await annotate(picture, marks);
  const at = 4 * (8 * 64 + 16);
  t.strictSame([...rgba.subarray(at, at + 4)], [0, 0, 255, 255]);
  t.ok(picture.rgba.every((byte) => byte === 255));
});

t.test("others get a turn after each mark, and nobody's marks are not drawn to their end", async (t) => {
  let turns = 0;
  let isOver = false;
  const drawn = annotate(picture, Array<Annotation>(20).fill(mark)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    turns++;
  }
  await drawn;
  t.ok(turns >= 20, `${turns} turns`);
  const gone = new AbortController();
  const left = annotate(picture, Array<Annotation>(20).fill(mark), gone.signal);
  gone.abort(new Error("gone"));
  await t.rejects(left, { message: "gone" });
});
