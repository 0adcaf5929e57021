import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { takePatch } from "../../src/framebuffer/patch.ts";
import type { Point, Rect } from "../../src/framebuffer/rect.ts";
import { findExact, isExactlyAt } from "../../src/framebuffer/search-exact.ts";
import { findTolerant } from "../../src/framebuffer/search-tolerant.ts";
import { addNoise, drawText, noisyFrame, withoutKernels } from "./frames.ts";

/** What the search is defined to find, at any cost. */
function naive(frame: Framebuffer, patch: { width: number; height: number; words: Uint32Array }, area: Rect) {
  const places: Point[] = [];
  for (let y = Math.max(0, area.y); y + patch.height <= Math.min(frame.height, area.y + area.height); y++) {
    for (let x = Math.max(0, area.x); x + patch.width <= Math.min(frame.width, area.x + area.width); x++) {
      const stands = patch.words.every(
        (word, i) =>
          frame.words[(y + Math.floor(i / patch.width)) * frame.width + x + (i % patch.width)] === word,
      );
      if (stands) places.push({ x, y });
    }
  }
  return places;
}

t.test("the exact search finds what a plain loop finds, by kernel and twin", async () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 21, max: 90 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(15),
      (seed, width, colours, patchWidth, patchHeight, inset) => {
        const frame = noisyFrame(width, 30, seed, colours);
        const patch = takePatch(frame, { x: inset % 2, y: inset, width: patchWidth, height: patchHeight });
        const area = { x: inset, y: 0, width: width - 2 * inset, height: 30 };
        const expected = naive(frame, patch, area);
        const kernel = findExact(frame, patch, area, 4096);
        const twin = findExact(withoutKernels(frame), patch, area, 4096);
        const wanted = JSON.stringify(expected);
        return JSON.stringify(kernel.places) === wanted && JSON.stringify(twin) === JSON.stringify(kernel);
      },
    ),
    { numRuns: 150 },
  );
});

t.test("the exact search ends at as many places as were asked for", async (t) => {
  const frame = new Framebuffer(100, 100, { hasKernels: true });
  const patch = takePatch(frame, { x: 0, y: 0, width: 5, height: 5 });
  t.same(findExact(frame, patch, frame.rect, 2), {
    places: [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
    ],
    isComplete: false,
  });
  t.ok(isExactlyAt(frame, patch, { x: 95, y: 95 }));
  t.notOk(isExactlyAt(frame, patch, { x: 96, y: 95 }));
});

t.test("a pattern made to cost much is given up, by kernel and twin alike", async (t) => {
  const frame = new Framebuffer(600, 400, { hasKernels: true });
  frame.fill(frame.rect, 0x101010);
  // Every place agrees in nearly all rows: the last one differs.
  const taken = takePatch(frame, { x: 0, y: 0, width: 200, height: 200 });
  const words = taken.words.slice();
  words[199 * 200] = 0xff101011;
  const patch = { ...taken, words };
  t.same(findExact(frame, patch, frame.rect, 2), { places: [], isComplete: false });
  t.same(findExact(withoutKernels(frame), patch, frame.rect, 2), { places: [], isComplete: false });
});

t.test("the tolerant search finds text under noise where it stands, by kernel and twin", async (t) => {
  const clean = new Framebuffer(400, 300, { hasKernels: true });
  drawText(clean, clean.rect, 77);
  for (const [x, y, width, height] of [
    [31, 40, 64, 40],
    [200, 101, 128, 32],
    [0, 0, 33, 150],
  ] as const) {
    const patch = takePatch(clean, { x, y, width, height });
    const moved = new Framebuffer(400, 300, { hasKernels: true });
    drawText(moved, moved.rect, 5);
    const to = { x: x + 3, y: y + 61 };
    for (let row = 0; row < height; row++) {
      moved.words.set(patch.words.subarray(row * width, (row + 1) * width), (to.y + row) * 400 + to.x);
    }
    addNoise(moved, 6, 3);
    const found = findTolerant(moved, patch, moved.rect, 16);
    t.match(found, { places: [to], isComplete: true });
    t.equal(found.places.length, 1);
    t.same(findTolerant(withoutKernels(moved), patch, moved.rect, 16), found);
  }
});

t.test("the tolerant search says that it cannot tell what has no ink", async (t) => {
  const frame = new Framebuffer(200, 200, { hasKernels: true });
  const patch = takePatch(frame, { x: 10, y: 10, width: 30, height: 30 });
  t.same(findTolerant(frame, patch, frame.rect, 16), { places: [], isComplete: false });
});

t.test("the tolerant search works in pictures of any width", async () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 127 }),
      (seed, width, height, tolerance) => {
        const frame = noisyFrame(width, height, seed, 40);
        const part = { x: 0, y: 0, width: Math.min(width, 30), height: Math.min(height, 160) };
        const patch = takePatch(frame, part);
        const kernel = findTolerant(frame, patch, frame.rect, tolerance);
        const twin = findTolerant(withoutKernels(frame), patch, frame.rect, tolerance);
        return JSON.stringify(kernel) === JSON.stringify(twin);
      },
    ),
    { numRuns: 60 },
  );
});

t.test("a patch that is empty, outside or too large is refused", async (t) => {
  const frame = new Framebuffer(600, 300);
  t.throws(() => takePatch(frame, { x: 0, y: 0, width: 0, height: 4 }), RangeError);
  t.throws(() => takePatch(frame, { x: 590, y: 0, width: 20, height: 4 }), RangeError);
  t.throws(() => takePatch(frame, { x: 0, y: 0, width: 600, height: 110 }), RangeError);
});
