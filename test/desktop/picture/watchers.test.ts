import fc from "fast-check";
import t from "tap";
import { ChangeHistory } from "../../../src/desktop/picture/change-history.ts";
import { Watchers } from "../../../src/desktop/picture/watchers.ts";
import type { Change, Watcher } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { anyRect, type Random, randomOf } from "./random.ts";

const WIDTH = 160;
const HEIGHT = 120;
const SIZE = { width: WIDTH, height: HEIGHT };

/** Scrolls in pieces as servers send them, dragged windows, and moves of anything to anywhere. */
function anyMoves(next: Random): CopyMove[] {
  const kind = next(3);
  const window = rect(16, 8, 100, 90);
  if (kind === 0) {
    const rows = 1 + next(20);
    const [top, left, right, bottom] = [30, 40, 60, 50];
    const { x, width } = window;
    const height = window.height - rows;
    return [
      rect(x, 8, width, top - 8),
      rect(x, top, left, bottom - top),
      rect(x + right, top, width - right, bottom - top),
      rect(x, bottom, width, height - bottom),
    ].map((to) => ({ fromX: to.x, fromY: to.y + rows, to }));
  }
  if (kind === 1) {
    const to = { ...window, x: window.x + next(20) - 10, y: next(20) };
    return [{ fromX: window.x, fromY: window.y, to }];
  }
  return Array.from({ length: 1 + next(3) }, () => {
    const to = anyRect(next, SIZE);
    return { fromX: next(WIDTH - to.width + 1), fromY: next(HEIGHT - to.height + 1), to };
  });
}

/** Draws something, first the moves, and tells what. */
function anyChange(frame: Framebuffer, next: Random): Change {
  const copies = next(3) === 0 ? [] : anyMoves(next);
  for (const { fromX, fromY, to } of copies) frame.copy(fromX, fromY, to);
  const painted = Array.from({ length: next(4) }, () => anyRect(next, SIZE)).map((r) =>
    next(2) === 0 ? r : rect(r.x, r.y, Math.min(9, r.width), Math.min(9, r.height)),
  );
  for (const r of painted) {
    for (let y = r.y; y < r.y + r.height; y++) {
      for (let x = r.x; x < r.x + r.width; x++) frame.words[y * WIDTH + x] = 0xff000000 + next(1 << 24);
    }
  }
  return { painted: Region.from(painted), copies };
}

/** Shows what its watcher hands out, all of it or a part. */
class Shown {
  readonly #watcher: Watcher;
  readonly #frame = new Framebuffer(WIDTH, HEIGHT);

  constructor(watchers: Watchers) {
    this.#watcher = watchers.add(this.#frame.rect, { withOverlays: false }, () => {});
  }

  /** `without`: what an update has no room for. */
  take(picture: Framebuffer, without: Rect | null): void {
    const { painted, copies } = this.#watcher.take();
    for (const { fromX, fromY, to } of copies) this.#frame.copy(fromX, fromY, to);
    const left = without === null ? Region.empty : painted.clip(without);
    for (const r of painted.subtract(left).rects) {
      for (let y = r.y; y < r.y + r.height; y++) {
        const at = y * WIDTH + r.x;
        this.#frame.words.set(picture.words.subarray(at, at + r.width), at);
      }
    }
    if (!left.isEmpty) this.#watcher.putBack(left);
  }

  /** How many of its pixels are not the picture's. */
  wrongPixels(picture: Framebuffer): number {
    return this.#frame.words.reduce((sum, word, i) => sum + (word === picture.words[i] ? 0 : 1), 0);
  }
}

t.test(
  "whoever takes what whenever, and leaves out what it likes, shows the picture in the end",
  async () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const next = randomOf(seed);
        const watchers = new Watchers(() => {});
        const picture = new Framebuffer(WIDTH, HEIGHT);
        const all = Array.from({ length: 6 }, () => new Shown(watchers));
        for (let step = 0; step < 50; step++) {
          const { painted, copies } = anyChange(picture, next);
          watchers.update(painted, copies, Region.empty);
          // The first at every change, the last about every thirtieth.
          all.forEach((shown, i) => {
            if (next(1 + i * 6) === 0) shown.take(picture, next(3) === 0 ? anyRect(next, SIZE) : null);
          });
        }
        for (const shown of all) shown.take(picture, null);
        return all.every((shown) => shown.wrongPixels(picture) === 0);
      }),
      { numRuns: 150 },
    );
  },
);

