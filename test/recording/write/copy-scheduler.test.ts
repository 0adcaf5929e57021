import t from "tap";
import { FramePicture } from "../../../src/framebuffer/frame-picture.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { LoopTurns } from "../../../src/platform/loop-turns.ts";
import { CopyScheduler, PIXELS_A_TURN } from "../../../src/recording/write/copy-scheduler.ts";
import { settle } from "../../fake-clock.ts";
import { randomOf } from "../studio.ts";

function noise(width: number, height: number): Framebuffer {
  const frame = new Framebuffer(width, height);
  const random = randomOf(3);
  for (let i = 0; i < frame.words.length; i++) frame.words[i] = 0xff000000 + Math.floor(random() * 0xffffff);
  return frame;
}

t.test("a region is copied and nothing beside it, and what is too much for a turn is left", async (t) => {
  const from = noise(2500, 2000);
  const to = new Framebuffer(2500, 2000);
  const turns = new CopyScheduler();
  const region = Region.of(rect(0, 0, 2500, 900), rect(100, 950, 333, 1000), rect(1000, 1000, 7, 9));
  let left = turns.copy(new FramePicture(from), to, region);
  t.ok(region.area > PIXELS_A_TURN && !left.isEmpty, "more than a turn takes");
  t.ok(region.area - left.area <= PIXELS_A_TURN);
  t.equal(turns.copy(new FramePicture(from), to, left).area, left.area, "this turn is used up");
  await turns.next();
  left = turns.copy(new FramePicture(from), to, left);
  t.ok(left.isEmpty);
  const wanted = new Framebuffer(2500, 2000);
  for (const part of region.rects) {
    for (let y = part.y; y < part.y + part.height; y++) {
      const at = y * 2500 + part.x;
      wanted.words.set(from.words.subarray(at, at + part.width), at);
    }
  }
  t.ok(Buffer.from(wanted.bytes).equals(to.bytes));
});

t.test("recorders that need many turns take them one after the other", async (t) => {
  const turns = new CopyScheduler();
  const from = new Framebuffer(2048, 2048);
  const served: string[] = [];
  const recorder = async (name: string): Promise<void> => {
    const to = new Framebuffer(2048, 2048);
    for (let left = Region.of(from.rect); !left.isEmpty; ) {
      await turns.next();
      const before = left.area;
      left = turns.copy(new FramePicture(from), to, left);
      t.ok(before - left.area <= PIXELS_A_TURN);
      served.push(name);
    }
  };
  const all = Promise.all([recorder("a"), recorder("b"), recorder("c")]);
  await settle();
  t.ok(served.length <= 1, "one a turn");
  await all;
  t.equal(served.join(""), "abcabc");
});

t.test(
  "what fits in a turn is copied in the turn in which it is asked for, whatever else was done in it",
  async (t) => {
    const loop = new LoopTurns();
    const turns = new CopyScheduler(loop);
    const from = noise(1024, 768);
    const to = new Framebuffer(1024, 768);
    loop.took("targets", 50);
    t.ok(turns.copy(new FramePicture(from), to, Region.of(from.rect)).isEmpty, "later it might have changed");
    t.ok(Buffer.from(from.bytes).equals(to.bytes));
  },
);
