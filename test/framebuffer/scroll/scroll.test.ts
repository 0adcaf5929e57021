import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { intersectRects, type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { findScroll, type Scroll } from "../../../src/framebuffer/scroll/scroll.ts";
import { ScrollSeeker } from "../../../src/framebuffer/scroll/scroll-seeker.ts";
import { finish } from "../../../src/framebuffer/steps.ts";
import { drawText, noisyFrame, numbers, withoutKernels } from "../frames.ts";

const WIDTH = 700;
const HEIGHT = 520;

/** Two windows of text. */
function page(seed: number, hasKernels = true): Framebuffer {
  const frame = new Framebuffer(WIDTH, HEIGHT, { hasKernels });
  frame.fill(frame.rect, 0x604830);
  drawText(frame, rect(20, 30, 400, 450), seed);
  drawText(frame, rect(440, 60, 240, 300), seed + 1);
  return frame;
}

/** The part of a picture moved within itself; what comes in is new. */
function scrolled(before: Framebuffer, area: Rect, dx: number, dy: number): Framebuffer {
  const after = withoutKernels(before);
  const fresh = page(77, false);
  for (let y = area.y; y < area.y + area.height; y++) {
    for (let x = area.x; x < area.x + area.width; x++) {
      const [fromX, fromY] = [x - dx, y - dy];
      const isOld =
        fromX >= area.x && fromX < area.x + area.width && fromY >= area.y && fromY < area.y + area.height;
      const at = y * WIDTH + x;
      after.words[at] = (isOld ? before.words[fromY * WIDTH + fromX] : fresh.words[at]) ?? 0;
    }
  }
  return after;
}

/** What a viewer of `before` shows that moves, then paints as it is told. */
function follow(before: Framebuffer, after: Framebuffer, damage: Region, scroll: Scroll): Framebuffer {
  const shown = withoutKernels(before);
  shown.copy(scroll.move.fromX, scroll.move.fromY, scroll.move.to);
  for (const r of damage.subtract(Region.of(scroll.move.to)).union(scroll.rest).rects) {
    for (let y = r.y; y < r.y + r.height; y++) {
      const start = y * WIDTH + r.x;
      shown.words.set(after.words.subarray(start, start + r.width), start);
    }
  }
  return shown;
}

function isSame(a: Framebuffer, b: Framebuffer): boolean {
  return Buffer.compare(a.bytes, b.bytes) === 0;
}

t.test("a page that scrolled is found, and moving it shows every pixel", async (t) => {
  const area = rect(20, 30, 400, 450);
  const ways = [
    ["up", 0, -36],
    ["down", 0, 53],
    ["left", -24, 0],
    ["right", 71, 0],
  ] as const;
  for (const [way, dx, dy] of ways) {
    const before = page(3);
    const after = scrolled(before, area, dx, dy);
    const damage = Region.of(area);
    const scroll = findScroll(before, after, damage);
    if (scroll === null) {
      t.fail(`nothing found ${way}`);
      continue;
    }
    const { fromX, fromY, to } = scroll.move;
    t.same([to.x - fromX, to.y - fromY], [dx, dy]);
    t.ok(to.width * to.height > 0.7 * area.width * area.height, "most of it moves");
    t.ok(scroll.rest.isEmpty);
    t.ok(isSame(follow(before, after, damage, scroll), after));
  }
});

t.test("a scroll bar, a caret and a bar that stay in place are painted over the move", async (t) => {
  const area = rect(20, 30, 400, 450);
  const before = page(5);
  before.fill(rect(408, 100, 10, 60), 0x999999);
  const after = scrolled(before, area, 0, -40);
  for (const frame of [before, after]) frame.fill(rect(20, 200, 400, 18), 0xddaa55);
  after.fill(rect(408, 100, 10, 340), 0xeeeeee);
  after.fill(rect(408, 120, 10, 60), 0x999999);
  const damage = Region.of(area);
  const scroll = findScroll(before, after, damage);
  t.not(scroll, null);
  if (scroll === null) return;
  t.equal(scroll.move.to.y - scroll.move.fromY, -40);
  t.notOk(scroll.rest.isEmpty);
  t.ok(isSame(follow(before, after, damage, scroll), after));
});

t.test("what did not move is no scroll", async (t) => {
  const before = page(8);
  const whole = Region.of(before.rect);
  t.equal(findScroll(before, withoutKernels(before), whole), null, "nothing changed");
  t.equal(findScroll(before, page(9), whole), null, "other text");
  t.equal(findScroll(before, noisyFrame(WIDTH, HEIGHT, 4), whole), null, "noise");
  const small = rect(20, 30, 120, 40);
  t.equal(findScroll(before, scrolled(before, small, 0, -18), Region.of(small)), null, "a small part");
  const flat = new Framebuffer(WIDTH, HEIGHT, { hasKernels: true });
  t.equal(findScroll(flat, withoutKernels(flat), whole), null, "nothing to tell lines apart");
  t.equal(findScroll(before, page(9), Region.empty), null, "no damage");
});

t.test("whatever is found is exact, and the kernel finds what its twin finds", async () => {
  const shift = fc.integer({ min: -90, max: 90 });
  const side = fc.integer({ min: 0, max: 500 });
  let found = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.record({ x: side, y: side, width: side, height: side }),
      shift,
      fc.boolean(),
      fc.nat(60),
      fc.array(fc.record({ x: side, y: side, width: side, height: side }), { maxLength: 3 }),
      (seed, place, by, isDown, changes, more) => {
        const before = page(seed);
        const width = Math.min(place.width + 64, WIDTH - place.x);
        const area = rect(place.x, place.y, width, Math.min(place.height + 64, HEIGHT - place.y));
        if (width <= 0 || area.height <= 0) return true;
        const after = scrolled(before, area, isDown ? 0 : by, isDown ? by : 0);
        const next = numbers(seed + 5);
        for (let i = 0; i < changes; i++) {
          const x = area.x + (next() % area.width);
          const y = area.y + (next() % area.height);
          after.fill(intersectRects(rect(x, y, 5, 3), area), next());
        }
        const damage = Region.of(area, ...more).clip(before.rect);
        const scroll = findScroll(before, after, damage);
        const twin = findScroll(withoutKernels(before), after, damage);
        if (JSON.stringify(facts(scroll)) !== JSON.stringify(facts(twin))) return false;
        if (scroll === null) return true;
        found++;
        return isSame(follow(before, after, damage, scroll), after);
      },
    ),
    { numRuns: 120 },
  );
  if (found < 20) throw new Error(`only ${found} of 120 scrolls were found: the property shows nothing`);
});

