import { constants, createDeflate, deflateSync } from "node:zlib";
import fc from "fast-check";
import t from "tap";
import Inflate from "../../../../src/web/client/viewer/inflator.ts";

interface Packing {
  readonly level: number;
  readonly strategy: number;
}

/** Each part packed up to a flush, in one stream, as the server packs the rectangles of a picture. */
async function flushed(parts: readonly Buffer[], packing: Packing): Promise<Uint8Array<ArrayBuffer>[]> {
  const stream = createDeflate(packing);
  let chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const packed: Uint8Array<ArrayBuffer>[] = [];
  for (const part of parts) {
    stream.write(part);
    await new Promise<void>((resolve) => stream.flush(constants.Z_SYNC_FLUSH, resolve));
    await new Promise<void>((resolve) => setImmediate(resolve));
    packed.push(new Uint8Array(Buffer.concat(chunks)));
    chunks = [];
  }
  stream.destroy();
  return packed;
}

/** Bytes that come again, near and far, so that a stream refers to what came long before. */
function sceneOf(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed + 1;
  for (let at = 0; at < length; at++) {
    if (at % 5 === 0) state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = (at >> 9) % 3 === 0 ? at % 7 : state >>> (at % 3 === 0 ? 24 : 30);
  }
  return bytes;
}

function packedWhole(bytes: Uint8Array, packing: Partial<Packing> = {}): Uint8Array<ArrayBuffer> {
  return new Uint8Array(deflateSync(bytes, packing));
}

const PACKINGS: readonly Packing[] = [
  { level: 0, strategy: constants.Z_DEFAULT_STRATEGY },
  { level: 1, strategy: constants.Z_DEFAULT_STRATEGY },
  { level: 9, strategy: constants.Z_DEFAULT_STRATEGY },
  { level: 6, strategy: constants.Z_FIXED },
  { level: 6, strategy: constants.Z_HUFFMAN_ONLY },
  { level: 6, strategy: constants.Z_RLE },
];

t.test("what the server packs is inflated part by part, with all that came before in reach", async (t) => {
  const lengths = [1, 7, 300, 40_000, 12, 200_000, 65_536, 3, 900_000, 900_000, 50_000, 1];
  const parts = lengths.map(sceneOf);
  for (const packing of PACKINGS) {
    const inflator = new Inflate();
    for (let round = 0; round < 2; round++) {
      const wrong: number[] = [];
      for (const [index, packed] of (await flushed(parts, packing)).entries()) {
        const expected = parts[index] ?? Buffer.alloc(0);
        inflator.setInput(packed);
        if (!expected.equals(inflator.inflate(expected.length))) wrong.push(index);
        inflator.setInput(null);
      }
      t.same(wrong, [], `level ${packing.level}, strategy ${packing.strategy}, round ${round}`);
      inflator.reset();
    }
  }
});

t.test("any bytes come back, however zlib packs them", async () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.array(fc.nat(3), { maxLength: 5000 }));
  fc.assert(
    fc.property(bytes, fc.constantFrom(...PACKINGS), (given, packing) => {
      const expected = Buffer.from(given);
      const inflator = new Inflate();
      inflator.setInput(packedWhole(expected, packing));
      return expected.equals(inflator.inflate(expected.length));
    }),
  );
});

t.test("a stream that ends is given out in the pieces that are asked for", async (t) => {
  const inflator = new Inflate();
  inflator.setInput(packedWhole(Buffer.from("size, then the text itself")));
  const pieces = [4, 22].map((length) => Buffer.from(inflator.inflate(length)).toString());
  t.same(pieces, ["size", ", then the text itself"]);
  t.throws(() => inflator.inflate(1), /Incomplete/, "and no more than there is");
  inflator.setInput(null);
  t.throws(() => inflator.inflate(1), /Incomplete/, "nor what was taken back");
});

t.test("damaged data ends in an error or in other bytes, and never goes on for ever", async () => {
  const good = packedWhole(sceneOf(20_000, 5));
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
      const bad = good.slice(0, length);
      bad[at] = byte;
      try {
        new Inflate().setInput(bad);
      } catch (error) {
        if (!(error instanceof Error) || !/deflated data|block of type 3/.test(error.message)) throw error;
      }
    }),
  );
});
