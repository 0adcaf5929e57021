import fc from "fast-check";
import t from "tap";
import { blendWord } from "../../src/compositor/blend.ts";
import { composeCursor, composePicture } from "../../src/compositor/compose.ts";
import { Scene } from "../../src/compositor/scene.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import type { Picture } from "../../src/framebuffer/picture.ts";
import { holdsPoint, intersectRects, isEmptyRect, type Rect, rect } from "../../src/framebuffer/rect.ts";
import { cropOf } from "../../src/imaging/pixels.ts";
import { HandTimer, spec } from "./scenes.ts";

const WIDTH = 160;
const HEIGHT = 120;

function testFrame(): Framebuffer {
  const frame = new Framebuffer(WIDTH, HEIGHT);
  for (let i = 0; i < frame.words.length; i++)
    frame.words[i] = (Math.imul(i, 2_654_435_761) | 0xff000000) >>> 0;
  return frame;
}

/** The words of one rectangle, copied out of whatever memory the picture hands out. */
function read(picture: Picture, r: Rect): Uint32Array {
  const { bytes, offset, strideBytes } = picture.pixels(r);
  const words = new Uint32Array(r.width * r.height);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let y = 0; y < r.height; y++) {
    for (let x = 0; x < r.width; x++) {
      words[y * r.width + x] = view.getUint32(offset + y * strideBytes + x * 4, true);
    }
  }
  return words;
}

const kind = fc.constantFrom("box", "label", "arrow", "text", "icon");
const anySpec = fc
  .tuple(kind, fc.integer({ min: -20, max: 170 }), fc.integer({ min: -20, max: 130 }), fc.nat(90), fc.nat(80))
  .chain(([kind, x, y, width, height]) =>
    fc
      .tuple(fc.constantFrom("red", "#00ff00", "navy"), fc.constantFrom(0, 0.3, 0.5, 1))
      .map(([color, opacity]) => spec({ kind, x, y, width, height, color, opacity, label: "Save" })),
  );
const anyRect = fc
  .tuple(fc.nat(WIDTH - 1), fc.nat(HEIGHT - 1), fc.nat(WIDTH), fc.nat(HEIGHT))
  .map(([x, y, w, h]) => rect(x, y, Math.min(w + 1, WIDTH - x), Math.min(h + 1, HEIGHT - y)));

t.test("outside of all bounds the picture is untouched, inside it is that of the whole", async () => {
  const frame = testFrame();
  fc.assert(
    fc.property(fc.array(anySpec, { minLength: 1, maxLength: 4 }), fc.array(anyRect), (specs, rects) => {
      const scene = new Scene(new HandTimer());
      for (const one of specs) scene.add(one, "ann", frame.rect);
      const picture = composePicture(frame, scene);
      const whole = read(picture, frame.rect);
      for (let i = 0; i < whole.length; i++) {
        const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
        const isCovered = scene.placed.some(({ bounds }) => holdsPoint(bounds, x, y));
        if (!isCovered && whole[i] !== frame.words[i]) return false;
        if ((whole[i] ?? 0) >>> 24 !== 255) return false;
      }
      return rects.every((r) =>
        read(picture, r).every((word, i) => {
          const [x, y] = [r.x + (i % r.width), r.y + Math.floor(i / r.width)];
          return word === whole[y * WIDTH + x];
        }),
      );
    }),
    { numRuns: 60 },
  );
});

t.test(
  "what lies over a picture, drawn later over a copy of a part, gives the picture of that moment",
  async () => {
    const frame = testFrame();
    const rgba = new Uint8Array(9 * 7 * 4).fill(0x80);
    const cursor = { width: 9, height: 7, hotspotX: 2, hotspotY: 3, rgba };
    fc.assert(
      fc.property(
        fc.array(anySpec, { minLength: 1, maxLength: 4 }),
        anyRect,
        anyRect,
        fc.boolean(),
        (specs, crop, part, hasCursor) => {
          const scene = new Scene(new HandTimer());
          for (const one of specs) scene.add(one, "ann", frame.rect);
          const composed = composePicture(frame, scene);
          const whole = hasCursor ? composeCursor(composed, cursor, 80, 60) : composed;
          const picture = cropOf(whole, crop);
          const r = intersectRects(part, rect(0, 0, crop.width, crop.height));
          if (isEmptyRect(r)) return true;
          const expected = read(picture, r);
          const { composition } = picture;
          if (composition === undefined) return false;
          const words = read(composition.below, r);
          const draw = composition.over();
          scene.clear(null);
          draw(r, new Uint8Array(words.buffer));
          return words.every((word, i) => word === expected[i]);
        },
      ),
      { numRuns: 100 },
    );
  },
);

