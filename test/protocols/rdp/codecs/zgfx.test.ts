import fc from "fast-check";
import t from "tap";
import { Zgfx } from "../../../../src/protocols/rdp/codecs/zgfx.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { compressedSegment, plainMessage, segmented, type ZgfxStep } from "./zgfx-writer.ts";

const FOX = "The quick brown fox jumps over the lazy dog";

t.test("the specification's messages decode (MS-RDPEGFX 4.2)", async (t) => {
  const single = Buffer.concat([Buffer.from("e004", "hex"), Buffer.from(FOX)]);
  t.equal(Buffer.from(new Zgfx().decompress(single)).toString(), FOX, "one segment, not compressed");
  const several = Buffer.from(
    "e103002b0000001100000004" +
      "54686520717569636b2062726f776e20" +
      "0e00000004666f78206a756d7073206f7665" +
      "1000000024" +
      "39080e91f8d8613d1e440643799c02",
    "hex",
  );
  t.equal(
    Buffer.from(new Zgfx().decompress(several)).toString(),
    FOX,
    "three segments, the last one compressed",
  );
});

/** Steps, and what they stand for after `history`. */
function play(steps: readonly ZgfxStep[], history: readonly number[]): number[] {
  const all = [...history];
  for (const step of steps) {
    if (step.kind === "literal") all.push(step.byte);
    else if (step.kind === "unencoded") all.push(...step.bytes);
    else for (let i = 0; i < step.count; i++) all.push(all[all.length - step.distance] ?? 0);
  }
  return all.slice(history.length);
}

const anyStep: fc.Arbitrary<ZgfxStep> = fc.oneof(
  fc.nat({ max: 255 }).map((byte) => ({ kind: "literal" as const, byte })),
  fc.record({
    kind: fc.constant("match" as const),
    distance: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 900 })),
    count: fc.oneof(fc.integer({ min: 3, max: 20 }), fc.integer({ min: 3, max: 700 })),
  }),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => ({ kind: "unencoded" as const, bytes })),
);

t.test("literals, matches and unencoded bytes come back, over several messages", async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(anyStep, { maxLength: 30 }), { minLength: 1, maxLength: 5 }),
      (segments) => {
        const zgfx = new Zgfx();
        let history: number[] = [];
        for (const steps of segments) {
          const expected = play(steps, history);
          const decoded = zgfx.decompress(segmented([compressedSegment(steps)], expected.length));
          if (!Buffer.from(decoded).equals(Uint8Array.from(expected))) return false;
          history = [...history, ...expected];
        }
        return true;
      },
    ),
    { numRuns: 400 },
  );
  t.pass("all came back");
});

t.test("matches reach over the whole history, also round its end", async (t) => {
  const zgfx = new Zgfx();
  const block = Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7 + (i >> 8)) & 255);
  // 42 times 60,000 bytes: once round the 2,500,000.
  for (let i = 0; i < 42; i++) {
    block[0] = i;
    zgfx.decompress(plainMessage(block));
  }
  for (const [back, expected] of [
    [1, 41],
    [20, 22],
    [41, 1],
  ] as const) {
    // The first byte of a block so many blocks ago, and the three bytes each check itself added since.
    const added = back === 1 ? 0 : back === 20 ? 3 : 6;
    const decoded = zgfx.decompress(
      segmented([compressedSegment([{ kind: "match", distance: back * 60_000 + added, count: 3 }])], 3),
    );
    t.equal(decoded[0], expected, `${back} blocks back`);
  }
});

t.test("a long message in segments that are not compressed comes back", async (t) => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i ^ (i >> 9)) & 255);
  t.ok(Buffer.from(new Zgfx().decompress(plainMessage(bytes))).equals(bytes));
});

t.test("what cannot be is an RdpError", async (t) => {
  const bad = (hex: string, message: RegExp, code = "bad_data") =>
    t.throws(() => new Zgfx().decompress(Buffer.from(hex, "hex")), { name: "RdpError", code, message });
  bad("", /0 bytes left/);
  bad("e2", /descriptor 0xe2/);
  bad("e003", /type 3/);
  bad("e0", /cut off/);
  bad("e10100ffffffff", /expected at most/, "too_large");
  bad("e10100050000000200000004aa", /1 bytes of bulk data, expected 5/);
  bad("e10100000000000200000004aa", /more than the announced 0/);
  bad("e024ff09", /cut off/);
  // A match further back than any history.
  bad("e024bf0000000006", /17094304 bytes back/);
});

t.test("a bomb of matches stops at the segment's limit", async (t) => {
  const steps: ZgfxStep[] = [
    { kind: "literal", byte: 65 },
    { kind: "match", distance: 1, count: 60_000 },
    { kind: "match", distance: 1, count: 60_000 },
  ];
  t.throws(() => new Zgfx().decompress(segmented([compressedSegment(steps)], 1)), { code: "bad_data" });
});

t.test("random tokens end in bytes or an RdpError", async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (body) => {
      try {
        return new Zgfx().decompress(Uint8Array.of(0xe0, 0x24, ...body)).length <= 65_536;
      } catch (error) {
        return error instanceof RdpError;
      }
    }),
    { numRuns: 400 },
  );
  t.pass("nothing else happened");
});
