import t from "tap";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { ReportedScreens } from "../../../src/mcp/model/reported-screens.ts";

const LEFT = rect(0, 0, 50, 100);
const RIGHT = rect(50, 0, 50, 100);
const ALL = rect(0, 0, 100, 100);

function setUp() {
  const changes: Rect[] = [];
  let oldest = 0;
  const screen = {
    size: { width: 100, height: 100 },
    get generation() {
      return changes.length;
    },
    changedSince: (from: number, until = changes.length) =>
      from < oldest ? null : Region.from(changes.slice(from, Math.max(from, until))),
  };
  const told = new ReportedScreens();
  return {
    told,
    screen,
    paint: (area: Rect) => void changes.push(area),
    forget: () => {
      oldest = changes.length;
    },
    /** What an agent has to be told that asks for all since a generation; null: all. */
    news: (since: number): Rect[] | null => {
      const untold = told.untold("agent", screen, since);
      const changed = untold === null ? null : screen.changedSince(untold.generation);
      return changed === null || untold === null ? null : changed.union(untold.region).rects;
    },
    shown: (area: Rect, generation: number) => told.shown("agent", screen, [area], generation),
  };
}

t.test("a generation of a part is no news of that part alone", async (t) => {
  const { paint, shown, news } = setUp();
  t.equal(news(0), null, "nothing was ever shown");
  shown(ALL, 0);
  t.same(news(0), []);
  paint(RIGHT);
  shown(LEFT, 1);
  t.same(news(1), [RIGHT]);
  t.same(news(0), [RIGHT]);
  shown(RIGHT, 1);
  t.same(news(1), []);
  t.equal(news(2), null, "a generation that is still to come");
});

t.test("who asks from an older generation is told what it was short of then", async (t) => {
  const { paint, shown, news } = setUp();
  shown(LEFT, 0);
  paint(LEFT);
  shown(ALL, 1);
  t.same(news(1), []);
  t.same(news(0), [ALL], "the later answer may not have arrived");
});

t.test("an answer that comes late tells of its own moment", async (t) => {
  const { paint, shown, news } = setUp();
  shown(LEFT, 0);
  paint(rect(50, 0, 50, 10));
  shown(LEFT, 1);
  shown(RIGHT, 0);
  t.same(news(1), [rect(50, 0, 50, 10)]);
  t.same(news(0), [rect(50, 0, 50, 10)]);
});

t.test("a comparison tells what differs between its two generations and nothing before", async (t) => {
  const { told, screen, paint, shown, news } = setUp();
  told.compared("agent", screen, 0, 0);
  t.equal(news(0), null, "differences from nothing known");
  shown(ALL, 0);
  paint(LEFT);
  paint(RIGHT);
  told.compared("agent", screen, 1, 2);
  t.same(news(2), [LEFT]);
  shown(ALL, 2);
  paint(LEFT);
  shown(ALL, 3);
  paint(RIGHT);
  told.compared("agent", screen, 2, 4);
  t.same(news(4), [RIGHT], "what was shown in the middle was not compared with");
});

t.test("agents know for themselves, and where changes are forgotten all is news", async (t) => {
  const { told, screen, paint, shown, news, forget } = setUp();
  shown(ALL, 0);
  t.equal(told.untold("other", screen, 0), null);
  t.equal(told.untold("agent", { ...screen }, 0), null, "another desktop");
  paint(LEFT);
  forget();
  t.equal(news(0), null);
  shown(RIGHT, 1);
  t.same(news(1), [LEFT]);
});

t.test("many agents and generations cost no more than so much", async (t) => {
  const { told, screen, paint, shown, news } = setUp();
  for (let i = 0; i < 50; i++) {
    shown(ALL, i);
    paint(rect(i, 0, 1, 1));
  }
  t.equal(news(0), null, "too long ago");
  t.same(news(49), [rect(49, 0, 1, 1)]);
  for (let i = 0; i < 64; i++) told.shown(`${i}`, screen, [ALL], 50);
  t.equal(news(50), null, "of too many agents the one that was told nothing for longest");
  t.not(told.untold("63", screen, 50), null);
});
