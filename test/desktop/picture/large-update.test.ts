import t from "tap";
import { Scene } from "../../../src/compositor/scene.ts";
import type { Showing } from "../../../src/desktop/link.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import type { ShownChanges } from "../../../src/desktop/picture/layers.ts";
import type { Watcher } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { anyRect, type Random, randomOf } from "./random.ts";

/** Damage of fewer pixels is told to the pixel where it is shown at once. */
const LARGE = 8192;
const SIZE = { width: 400, height: 300 };

/** Where links decode: in memory that the picture can take over, and in memory that a thread holds as well. */
const MEMORIES = {
  "of its own": (): Framebuffer =>
    new Framebuffer(SIZE.width, SIZE.height, { hasKernels: true, canRest: true }),
  "shared with a thread": (): Framebuffer => Framebuffer.shared(SIZE.width, SIZE.height),
};

/** One target and what is shown of it. */
class Screen {
  readonly decoded: Framebuffer;
  readonly display: Display;
  readonly told: string[] = [];
  readonly announced: Region[] = [];
  wholes = 0;
  readonly watchers: Watcher[] = [];

  constructor(decoded: Framebuffer, largePixels: number) {
    const clock = new FakeClock();
    this.decoded = decoded;
    const events = {
      painting: (region: Region) => void this.announced.push(region),
      changed: ({ agent }: ShownChanges, generation: number) => {
        this.told.push(JSON.stringify([agent.damage.rects, agent.moves, generation]));
      },
      resized: () => void this.told.push("resized"),
      whole: () => void this.wholes++,
      watched: () => {},
    };
    this.display = new Display(new Scene(clock), clock, events, largePixels);
    this.display.begin([]);
  }

  watch(): void {
    const { watchers } = this.display.shownTo("viewer");
    for (const hasOverlays of [true, false]) {
      this.watchers.push(watchers.add(this.display.bounds, { withOverlays: hasOverlays }, () => {}));
    }
  }

  /** What watchers are owed; with `take` they have it. */
  owed(take: boolean): string {
    const all = this.watchers.map((watcher) => (take ? watcher.take() : watcher.owed));
    return JSON.stringify(all.map(({ painted, copies }) => [painted.rects, copies]));
  }

  get pixels(): Buffer {
    return Buffer.from(this.display.shownTo("agent").frame?.bytes ?? []);
  }

  update(painted: Region, copies: readonly CopyMove[] = []): Showing | undefined {
    return this.display.update(this.decoded, painted, copies);
  }
}

interface Change {
  readonly moves: readonly CopyMove[];
  readonly painted: readonly { readonly area: Rect; readonly seed: number }[];
}

function anyChange(next: Random): Change {
  // A page that a target without moves scrolls by painting all of it.
  if (next(4) === 0) {
    const seed = next(1000);
    return { moves: [], painted: [{ area: rect(0, 0, SIZE.width, SIZE.height), seed }] };
  }
  const move = (): CopyMove => {
    const to = anyRect(next, SIZE);
    return { fromX: next(SIZE.width - to.width + 1), fromY: next(SIZE.height - to.height + 1), to };
  };
  const moves = Array.from({ length: next(3) }, move);
  const painted = Array.from({ length: 1 + next(4) }, () => ({
    area: anyRect(next, SIZE),
    seed: next(1000),
  }));
  return { moves, painted };
}

/** As a decoder does. */
function apply(decoded: Framebuffer, { moves, painted }: Change, isScroll: boolean): void {
  if (isScroll) {
    decoded.copy(0, 54, rect(0, 0, SIZE.width, SIZE.height - 54));
    drawText(decoded, rect(0, SIZE.height - 54, SIZE.width, 54), painted[0]?.seed ?? 0);
    return;
  }
  for (const { fromX, fromY, to } of moves) decoded.copy(fromX, fromY, to);
  for (const { area, seed } of painted) {
    drawText(decoded, area, seed);
  }
}

