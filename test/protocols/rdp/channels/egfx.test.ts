import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { GraphicsPipeline, type GraphicsUpdate } from "../../../../src/protocols/rdp/channels/egfx.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { anyPicture, noisePicture } from "../../rfb/encodings/pictures.ts";
import { BandWriter, clearStream } from "../codecs/clear-writer.ts";
import { encodePlanar } from "../codecs/planar-writer.ts";
import { plainMessage } from "../codecs/zgfx-writer.ts";
import * as write from "./egfx-writer.ts";

const WIDTH = 64;
const HEIGHT = 48;
const ALL: Rect = { x: 0, y: 0, width: WIDTH, height: HEIGHT };

/** A pipeline with one surface of the output's size, shown. */
function start(): {
  output: Framebuffer;
  pipeline: GraphicsPipeline;
  say: (...m: Uint8Array[]) => GraphicsUpdate;
} {
  const output = new Framebuffer(1, 1);
  const pipeline = new GraphicsPipeline(output);
  const say = (...messages: Uint8Array[]) => pipeline.receive(plainMessage(Buffer.concat(messages)));
  say(write.resetGraphics(WIDTH, HEIGHT), write.createSurface(0, WIDTH, HEIGHT), write.mapToOutput(0, 0, 0));
  return { output, pipeline, say };
}

function blueFirst(picture: Framebuffer): Uint8Array {
  const bytes = new Uint8Array(picture.bytes);
  for (let i = 0; i < bytes.length; i += 4)
    bytes.set([bytes[i + 2] ?? 0, bytes[i + 1] ?? 0, bytes[i] ?? 0, 7], i);
  return bytes;
}

t.test("H.264 is declined in all versions that are offered", async (t) => {
  const offer = Buffer.from(new GraphicsPipeline(new Framebuffer(1, 1)).start());
  t.equal(offer.readUInt16LE(0), 0x12);
  t.equal(offer.readUInt32LE(4), offer.length);
  const sets = new Map<number, number>();
  for (let i = 0; i < offer.readUInt16LE(8); i++)
    sets.set(offer.readUInt32LE(10 + 12 * i), offer.readUInt32LE(18 + 12 * i));
  t.equal((sets.get(0x80105) ?? 0) & 0x10, 0, "8.1 without AVC420_ENABLED");
  t.equal((sets.get(0xa0002) ?? 0) & 0x20, 0x20, "10 with AVC_DISABLED");
});

t.test("the output takes the size that the host says", async (t) => {
  const output = new Framebuffer(1, 1);
  const update = new GraphicsPipeline(output).receive(plainMessage(write.resetGraphics(320, 200)));
  t.same(update.resized, { width: 320, height: 200 });
  t.same([output.width, output.height], [320, 200]);
  t.same(update.damage.rects, [{ x: 0, y: 0, width: 320, height: 200 }]);
});

t.test("a frame is shown at its end and acknowledged then", async (t) => {
  const { output, pipeline, say } = start();
  const place = { x: 3, y: 4, width: 10, height: 5 };
  const first = say(write.startFrame(70), write.solidFill(0, 0x112233, [place]));
  t.same(first, { damage: first.damage, replies: [], resized: null });
  t.ok(first.damage.isEmpty, "nothing is shown yet");
  t.equal(output.words[4 * WIDTH + 3], 0xff000000);
  const second = say(write.endFrame(70));
  t.same(second.damage.rects, [place]);
  t.equal(output.words[4 * WIDTH + 3], 0xff112233);
  t.same(
    second.replies.map((reply) => Buffer.from(reply).toString("hex")),
    [`0d00000014000000${"00000000"}46000000${"01000000"}`],
    "queue depth not said, frame 70, one frame decoded",
  );
  say(write.startFrame(71), write.endFrame(71));
  t.equal(pipeline.framesDecoded, 2);
});

t.test("uncompressed, planar and clear pixels come out exact, and say so", async (t) => {
  fc.assert(
    fc.property(anyPicture(40), fc.nat({ max: 20 }), fc.nat({ max: 8 }), (picture, x, y) => {
      const { output, pipeline, say } = start();
      const at = { x, y, width: picture.width, height: picture.height };
      const bands = new BandWriter().encode(picture, picture.rect, 52);
      for (const [codec, data] of [
        [0x00, blueFirst(picture)],
        [0x0a, encodePlanar(picture.bytes, picture.width, picture.height)],
        [0x08, clearStream({ bands })],
      ] as const) {
        say(write.solidFill(0, 0, [ALL]));
        say(write.startFrame(1), write.wireToSurface1(0, codec, at, data), write.endFrame(1));
        if (!Buffer.from(output.read(at)).equals(picture.bytes)) return false;
      }
      return !pipeline.isLossy;
    }),
    { numRuns: 60 },
  );
  t.pass("all came out");
});

