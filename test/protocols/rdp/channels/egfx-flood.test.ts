import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { GraphicsPipeline } from "../../../../src/protocols/rdp/channels/egfx.ts";
import { evenly, region, stream, tile } from "../codecs/progressive-writer.ts";
import { encodeRlgr } from "../codecs/rlgr-writer.ts";
import { plainMessage } from "../codecs/zgfx-writer.ts";
import * as write from "./egfx-writer.ts";

// A host that asks for all that it can to be kept of progressive tiles: 36 KiB of each, in every codec context.

const SIDE = 1024;
const IN_ROW = SIDE / 64;
const CONTEXTS = 16;
const ROUNDS = 3;
const MOST_GROWTH_BYTES = 64 * 1024 * 1024;

t.test("256 tiles in each of 16 codec contexts, again and again, cost less than 64 MiB", async (t) => {
  const grey = encodeRlgr(1, new Array<number>(4096).fill(0));
  const tiles = Array.from({ length: IN_ROW * IN_ROW }, (_, i) => {
    const place = { column: i % IN_ROW, row: Math.floor(i / IN_ROW) };
    return tile({ kind: "first", ...place, quality: 0, data: [grey, grey, grey] });
  });
  const rects = [{ x: 0, y: 0, width: SIDE, height: SIDE }];
  const data = stream([region({ rects, quantisation: evenly(6), passes: [evenly(2)], tiles })]);
  const messages = Array.from({ length: CONTEXTS }, (_, context) =>
    plainMessage(write.wireToSurface2(1, 9, context, data)),
  );
  const before = process.memoryUsage().rss;
  const output = new Framebuffer(64, 64);
  const pipeline = new GraphicsPipeline(output);
  pipeline.receive(
    plainMessage(Buffer.concat([write.createSurface(1, SIDE, SIDE), write.mapToOutput(1, 0, 0)])),
  );
  let most = before;
  for (let round = 0; round < ROUNDS; round++) {
    for (const message of messages) {
      pipeline.receive(message);
      most = Math.max(most, process.memoryUsage().rss);
    }
  }
  const growth = Math.round((most - before) / (1 << 20));
  t.comment(`${growth} MiB more`);
  t.ok(most - before < MOST_GROWTH_BYTES, `grew by ${growth} MiB`);
  t.equal(output.words[0], 0xff808080, "they are painted");
});

t.test("a message of nothing but new sizes ends it, whatever memory they would take", async (t) => {
  const pipeline = new GraphicsPipeline(new Framebuffer(64, 64));
  const sizes = Array.from({ length: 40 }, (_, i) => write.resetGraphics(4096, 4096 + (i % 2)));
  t.throws(() => pipeline.receive(plainMessage(Buffer.concat(sizes))), { code: "too_large" });
  const few = new GraphicsPipeline(new Framebuffer(64, 64));
  t.same(few.receive(plainMessage(write.resetGraphics(800, 600))).resized, { width: 800, height: 600 });
});
