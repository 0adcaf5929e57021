import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { Progressive } from "../../../../src/protocols/rdp/codecs/progressive.ts";
import {
  PLAIN_WAVELET,
  REDUCED_WAVELET,
  TILE_COEFFICIENTS,
  type Wavelet,
} from "../../../../src/protocols/rdp/codecs/wavelet.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { numbers } from "../../rfb/encodings/pictures.ts";
import {
  type Bands,
  block,
  evenly,
  firstPass,
  region,
  stream,
  tile,
  upgradePass,
} from "./progressive-writer.ts";

const free = (): void => {};
const NOTHING = evenly(0);
const SCREEN = { width: 64, height: 64 };

/** Sparse coefficients of a tile, more in LL3, as pictures have them; the same for the same seed. */
function componentsOf(seed: number): number[][] {
  const next = numbers(seed);
  return [0, 1, 2].map(() => {
    const values = new Array<number>(TILE_COEFFICIENTS).fill(0);
    for (let count = next() % 300; count > 0; count--)
      values[next() % TILE_COEFFICIENTS] = (next() % 121) - 60;
    for (let i = 4015; i < TILE_COEFFICIENTS; i++) values[i] = (next() % 41) - 20;
    return values;
  });
}

/** A seed: coefficients themselves would be a page of numbers where a property fails. */
const anySeed = fc.nat();

function tileOf(components: readonly number[][], wavelet: Wavelet, leftOut: Bands): Uint8Array[] {
  return components.map((values) => firstPass(values, wavelet, leftOut));
}

const WHOLE = [{ x: 0, y: 0, width: 64, height: 64 }];

/** A stream with one tile of one kind. */
function simple(components: readonly number[][], wavelet: Wavelet, isDifference = false): Uint8Array {
  const data = tileOf(components, wavelet, NOTHING);
  const tiles = [tile({ kind: "simple", column: 0, row: 0, isDifference, data })];
  return stream([
    region({ rects: WHOLE, quantisation: evenly(6), isReduced: wavelet === REDUCED_WAVELET, tiles }),
  ]);
}

function paint(...streams: readonly Uint8Array[]): Framebuffer {
  const to = new Framebuffer(64, 64);
  const codec = new Progressive(SCREEN, free);
  for (const bytes of streams) codec.decode(bytes, to, 0, 0);
  return to;
}

t.test("a tile in passes becomes the tile that comes whole", async (t) => {
  const anyPasses = fc
    .array(fc.array(fc.nat({ max: 5 }), { minLength: 10, maxLength: 10 }), { minLength: 1, maxLength: 3 })
    // Each pass leaves out no more than the one before.
    .map((wishes) => {
      const passes: number[][] = [];
      for (const wish of wishes)
        passes.push(wish.map((bits, band) => Math.min(bits, passes.at(-1)?.[band] ?? 5)));
      return passes;
    });
  fc.assert(
    fc.property(anySeed, fc.boolean(), anyPasses, (seed, isReduced, passes) => {
      const components = componentsOf(seed);
      const wavelet = isReduced ? REDUCED_WAVELET : PLAIN_WAVELET;
      const wish = (tiles: Uint8Array[]) => ({
        rects: WHOLE,
        quantisation: evenly(6),
        passes,
        isReduced,
        tiles,
      });
      const data = tileOf(components, wavelet, passes[0] ?? NOTHING);
      const streams = [
        stream([region(wish([tile({ kind: "first", column: 0, row: 0, quality: 0, data })]))]),
        ...[...passes.slice(1), NOTHING].map((after, i) => {
          const refined = components.map((values) =>
            upgradePass(values, wavelet, passes[i] ?? NOTHING, after),
          );
          const quality = i + 1 < passes.length ? i + 1 : 255;
          return stream([
            region(wish([tile({ kind: "upgrade", column: 0, row: 0, quality, data: refined })])),
          ]);
        }),
      ];
      return Buffer.from(paint(...streams).bytes).equals(paint(simple(components, wavelet)).bytes);
    }),
    { numRuns: 60 },
  );
  t.pass("all came to the same");
});

t.test("a difference adds to the tile before", async (t) => {
  fc.assert(
    fc.property(anySeed, anySeed, fc.boolean(), (seed, other, isReduced) => {
      const before = componentsOf(seed);
      const change = componentsOf(other);
      const wavelet = isReduced ? REDUCED_WAVELET : PLAIN_WAVELET;
      const sum = before.map((values, c) => values.map((value, i) => value + (change[c]?.[i] ?? 0)));
      const painted = paint(simple(before, wavelet), simple(change, wavelet, true));
      return Buffer.from(painted.bytes).equals(paint(simple(sum, wavelet)).bytes);
    }),
    { numRuns: 30 },
  );
  t.pass("all came to the same");
});

