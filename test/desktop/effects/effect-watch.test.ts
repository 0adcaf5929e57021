import fc from "fast-check";
import t from "tap";
import { Scene } from "../../../src/compositor/scene.ts";
import type { Effect } from "../../../src/desktop/control/action.ts";
import { Effects } from "../../../src/desktop/effects/effects.ts";
import { ReactionTime } from "../../../src/desktop/effects/reaction-time.ts";
import { Input } from "../../../src/desktop/input/input.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock, settle } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { FakeLink } from "../fake-link.ts";

const CARET = rect(70, 40, 2, 14);
const DIALOG = rect(100, 60, 300, 180);

/** A screen that a test paints, and the effects of actions on it. */
class Screen {
  readonly clock = new FakeClock();
  readonly target: Framebuffer;
  readonly link = new FakeLink();
  readonly effects: Effects;
  readonly display: Display;
  readonly signal = new AbortController();

  /** `unknownMs` 0: what is known of its programs is only what it sees. */
  constructor(width = 640, height = 400, unknownMs = 0) {
    this.target = new Framebuffer(width, height);
    drawText(this.target, this.target.rect, 7);
    const input = new Input();
    this.display = new Display(new Scene(this.clock), this.clock, {
      painting: (region) => this.effects.onPaint(region),
      changed: ({ agent }) => this.effects.onDamage(agent.damage),
      resized: () => this.effects.onResize(),
      whole: () => undefined,
      watched: () => undefined,
    });
    this.effects = new Effects(this.display, input, new ReactionTime(unknownMs), this.clock);
    input.attach(this.link);
    this.display.begin([]);
    this.tell(this.target.rect);
  }

  tell(area: Rect): void {
    this.display.update(this.target, Region.of(area), []);
  }

  paint(area: Rect, colour: number): void {
    this.target.fill(area, colour);
    this.tell(area);
  }

  /** The picture as everybody sees it. */
  get words(): Uint32Array {
    return Uint32Array.from(this.display.shownTo("viewer").frame?.words ?? []);
  }

  /** Something that changes by itself. */
  blink(area: Rect, times: number, everyMs = 500): void {
    for (let i = 0; i < times; i++) {
      this.clock.advance(everyMs);
      this.paint(area, i % 2 === 0 ? 0x0000ff : 0xffffff);
    }
  }

  /** An action: `during` is what the screen does, from when all was sent. */
  async act(during: () => void | Promise<void>, timeoutMs?: number): Promise<Effect> {
    const watch = this.effects.watch();
    const settled = watch.settle(timeoutMs, this.signal.signal);
    await settle();
    await during();
    let effect: Effect | null = null;
    void settled.then((value) => {
      effect = value;
    });
    for (let i = 0; i < 4000 && effect === null; i++) await this.clock.live(5);
    this.effects.end(watch);
    return settled;
  }
}

function holds(rects: readonly Rect[], x: number, y: number): boolean {
  return rects.some((r) => x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height);
}

/** Whether all that differs lies in what was told. */
function isWholeTruth(before: Uint32Array, after: Uint32Array, width: number, effect: Effect): boolean {
  const told = [...effect.changedRects, ...effect.periodicRects];
  let hasChanged = false;
  for (let i = 0; i < before.length; i++) {
    if (before[i] === after[i]) continue;
    const x = i % width;
    const y = Math.floor(i / width);
    if (!holds(told, x, y)) return false;
    if (!holds(effect.periodicRects, x, y)) hasChanged = true;
  }
  return !(hasChanged && effect.changed === false);
}

t.test("what opened and closed a moment ago is an effect when it closes again", async (t) => {
  const screen = new Screen();
  for (const colour of [0x111111, 0xeeeeee, 0x111111]) {
    screen.paint(DIALOG, colour);
    screen.clock.advance(1300 + colour / 10_000);
  }
  const effect = await screen.act(() => screen.paint(DIALOG, 0xeeeeee));
  t.match(effect, { changed: true, changedRects: [DIALOG], periodicRects: [], isMaybePeriodic: false });
});

t.test("a page that loaded in pieces is an effect when it changes again", async (t) => {
  const screen = new Screen();
  for (const waitMs of [160, 420, 190, 700, 230]) {
    screen.clock.advance(waitMs);
    screen.paint(rect(0, 0, 640, 300), 0xff0000 + waitMs);
  }
  const effect = await screen.act(() => screen.paint(rect(20, 20, 500, 200), 0x00ff00));
  t.match(effect, { changed: true, changedRects: [rect(20, 20, 500, 200)] });
});

