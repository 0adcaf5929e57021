import t from "tap";
import { UpdateJoiner } from "../../../../src/desktop/links/rdp/update-joiner.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import { FakeClock } from "../../../fake-clock.ts";

const rowAt = (y: number): Rect => ({ x: 0, y, width: 10, height: 1 });

function joining() {
  const clock = new FakeClock();
  const told: (readonly Rect[])[] = [];
  const picture = { isWhole: true };
  const joiner = new UpdateJoiner(
    { isWhole: () => picture.isWhole, tell: ({ rects }) => told.push(rects) },
    clock,
  );
  const paint = (y: number): void => joiner.add(Region.of(rowAt(y)));
  return { clock, told, picture, joiner, paint };
}

t.test(
  "the first update after a pause is told at once, those that come close upon it together",
  async (t) => {
    const { clock, told, paint } = joining();
    clock.advance(100);
    paint(0);
    t.same(told, [[rowAt(0)]]);
    paint(4);
    clock.advance(3);
    paint(8);
    t.equal(told.length, 1, "they wait");
    clock.advance(5);
    t.same(told[1], [rowAt(4), rowAt(8)]);
    clock.advance(100);
    t.equal(told.length, 2, "once");
    paint(12);
    t.equal(told.length, 3, "and at once again");
  },
);

t.test("who wants to know now is told of what waits", async (t) => {
  const { clock, told, joiner, paint } = joining();
  clock.advance(100);
  paint(0);
  paint(4);
  joiner.flush();
  t.same(told[1], [rowAt(4)]);
  joiner.flush();
  clock.advance(100);
  t.equal(told.length, 2, "and of nothing twice");
});

t.test("half of an update is not shown: what waits is told with its end", async (t) => {
  const { clock, told, picture, joiner, paint } = joining();
  clock.advance(100);
  paint(0);
  paint(4);
  picture.isWhole = false;
  clock.advance(50);
  joiner.flush();
  t.equal(told.length, 1);
  picture.isWhole = true;
  paint(8);
  t.same(told[1], [rowAt(4), rowAt(8)]);
});

t.test("of a picture that is no more nothing is told", async (t) => {
  const { clock, told, joiner, paint } = joining();
  clock.advance(100);
  paint(0);
  paint(4);
  joiner.drop();
  clock.advance(100);
  t.equal(told.length, 1);
});

t.test("many rectangles are told as they are, never as pixels that nobody painted", async (t) => {
  const { clock, told, picture, joiner, paint } = joining();
  clock.advance(100);
  for (let n = 0; n < 700; n++) paint(2 * n);
  joiner.flush();
  const rows = Array.from({ length: 700 }, (_, n) => rowAt(2 * n));
  t.same(told.flat(), rows);
  picture.isWhole = false;
  for (let n = 0; n < 700; n++) paint(2 * n);
  picture.isWhole = true;
  joiner.flush();
  t.same(told.at(-1), rows, "nor where a frame has to be whole first");
});
