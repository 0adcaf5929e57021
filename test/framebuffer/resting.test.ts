import fc from "fast-check";
import t from "tap";
import { targetsOf } from "../../src/framebuffer/copy-move.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { publishDamage, publishMoved } from "../../src/framebuffer/publish.ts";
import { type Rect, rect, rectOfSize } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { findScroll } from "../../src/framebuffer/scroll/scroll.ts";
import { drawText, noisyFrame, numbers, withoutKernels } from "./frames.ts";

const SIZE = { width: 90, height: 70 };

/** A picture that rests on what is shown, and that. */
function resting(seed: number) {
  const decoded = new Framebuffer(SIZE.width, SIZE.height, { hasKernels: true, canRest: true });
  decoded.words.set(noisyFrame(SIZE.width, SIZE.height, seed).words);
  const shown = new Framebuffer(SIZE.width, SIZE.height, { hasKernels: true });
  const { buffer } = decoded.words;
  const isAdopted = shown.adopt(decoded);
  return { decoded, shown, buffer, isAdopted };
}

/** As a decoder does: all of a rectangle, one word after the other. */
function paintNoise(frame: Framebuffer, r: Rect, seed: number): void {
  const next = numbers(seed);
  frame.paint(r);
  const { words, width } = frame;
  for (let y = r.y; y < r.y + r.height; y++) {
    for (let x = r.x; x < r.x + r.width; x++) words[y * width + x] = (next() | 0xff000000) >>> 0;
  }
}

function same(a: Framebuffer, b: Framebuffer): boolean {
  return Buffer.compare(Buffer.from(a.bytes), Buffer.from(b.bytes)) === 0;
}

interface Step {
  readonly kind: "paint" | "copy" | "resize" | "publish";
  readonly x: number;
  readonly y: number;
  readonly fromX: number;
  readonly fromY: number;
  readonly width: number;
  readonly height: number;
}

/** Room for a rectangle of a step within a picture. */
function within({ x, y, width, height }: Step, size: { width: number; height: number }): Rect {
  const w = Math.max(1, Math.min(width, size.width));
  const h = Math.max(1, Math.min(height, size.height));
  return rect(x % (size.width - w + 1), y % (size.height - h + 1), w, h);
}

t.test(
  "a picture that rests shows what one does that never rests, whatever is painted, moved and resized",
  async (t) => {
    const nat = fc.nat(200);
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom<Step["kind"][]>("paint", "paint", "copy", "copy", "publish", "resize"),
        ...{ x: nat, y: nat, fromX: nat, fromY: nat },
        ...{ width: fc.integer({ min: 1, max: 120 }), height: fc.integer({ min: 1, max: 90 }) },
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, fc.integer(), (all, seed) => {
        const { decoded, shown } = resting(seed);
        const plain = withoutKernels(shown);
        let painted = Region.empty;
        let before = withoutKernels(shown);
        for (const [i, step] of all.entries()) {
          const r = within(step, plain);
          if (step.kind === "paint") {
            for (const frame of [decoded, plain]) paintNoise(frame, r, seed + i);
            painted = painted.union(Region.of(r));
          } else if (step.kind === "copy") {
            const fromX = step.fromX % (plain.width - r.width + 1);
            const fromY = step.fromY % (plain.height - r.height + 1);
            for (const frame of [decoded, plain]) frame.copy(fromX, fromY, r);
            painted = painted.union(Region.of(r));
          } else if (step.kind === "resize" && painted.isEmpty) {
            // A size comes between pictures: what is shown has it before more is painted.
            for (const frame of [decoded, plain, shown]) frame.resize(step.width, step.height);
            before = withoutKernels(shown);
          } else {
            // Nobody has seen anything of it until now.
            if (!same(shown, before)) return false;
            decoded.complete(painted);
            publishDamage(decoded, shown, painted);
            decoded.rest(shown);
            painted = Region.empty;
            before = withoutKernels(shown);
            if (!same(shown, plain)) return false;
          }
        }
        decoded.complete(Region.of(decoded.rect));
        return same(decoded, plain) && Buffer.compare(decoded.read(plain.rect), plain.read(plain.rect)) === 0;
      }),
      { numRuns: 300 },
    );
    t.pass("every picture was right");
  },
);

