import fc from "fast-check";
import t from "tap";
import { matchesOf } from "../../../src/vision/private/span.ts";

t.test("matches of a pattern are those of matchAll, however often it is used", async (t) => {
  const patterns = [/a+/g, /\p{L}\d?/gu, /(?<=b)c*/gu, /(x)|(y)/g];
  const text = fc.string({ unit: fc.constantFrom(..."abcxy1 äé😀"), maxLength: 30 });
  fc.assert(
    fc.property(text, fc.constantFrom(...patterns), (one, pattern) => {
      pattern.lastIndex = 7;
      const expected = [...one.matchAll(new RegExp(pattern.source, pattern.flags))];
      t.strictSame(
        matchesOf(one, pattern).map((found) => [found.index, ...found]),
        expected.map((found) => [found.index, ...found]),
      );
    }),
    { numRuns: 300 },
  );
});
