import t from "tap";
import { DamageHistory } from "../../../src/desktop/effects/damage-history.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";

const SCREEN = rect(0, 0, 1920, 1080);
/** Over a corner of four cells. */
const CARET = rect(30, 28, 4, 8);

/** All at `atMs`, then each of `rects` again every half second, three times. */
function blinking(first: readonly Rect[], rects: readonly Rect[]): DamageHistory {
  const history = new DamageHistory();
  for (const r of first) history.add(Region.of(r), 0);
  for (const atMs of [500, 1000, 1500, 2000]) history.add(Region.from([...rects]), atMs);
  return history;
}

t.test(
  "what blinks in cells that all changed once is known as it is where nothing changed before",
  async (t) => {
    const history = blinking([SCREEN], [CARET]);
    t.same(history.periodic(2100), Region.of(CARET));
    t.same(history.restless(2100), Region.of(CARET), "what changed once is no rhythm");
    t.same(blinking([], [CARET]).periodic(2100), Region.of(CARET));
  },
);

t.test("two parts of a cell that change at once are one change of it", async (t) => {
  const [upper, lower] = [rect(2, 2, 4, 4), rect(2, 10, 4, 4)];
  const history = blinking([SCREEN, upper, lower], [upper, lower]);
  t.same(history.periodic(2100), Region.of(rect(2, 2, 4, 12)));
});

t.test("what changed once and was forgotten is no first change", async (t) => {
  const history = new DamageHistory();
  history.add(Region.of(SCREEN), 0);
  t.ok(history.restless(2000).isEmpty);
  for (const atMs of [2500, 3000, 3500]) history.add(Region.of(CARET), atMs);
  t.ok(history.periodic(3600).isEmpty, "two intervals prove nothing");
  history.add(Region.of(CARET), 4000);
  t.same(history.periodic(4100), Region.of(CARET));
});