t.test("typed text is an effect, also where the caret blinked", async (t) => {
  const screen = new Screen();
  screen.blink(CARET, 8);
  const effect = await screen.act(() => screen.paint({ ...CARET, width: 60 }, 0x123456));
  t.equal(effect.changed, true);
  t.same(effect.periodicRects, [CARET]);
});

t.test("a caret and a clock are told apart from an effect, and an effect from them", async (t) => {
  for (const [area, everyMs] of [
    [CARET, 500],
    [rect(600, 8, 24, 12), 1000],
  ] as const) {
    const screen = new Screen();
    screen.blink(area, 6, everyMs);
    const idle = await screen.act(() => screen.paint(area, 0x777777));
    t.match(idle, { changed: false, changedRects: [], periodicRects: [area] });
    screen.blink(area, 6, everyMs);
    const effect = await screen.act(() => {
      screen.paint(area, 0x777777);
      screen.paint(rect(300, 200, 10, 10), 0xff);
    });
    t.match(effect, { changed: true, changedRects: [rect(300, 200, 10, 10)], periodicRects: [area] });
  }
});

t.test(
  "a caret that is shown longer than it is hidden is known too, and forgotten once it stops",
  async (t) => {
    const screen = new Screen();
    for (let i = 0; i < 8; i++) {
      screen.clock.advance(i % 2 === 0 ? 800 : 400);
      screen.paint(CARET, i % 2);
    }
    t.same(screen.effects.periodic.rects, [CARET]);
    screen.clock.advance(5000);
    const effect = await screen.act(() => screen.paint(CARET, 0x777777));
    t.match(effect, { changed: true, changedRects: [CARET], periodicRects: [] });
  },
);

t.test("two changes prove nothing", async (t) => {
  const screen = new Screen();
  screen.blink(CARET, 2, 1000);
  t.match(await screen.act(() => screen.paint(CARET, 0x777777)), { changed: true, changedRects: [CARET] });
});

t.test(
  "an area that is animated is told as changed, perhaps by itself, and keeps nobody waiting",
  async (t) => {
    const screen = new Screen();
    screen.blink(DIALOG, 40, 40);
    const startMs = screen.clock.nowMs();
    const effect = await screen.act(() => screen.blink(DIALOG, 1, 30));
    t.match(effect, { changed: true, changedRects: [DIALOG], isMaybePeriodic: true });
    t.ok(screen.clock.nowMs() - startMs < 160, "not as long as it may wait for an effect");
    const beside = await screen.act(() => screen.paint(rect(0, 0, 9, 9), 0xff));
    t.match(beside, { changed: true, isMaybePeriodic: false });
  },
);

t.test("what changes and changes back is no change, at a generation that has both", async (t) => {
  const screen = new Screen();
  screen.paint(DIALOG, 0x111111);
  const effect = await screen.act(() => {
    screen.paint(DIALOG, 0xffffff);
    screen.paint(DIALOG, 0x111111);
  });
  t.match(effect, { changed: false, changedRects: [] });
  t.equal(effect.generationAfter, effect.generationBefore + 2);
  t.equal(effect.generationAfter, screen.display.generation);
});

t.test("what is painted after the answer has a later generation", async (t) => {
  for (const lateMs of [60, 100, 150]) {
    const screen = new Screen();
    let isPainted = false;
    const effect = await screen.act(() => {
      screen.clock.after(lateMs, () => {
        isPainted = true;
        screen.paint(DIALOG, 0x111111);
      });
    });
    t.equal(effect.changed, isPainted, `${lateMs} ms`);
    if (!isPainted) await screen.clock.live(200);
    t.equal(screen.display.generation > effect.generationAfter, effect.changed === false, `${lateMs} ms`);
  }
});

