import { readFileSync } from "node:fs";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { GraphicsPipeline } from "../../../../src/protocols/rdp/channels/egfx.ts";
import { PLAIN_WAVELET, TILE_COEFFICIENTS } from "../../../../src/protocols/rdp/codecs/wavelet.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { noisePicture, numbers } from "../../rfb/encodings/pictures.ts";
import { BandWriter, clearStream, residualOf, subcodecOf } from "../codecs/clear-writer.ts";
import { EXACT, encodePlanar } from "../codecs/planar-writer.ts";
import { evenly, firstPass, region, stream, tile, upgradePass } from "../codecs/progressive-writer.ts";
import { compressedSegment, plainMessage, segmented, type ZgfxStep } from "../codecs/zgfx-writer.ts";
import * as write from "./egfx-writer.ts";

const WIDTH = 128;
const HEIGHT = 64;
const ALL = { x: 0, y: 0, width: WIDTH, height: HEIGHT };
const SESSIONS = 2000;
/** Nearly all of it is garbage of sessions that are over, which nobody has collected yet: 91 to 106 MiB seen. */
const MOST_GROWTH_BYTES = 160 * 1024 * 1024;
/** Hundreds of times what a session takes: an endless loop, not a slow machine. */
const MOST_MS = 20_000;

const remoteFx = readFileSync(new URL("../../../wire/rdp-egfx/rfx-specification-4.2.bin", import.meta.url));

/** Tiles in passes, as progressive streams have them. */
function progressive(): readonly Uint8Array[] {
  const components = [0, 1, 2].map((c) =>
    Array.from({ length: TILE_COEFFICIENTS }, (_, i) => (i % (c + 5) === 0 ? ((i * 7) % 23) - 11 : 0)),
  );
  const [coarse, fine] = [evenly(3), evenly(0)];
  const wish = { rects: [ALL], quantisation: evenly(6), passes: [coarse, fine] };
  const first = components.map((values) => firstPass(values, PLAIN_WAVELET, coarse));
  const whole = components.map((values) => firstPass(values, PLAIN_WAVELET, fine));
  const refined = components.map((values) => upgradePass(values, PLAIN_WAVELET, coarse, fine));
  const at = { column: 0, row: 0 };
  return [
    stream([region({ ...wish, tiles: [tile({ kind: "first", ...at, quality: 0, data: first })] })]),
    stream([region({ ...wish, tiles: [tile({ kind: "upgrade", ...at, quality: 1, data: refined })] })]),
    stream([region({ ...wish, tiles: [tile({ kind: "simple", column: 1, row: 0, data: whole })] })]),
    stream([region({ ...wish, tiles: [tile({ kind: "simple", ...at, isDifference: true, data: whole })] })]),
  ];
}

/** Bulk data with matches, whose text is the message. */
function compressed(message: Uint8Array): Uint8Array {
  const steps = [...message].map((byte): ZgfxStep => ({ kind: "literal", byte }));
  // The same once more, out of the history.
  steps.push({ kind: "match", distance: message.length, count: message.length });
  return segmented([compressedSegment(steps)], message.length * 2);
}

