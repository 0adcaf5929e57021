import fc from "fast-check";
import t from "tap";
import { MASK_WORD } from "../../../src/compositor/compose.ts";
import { Scene } from "../../../src/compositor/scene.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import type { ShownChanges } from "../../../src/desktop/picture/layers.ts";
import type { MaskSource } from "../../../src/desktop/picture/mask-source.ts";
import { AUDIENCES, type Audience, byAudience, type Watcher } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { publishDamage } from "../../../src/framebuffer/publish.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock } from "../../fake-clock.ts";
import { anyRect, type Random, randomOf } from "./random.ts";

const WIDTH = 160;
const HEIGHT = 120;
const SIZE = { width: WIDTH, height: HEIGHT };

/** Hides what a test says. */
class HandHiding implements MaskSource {
  readonly pointerDrawn = (): void => {};
  held = Region.empty;
  lastRead: Framebuffer | null = null;

  heldFor(): Region {
    return this.held;
  }

  readonly regions: Record<Audience, Region> = { ...byAudience(() => Region.empty) };
  /** What is followed goes there in the next update. */
  next: (() => void) | null = null;

  hiddenFrom(audience: Audience): Region {
    return this.regions[audience];
  }

  kindOf(audience: Audience): Audience {
    return audience;
  }

  readsFor = "";

  readFor(): string {
    return this.readsFor;
  }

  follow(): void {
    this.next?.();
    this.next = null;
  }

  layOut(): void {}
}

/** One who watches: its picture is made of what it is told alone, and what it was ever given is remembered. */
class Follower {
  readonly audience: Audience;
  readonly #display: Display;
  readonly #watcher: Watcher;
  readonly #picture = new Framebuffer(WIDTH, HEIGHT);

  constructor(display: Display, audience: Audience) {
    this.audience = audience;
    this.#display = display;
    this.#watcher = display.shownTo(audience).watchers.add(rect(0, 0, WIDTH, HEIGHT), {}, () => {});
  }

  take(): void {
    const { painted, copies } = this.#watcher.take();
    for (const { fromX, fromY, to } of copies) this.#picture.copy(fromX, fromY, to);
    const picture = this.#display.shownTo(this.audience).picture(false);
    for (const r of painted.rects) {
      const { bytes, offset, strideBytes } = picture.pixels(r);
      for (let row = 0; row < r.height; row++) {
        const from = offset + row * strideBytes;
        const at = ((r.y + row) * WIDTH + r.x) * 4;
        this.#picture.bytes.set(bytes.subarray(from, from + r.width * 4), at);
      }
    }
  }

  get words(): Uint32Array {
    return this.#picture.words;
  }
}

/** What is to be seen, by the plainest means. */
function modelOf(real: Framebuffer, hidden: Region): Uint32Array {
  const model = new Framebuffer(WIDTH, HEIGHT);
  model.words.set(real.words);
  for (const r of hidden.rects) model.fill(r, MASK_WORD);
  return model.words;
}

function equal(a: Uint32Array, b: Uint32Array): boolean {
  return a.every((word, i) => word === b[i]);
}

function anyHidden(next: Random): Region {
  return Region.from(Array.from({ length: next(4) }, () => anyRect(next, SIZE, 60)));
}

function anyMoves(next: Random): CopyMove[] {
  if (next(2) === 0) {
    const rows = 1 + next(30);
    const to = rect(next(20), 0, 100, HEIGHT - rows);
    return [{ fromX: to.x, fromY: rows, to }];
  }
  return Array.from({ length: 1 + next(3) }, () => {
    const to = anyRect(next, SIZE);
    return { fromX: next(WIDTH - to.width + 1), fromY: next(HEIGHT - to.height + 1), to };
  });
}