t.test("without an effect the answer comes soon after the target had its say", async (t) => {
  const screen = new Screen();
  const startMs = screen.clock.nowMs();
  const passed = (): number => screen.clock.nowMs() - startMs;
  t.equal((await screen.act(() => undefined)).changed, false);
  t.ok(passed() < 120);
  screen.link.isFenced = false;
  const slowMs = screen.clock.nowMs();
  t.equal((await screen.act(() => undefined)).changed, false);
  t.ok(
    screen.clock.nowMs() - slowMs > 200,
    "of a target that looks at its screen now and then it takes longer",
  );
  screen.link.showsLateMs = 50;
  const knownMs = screen.clock.nowMs();
  t.equal((await screen.act(() => undefined)).changed, false);
  const tookMs = screen.clock.nowMs() - knownMs;
  t.ok(tookMs >= 140 && tookMs < 170, "and of one that shows all within 50 ms so much longer");
  const shown = await screen.act(() => {
    screen.clock.after(130, () => screen.paint(DIALOG, 0x777777));
  });
  t.equal(shown.changed, true, "what is painted within that time is told");
  screen.link.showsLateMs = undefined;
  screen.link.isFenced = true;
  screen.link.answers = false;
  t.equal((await screen.act(() => undefined)).changed, null);
  screen.link.answers = true;
  const beganMs = screen.clock.nowMs();
  t.equal((await screen.act(() => undefined, 1000)).changed, false);
  t.ok(screen.clock.nowMs() - beganMs >= 1000, "a limit that was given is waited for");
  const againMs = screen.clock.nowMs();
  const late = screen.act(() => {
    screen.clock.after(400, () => screen.paint(DIALOG, 0x999999));
  }, 5000);
  t.equal((await late).changed, true);
  t.ok(screen.clock.nowMs() - againMs < 600, "unless something comes");
  t.equal((await screen.act(() => undefined, 0)).changed, null);
});

t.test("programs that were late are waited for, until they are quick again", async (t) => {
  const screen = new Screen();
  /** An action whose change comes so much later; whether it was told, and how long that took. */
  const act = async (lateMs: number): Promise<{ changed: boolean | null; tookMs: number }> => {
    const startMs = screen.clock.nowMs();
    const { changed } = await screen.act(() => {
      if (lateMs < Number.POSITIVE_INFINITY)
        screen.clock.after(lateMs, () => screen.paint(DIALOG, 0xff0000 + screen.clock.nowMs()));
    });
    const tookMs = screen.clock.nowMs() - startMs;
    for (let i = 0; i < 20; i++) await screen.clock.live(100);
    return { changed, tookMs };
  };
  t.equal((await act(600)).changed, false, "nobody can know yet");
  t.equal((await act(600)).changed, true, "now it is known");
  t.equal((await act(700)).changed, true);
  const idle = await act(Number.POSITIVE_INFINITY);
  t.equal(idle.changed, false);
  t.ok(idle.tookMs > 600, `an effect as late as the last ones would have been seen: ${idle.tookMs}`);
  for (let i = 0; i < 8; i++) await act(Number.POSITIVE_INFINITY);
  t.ok((await act(Number.POSITIVE_INFINITY)).tookMs <= 120, "without effects it is forgotten");
  await act(5000);
  t.ok((await act(Number.POSITIVE_INFINITY)).tookMs <= 120, "what comes seconds later is of its own");
});

t.test("what the first actions did is waited for longer: programs may have to be loaded", async (t) => {
  const screen = new Screen(640, 400, 250);
  const first = await screen.act(() => {
    screen.clock.after(300, () => screen.paint(DIALOG, 0x123456));
  });
  t.equal(first.changed, true);
  const quick = new Screen(640, 400, 250);
  const waits: number[] = [];
  for (let nth = 0; nth < 12; nth++) {
    const startMs = quick.clock.nowMs();
    t.equal((await quick.act(() => undefined)).changed, false);
    waits.push(quick.clock.nowMs() - startMs);
    for (let i = 0; i < 20; i++) await quick.clock.live(100);
  }
  t.ok((waits[0] ?? 0) >= 370, `the first: ${waits}`);
  t.ok((waits[11] ?? 0) <= 120, `then as long as all others: ${waits}`);
  t.same(
    [...waits].sort((a, b) => b - a),
    waits,
    "less each time",
  );
});

t.test("what an action changes while it is performed says nothing of the one before it", async (t) => {
  const screen = new Screen();
  await screen.act(() => undefined);
  screen.clock.advance(900);
  const watch = screen.effects.watch();
  screen.paint(DIALOG, 0xff00ff);
  screen.effects.end(watch);
  const startMs = screen.clock.nowMs();
  await screen.act(() => undefined);
  t.ok(screen.clock.nowMs() - startMs <= 120, "the desktop is not late");
});

t.test("a stop ends the wait, and nothing is claimed that nobody waited for", async (t) => {
  const screen = new Screen();
  screen.link.answers = false;
  const startMs = screen.clock.nowMs();
  const effect = await screen.act(() => screen.signal.abort(), 10_000);
  t.match(effect, { changed: null, changedRects: [] });
  t.ok(screen.clock.nowMs() - startMs < 100);
});