const GREY = tileOf(
  [0, 1, 2].map(() => new Array<number>(TILE_COEFFICIENTS).fill(0)),
  PLAIN_WAVELET,
  NOTHING,
);
const GREY_WORD = 0xff808080;

t.test("tiles are clipped to the rectangles of all regions of the frame, and to the surface", async (t) => {
  const to = new Framebuffer(100, 70);
  const tiles = [
    [tile({ kind: "simple", column: 0, row: 0, data: GREY })],
    [tile({ kind: "simple", column: 1, row: 1, data: GREY })],
  ] as const;
  const bytes = stream([
    region({ rects: [{ x: 10, y: 10, width: 5, height: 5 }], quantisation: evenly(7), tiles: tiles[0] }),
    region({ rects: [{ x: 60, y: 60, width: 200, height: 200 }], quantisation: evenly(7), tiles: tiles[1] }),
  ]);
  const painted = new Progressive(to, free).decode(bytes, to, 0, 0);
  t.same(painted, [
    { x: 10, y: 10, width: 5, height: 5 },
    { x: 60, y: 60, width: 4, height: 4 },
    { x: 64, y: 64, width: 36, height: 6 },
  ]);
  for (const [x, y, word] of [
    [10, 10, GREY_WORD],
    [15, 10, 0xff000000],
    [99, 69, GREY_WORD],
    [64, 63, 0xff000000],
  ] as const) {
    t.equal(to.words[y * 100 + x], word, `${x},${y}`);
  }
});

t.test("a region outside a frame is ignored (MS-RDPEGFX 2.2.4.2.1.5)", async (t) => {
  const part = region({
    rects: WHOLE,
    quantisation: evenly(6),
    tiles: [tile({ kind: "simple", column: 0, row: 0, data: GREY })],
  });
  t.same(new Progressive(SCREEN, free).decode(part, new Framebuffer(64, 64), 0, 0), []);
});

t.test("codec contexts are kept apart and forgotten", async (t) => {
  const codec = new Progressive(SCREEN, free);
  const to = new Framebuffer(64, 64);
  const wish = { rects: WHOLE, quantisation: evenly(6), passes: [evenly(2)] };
  const first = stream([
    region({ ...wish, tiles: [tile({ kind: "first", column: 0, row: 0, quality: 0, data: GREY })] }),
  ]);
  const none = [new Uint8Array(), new Uint8Array()] as const;
  const upgrade = stream([
    region({ ...wish, tiles: [tile({ kind: "upgrade", column: 0, row: 0, data: [none, none, none] })] }),
  ]);
  const bad = { name: "RdpError", code: "bad_data", message: /first pass before/ };
  codec.decode(first, to, 1, 1);
  t.throws(() => codec.decode(upgrade, to, 1, 2), bad, "another context");
  t.throws(() => codec.decode(upgrade, to, 2, 1), bad, "another surface");
  codec.decode(upgrade, to, 1, 1);
  codec.forget(1, 1);
  t.throws(() => codec.decode(upgrade, to, 1, 1), bad, "a context that was deleted");
  codec.decode(first, to, 1, 1);
  codec.forget(1, null);
  t.throws(() => codec.decode(upgrade, to, 1, 1), bad, "a surface that was deleted");
});

t.test("no more tiles are kept than the screen has and some, those of the contexts used last", async (t) => {
  // One tile of the screen, and the spare ones.
  const most = 1 + 128;
  const codec = new Progressive(SCREEN, free);
  const to = new Framebuffer(64 * most, 64);
  const wish = { rects: [to.rect], quantisation: evenly(6), passes: [evenly(2)] };
  const none = [new Uint8Array(), new Uint8Array()] as const;
  const columns = Array.from({ length: most }, (_, column) => column);
  const first = (...which: readonly number[]): Uint8Array => {
    const tiles = which.map((column) => tile({ kind: "first", column, row: 0, quality: 0, data: GREY }));
    return stream([region({ ...wish, tiles })]);
  };
  const upgrade = (...which: readonly number[]): Uint8Array => {
    const tiles = which.map((column) => tile({ kind: "upgrade", column, row: 0, data: [none, none, none] }));
    return stream([region({ ...wish, tiles })]);
  };
  codec.decode(first(...columns), to, 1, 1);
  codec.decode(upgrade(...columns), to, 1, 1);
  codec.decode(first(0), to, 1, 2);
  codec.decode(upgrade(...columns.slice(1)), to, 1, 1);
  const gone = { name: "RdpError", code: "bad_data", message: /first pass before/ };
  t.throws(() => codec.decode(upgrade(0), to, 1, 1), gone, "the oldest tile went");
  codec.decode(upgrade(0), to, 1, 2);
  // On another surface as well: the context that was used longest ago gives its tiles away, all of them.
  codec.decode(first(...columns.slice(1)), to, 2, 1);
  t.throws(() => codec.decode(upgrade(1), to, 1, 1), gone, "and then all others");
  codec.decode(upgrade(...columns.slice(1)), to, 2, 1);
  codec.decode(upgrade(0), to, 1, 2);
  for (let context = 2; context <= 62; context++) codec.decode(first(0), to, 2, context);
  t.throws(() => codec.decode(first(0), to, 2, 63), { code: "too_large" }, "contexts have an end");
});

