import fc from "fast-check";
import t from "tap";
import { compareDamage, publishDamage } from "../../src/framebuffer/publish.ts";
import { intersectRects, type Rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { noisyFrame, numbers, withoutKernels } from "./frames.ts";

const WIDTH = 203;
const HEIGHT = 141;

t.test("a front picture with kernels has them on this host", async (t) => {
  t.not(noisyFrame(8, 8, 1).kernelMemory, null);
  t.equal(noisyFrame(8, 8, 1, 2 ** 24, false).kernelMemory, null);
});

t.test("the kernel publishes what the twin and a plain copy do", async () => {
  const edge = fc.integer({ min: -10, max: 210 });
  const size = fc.integer({ min: 0, max: 210 });
  const rects = fc.array(fc.record({ x: edge, y: edge, width: size, height: size }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.integer(), rects, fc.nat(40), (seed, damaged: Rect[], changes) => {
      const front = noisyFrame(WIDTH, HEIGHT, seed, 3);
      const decoded = withoutKernels(front);
      const next = numbers(seed + 1);
      for (let i = 0; i < changes; i++) decoded.words[next() % decoded.words.length] = 0xff123456;
      const twin = withoutKernels(front);
      const before = withoutKernels(front);
      const damage = Region.from(damaged.map((r) => intersectRects(r, front.rect)));
      const byKernel = publishDamage(decoded, front, damage);
      const byTwin = publishDamage(decoded, twin, damage);
      let isRight = byKernel.equals(byTwin) && same(front.words, twin.words);
      for (let i = 0; i < before.words.length; i++) {
        const at = { x: i % WIDTH, y: Math.floor(i / WIDTH), width: 1, height: 1 };
        const isDamaged = damage.overlaps(at);
        const expected = isDamaged ? decoded.words[i] : before.words[i];
        if (front.words[i] !== expected) isRight = false;
        if (before.words[i] !== expected && !byKernel.overlaps(at)) isRight = false;
      }
      return isRight;
    }),
    { numRuns: 60 },
  );
});

t.test("comparing tells what publishing does, wherever in a line of cells the pictures differ", async () => {
  const row = fc.integer({ min: 0, max: HEIGHT - 1 });
  const column = fc.integer({ min: 0, max: WIDTH - 1 });
  const strokes = fc.array(fc.record({ row, column, length: fc.integer({ min: 1, max: WIDTH }) }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.integer(), strokes, fc.array(row, { maxLength: 3 }), (seed, some, whole) => {
      const front = noisyFrame(WIDTH, HEIGHT, seed, 3);
      const decoded = withoutKernels(front);
      const all = [...some, ...whole.map((y) => ({ row: y, column: 0, length: WIDTH }))];
      for (const { row: y, column: x, length } of all) {
        decoded.words.fill(0xff123456, y * WIDTH + x, y * WIDTH + Math.min(WIDTH, x + length));
      }
      const damage = Region.of(front.rect);
      const before = Uint32Array.from(front.words);
      const lines = [...compareDamage(decoded, front, damage)];
      const isUntouched = same(front.words, before);
      const told = Region.from(lines.flatMap(({ rects }) => rects));
      return isUntouched && told.equals(publishDamage(decoded, front, damage));
    }),
    { numRuns: 60 },
  );
});

t.test("what did not change is no damage", async (t) => {
  const front = noisyFrame(300, 200, 5);
  const decoded = withoutKernels(front);
  t.ok(publishDamage(decoded, front, Region.of(front.rect)).isEmpty);
  decoded.words[65 + 65 * 300] = 0xff000001;
  const changed = publishDamage(decoded, front, Region.of(front.rect));
  t.same(changed.rects, [{ x: 64, y: 64, width: 64, height: 64 }]);
});

t.test("of little damage the part of a cell that differs is told, and all of it is copied", async (t) => {
  const front = noisyFrame(300, 200, 5);
  const decoded = withoutKernels(front);
  for (let y = 70; y < 84; y++) decoded.words.fill(0xff000001, y * 300 + 66, y * 300 + 68);
  const changed = publishDamage(decoded, front, Region.of({ x: 64, y: 64, width: 64, height: 64 }));
  t.same(changed.rects, [{ x: 66, y: 70, width: 2, height: 14 }]);
  t.ok(same(front.words, decoded.words));
});

t.test("a picture keeps its pixels and its kernels when it is resized", async (t) => {
  const front = noisyFrame(40, 30, 9);
  const corner = front.read({ x: 0, y: 0, width: 20, height: 20 });
  front.resize(50, 20);
  t.same(front.read({ x: 0, y: 0, width: 20, height: 20 }), corner);
  t.not(front.kernelMemory, null);
  t.equal(front.words[49], 0xff000000);
});

function same(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}
