import fc from "fast-check";
import t from "tap";
import { stepsOfDrag } from "../../../src/desktop/input/drag-steps.ts";
import type { Point } from "../../../src/framebuffer/rect.ts";
import { Hand } from "./hand.ts";

// A drop counts where a program was asked and moved once more: each drag rests just before its end.

const apart = (from: Point, to: Point): number => Math.hypot(to.x - from.x, to.y - from.y);
const lengthOf = (path: readonly Point[]): number =>
  path.slice(1).reduce((sum, to, i) => sum + apart(path[i] ?? to, to), 0);
const A = { x: 10, y: 10 };

t.test("a drag that is short, slow or ends twice at one point rests before its end", (t) => {
  const B = { x: 40, y: 10 };
  const far = { x: 110, y: 10 };
  const paths: [Point[], number | null][] = [
    [[A, B], null],
    [[A, far], 1000],
    [[A, far, far], null],
    [[A, far, far, far], 0],
    [[A, { x: 12, y: 10 }], 0],
  ];
  for (const [path, durationMs] of paths) {
    const { settle, moves } = stepsOfDrag(path, durationMs);
    const end = path.at(-1) ?? A;
    if (settle === null) t.fail(`no rest before ${JSON.stringify(path)}`);
    else t.ok(apart(settle, end) >= 1 && apart(settle, end) <= 2.5, JSON.stringify({ settle, end }));
    t.same(moves.at(-1)?.at, end);
    t.equal(moves.at(-1)?.points, path.length);
  }
  t.end();
});

t.test("a drag that begins twice at one point begins with the same small move", (t) => {
  const path = [A, { x: 90, y: 10 }];
  const once = stepsOfDrag(path, 0);
  const twice = stepsOfDrag([A, ...path], 0);
  t.same(twice.grip, once.grip);
  t.same(
    twice.moves.map(({ at }) => at),
    once.moves.map(({ at }) => at),
  );
  t.same(
    twice.moves.map(({ points }) => points),
    once.moves.map(({ points }) => points + 1),
  );
  t.end();
});

t.test("no point is told as reached before the pointer is there", async (t) => {
  const B = { x: 90, y: 10 };
  for (const path of [
    [A, B, B, B],
    [A, A, B],
    [A, B],
  ]) {
    const hand = new Hand();
    const told: unknown[] = [];
    const action = { kind: "drag", path, button: "left", holdKeysyms: [], durationMs: null } as const;
    const done = hand.performer.perform(action, { report: (part) => told.push(part) });
    await hand.clock.live(90_000);
    await done;
    const begun = path.indexOf(B);
    for (const part of told.slice(0, -1)) t.ok((part as { points: number }).points <= begun);
    t.same(told.at(-1), { points: path.length, of: path.length, ...B });
  }
});

t.test("every drag longer than its first move rests elsewhere than at its end, and moves there last", (t) => {
  const axis = (least: number) => fc.oneof(fc.nat({ max: 6 }), fc.nat({ max: least }));
  const point = fc.record({ x: axis(1500), y: axis(900) });
  const run = fc.tuple(point, fc.integer({ min: 1, max: 3 }));
  const path = fc
    .array(run, { minLength: 1, maxLength: 6 })
    .map((runs) => runs.flatMap(([at, count]) => Array.from({ length: count }, () => at)))
    .filter((points) => points.length > 1);
  const durations = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 10_000 }));
  fc.assert(
    fc.property(path, durations, (points, durationMs) => {
      const [start = A] = points;
      const { grip, moves, settle } = stepsOfDrag(points, durationMs);
      const end = points.at(-1) ?? start;
      const last = moves.at(-1);
      if (last === undefined || apart(last.at, end) !== 0 || last.points !== points.length) return false;
      if (lengthOf(points) <= apart(start, grip)) return settle === null;
      return settle !== null && apart(settle, end) > 0;
    }),
    { numRuns: 2000 },
  );
  t.end();
});
