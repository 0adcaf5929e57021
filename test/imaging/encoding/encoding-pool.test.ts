import { Worker } from "node:worker_threads";
import t from "tap";
import { Region } from "../../../src/framebuffer/region.ts";
import { EncodingPool, encodingPool } from "../../../src/imaging/encoding/encoding-pool.ts";
import { JpegStrips } from "../../../src/imaging/jpeg/jpeg-strips.ts";
import { jpegTurbo } from "../../../src/imaging/jpeg/jpeg-turbo.ts";
import { PngStrips } from "../../../src/imaging/png/png-strips.ts";
import { STRIP_ROWS } from "../../../src/imaging/strip-set.ts";
import { nodeDeflate } from "../../../src/platform/node-zlib.ts";
import type { Deflate } from "../../../src/protocols/platform.ts";
import { until } from "../../support/until.ts";
import { decoded, frameAsPicture, paintedFrame, rgbOf } from "../pictures.ts";

/** Says that it is ready, and then runs `script` with each task's `id`. */
function threadThat(script: string): () => Worker {
  const source = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ id }) => { ${script} });
    parentPort.postMessage({ kind: "ready" });`;
  return () => new Worker(source, { eval: true, execArgv: [], env: {} });
}

/** Time that goes on when the test says so. */
class HandTimer {
  readonly #due = new Set<() => void>();

  after(_delayMs: number, call: () => void): () => void {
    this.#due.add(call);
    return () => this.#due.delete(call);
  }

  pass(): void {
    for (const call of [...this.#due]) call();
  }
}

const ONE_STRIP = {
  kind: "png",
  strips: [{ rgba: new Uint8Array(64), width: 4, rows: 4 }],
} as const;
const oneStrip = () => structuredClone(ONE_STRIP);

/** Counts the strips that are compressed here. */
let segments = 0;
const counting: Deflate = {
  zlib() {
    throw new Error("not used");
  },
  rawSegment(input, level) {
    segments++;
    return nodeDeflate.rawSegment(input, level);
  },
};

t.teardown(() => encodingPool.close());

t.test("large pictures are compressed by threads, exactly, whole and in parts", async (t) => {
  const frame = paintedFrame(1024, 768);
  const picture = frameAsPicture(frame);
  await until("a thread", () => encodingPool.isReady);
  const strips = new PngStrips(counting, encodingPool);
  t.ok((await decoded(await strips.encode(picture))).bytes.equals(rgbOf(frame)));
  const lower = { x: 0, y: 200, width: 1024, height: 568 };
  frame.fill(lower, 0x335577);
  strips.invalidate(Region.of(lower));
  t.ok((await decoded(await strips.encode(picture))).bytes.equals(rgbOf(frame)));
  t.ok(segments < (768 + 568) / STRIP_ROWS, `${segments} strips here`);
  const here = await new JpegStrips(jpegTurbo, 80).encode(picture);
  const there = await new JpegStrips(jpegTurbo, 80, encodingPool).encode(picture);
  t.ok(there.equals(here), "JPEG is the same byte for byte");
});

t.test("what a thread took with it is taken and encoded again", async (t) => {
  let opened = 0;
  const pool = new EncodingPool(new HandTimer(), () => {
    opened++;
    return threadThat("process.exit(1)")();
  });
  t.teardown(() => pool.close());
  await until("a thread", () => pool.isReady);
  const frame = paintedFrame(1024, 768);
  const png = await new PngStrips(nodeDeflate, pool).encode(frameAsPicture(frame));
  t.ok((await decoded(png)).bytes.equals(rgbOf(frame)));
  t.ok(opened > 1, "another thread is opened instead");
});

t.test("a thread that hangs is ended, and who waits is told", async (t) => {
  const timer = new HandTimer();
  const pool = new EncodingPool(timer, threadThat(""), 1);
  t.teardown(() => pool.close());
  await until("a thread", () => pool.isReady);
  const tasks = [1, 2, 3].map(() => pool.run(oneStrip()));
  const ends = Promise.allSettled(tasks);
  timer.pass();
  for (const end of await ends) {
    t.match(end, { status: "rejected", reason: { name: "EncodingLostError" } });
  }
});

t.test("memory that threads give back holds the next two pictures of full HD", async (t) => {
  const mark = 7;
  const source = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ id, task }) => {
      const memory = task.strips.map(({ rgba }) => rgba.buffer);
      for (const buffer of memory) new Uint8Array(buffer)[buffer.byteLength - 1] = ${mark};
      parentPort.postMessage({ kind: "done", id, encoded: { kind: "png", strips: [] }, memory }, memory);
    });
    parentPort.postMessage({ kind: "ready" });`;
  const open = () => new Worker(source, { eval: true, execArgv: [], env: {} });
  const pool = new EncodingPool(new HandTimer(), open, 1);
  t.teardown(() => pool.close());
  await until("a thread", () => pool.isReady);
  const strip = paintedFrame(1920, STRIP_ROWS);
  const pixels = { bytes: strip.bytes, offset: 0, strideBytes: strip.strideBytes };
  const strips = () =>
    Array.from({ length: 2 * Math.ceil(1080 / STRIP_ROWS) }, () => pool.take(pixels, 1920, STRIP_ROWS));
  await pool.run({ kind: "png", strips: strips() });
  const again = strips().filter(({ rgba }) => new Uint8Array(rgba.buffer).at(-1) === mark);
  t.equal(again.length, 2 * 68);
});

t.test("what fails in a thread fails alone", async (t) => {
  const script = 'parentPort.postMessage({ kind: "failed", id, message: "no room" })';
  const pool = new EncodingPool(new HandTimer(), threadThat(script), 1);
  t.teardown(() => pool.close());
  await until("a thread", () => pool.isReady);
  await t.rejects(pool.run(oneStrip()), { message: /no room/ });
  t.ok(pool.isReady, "the thread goes on");
});

t.test("no more threads are opened than it may have, and none where none can be had", async (t) => {
  let opened = 0;
  const answer =
    'parentPort.postMessage({ kind: "done", id, encoded: { kind: "png", strips: [] }, memory: [] })';
  const pool = new EncodingPool(
    new HandTimer(),
    () => {
      opened++;
      return threadThat(answer)();
    },
    2,
  );
  t.teardown(() => pool.close());
  t.equal(pool.isReady, false, "opened when it is first wanted");
  await until("a thread", () => pool.isReady);
  await Promise.all(Array.from({ length: 40 }, () => pool.run(oneStrip())));
  t.equal(opened, 2);
  await pool.close();
  const none = new EncodingPool(new HandTimer(), () => {
    throw new Error("no memory");
  });
  t.equal(none.isReady, false);
  await t.rejects(none.run(oneStrip()), { name: "EncodingLostError" });
});

t.test("whoever waits when it is closed is told, and the next one has a thread again", async (t) => {
  const pool = new EncodingPool(new HandTimer(), threadThat(""), 1);
  await until("a thread", () => pool.isReady);
  const task = pool.run(oneStrip());
  const told = t.rejects(task, { name: "EncodingLostError" });
  await pool.close();
  await told;
  await until("another thread", () => pool.isReady);
  await pool.close();
});