t.test("the frame itself is never written", async (t) => {
  const frame = testFrame();
  const before = frame.words.slice();
  const scene = new Scene(new HandTimer());
  scene.add(spec({ opacity: 1 }), "ann", frame.rect);
  read(composePicture(frame, scene), frame.rect);
  t.same(frame.words, before);
});

t.test("where no overlay is, the pixels are the framebuffer's own memory", async (t) => {
  const frame = testFrame();
  const scene = new Scene(new HandTimer());
  scene.add(spec({ x: 0, y: 0, width: 20, height: 20 }), "ann", frame.rect);
  const picture = composePicture(frame, scene);
  t.equal(picture.pixels(rect(20, 0, 30, 30)).bytes, frame.bytes);
  t.not(picture.pixels(rect(19, 0, 30, 30)).bytes, frame.bytes);
});

t.test("a box is its colour at the border and a mixture inside, and goes when removed", async (t) => {
  const frame = testFrame();
  const scene = new Scene(new HandTimer());
  const box = spec({ x: 20, y: 20, width: 60, height: 40, color: "blue", opacity: 0.5 });
  const overlay = scene.add(box, "ann", frame.rect);
  const picture = composePicture(frame, scene);
  t.equal(read(picture, rect(20, 20, 1, 1))[0], 0xffff0000);
  t.equal(read(picture, rect(79, 59, 1, 1))[0], 0xffff0000);
  const inside = read(picture, rect(50, 40, 1, 1))[0] ?? 0;
  const half = blendWord(0x80ff0000, frame.words[40 * WIDTH + 50] ?? 0) >>> 0;
  for (const shift of [0, 8, 16]) {
    t.ok(Math.abs(((inside >>> shift) & 255) - ((half >>> shift) & 255)) <= 1, "half colour, half screen");
  }
  scene.remove(overlay.id);
  t.same(read(picture, frame.rect), frame.words);
});

t.test("later overlays lie over earlier ones", async (t) => {
  const frame = testFrame();
  const scene = new Scene(new HandTimer());
  scene.add(spec({ color: "red", opacity: 1 }), "ann", frame.rect);
  scene.add(spec({ color: "lime", opacity: 1 }), "ann", frame.rect);
  t.equal(read(composePicture(frame, scene), rect(30, 25, 1, 1))[0], 0xff00ff00);
});

t.test("a rectangle that leaves the picture is refused", async (t) => {
  const frame = testFrame();
  const picture = composePicture(frame, new Scene(new HandTimer()));
  t.throws(() => picture.pixels(rect(100, 0, 61, 10)), {
    name: "RangeError",
    message: /outside the 160x120/,
  });
});

t.test("a cursor is drawn with its hotspot at the point, cut at the edges, anywhere", async () => {
  const frame = testFrame();
  const below = composePicture(frame, new Scene(new HandTimer()));
  const cursorWords = Uint32Array.from(
    { length: 7 * 9 },
    (_, i) => (Math.imul(i, 40_503_001) ^ (i << 24)) >>> 0,
  );
  const [odd] = [new Uint8Array(7 * 9 * 4 + 1)];
  odd.set(new Uint8Array(cursorWords.buffer), 1);
  const cursor = { width: 7, height: 9, hotspotX: 2, hotspotY: 3, rgba: odd.subarray(1) };
  fc.assert(
    fc.property(fc.nat(WIDTH - 1), fc.nat(HEIGHT - 1), anyRect, (x, y, r) => {
      const picture = composeCursor(below, cursor, x, y);
      return read(picture, r).every((word, i) => {
        const [px, py] = [r.x + (i % r.width), r.y + Math.floor(i / r.width)];
        const under = frame.words[py * WIDTH + px] ?? 0;
        const [cx, cy] = [px - x + 2, py - y + 3];
        const isOver = cx >= 0 && cy >= 0 && cx < 7 && cy < 9;
        return word === (isOver ? blendWord(cursorWords[cy * 7 + cx] ?? 0, under) >>> 0 : under);
      });
    }),
  );
});
