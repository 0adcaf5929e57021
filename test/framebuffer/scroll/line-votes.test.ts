import fc from "fast-check";
import t from "tap";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { intersectRects, type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { type Axis, guessShift } from "../../../src/framebuffer/scroll/line-votes.ts";
import { finish } from "../../../src/framebuffer/steps.ts";
import { noisyFrame, withoutKernels } from "../frames.ts";

function shiftOf(before: Framebuffer, after: Framebuffer, area: Rect, axis: Axis): number {
  return finish(guessShift(before, after, area, axis));
}

t.test("a shift is guessed alike by the kernels and without them, in any part of a picture", async (t) => {
  const before = noisyFrame(401, 350, 9);
  const plain = withoutKernels(before);
  const side = fc.integer({ min: 48, max: 340 });
  const corner = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(
      fc.tuple(corner, corner, side, side),
      fc.integer({ min: -40, max: 40 }),
      fc.constantFrom("rows", "columns"),
      ([x, y, width, height], shift, axis) => {
        const area = intersectRects(rect(x, y, width, height), before.rect);
        if (area.width < 48 || area.height < 48) return;
        const after = withoutKernels(before);
        const [dx, dy] = axis === "rows" ? [0, shift] : [shift, 0];
        const to = intersectRects(area, { ...area, x: area.x + dx, y: area.y + dy });
        after.copy(to.x - dx, to.y - dy, to);
        const lines = axis === "rows" ? to.height : to.width;
        const guess = shiftOf(before, after, area, axis);
        t.equal(guess, shiftOf(plain, after, area, axis));
        // Of fewer lines no shift stands out.
        if (lines >= 16) t.equal(guess, shift);
      },
    ),
    { numRuns: 300 },
  );
});

t.test("a picture taller than what the kernels hold of it at a time is hashed in parts", async (t) => {
  const before = noisyFrame(64, 3000, 5);
  const after = withoutKernels(before);
  after.copy(0, 0, rect(0, 77, 64, 2900));
  t.equal(shiftOf(before, after, before.rect, "rows"), 77);
  t.equal(shiftOf(withoutKernels(before), after, before.rect, "rows"), 77);
});
