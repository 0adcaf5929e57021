import { Worker } from "node:worker_threads";
import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { FIRST_HASH } from "../../../src/recording/format/block.ts";
import type { RecordingEncoder } from "../../../src/recording/write/encoder.ts";
import { EncoderClient } from "../../../src/recording/write/encoder-client.ts";
import { AGENT } from "../../desktop/house.ts";
import { FakeClock } from "../../fake-clock.ts";
import { INLINE_ENCODERS } from "../inline-encoder.ts";
import { randomOf, Studio } from "../studio.ts";

const SIZE = { width: 300, height: 200 };
const NOTHING = { copies: [], generation: 1, isPartial: false } as const;

/** The blocks of some pictures, as an encoder makes them. */
async function written(encoder: RecordingEncoder): Promise<Buffer[]> {
  const random = randomOf(5);
  await encoder.resize(SIZE);
  const blocks: Buffer[] = [];
  let before = FIRST_HASH;
  for (let i = 0; i < 12; i++) {
    const damage = rect(Math.floor(random() * 200), Math.floor(random() * 100), 100, 100);
    for (let y = damage.y; y < damage.y + damage.height; y += 2) {
      encoder.frame?.fill(rect(damage.x, y, damage.width, 1), Math.floor(random() * 0xffffff));
    }
    const added = await encoder.add({ ...NOTHING, damage: [damage], atMs: i * 100 });
    const batches = [added.before, added.after, i % 4 === 3 ? await encoder.cut() : null];
    for (const batch of batches) {
      if (batch === null) continue;
      const { bytes } = await encoder.encode(batch, { sequence: blocks.length, before });
      before = bytes.slice(-32);
      blocks.push(Buffer.from(bytes));
    }
  }
  return blocks;
}

t.test("what the thread writes is what would be written here", async (t) => {
  const far = new EncoderClient(systemClock, false);
  t.teardown(() => far.close());
  const wanted = await written(INLINE_ENCODERS.open(null));
  const got = await written(far.open(null));
  t.ok(wanted.length >= 3);
  t.same(
    got.map((block) => block.toString("base64")),
    wanted.map((block) => block.toString("base64")),
  );
});

t.test("a thread that ends rejects what it was asked, and the next encoder has another", async (t) => {
  const workers: Worker[] = [];
  const open = (): Worker => {
    const worker = new Worker("setInterval(() => {}, 1e6)", { eval: true });
    workers.push(worker);
    return worker;
  };
  const far = new EncoderClient(systemClock, false, open);
  t.teardown(() => far.close());
  const encoder = far.open(null);
  const asked = encoder.cut();
  await workers[0]?.terminate();
  await t.rejects(asked, { message: /thread of the recorder/ });
  await t.rejects(encoder.cut(), { message: /thread has gone/ });
  const next = far.open(null).cut();
  next.catch(() => undefined);
  t.equal(workers.length, 2);
  await far.close();
  await t.rejects(next, { message: /recording has ended/ });
});

t.test("a thread that says nothing any more is given up", async (t) => {
  const clock = new FakeClock();
  const far = new EncoderClient(clock, true, () => new Worker("setInterval(() => {}, 1e6)", { eval: true }));
  t.teardown(() => far.close());
  const asked = far.open(null).cut();
  const over = t.rejects(asked, { message: /hangs/ });
  await clock.live(30_000, 1000);
  await over;
});

t.test("the thread goes with the last recording, unless it is to be kept", async (t) => {
  let gone = 0;
  const open = (): Worker => {
    const worker = new Worker("setInterval(() => {}, 1e6)", { eval: true });
    worker.once("exit", () => gone++);
    return worker;
  };
  const brief = new EncoderClient(systemClock, false, open);
  const two = [brief.open(null), brief.open(null)];
  for (const encoder of two) encoder.close();
  await brief.close();
  t.equal(gone, 1);
  const kept = new EncoderClient(systemClock, true, open);
  kept.open(null).close();
  const again = kept.open(null).cut();
  again.catch(() => undefined);
  await kept.close();
  t.equal(gone, 2, "one thread for both");
  await t.rejects(again, { message: /recording has ended/ });
});

t.test("where the encoder fails there is a gap, and then a whole picture again", async (t) => {
  let isBroken = false;
  const studio = await Studio.open(t, {}, undefined, {
    close: () => Promise.resolve(),
    open(key) {
      const near = INLINE_ENCODERS.open(key);
      return {
        get frame() {
          return near.frame;
        },
        resize: (size) => near.resize(size),
        add: (note) => (isBroken ? Promise.reject(new Error("out of memory")) : near.add(note)),
        cut: () => near.cut(),
        encode: (batch, place) => near.encode(batch, place),
        close: () => near.close(),
      };
    },
  });
  const { clock, link } = studio.house;
  const { id } = await studio.recordings.start("d1", { by: AGENT });
  await clock.live(1500, 50);
  isBroken = true;
  link.paint(rect(0, 0, 20, 20), 0x112233);
  await clock.live(1500, 50);
  isBroken = false;
  link.paint(rect(50, 50, 20, 20), 0x445566);
  await clock.live(7000, 50);
  const { counts, durationMs, state } = await studio.recordings.stop(id);
  t.equal(state, "sealed");
  t.equal(counts.gaps, 1);
  const reader = await studio.recordings.open(id);
  const [gap] = (await reader.events()).flatMap((entry) => (entry.type === "gap" ? [entry] : []));
  t.equal(gap?.reason, "recorder failed");
  const last = await reader.frameAt(durationMs);
  t.ok(last.isExact && Buffer.from(studio.shot()).equals(last.rgba));
  await reader.close();
  t.match(studio.events[1], { type: "failed", error: { message: "out of memory" } });
  t.same(studio.bugs, []);
});
