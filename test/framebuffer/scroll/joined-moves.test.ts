import fc from "fast-check";
import t from "tap";
import { targetsOf } from "../../../src/framebuffer/copy-move.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { joiningMoves, type Moved } from "../../../src/framebuffer/scroll/joined-moves.ts";
import { finish } from "../../../src/framebuffer/steps.ts";
import { drawText, noisyFrame, withoutKernels } from "../frames.ts";

const WIDTH = 400;
const HEIGHT = 300;

/** What a target does with a picture: moves, then paints. */
function played(before: Framebuffer, moves: readonly CopyMove[], paints: readonly Rect[]): Framebuffer {
  const after = withoutKernels(before);
  for (const { fromX, fromY, to } of moves) after.copy(fromX, fromY, to);
  for (const [i, area] of paints.entries()) after.fill(area, 0x101010 * (i + 1));
  return after;
}

/** What a viewer of `before` shows that moves, then paints the rest and what changed outside of the moves. */
function followed(
  before: Framebuffer,
  after: Framebuffer,
  changed: Region,
  { moves, rest }: Moved,
): Framebuffer {
  const shown = withoutKernels(before);
  for (const { fromX, fromY, to } of moves) shown.copy(fromX, fromY, to);
  for (const r of changed.subtract(targetsOf(moves)).union(rest).rects) {
    for (let y = r.y; y < r.y + r.height; y++) {
      const start = y * WIDTH + r.x;
      shown.words.set(after.words.subarray(start, start + r.width), start);
    }
  }
  return shown;
}

function joined(before: Framebuffer, moves: readonly CopyMove[], paints: readonly Rect[]) {
  const after = played(before, moves, paints);
  const painted = Region.from([...paints]);
  const moved = finish(joiningMoves(before, after, painted, moves));
  const isShown =
    moved === null || Buffer.compare(followed(before, after, painted, moved).bytes, after.bytes) === 0;
  const ofResting = finish(joiningMoves(before, restingOn(before, moves, paints), painted, moves));
  return { moved, isShown: isShown && isSame(moved, ofResting) };
}

/** The same, of a picture that leaves moves to be made. */
function restingOn(before: Framebuffer, moves: readonly CopyMove[], paints: readonly Rect[]): Framebuffer {
  const after = new Framebuffer(WIDTH, HEIGHT, { hasKernels: true, canRest: true });
  after.rest(before);
  for (const { fromX, fromY, to } of moves) after.copy(fromX, fromY, to);
  for (const [i, area] of paints.entries()) {
    after.paint(area);
    after.fill(area, 0x101010 * (i + 1));
  }
  return after;
}

function isSame(a: Moved | null, b: Moved | null): boolean {
  return JSON.stringify(a?.moves) === JSON.stringify(b?.moves) && (a?.rest.equals(b!.rest) ?? b === null);
}

function page(): Framebuffer {
  const frame = new Framebuffer(WIDTH, HEIGHT, { hasKernels: true });
  frame.fill(frame.rect, 0xf0f0f0);
  drawText(frame, rect(0, 0, 300, 240), 5);
  return frame;
}

/** Up by 16 rows, cut around a hole, with the line below and the blank beside it in moves of their own. */
const AROUND_HOLE: readonly CopyMove[] = [
  { fromX: 0, fromY: 16, to: rect(0, 0, 400, 100) },
  { fromX: 0, fromY: 116, to: rect(0, 100, 120, 16) },
  { fromX: 129, fromY: 116, to: rect(129, 100, 271, 16) },
  { fromX: 0, fromY: 132, to: rect(0, 116, 400, 92) },
];

t.test(
  "a scroll that is cut around a pointer is one move, and what it brings that is wrong is painted",
  (t) => {
    const { moved, isShown } = joined(page(), AROUND_HOLE, [rect(120, 100, 9, 16)]);
    t.same(moved?.moves, [{ fromX: 0, fromY: 16, to: rect(0, 0, 400, 208) }]);
    t.ok((moved?.rest.area ?? 0) <= 9 * 16);
    t.ok(isShown);
    t.end();
  },
);

t.test("a move that changes nothing is left out, and no line is painted anew to save one", (t) => {
  const before = page();
  // Text to 240, blank below: the last line goes up, the blank beside it and below moves on itself.
  const moves = [
    { fromX: 0, fromY: 16, to: rect(0, 0, 400, 192) },
    { fromX: 310, fromY: 208, to: rect(310, 192, 90, 16) },
    { fromX: 310, fromY: 260, to: rect(310, 244, 90, 40) },
  ];
  const { moved, isShown } = joined(before, moves, []);
  t.same(moved, { moves: moves.slice(0, 1), rest: Region.empty });
  t.ok(isShown);
  t.same(joined(before, moves.slice(1), []).moved, { moves: [], rest: Region.empty });
  t.end();
});

t.test(
  "moves stay apart where joining them would paint much, and where one reads what another wrote",
  (t) => {
    const before = noisyFrame(WIDTH, HEIGHT, 3);
    const corners = [
      { fromX: 0, fromY: 20, to: rect(0, 0, 100, 260) },
      { fromX: 200, fromY: 20, to: rect(200, 0, 100, 260) },
    ];
    t.same(joined(before, corners, []).moved, { moves: corners, rest: Region.empty });
    const chained = [
      { fromX: 0, fromY: 100, to: rect(0, 120, 50, 20) },
      { fromX: 0, fromY: 120, to: rect(0, 140, 50, 20) },
    ];
    t.equal(joined(before, chained, []).moved, null);
    t.equal(joined(before, [{ fromX: 0, fromY: 0, to: rect(9, 9, 5, 5) }, ...corners], []).moved, null);
    t.end();
  },
);

const anArea = fc.record({
  x: fc.integer({ min: 0, max: WIDTH - 1 }),
  y: fc.integer({ min: 0, max: HEIGHT - 1 }),
  width: fc.integer({ min: 1, max: WIDTH }),
  height: fc.integer({ min: 1, max: HEIGHT }),
});
const inside = ({ x, y, width, height }: Rect): Rect =>
  rect(x, y, Math.min(width, WIDTH - x), Math.min(height, HEIGHT - y));

t.test("whatever is moved by one shift and painted over, moves, rest and changes show every pixel", (t) => {
  const pictures = [page(), noisyFrame(WIDTH, HEIGHT, 9)];
  let told = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...pictures),
      fc.array(anArea, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: -40, max: 40 }),
      fc.integer({ min: -40, max: 40 }),
      fc.array(anArea, { maxLength: 3 }),
      (before, targets, dx, dy, paints) => {
        const moves = targets
          .map(inside)
          .map((to) => ({ fromX: to.x - dx, fromY: to.y - dy, to }))
          .filter(
            ({ fromX, fromY, to }) =>
              fromX >= 0 && fromY >= 0 && fromX + to.width <= WIDTH && fromY + to.height <= HEIGHT,
          );
        const { moved, isShown } = joined(before, moves, paints.map(inside));
        if (moved !== null) told++;
        return isShown && (moved === null || moved.moves.length <= moves.length);
      },
    ),
    { numRuns: 300, seed: 11 },
  );
  t.ok(told > 30, `${told} had one shift`);
  t.end();
});