/** Moves, fills and masks at random; each audience has a few who look, some of them seldom. */
async function play(seed: number, steps: number, largePixels?: number): Promise<void> {
  const next = randomOf(seed);
  const clock = new FakeClock();
  const maskSource = new HandHiding();
  const decoded = new Framebuffer(WIDTH, HEIGHT);
  const told: Region[] = [];
  const events = {
    changed: ({ agent }: ShownChanges) => void told.push(agent.damage),
    resized: () => {},
    whole: () => {},
    watched: () => {},
    maskSource,
  };
  const display = new Display(new Scene(clock), clock, events, largePixels);
  display.begin([]);
  await display.update(decoded, Region.of(decoded.rect), [])?.done;
  const followers = [...AUDIENCES, ...AUDIENCES].map((audience) => new Follower(display, audience));
  for (const follower of followers) follower.take();
  const setHidden = (): void => {
    const kind = next(4);
    const common = anyHidden(next);
    for (const audience of AUDIENCES) {
      if (kind === 0) maskSource.regions[audience] = common;
      else if (kind === 1) maskSource.regions[audience] = audience === "agent" ? common : Region.empty;
      else if (kind === 2 || next(2) === 0) maskSource.regions[audience] = anyHidden(next);
    }
  };
  for (let step = 0; step < steps; step++) {
    const before = modelOf(decoded, maskSource.regions.agent);
    told.length = 0;
    const what = next(6);
    if (what === 0) {
      setHidden();
      display.remask();
    } else {
      const copies = what < 3 ? [] : anyMoves(next);
      for (const { fromX, fromY, to } of copies) decoded.copy(fromX, fromY, to);
      const painted = Array.from({ length: next(4) }, () => anyRect(next, SIZE, 50));
      for (const r of painted) decoded.fill(r, next(0xffffff));
      if (what === 5) maskSource.next = setHidden;
      const showing = display.update(decoded, Region.from(painted), copies);
      if (showing !== undefined && next(3) === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        setHidden();
        display.remask();
      }
      await showing?.done;
      maskSource.next = null;
    }
    for (const audience of AUDIENCES) {
      const { frame } = display.shownTo(audience);
      if (frame === null || !equal(frame.words, modelOf(decoded, maskSource.regions[audience])))
        throw new Error(`step ${step}: ${audience} is shown another picture than the model's`);
    }
    const after = modelOf(decoded, maskSource.regions.agent);
    const damage = told.reduce((all, one) => all.union(one), Region.empty);
    for (let i = 0; i < after.length; i++) {
      if (after[i] === before[i]) continue;
      const at = rect(i % WIDTH, Math.floor(i / WIDTH), 1, 1);
      if (!damage.overlaps(at)) throw new Error(`step ${step}: agents were not told of a change`);
    }
    followers.forEach((follower, i) => {
      if (i >= AUDIENCES.length && next(4) > 0) return;
      follower.take();
      if (!equal(follower.words, modelOf(decoded, maskSource.regions[follower.audience])))
        throw new Error(`step ${step}: who watches as ${follower.audience} has another picture`);
    });
  }
}

t.test(
  "whatever moves and whatever is hidden, each audience's picture is the real one with its masks",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), (seed) => play(seed, 25)),
      { numRuns: 60 },
    );
  },
);

t.test(
  "and so where updates are shown over turns, also while something else is hidden meanwhile",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), (seed) => play(seed, 25, 200)),
      { numRuns: 40 },
    );
  },
);

/** As `play`, with parts that are held: they stay what they were, or become what was read last. */
async function hold(seed: number, steps: number, largePixels?: number): Promise<void> {
  const next = randomOf(seed);
  const clock = new FakeClock();
  const maskSource = new HandHiding();
  maskSource.readsFor = "text";
  const decoded = new Framebuffer(WIDTH, HEIGHT);
  const lastRead = new Framebuffer(WIDTH, HEIGHT);
  const model = new Framebuffer(WIDTH, HEIGHT);
  const told: Region[] = [];
  const changed = ({ agent }: ShownChanges): void => void told.push(agent.damage);
  const events = { changed, resized: () => {}, whole: () => {}, watched: () => {}, maskSource };
  const display = new Display(new Scene(clock), clock, events, largePixels);
  display.begin([]);
  await display.update(decoded, Region.of(decoded.rect), [])?.done;
  const followers = [new Follower(display, "agent"), new Follower(display, "agent")];
  for (const follower of followers) follower.take();
  const keep = (): void => {
    const hidden = next(3) === 0 ? anyHidden(next) : maskSource.regions.agent;
    Object.assign(
      maskSource.regions,
      byAudience(() => hidden),
    );
    maskSource.held = (next(2) === 0 ? anyHidden(next) : maskSource.held).subtract(hidden);
  };
  for (let step = 0; step < steps; step++) {
    const before = model.words.slice();
    told.length = 0;
    const what = next(6);
    if (what < 2) {
      keep();
      const read = anyRect(next, SIZE, 80);
      lastRead.fill(read, next(0xffffff));
      maskSource.lastRead = what === 0 ? lastRead : null;
      display.remask();
    } else {
      const copies = what < 4 ? [] : anyMoves(next);
      for (const { fromX, fromY, to } of copies) decoded.copy(fromX, fromY, to);
      const painted = Array.from({ length: next(4) }, () => anyRect(next, SIZE, 50));
      for (const r of painted) decoded.fill(r, next(0xffffff));
      if (what === 5) maskSource.next = keep;
      await display.update(decoded, Region.from(painted), copies)?.done;
      maskSource.next = null;
    }
    const held = maskSource.held;
    const real = modelOf(decoded, maskSource.regions.agent);
    for (const { x, y, width, height } of Region.of(decoded.rect).subtract(held).rects) {
      for (let row = y; row < y + height; row++) {
        const from = row * WIDTH + x;
        model.words.set(real.subarray(from, from + width), from);
      }
    }
    if (maskSource.lastRead !== null) publishDamage(lastRead, model, held);
    maskSource.lastRead = null;
    const { frame } = display.shownTo("agent");
    if (frame === null || !equal(frame.words, model.words)) throw new Error(`step ${step}: another picture`);
    const damage = told.reduce((all, one) => all.union(one), Region.empty);
    model.words.forEach((word, i) => {
      if (word !== before[i] && !damage.overlaps(rect(i % WIDTH, Math.floor(i / WIDTH), 1, 1)))
        throw new Error(`step ${step}: nobody was told of a change`);
    });
    followers.forEach((follower, i) => {
      if (i === 1 && next(4) > 0) return;
      follower.take();
      if (!equal(follower.words, model.words))
        throw new Error(`step ${step}: who watches has another picture`);
    });
  }
}