t.test("a codec that loses something says so", async (t) => {
  const { pipeline, say } = start();
  const picture = noisePicture(8, 8);
  const choice = { isRunLength: true, hasAlpha: false, colourLoss: 1, isSubsampled: false };
  say(write.wireToSurface1(0, 0x0a, picture.rect, encodePlanar(picture.bytes, 8, 8, choice)));
  t.equal(pipeline.isLossy, true);
});

t.test("pieces move within a surface, between surfaces and through the cache", async (t) => {
  const { output, say } = start();
  const picture = noisePicture(WIDTH, HEIGHT);
  say(write.wireToSurface1(0, 0, ALL, blueFirst(picture)));
  const source = { x: 0, y: 0, width: 20, height: 10 };
  const pixels = picture.read(source);
  const shown = (x: number, y: number) => output.read({ ...source, x, y });
  say(write.surfaceToCache(0, 9, source), write.createSurface(5, 30, 30));
  say(write.surfaceToSurface(0, 0, source, [{ x: 1, y: 2 }]));
  t.same(shown(1, 2), pixels, "over itself");
  say(write.cacheToSurface(9, 0, [{ x: 40, y: 30 }]), write.cacheToSurface(9, 5, [{ x: 10, y: 20 }]));
  t.same(shown(40, 30), pixels, "from the cache");
  const update = say(
    write.surfaceToSurface(5, 0, { ...source, x: 10, y: 20 }, [
      { x: 5, y: 35 },
      { x: 44, y: 0 },
    ]),
  );
  t.same(shown(5, 35), pixels, "from another surface");
  t.same(shown(44, 0), pixels, "to two places");
  t.equal(update.damage.area, 400);
  say(write.evictCacheEntry(9), write.evictCacheEntry(9));
  t.throws(() => say(write.cacheToSurface(9, 0, [{ x: 0, y: 0 }])), { code: "bad_data" }, "an empty slot");
});

t.test("surfaces are shown where they are mapped, clipped to the output", async (t) => {
  const { output, say } = start();
  say(write.createSurface(1, 30, 30), write.solidFill(1, 0x0000ff, [{ x: 0, y: 0, width: 30, height: 30 }]));
  t.equal(output.words[0], 0xff000000, "not shown yet");
  const update = say(write.mapToOutput(1, WIDTH - 10, HEIGHT - 5));
  t.same(update.damage.rects, [{ x: WIDTH - 10, y: HEIGHT - 5, width: 10, height: 5 }]);
  t.equal(output.words.at(-1), 0xff0000ff);
  say(write.mapToOutput(1, 0xffffffff, 0), write.deleteSurface(1));
  t.throws(() => say(write.mapToOutput(1, 0, 0)), { code: "bad_data" }, "a deleted surface");
});

t.test("limits hold before memory and time are spent", async (t) => {
  const bad = (code: string, ...messages: Uint8Array[]) => {
    const { say } = start();
    t.throws(() => say(...messages), { name: "RdpError", code });
  };
  bad("bad_size", write.resetGraphics(100_000, 100_000));
  bad("bad_size", write.resetGraphics(0, 10));
  t.throws(() => start().say(write.resetGraphics(0, 10)), {
    message:
      "got a desktop of 0x10 pixels, expected 1x1 to 16384 pixels a side, and at most 33200000 pixels in all",
  });
  bad("too_large", write.createSurface(1, 65_535, 65_535));
  bad("too_large", ...[1, 2, 3, 4].map((id) => write.createSurface(id, 16_384, 2026)));
  bad("too_large", ...Array.from({ length: 64 }, (_, i) => write.createSurface(i + 1, 1, 1)));
  const large = { x: 0, y: 0, width: 8192, height: 4000 };
  const fills = Array.from({ length: 9 }, () => large);
  bad("too_large", write.createSurface(1, 8192, 4000), write.solidFill(1, 0, fills));
  const places = Array.from({ length: 1000 }, () => ({ x: 0, y: 0 }));
  bad("too_large", write.createSurface(1, 8192, 4000), write.surfaceToSurface(1, 1, large, places));
  bad("too_large", write.createSurface(1, 8192, 4000), write.surfaceToCache(1, 1, large));
  bad("bad_data", write.surfaceToCache(0, 30_000, ALL));
});