t.test(
  "a move that is left to be made is made where it is shown, and told as its copy would be",
  async (t) => {
    const size = { width: 320, height: 250 };
    const nat = fc.nat(200);
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom<Step["kind"][]>("paint", "copy", "copy", "copy", "publish"),
        ...{ x: nat, y: nat, fromX: nat, fromY: nat },
        ...{ width: fc.integer({ min: 60, max: 200 }), height: fc.integer({ min: 60, max: 130 }) },
      }),
      { minLength: 2, maxLength: 30 },
    );
    const left: [number, number] = [0, 0];
    fc.assert(
      fc.property(steps, fc.integer(), fc.boolean(), (all, seed, isPlain) => {
        const shown = noisyFrame(size.width, size.height, seed, isPlain ? 2 ** 6 : 3);
        const decoded = new Framebuffer(size.width, size.height, { hasKernels: true, canRest: true });
        decoded.rest(shown);
        const plain = withoutKernels(shown);
        let painted = Region.empty;
        let targets: Rect[] = [];
        for (const [i, step] of all.entries()) {
          const r =
            step.kind === "paint" ? within({ ...step, width: 9, height: 20 }, size) : within(step, size);
          if (step.kind === "paint") {
            for (const frame of [decoded, plain]) paintNoise(frame, r, seed + i);
            painted = painted.union(Region.of(r));
          } else if (step.kind === "copy") {
            const fromX = step.fromX % (size.width - r.width + 1);
            const fromY = step.fromY % (size.height - r.height + 1);
            for (const frame of [decoded, plain]) frame.copy(fromX, fromY, r);
            targets.push(r);
          } else {
            const before = withoutKernels(shown);
            const moved = Region.from(targets).subtract(painted);
            decoded.complete(painted);
            const isLeft = targetsOf(decoded.leftMoves(shown)).area > 8192;
            if (isLeft) left[targets.length === 1 ? 0 : 1]++;
            const changed = publishMoved(decoded, shown, moved);
            const expected = publishDamage(plain, before, moved);
            if (!expected.subtract(changed).isEmpty) return false;
            if (isLeft && targets.length === 1 && !changed.equals(expected)) return false;
            publishDamage(decoded, shown, painted);
            decoded.rest(shown);
            if (!same(shown, plain)) return false;
            painted = Region.empty;
            targets = [];
          }
        }
        decoded.complete(Region.of(decoded.rect));
        return same(decoded, plain);
      }),
      { numRuns: 600 },
    );
    const [alone, among] = left;
    t.ok(alone > 30 && among > 5, `made where they are shown: ${alone} alone, of more in an update ${among}`);
  },
);

t.test("a size that comes within an update keeps what was painted and what is shown", async (t) => {
  const { decoded, shown } = resting(3);
  const plain = withoutKernels(shown);
  for (const frame of [decoded, plain]) {
    paintNoise(frame, rect(10, 10, 60, 50), 8);
    frame.resize(100, 40);
    frame.copy(5, 5, rect(20, 0, 80, 30));
    frame.copy(40, 10, rect(0, 10, 60, 30));
  }
  decoded.complete(Region.of(decoded.rect));
  t.ok(same(decoded, plain));
});

t.test("more rectangles than are kept apart are as right", async (t) => {
  const { decoded, shown } = resting(4);
  const plain = withoutKernels(shown);
  const next = numbers(5);
  for (let i = 0; i < 3000; i++) {
    const r = rect(next() % SIZE.width, next() % SIZE.height, 1, 1);
    for (const frame of [decoded, plain]) paintNoise(frame, r, i);
    if (i % 1000 === 999) for (const frame of [decoded, plain]) frame.copy(3, 9, rect(30, 30, 20, 20));
  }
  t.ok(same(decoded, plain), "without asking for the rest: all is there by now");
});

t.test("a scroll around what stays is judged as in a picture that never rests", async (t) => {
  const page = rect(0, 0, 256, 256);
  const make = (): Framebuffer => new Framebuffer(256, 256, { hasKernels: true, canRest: true });
  const [decoded, shown, next] = [make(), make(), make()];
  drawText(decoded, page, 3);
  shown.adopt(decoded);
  next.words.set(shown.words);
  next.copy(0, 18, rect(0, 0, 256, 238));
  const stays = rect(0, 96, 256, 80);
  const painted = [rect(0, 0, 256, 96), rect(0, 176, 256, 80)];
  const plain = withoutKernels(shown);
  for (const r of painted) {
    decoded.paint(r);
    for (const frame of [decoded, plain]) {
      frame.words.set(next.words.subarray(r.y * 256, (r.y + r.height) * 256), r.y * 256);
    }
  }
  const damage = Region.from(painted);
  const found = findScroll(shown, plain, damage);
  t.ok(found !== null && !Region.of(stays).overlaps(found.move.to), "what stays is not worth moving");
  t.same(findScroll(shown, decoded, damage), found);
});

t.test("at rest there is one memory, and who looks without painting sees the whole picture", async (t) => {
  const other = resting(6);
  const { decoded, shown, buffer, isAdopted } = resting(5);
  t.ok(isAdopted);
  t.equal(shown.words.buffer, buffer, "the first picture was not copied");
  t.ok(same(decoded, shown));
  t.not(decoded.words.buffer, buffer, "it has memory while somebody looks");
  decoded.rest(shown);
  paintNoise(decoded, rect(1, 2, 3, 4), 9);
  const lent = decoded.words.buffer;
  decoded.rest(shown);
  paintNoise(other.decoded, rect(0, 0, 1, 1), 9);
  t.equal(other.decoded.words.buffer, lent, "who paints next gets the memory of who painted last");
  t.equal(
    other.decoded.words.reduce((sum, word) => sum + (word === 0 ? 0 : 1), 0),
    1,
    "and finds nothing there of another's pixels",
  );
});

t.test("what may not rest, has another size or rests already is left as it is", async (t) => {
  const { decoded, shown } = resting(7);
  const shared = Framebuffer.shared(SIZE.width, SIZE.height);
  shared.rest(shown);
  t.not(shared.memory, null);
  t.notOk(shown.adopt(shared), "memory of other threads");
  t.notOk(new Framebuffer(SIZE.width, SIZE.height, { hasKernels: true }).adopt(decoded), "rests");
  const small = new Framebuffer(8, 8, { hasKernels: true, canRest: true });
  small.fill(rectOfSize(small), 0x123456);
  t.notOk(shown.adopt(small), "another size");
  small.rest(shown);
  t.equal(small.words[0], 0xff123456);
});
