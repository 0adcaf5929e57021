import t from "tap";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import type { Shot } from "../harness/xwd.ts";
import { type Claim, Judge } from "./judge.ts";

// Who judges is judged here: each kind of untrue answer is found, and true ones pass.

const WIDTH = 100;

function shot(...black: readonly Rect[]): Shot {
  const rgba = new Uint8Array(WIDTH * WIDTH * 4).fill(255);
  for (const { x, y, width, height } of black) {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++)
        rgba.fill(0, (row * WIDTH + column) * 4, (row * WIDTH + column) * 4 + 3);
    }
  }
  return { width: WIDTH, height: WIDTH, rgba };
}

const AREA = { x: 10, y: 10, width: 5, height: 5 };
const OTHER = { x: 60, y: 60, width: 2, height: 2 };
const claim = (changed: boolean | null, ...changed_rects: Rect[]): Claim => ({
  ...{ changed, changed_rects, periodic_rects: [] },
  ...{ generation_before: 1, generation_after: 2 },
});

function judged(
  said: Claim,
  after: Shot,
  { since = null, moving = [] }: { since?: readonly Rect[] | null; moving?: readonly Rect[] } = {},
): Judge {
  const judge = new Judge();
  judge.claim("a click", said, { before: shot(), after, since, moving }, false);
  return judge;
}

t.test("true answers pass", async (t) => {
  t.same(judged(claim(false), shot()).untrue, []);
  t.same(judged(claim(true, AREA), shot(AREA)).untrue, []);
  t.same(judged(claim(true, AREA), shot(AREA, OTHER), { moving: [OTHER] }).untrue, []);
});

t.test("untrue ones are found", async (t) => {
  t.match(judged(claim(false), shot(AREA)).untrue, [
    /changed: false, and 25 pixels differ .* first at 10,10/,
  ]);
  t.match(judged(claim(true, AREA), shot(AREA, OTHER)).untrue, [/4 pixels differ .* first at 60,60/]);
  t.match(judged(claim(null), shot(AREA)).untrue, [/changed: null, and 25 pixels/], "doubt is no excuse");
  t.match(judged(claim(true), shot()).untrue, [/without changed_rects/]);
  t.match(judged(claim(false, AREA), shot()).untrue, [/with changed_rects/]);
  t.match(judged(claim(true, { ...AREA, x: 98 }), shot()).untrue, [/not of the screen/]);
  const periodic = { ...claim(false), periodic_rects: [{ x: 0, y: 0, width: 50, height: 50 }] };
  t.match(judged(periodic, shot(AREA)).untrue, [/2500 pixels periodic/]);
});

t.test("what is told by the next look is late, not untrue, and must be rare", async (t) => {
  const judge = new Judge();
  const seen = { before: shot(), after: shot(AREA), since: [AREA], moving: [] };
  for (let i = 0; i < 3; i++) judge.claim("a click", claim(false), seen, false);
  t.same(judge.untrue, []);
  t.match(judge.excesses, [/3 of 3 answers were late/]);
});

t.test("who claims nothing, or everything, does not pass", async (t) => {
  const silent = new Judge();
  const loud = new Judge();
  const seen = { before: shot(), after: shot(OTHER), since: [OTHER], moving: [] };
  for (let i = 0; i < 20; i++) {
    silent.claim("a click", claim(null), seen, false);
    const all = claim(true, { x: 0, y: 0, width: WIDTH, height: WIDTH });
    loud.claim("a click", all, { ...seen, since: null }, false);
  }
  t.match(silent.excesses, [/20 of 20 answers were unclaimed/]);
  t.match(loud.excesses, [/20 of 20 answers were wide/]);
});