t.test(
  "a message is as long as the output may need, and the cache as large as hosts may fill it",
  async (t) => {
    const { output, pipeline, say } = start();
    t.equal(pipeline.mostMessageBytes, 2 * 4 * WIDTH * HEIGHT + (16 << 20));
    // Bulk data of one segment that announces more than that.
    const announced = Buffer.from("e1010000000000010000", "hex");
    announced.writeUInt32LE(pipeline.mostMessageBytes + 1, 3);
    t.throws(() => pipeline.receive(announced), { name: "RdpError", code: "too_large" });
    output.resize(3840, 2160);
    t.equal(pipeline.mostMessageBytes, 64 << 20);
    say(write.createSurface(1, 1024, 1024));
    const all = { x: 0, y: 0, width: 1024, height: 1024 };
    for (let slot = 1; slot <= 5; slot++) say(write.surfaceToCache(1, slot, all));
    t.throws(() => say(write.surfaceToCache(1, 6, all)), { name: "RdpError", code: "too_large" });
  },
);

t.test("what cannot be is an RdpError", async (t) => {
  const bad = (code: string, message: Uint8Array) => {
    const { say } = start();
    t.throws(() => say(message), { name: "RdpError", code });
  };
  const far = { x: 60, y: 40, width: 10, height: 10 };
  bad("bad_data", write.createSurface(0, 5, 5));
  bad("bad_data", write.solidFill(3, 0, [ALL]));
  bad("bad_data", write.solidFill(0, 0, [far]));
  bad("bad_data", write.wireToSurface1(0, 0x0a, far, new Uint8Array(500)));
  bad("bad_data", write.wireToSurface1(0, 0, ALL, new Uint8Array(500)));
  bad("bad_data", write.surfaceToSurface(0, 0, ALL, [{ x: -1, y: 0 }]));
  bad("unsupported", write.wireToSurface1(0, 0x0b, ALL, new Uint8Array(5)));
  bad("unsupported", write.wireToSurface2(0, 0x0d, 0, new Uint8Array(5)));
  bad("unsupported", write.anyMessage(0x17, new Uint8Array(20)));
  bad("unknown_message", write.anyMessage(0x99, new Uint8Array(2)));
  bad("bad_data", write.anyMessage(0x0c, new Uint8Array(2)));
  bad("bad_data", Uint8Array.of(0x0c, 0, 0, 0, 4, 0, 0, 0));
});

t.test("any commands end in an update or an RdpError, and the output stays opaque", async (t) => {
  const anyRect = fc.record({
    x: fc.nat({ max: 80 }),
    y: fc.nat({ max: 60 }),
    width: fc.nat({ max: 40 }),
    height: fc.nat({ max: 40 }),
  });
  const anyId = fc.nat({ max: 2 });
  const anyPoints = fc.array(
    fc.record({ x: fc.integer({ min: -3, max: 70 }), y: fc.integer({ min: -3, max: 50 }) }),
    {
      maxLength: 3,
    },
  );
  const bytes = fc.uint8Array({ maxLength: 120 });
  const anyCommand = fc.oneof(
    fc.tuple(anyId, fc.nat(), fc.array(anyRect, { maxLength: 3 })).map((a) => write.solidFill(...a)),
    fc.tuple(anyId, anyId, anyRect, anyPoints).map((a) => write.surfaceToSurface(...a)),
    fc.tuple(anyId, anyId, anyRect).map((a) => write.surfaceToCache(...a)),
    fc.tuple(anyId, anyId, anyPoints).map((a) => write.cacheToSurface(...a)),
    fc.tuple(anyId, fc.nat({ max: 90 }), fc.nat({ max: 90 })).map((a) => write.createSurface(...a)),
    fc.tuple(anyId, fc.nat({ max: 90 }), fc.nat({ max: 90 })).map((a) => write.mapToOutput(...a)),
    fc.tuple(fc.nat({ max: 90 }), fc.nat({ max: 90 })).map((a) => write.resetGraphics(...a)),
    anyId.map(write.deleteSurface),
    fc.tuple(anyId, anyId).map((a) => write.deleteEncodingContext(...a)),
    fc.tuple(anyId, fc.constantFrom(0, 3, 8, 10, 12), anyRect, bytes).map((a) => write.wireToSurface1(...a)),
    fc.tuple(anyId, fc.constant(9), anyId, bytes).map((a) => write.wireToSurface2(...a)),
    fc.tuple(fc.nat({ max: 30 }), bytes).map((a) => write.anyMessage(...a)),
    fc.nat().map(write.startFrame),
    fc.nat().map(write.endFrame),
  );
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 20 }), (commands) => {
      const { output, say } = start();
      for (const command of commands) {
        try {
          say(command);
        } catch (error) {
          if (!(error instanceof RdpError)) return false;
        }
      }
      return output.words.every((word) => word >>> 24 === 255);
    }),
    { numRuns: 400 },
  );
  t.pass("nothing else happened");
});