t.test("rows that repeat, as in a table, never make a wrong move", async (t) => {
  const before = new Framebuffer(WIDTH, HEIGHT, { hasKernels: true });
  for (let y = 0; y < HEIGHT; y++) before.fill(rect(0, y, WIDTH, 1), (y % 24) * 0x0a0503);
  const after = scrolled(before, before.rect, 0, -7);
  const damage = Region.of(before.rect);
  const scroll = findScroll(before, after, damage);
  if (scroll !== null) t.ok(isSame(follow(before, after, damage, scroll), after));
  else t.pass("none is found");
});

t.test("a film is looked at less and less, and what scrolls after it is found soon", async (t) => {
  const seeker = new ScrollSeeker();
  const find = (now: Framebuffer, damage: Region): Scroll | null =>
    finish(seeker.finding(before, now, damage));
  const before = page(11);
  const film = noisyFrame(WIDTH, HEIGHT, 12, 2 ** 24, false);
  const area = rect(20, 30, 400, 450);
  const after = scrolled(before, area, 0, -36);
  for (let i = 0; i < 200; i++) t.equal(find(film, Region.of(before.rect)), null);
  let updates = 1;
  while (find(after, Region.of(area)) === null) updates++;
  t.ok(updates > 1 && updates <= 8, `after ${updates} updates`);
  t.not(find(after, Region.of(area)), null, "and then each time");
  t.equal(find(after, Region.of(rect(20, 30, 100, 100))), null, "what is small is no miss");
  t.not(find(after, Region.of(area)), null);
});

function facts(scroll: Scroll | null): unknown {
  return scroll === null ? null : { ...scroll, rest: scroll.rest.rects };
}