for (const [memory, make] of Object.entries(MEMORIES)) {
  t.test(`updates shown over turns are what updates shown at once are; memory ${memory}`, async (t) => {
    for (let seed = 1; seed <= 12; seed++) {
      const next = randomOf(seed);
      const spread = new Screen(make(), LARGE);
      const atOnce = new Screen(make(), Number.POSITIVE_INFINITY);
      for (const screen of [spread, atOnce]) {
        drawText(screen.decoded, screen.decoded.rect, seed);
        await screen.update(Region.of(screen.decoded.rect))?.done;
        screen.watch();
        screen.owed(true);
      }
      t.equal(spread.wholes, 1);
      let turns = 0;
      for (let step = 0; step < 15; step++) {
        const change = anyChange(next);
        const isScroll = change.painted.length === 1 && step % 2 === 0;
        const before = spread.pixels;
        for (const { decoded } of [spread, atOnce]) apply(decoded, change, isScroll);
        const painted = isScroll
          ? Region.of(spread.decoded.rect)
          : Region.from(change.painted.map(({ area }) => area));
        const moves = isScroll ? [] : change.moves;
        const area = painted.union(Region.from(moves.map(({ to }) => to))).area;
        atOnce.update(painted, moves);
        const showing = spread.update(painted, moves);
        t.equal(showing !== undefined, area > LARGE, "only a large one takes turns");
        let isDone = showing === undefined;
        void showing?.done.then(() => {
          isDone = true;
        });
        while (!isDone) {
          turns++;
          if (!spread.pixels.equals(before)) t.fail("part of an update was shown before the rest");
          await new Promise((resolve) => setImmediate(resolve));
        }
        t.ok(spread.pixels.equals(atOnce.pixels), `seed ${seed}, step ${step}: every pixel`);
        t.same(spread.told, atOnce.told, "what is told: damage, moves, generation");
        const isTaken = next(3) === 0;
        t.equal(spread.owed(isTaken), atOnce.owed(isTaken), "what watchers are owed");
      }
      t.ok(turns > 5, "there were turns between");
    }
  });

  t.test(`a first picture is there whole or not at all; memory ${memory}`, async (t) => {
    const screen = new Screen(make(), LARGE);
    drawText(screen.decoded, screen.decoded.rect, 5);
    const showing = screen.update(Region.of(screen.decoded.rect));
    if (showing !== undefined) t.notOk(screen.display.hasPicture);
    await showing?.done;
    t.ok(screen.display.hasPicture && screen.display.isFresh);
    t.ok(screen.pixels.equals(Buffer.from(screen.decoded.bytes)));
    t.equal(screen.wholes, 1);
  });

  t.test(`a link that is lost or does not wait; memory ${memory}`, async (t) => {
    const screen = new Screen(make(), LARGE);
    const { decoded, display } = screen;
    const whole = Region.of(decoded.rect);
    drawText(decoded, decoded.rect, 1);
    await screen.update(whole)?.done;
    const first = screen.pixels;
    drawText(decoded, decoded.rect, 2);
    const lost = screen.update(whole);
    display.lost();
    await lost?.done;
    t.ok(lost !== undefined && screen.pixels.equals(first), "the last whole picture stays");
    t.notOk(display.isFresh);
    display.begin([]);
    await screen.update(whole)?.done;
    t.ok(screen.pixels.equals(Buffer.from(decoded.bytes)), "and the next link's first picture is shown");
    t.equal(screen.wholes, 2);
    screen.watch();
    screen.owed(true);
    // What comes before the last one is shown is shown with it, and owed with it.
    const seen = Buffer.from(screen.pixels);
    drawText(decoded, rect(0, 0, 400, 150), 3);
    const overtaken = screen.update(Region.of(rect(0, 0, 400, 150)));
    drawText(decoded, rect(10, 200, 50, 50), 4);
    const both = screen.update(Region.of(rect(10, 200, 50, 50)));
    await Promise.all([overtaken?.done, both?.done]);
    t.ok(screen.pixels.equals(Buffer.from(decoded.bytes)));
    const owed = screen.watchers[1]?.take().painted ?? Region.empty;
    const pixels = screen.pixels;
    let missed = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      const at = rect((i / 4) % SIZE.width, Math.floor(i / 4 / SIZE.width), 1, 1);
      if (pixels.readUInt32LE(i) !== seen.readUInt32LE(i) && !owed.overlaps(at)) missed++;
    }
    t.equal(missed, 0, "every pixel that differs is owed");
  });
}