t.test("what is held stays what was read last, whatever is moved, painted and hidden", async () => {
  for (const largePixels of [undefined, 200]) {
    await fc.assert(
      fc.asyncProperty(fc.integer(), (seed) => hold(seed, 25, largePixels)),
      { numRuns: 10 },
    );
  }
});

t.test("what happens under a mask alone is told to nobody who must not see it", async (t) => {
  const clock = new FakeClock();
  const maskSource = new HandHiding();
  maskSource.regions.agent = Region.of(rect(20, 20, 80, 60));
  const decoded = new Framebuffer(WIDTH, HEIGHT);
  const told: { agent: Region; viewer: Region; moves: readonly CopyMove[] }[] = [];
  const display = new Display(new Scene(clock), clock, {
    changed: ({ agent, viewer }) => {
      told.push({ agent: agent.damage, viewer: viewer.damage, moves: agent.moves });
    },
    resized: () => {},
    whole: () => {},
    watched: () => {},
    maskSource,
  });
  display.begin([]);
  display.update(decoded, Region.of(decoded.rect), []);
  const watcher = display.shownTo("agent").watchers.add(rect(0, 0, WIDTH, HEIGHT), {}, () => {});
  watcher.take();
  told.length = 0;
  decoded.fill(rect(30, 30, 10, 10), 0x0000ff);
  // The target reports more than changed, around the mask as well.
  display.update(decoded, Region.of(rect(0, 0, WIDTH, HEIGHT)), []);
  decoded.copy(30, 30, rect(50, 50, 10, 10));
  display.update(decoded, Region.empty, [{ fromX: 30, fromY: 30, to: rect(50, 50, 10, 10) }]);
  t.equal(told.length, 2);
  t.ok(told.every(({ agent, viewer }) => agent.isEmpty && !viewer.isEmpty));
  t.same(told[1]?.moves, [], "nor is a move under a mask");
  t.ok(watcher.take().painted.isEmpty);
  t.equal(display.shownTo("agent").changedAtMs, display.shownTo("agent").changedAtMs);
  decoded.copy(30, 30, rect(95, 30, 10, 10));
  display.update(decoded, Region.empty, [{ fromX: 30, fromY: 30, to: rect(95, 30, 10, 10) }]);
  const { painted, copies } = watcher.take();
  t.same(copies, [], "what comes out of a mask is pixels");
  t.same(painted.rects, [rect(100, 30, 5, 10)]);
});

t.test("a scroll around a mask stays a move", async (t) => {
  const clock = new FakeClock();
  const maskSource = new HandHiding();
  maskSource.regions.viewer = Region.of(rect(60, 50, 20, 10));
  const decoded = new Framebuffer(WIDTH, HEIGHT);
  for (let y = 0; y < HEIGHT; y++) decoded.fill(rect(0, y, WIDTH, 1), y * 1000);
  const events = { changed: () => {}, resized: () => {}, whole: () => {}, watched: () => {}, maskSource };
  const display = new Display(new Scene(clock), clock, events);
  display.begin([]);
  display.update(decoded, Region.of(decoded.rect), []);
  const watcher = display.shownTo("viewer").watchers.add(rect(0, 0, WIDTH, HEIGHT), {}, () => {});
  watcher.take();
  const move = { fromX: 0, fromY: 5, to: rect(0, 0, WIDTH, HEIGHT - 5) };
  decoded.copy(0, 5, move.to);
  display.update(decoded, Region.empty, [move]);
  const { painted, copies } = watcher.take();
  t.same(copies, [move]);
  const edges = [rect(60, 45, 20, 5), rect(60, 55, 20, 5)];
  t.same(painted.rects, edges, "what the mask covers no more, and what it has yet to cover");
});
