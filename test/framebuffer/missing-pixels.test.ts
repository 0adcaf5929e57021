import fc from "fast-check";
import t from "tap";
import { MissingPixels } from "../../src/framebuffer/missing-pixels.ts";
import { rect } from "../../src/framebuffer/rect.ts";

const size = fc.record({ width: fc.integer({ min: 1, max: 140 }), height: fc.integer({ min: 1, max: 9 }) });
const painted = fc
  .tuple(fc.nat(150), fc.nat(10), fc.nat(150), fc.nat(10))
  .map(([x, y, width, height]) => rect(x, y, width, height));

t.test("what is missing is what no rectangle painted, whatever the rectangles", async () => {
  fc.assert(
    fc.property(size, fc.array(painted, { maxLength: 30 }), ({ width, height }, rects) => {
      const missing = new MissingPixels();
      missing.expect({ width, height });
      const isPainted = new Set<number>();
      for (const r of rects) {
        missing.paint(r);
        for (let y = r.y; y < Math.min(height, r.y + r.height); y++) {
          for (let x = r.x; x < Math.min(width, r.x + r.width); x++) isPainted.add(y * width + x);
        }
        if (missing.count !== width * height - isPainted.size) return false;
      }
      return true;
    }),
    { numRuns: 300 },
  );
});

t.test("nothing is missing before it is expected, and all of it whenever it is", async (t) => {
  const missing = new MissingPixels();
  t.equal(missing.count, 0);
  missing.paint(rect(0, 0, 5, 5));
  t.equal(missing.count, 0);
  missing.expect({ width: 70, height: 2 });
  t.equal(missing.count, 140);
  missing.paint(rect(0, 0, 70, 1));
  missing.expect({ width: 64, height: 3 });
  t.equal(missing.count, 192, "also of a picture that was painted in part");
  missing.paint(rect(0, 0, 1000, 1000));
  t.equal(missing.count, 0);
  missing.expect({ width: 64, height: 3 });
  missing.paint(rect(1, 0, 63, 3));
  missing.paint(rect(0, 0, 1, 2));
  t.equal(missing.count, 1);
});