t.test("another size is all of it changed", async (t) => {
  const screen = new Screen();
  const effect = await screen.act(() => {
    screen.target.resize(500, 300);
    screen.display.resize(screen.target, []);
    screen.tell(screen.target.rect);
  });
  t.match(effect, { changed: true, changedRects: [rect(0, 0, 500, 300)], periodicRects: [] });
});

t.test("of two actions at a time both are told the truth", async (t) => {
  const screen = new Screen();
  const first = screen.effects.watch();
  const other = screen.effects.watch();
  screen.paint(DIALOG, 0x111111);
  for (const watch of [first, other]) {
    const effect = await watch.settle(0, screen.signal.signal);
    t.match(effect, { changed: true, changedRects: [DIALOG] });
    screen.effects.end(watch);
  }
});

t.test("a page that scrolls is told as a move and what is left to paint", async (t) => {
  const screen = new Screen();
  const before = screen.words;
  const effect = await screen.act(() => {
    screen.target.copy(0, 90, rect(0, 0, 640, 310));
    drawText(screen.target, rect(0, 310, 640, 90), 99);
    screen.tell(screen.target.rect);
  });
  const [move] = effect.moves;
  t.ok(move !== undefined);
  const painted = effect.repaintedRects.reduce((sum, { width, height }) => sum + width * height, 0);
  t.ok(painted < (640 * 400) / 2, `${painted} pixels`);
  const shown = new Framebuffer(640, 400);
  shown.words.set(before);
  if (move !== undefined) shown.copy(move.fromX, move.fromY, move.to);
  const after = screen.words;
  for (let i = 0; i < after.length; i++) {
    if (holds(effect.repaintedRects, i % 640, Math.floor(i / 640))) shown.words[i] = after[i] ?? 0;
  }
  t.ok(Buffer.from(shown.words.buffer).equals(Buffer.from(after.buffer)));
});

/** Whether the moves and then what is repainted make the one picture the other. */
function isRepainted(before: Uint32Array, after: Uint32Array, effect: Effect): boolean {
  const shown = new Framebuffer(300, 200);
  shown.words.set(before);
  for (const { fromX, fromY, to } of effect.moves) shown.copy(fromX, fromY, to);
  const painted = [...effect.repaintedRects, ...effect.periodicRects];
  return shown.words.every((word, i) => word === after[i] || holds(painted, i % 300, Math.floor(i / 300)));
}

const place = fc.record({
  x: fc.integer({ min: 0, max: 299 }),
  y: fc.integer({ min: 0, max: 199 }),
  width: fc.integer({ min: 1, max: 120 }),
  height: fc.integer({ min: 1, max: 90 }),
});
const paint = fc.record({
  kind: fc.constantFrom("paint", "undo", "scroll", "wait", "blink"),
  place,
  colour: fc.nat(0xffffff),
  waitMs: fc.integer({ min: 1, max: 90 }),
});

t.test("whatever is painted: what differs is told, and nothing is called unchanged that is not", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(paint, { maxLength: 12 }), fc.boolean(), async (steps, hasCaret) => {
      const screen = new Screen(300, 200);
      if (hasCaret) screen.blink(CARET, 6);
      const old = screen.words;
      const before = screen.display.generation;
      const effect = await screen.act(async () => {
        for (const { kind, place, colour, waitMs } of steps) {
          const width = Math.min(place.width, 300 - place.x);
          const height = Math.min(place.height, 200 - place.y);
          const area = { ...place, width, height };
          if (kind === "paint") screen.paint(area, colour);
          else if (kind === "blink") screen.paint(CARET, colour);
          else if (kind === "wait") await screen.clock.live(waitMs);
          else {
            if (kind === "undo") screen.target.words.set(old);
            else screen.target.copy(0, 40, rect(0, 0, 300, 160));
            screen.tell(screen.target.rect);
          }
        }
      });
      if (effect.generationBefore !== before || effect.generationAfter > screen.display.generation)
        return false;
      if (effect.changedRects.length > 32) return false;
      // What came after the answer has a later generation, and is not what is judged here.
      if (effect.generationAfter < screen.display.generation) return true;
      return isWholeTruth(old, screen.words, 300, effect) && isRepainted(old, screen.words, effect);
    }),
    { numRuns: 60 },
  );
});