/** A session in which every command and every codec that we take has a part; each entry is a message. */
function sessionOf(): readonly Uint8Array[] {
  const picture = noisePicture(WIDTH, HEIGHT);
  const small = noisePicture(10, 8);
  const glyph = { x: 4, y: 4, width: 10, height: 8 };
  const lossy = { ...EXACT, colourLoss: 2 };
  const frame = (id: number, ...commands: readonly Uint8Array[]): Uint8Array =>
    plainMessage(Buffer.concat([write.startFrame(id), ...commands, write.endFrame(id)]));
  const clear = (...streams: readonly Uint8Array[]): Uint8Array[] =>
    streams.map((data) => write.wireToSurface1(0, 8, glyph, data));
  return [
    plainMessage(
      Buffer.concat([
        write.resetGraphics(WIDTH, HEIGHT),
        write.createSurface(0, WIDTH, HEIGHT),
        write.mapToOutput(0, 0, 0),
      ]),
    ),
    frame(1, write.wireToSurface1(0, 0, ALL, picture.bytes)),
    frame(2, write.wireToSurface1(0, 10, ALL, encodePlanar(picture.bytes, WIDTH, HEIGHT))),
    frame(3, write.wireToSurface1(0, 10, ALL, encodePlanar(picture.bytes, WIDTH, HEIGHT, lossy))),
    frame(
      4,
      ...clear(
        clearStream({ residual: residualOf(small, small.rect) }),
        clearStream({ bands: new BandWriter().encode(small, small.rect, 52) }),
        clearStream({ subcodecs: subcodecOf(small, small.rect, small.rect, 0) }),
        clearStream({ subcodecs: subcodecOf(small, small.rect, small.rect, 2) }, 7),
        clearStream(null, 7),
      ),
    ),
    frame(5, write.wireToSurface1(0, 3, { x: 0, y: 0, width: 64, height: 64 }, remoteFx)),
    ...progressive().map((data, i) => frame(6 + i, write.wireToSurface2(0, 9, 1, data))),
    frame(
      10,
      write.solidFill(0, 0x102030, [glyph, { x: 0, y: 0, width: 3, height: 3 }]),
      write.surfaceToSurface(0, 0, glyph, [{ x: 50, y: 20 }]),
      write.surfaceToCache(0, 12, glyph),
      write.cacheToSurface(12, 0, [
        { x: 1, y: 1 },
        { x: 90, y: 40 },
      ]),
      write.evictCacheEntry(12),
    ),
    compressed(Buffer.concat([write.startFrame(11), write.solidFill(0, 1, [ALL]), write.endFrame(11)])),
    plainMessage(Buffer.concat([write.deleteEncodingContext(0, 1), write.deleteSurface(0)])),
  ];
}

/** Some bytes of some messages changed: half of them near the beginning, where the headers are. */
function damaged(session: readonly Uint8Array[], next: () => number): readonly Uint8Array[] {
  const copies = session.map((message) => Uint8Array.from(message));
  for (let count = 1 + (next() % 4); count > 0; count--) {
    const bytes = copies[next() % copies.length];
    if (bytes === undefined) continue;
    const reach = next() % 2 === 0 ? Math.min(80, bytes.length) : bytes.length;
    const at = next() % reach;
    const kind = next() % 4;
    const flipped = (bytes[at] ?? 0) ^ (1 << (next() % 8));
    bytes[at] = kind === 0 ? 0 : kind === 1 ? 0xff : kind === 2 ? flipped : next() & 0xff;
  }
  return copies;
}

t.test("the whole session is drawn, by every codec, before bytes are changed in it", async (t) => {
  const output = new Framebuffer(1, 1);
  const pipeline = new GraphicsPipeline(output);
  for (const message of sessionOf()) pipeline.receive(message);
  t.equal(pipeline.framesDecoded, 12);
  t.ok(pipeline.isLossy);
  t.equal(output.words[0], 0xff000001);
});

t.test("graphics with bytes changed end in an RdpError or go on", { timeout: 300_000 }, async (t) => {
  const session = sessionOf();
  const next = numbers(20261121);
  const codes = new Map<string, number>();
  const before = process.memoryUsage().rss;
  let most = before;
  for (let run = 0; run < SESSIONS; run++) {
    const startMs = performance.now();
    const output = new Framebuffer(1, 1);
    const pipeline = new GraphicsPipeline(output);
    let code = "none";
    try {
      for (const message of damaged(session, next)) pipeline.receive(message);
    } catch (error) {
      if (!(error instanceof RdpError)) {
        t.fail(`session ${run}: ${String(error)}`, { cause: error });
        break;
      }
      code = error.code;
    }
    if (output.words.some((word) => word >>> 24 !== 255)) t.fail(`session ${run}: not opaque`);
    if (performance.now() - startMs > MOST_MS) t.fail(`session ${run} took ${MOST_MS} ms`);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    most = Math.max(most, process.memoryUsage().rss);
  }
  const counts = [...codes].map(([code, count]) => `${code}: ${count}`).join(", ");
  t.comment(counts);
  t.ok(codes.size > 4, `many ways to fail: ${counts}`);
  const growth = Math.round((most - before) / (1 << 20));
  t.comment(`${growth} MiB more`);
  t.ok(most - before < MOST_GROWTH_BYTES, `grew by ${growth} MiB`);
});