t.test(
  "what paints every pixel is shown where it was decoded, and tells what a copy of it would",
  async (t) => {
    const { "of its own": own, "shared with a thread": shared } = MEMORIES;
    const all = rect(0, 0, SIZE.width, SIZE.height);
    const halves = [rect(0, 0, SIZE.width, 130), rect(0, 130, SIZE.width, SIZE.height - 130)];
    const taken = new Screen(own(), Number.POSITIVE_INFINITY);
    const copied = new Screen(shared(), Number.POSITIVE_INFINITY);
    for (const screen of [taken, copied]) {
      drawText(screen.decoded, all, 1);
      screen.update(Region.of(all));
      screen.watch();
    }
    const paints = [
      { name: "another page", parts: [all], draw: (frame: Framebuffer) => drawText(frame, all, 2) },
      {
        name: "all of it another colour",
        parts: [all],
        draw: (frame: Framebuffer) => frame.fill(all, 0x334455),
      },
      { name: "the same", parts: [all], draw: (frame: Framebuffer) => frame.fill(all, 0x334455) },
      {
        name: "a line of text in two parts",
        parts: halves,
        draw(frame: Framebuffer) {
          frame.fill(all, 0x334455);
          drawText(frame, rect(40, 70, 200, 30), 3);
        },
      },
    ];
    for (const { name, parts, draw } of paints) {
      for (const part of parts) taken.decoded.paint(part);
      for (const { decoded } of [taken, copied]) draw(decoded);
      const { words } = taken.decoded;
      for (const screen of [taken, copied]) t.equal(screen.update(Region.from(parts)), undefined, name);
      t.ok(taken.display.shownTo("agent").frame?.words === words, `${name}: nothing was copied`);
      t.ok(taken.pixels.equals(copied.pixels), `${name}: the same pixels`);
      t.same(taken.told, copied.told, `${name}: the same damage`);
      t.equal(taken.owed(true), copied.owed(true), `${name}: watchers are owed the same`);
    }
    taken.decoded.paint(rect(0, 0, 30, 20));
    for (const { decoded } of [taken, copied]) decoded.fill(rect(0, 0, 30, 20), 0x998877);
    for (const screen of [taken, copied]) screen.update(Region.of(rect(0, 0, 30, 20)));
    t.ok(taken.pixels.equals(copied.pixels), "a part that is painted later");
    t.same(taken.told, copied.told);
  },
);

t.test("all that may be painted over is announced while it is still to be seen", async (t) => {
  const screen = new Screen(MEMORIES["of its own"](), LARGE);
  drawText(screen.decoded, screen.decoded.rect, 1);
  await screen.update(Region.of(screen.decoded.rect))?.done;
  screen.announced.length = 0;
  const area = rect(20, 20, 300, 200);
  const before = screen.pixels;
  drawText(screen.decoded, area, 2);
  await screen.update(Region.of(area))?.done;
  const announced = Region.from(screen.announced.flatMap(({ rects }) => rects));
  const after = screen.pixels;
  let missed = 0;
  for (let i = 0; i < after.length; i += 4) {
    const at = rect((i / 4) % SIZE.width, Math.floor(i / 4 / SIZE.width), 1, 1);
    if (after.readUInt32LE(i) !== before.readUInt32LE(i) && !announced.overlaps(at)) missed++;
  }
  t.equal(missed, 0);
});

t.test("other desktops' updates and input go on while a large update is compared", async (t) => {
  const size = { width: 3840, height: 2160 };
  const clock = new FakeClock();
  const events = { changed: () => {}, resized: () => {}, whole: () => {}, watched: () => {} };
  const stand = (width: number, height: number) => {
    const decoded = new Framebuffer(width, height, { hasKernels: true, canRest: true });
    const display = new Display(new Scene(clock), clock, events);
    display.begin([]);
    display.update(decoded, Region.of(decoded.rect), []);
    return { decoded, display };
  };
  const large = stand(size.width, size.height);
  const other = stand(64, 48);
  drawText(large.decoded, large.decoded.rect, 3);
  const { generation } = large.display;
  const showing = large.display.update(large.decoded, Region.of(large.decoded.rect), []);
  let isDone = false;
  void showing?.done.then(() => {
    isDone = true;
  });
  let updates = 0;
  while (!isDone) {
    t.equal(large.display.generation, generation);
    other.decoded.fill(rect(0, 0, 10, 10), updates++);
    t.equal(other.display.update(other.decoded, Region.of(rect(0, 0, 10, 10)), []), undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.ok(updates > 2, `${updates} updates of the other were shown meanwhile`);
  t.equal(large.display.generation, generation + 1);
});