t.test("a scroll that goes on while a watcher waits is one move and the new lines", async (t) => {
  const watchers = new Watchers(() => {});
  const whole = rect(0, 0, 800, 600);
  const watcher = watchers.add(whole, { withOverlays: false }, () => {});
  watcher.take();
  for (let i = 0; i < 10; i++) {
    const move = { fromX: 0, fromY: 13, to: rect(0, 0, 800, 587) };
    watchers.update(Region.of(rect(0, 587, 500, 9)), [move], Region.empty);
  }
  const { painted, copies } = watcher.take();
  t.same(copies, [{ fromX: 0, fromY: 130, to: rect(0, 0, 800, 470) }]);
  t.ok(painted.area <= 130 * 800, `${painted.area} pixels are painted`);
});

t.test("those who took at the same time are owed the same object", async (t) => {
  const watchers = new Watchers(() => {});
  const whole = rect(0, 0, 800, 600);
  const [a, b, late] = [1, 2, 3].map(() => watchers.add(whole, { withOverlays: false }, () => {}));
  for (const watcher of [a, b, late]) watcher?.take();
  watchers.update(Region.of(rect(1, 1, 5, 5)), [], Region.empty);
  t.equal(a?.take(), b?.take());
  watchers.update(Region.of(rect(100, 1, 5, 5)), [], Region.empty);
  t.equal(a?.take(), b?.take());
  t.same(late?.take().painted.rects, [rect(1, 1, 5, 5), rect(100, 1, 5, 5)]);
});

t.test("what waits for long, or is in many parts, is told in cells", async (t) => {
  const watchers = new Watchers(() => {});
  const whole = rect(0, 0, 800, 600);
  const [slow, busy] = [1, 2].map(() => watchers.add(whole, { withOverlays: false }, () => {}));
  slow?.take();
  for (let i = 0; i < 100; i++) {
    if (i === 99) busy?.take();
    watchers.update(Region.of(rect(5, 5, 1, 1)), [], Region.empty);
  }
  t.same(slow?.take().painted.rects, [rect(0, 0, 16, 16)]);
  t.same(busy?.take().painted.rects, [rect(5, 5, 1, 1)]);
  const spots = Array.from({ length: 400 }, (_, i) => rect((i % 20) * 40, Math.floor(i / 20) * 30, 3, 3));
  watchers.update(Region.from(spots), [], Region.empty);
  const { painted } = busy?.take() ?? { painted: Region.empty };
  t.ok(painted.rectCount <= 64);
  t.ok(Region.from(spots).subtract(painted).isEmpty);
});

t.test(
  "who has no watchers keeps nothing of a picture's size, and is watched from then on as from the first",
  async (t) => {
    const before = process.memoryUsage().arrayBuffers;
    const all = Array.from({ length: 50 }, () => new Watchers(() => {}));
    for (const watchers of all) watchers.reset(rect(0, 0, 1920, 1080));
    t.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
    const [watchers = new Watchers(() => {})] = all;
    let told = 0;
    for (let round = 0; round < 2; round++) {
      const watcher = watchers.add(rect(0, 0, 1920, 1080), {}, () => told++);
      t.same(watcher.take().painted, Region.of(rect(0, 0, 1920, 1080)), "all is owed");
      watchers.update(Region.of(rect(8, 8, 16, 16)), [], Region.empty);
      t.same(watcher.take().painted, Region.of(rect(8, 8, 16, 16)));
      watcher.close();
      watchers.update(Region.of(rect(0, 0, 16, 16)), [], Region.empty);
    }
    t.equal(told, 2);
  },
);

t.test("a history that was forgotten is of no size until it begins anew", async (t) => {
  const history = new ChangeHistory();
  history.reset(SIZE);
  const seen = history.number;
  history.forget();
  t.notOk(history.isOf(SIZE));
  history.reset(SIZE);
  t.ok(history.isOf(SIZE));
  t.ok(history.number > seen, "numbers go on");
});
