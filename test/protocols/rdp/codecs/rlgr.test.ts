import fc from "fast-check";
import t from "tap";
import { decodeRlgr } from "../../../../src/protocols/rdp/codecs/rlgr.ts";
import { encodeRlgr } from "./rlgr-writer.ts";

/** Coefficients as they come: mostly zero, some small, a few large. */
const anyCoefficient = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: -2000, max: 2000 }) },
);
const anyCoefficients = fc
  .array(fc.record({ zeros: fc.nat({ max: 700 }), values: fc.array(anyCoefficient, { maxLength: 80 }) }), {
    maxLength: 12,
  })
  .map((parts) => parts.flatMap(({ zeros, values }) => [...new Array<number>(zeros).fill(0), ...values]))
  .filter((values) => values.length > 0);

for (const kind of [1, 3] as const) {
  t.test(`coefficients come back by rlgr${kind}`, async (t) => {
    fc.assert(
      fc.property(anyCoefficients, (values) => {
        const to = new Int16Array(values.length);
        decodeRlgr(kind, encodeRlgr(kind, values), to);
        return values.every((value, i) => to[i] === value);
      }),
      { numRuns: 300 },
    );
    t.pass("all came back");
  });

  t.test(`rlgr${kind} data that ends early ends in zeros`, async (t) => {
    const values = [5, 0, 0, -3, ...new Array<number>(60).fill(0)];
    const to = new Int16Array(values.length).fill(9);
    decodeRlgr(kind, encodeRlgr(kind, values.slice(0, 4)), to);
    t.same([...to.subarray(0, 4)], [5, 0, 0, -3]);
    to.fill(9);
    decodeRlgr(kind, new Uint8Array(), to);
    t.ok(
      to.every((value) => value === 0),
      "no data is all zeros",
    );
  });

  t.test(`any bytes by rlgr${kind} fill all coefficients in bounded time`, async (t) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
        const to = new Int16Array(4096).fill(1);
        decodeRlgr(kind, bytes, to);
        return true;
      }),
      { numRuns: 300 },
    );
    for (const byte of [0, 255]) decodeRlgr(kind, new Uint8Array(65_535).fill(byte), new Int16Array(4096));
    t.pass("all ended");
  });
}
