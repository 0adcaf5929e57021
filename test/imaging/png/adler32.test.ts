import { deflateSync } from "node:zlib";
import fc from "fast-check";
import t from "tap";
import { adler32, combineAdler32 } from "../../../src/imaging/png/adler32.ts";

/** zlib writes its own Adler-32 at the end of a stream. */
function zlibAdler(bytes: Uint8Array): number {
  return deflateSync(bytes, { level: 0 }).readUInt32BE(deflateSync(bytes, { level: 0 }).length - 4);
}

t.test("the checksum is zlib's, at every alignment and length", async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(7), (bytes, shift) => {
      const shifted = bytes.subarray(Math.min(shift, bytes.length));
      return adler32(shifted) === zlibAdler(shifted);
    }),
  );
});

t.test("sums never overflow: a long run of the largest byte", async (t) => {
  for (const length of [5551, 5552, 5553, 11_104, 1_000_003]) {
    const bytes = new Uint8Array(length).fill(255);
    t.equal(adler32(bytes), zlibAdler(bytes), `${length} bytes`);
    t.equal(
      adler32(bytes.subarray(1)),
      zlibAdler(bytes.subarray(1)),
      `${length - 1} bytes off a word's boundary`,
    );
  }
});

t.test("the checksum of two pieces is that of both together", async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 400 }), (a, b) => {
      const both = Uint8Array.from([...a, ...b]);
      return combineAdler32(adler32(a), adler32(b), b.length) === adler32(both);
    }),
  );
});

t.test("a piece longer than the checksum's base combines too", async (t) => {
  const bytes = new Uint8Array(200_000).map((_, i) => i * 7);
  const [a, b] = [bytes.subarray(0, 60_000), bytes.subarray(60_000)];
  t.equal(combineAdler32(adler32(a), adler32(b), b.length), zlibAdler(bytes));
});