t.test("tiles are taken anew as if nothing had been kept in their memory", async (t) => {
  const seeds = [3, 4, 5] as const;
  const [before, other, change] = seeds.map(componentsOf);
  if (before === undefined || other === undefined || change === undefined) throw new Error("three seeds");
  const codec = new Progressive(SCREEN, free);
  const to = new Framebuffer(64, 64);
  codec.decode(simple(before, PLAIN_WAVELET, true), to, 1, 1);
  codec.decode(simple(other, PLAIN_WAVELET, true), to, 1, 1);
  codec.forget(1, null);
  codec.decode(simple(change, PLAIN_WAVELET, true), to, 1, 1);
  t.same(to.bytes, paint(simple(change, PLAIN_WAVELET, true)).bytes);
});

t.test("what cannot be is an RdpError", async (t) => {
  const to = new Framebuffer(64, 64);
  const bad = (bytes: Uint8Array, message: RegExp, code = "bad_data") =>
    t.throws(() => new Progressive(to, free).decode(bytes, to, 0, 0), { name: "RdpError", code, message });
  const one = tile({ kind: "simple", column: 0, row: 0, data: GREY });
  const wish = { rects: WHOLE, quantisation: evenly(6), tiles: [one] };
  bad(Uint8Array.of(1), /1 bytes left/);
  bad(block(0xcccf, new Uint8Array()), /type 0xcccf/);
  bad(block(0xccc0, new Uint8Array(6)), /magic/);
  bad(Uint8Array.of(0xc0, 0xcc, 5, 0, 0, 0), /block of 5 bytes/);
  bad(stream([region({ ...wish, quantisation: evenly(5) })]), /quantisation value of 5/);
  bad(
    stream([region({ ...wish, tiles: [tile({ kind: "simple", column: 1, row: 0, data: GREY })] })]),
    /tile at 64,0/,
  );
  const pass = tile({ kind: "first", column: 0, row: 0, quality: 3, data: GREY });
  bad(stream([region({ ...wish, tiles: [pass] })]), /quantisation 3/);
  bad(
    stream([region({ ...wish, tiles: Array.from({ length: 16_385 }, () => one) })]),
    /16385 progressive tiles/,
    "too_large",
  );
  bad(stream([region({ ...wish, tiles: [block(0xccc8, new Uint8Array(30))] })]), /among tiles/);
});

t.test("damaged streams end in pixels or an RdpError", async (t) => {
  const values = [0, 1, 2].map((c) =>
    Array.from({ length: TILE_COEFFICIENTS }, (_, i) => ((i * (c + 3)) % 11) - 5),
  );
  const coarse = evenly(3);
  const wish = { rects: WHOLE, quantisation: evenly(6), passes: [coarse], isReduced: true };
  const data = tileOf(values, REDUCED_WAVELET, coarse);
  const refined = values.map((component) => upgradePass(component, REDUCED_WAVELET, coarse, NOTHING));
  const streams = [
    stream([region({ ...wish, tiles: [tile({ kind: "first", column: 0, row: 0, quality: 0, data })] })]),
    stream([region({ ...wish, tiles: [tile({ kind: "upgrade", column: 0, row: 0, data: refined })] })]),
  ];
  fc.assert(
    fc.property(
      fc.nat({ max: 1 }),
      fc.array(fc.record({ at: fc.nat({ max: 140 }), byte: fc.nat({ max: 255 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      (which, faults) => {
        const copies = streams.map((bytes) => bytes.slice());
        for (const { at, byte } of faults) {
          const bytes = copies[which];
          if (bytes !== undefined && at < bytes.length) bytes[at] = byte;
        }
        try {
          return paint(...copies).words.every((word) => word >>> 24 === 255);
        } catch (error) {
          return error instanceof RdpError;
        }
      },
    ),
    { numRuns: 250 },
  );
  t.pass("nothing else happened");
});
