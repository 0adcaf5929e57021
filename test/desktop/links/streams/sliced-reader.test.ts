import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import t from "tap";
import { SlicedReader } from "../../../../src/desktop/links/streams/sliced-reader.ts";

/** A feed whose bytes cost so much each, and what it did in each turn of the event loop. */
class Scene {
  readonly stream = new PassThrough();
  readonly taken: number[] = [];
  /** Work of each turn so far, in milliseconds. */
  readonly turns: number[] = [0];
  mayRead = true;
  #nowMs = 0;
  readonly feed = new SlicedReader({
    take: (piece) => {
      for (const byte of piece) this.taken.push(byte);
      const tookMs = this.#byteMs * piece.length;
      this.#nowMs += tookMs;
      this.turns.push((this.turns.pop() ?? 0) + tookMs);
    },
    mayRead: () => this.mayRead,
    nowMs: () => this.#nowMs,
  });

  readonly #byteMs: number;

  constructor(byteMs: number) {
    this.#byteMs = byteMs;
    this.stream.on("data", (chunk: Buffer) => this.feed.push(chunk, this.stream));
  }

  /** Until as many bytes are read. */
  async read(count: number): Promise<void> {
    for (let turns = 0; this.taken.length < count && turns < 10_000; turns++) {
      await turn();
      this.turns.push(0);
    }
  }
}

const CHUNK = Buffer.from(Array.from({ length: 60_000 }, (_, i) => i % 251));

t.test("what is cheap is read at once, chunk by chunk", async (t) => {
  const scene = new Scene(0);
  for (let i = 0; i < 4; i++) scene.feed.push(CHUNK, scene.stream);
  t.equal(scene.taken.length, 240_000);
});

t.test("what is costly is read in order over many turns, none of which is long", async (t) => {
  const scene = new Scene(0.001);
  scene.stream.write(CHUNK);
  scene.stream.write(CHUNK);
  await scene.read(120_000);
  t.same(Buffer.from(scene.taken), Buffer.concat([CHUNK, CHUNK]));
  // It cannot know before the first piece what a byte costs.
  const [, ...later] = scene.turns.filter((ms) => ms > 0);
  t.ok(Math.max(...later) <= 4, `turns of at most ${Math.max(...later)} ms`);
  await turn();
  t.notOk(scene.stream.isPaused(), "and then it is read on");
});

t.test("nothing is read while somebody else has to be waited for", async (t) => {
  const scene = new Scene(0);
  scene.mayRead = false;
  scene.stream.pause();
  scene.feed.push(CHUNK, scene.stream);
  await turn();
  t.equal(scene.taken.length, 0);
  scene.mayRead = true;
  scene.feed.go(scene.stream);
  t.equal(scene.taken.length, CHUNK.length);
  t.notOk(scene.stream.isPaused());
});

t.test("a wait that begins in the middle of a rest does not let the stream go on", async (t) => {
  const scene = new Scene(0.1);
  scene.feed.push(CHUNK.subarray(0, 1000), scene.stream);
  scene.mayRead = false;
  await turn();
  await turn();
  t.ok(scene.stream.isPaused());
  const before = scene.taken.length;
  scene.mayRead = true;
  scene.feed.go(scene.stream);
  await scene.read(1000);
  t.ok(before <= 1000);
  t.equal(scene.taken.length, 1000);
});

t.test("closed, it reads nothing more", async (t) => {
  const scene = new Scene(1);
  scene.feed.push(CHUNK, scene.stream);
  const before = scene.taken.length;
  scene.feed.close();
  scene.feed.push(CHUNK, scene.stream);
  await turn();
  t.equal(scene.taken.length, before);
});

t.test("whatever a byte costs and however they come, all are read once and in order", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 12 }),
      fc.constantFrom(0, 0.0001, 0.01, 1),
      async (chunks, byteMs) => {
        const scene = new Scene(byteMs);
        const all = Buffer.concat(chunks);
        for (const chunk of chunks) scene.stream.write(chunk);
        await scene.read(all.length);
        return all.equals(Buffer.from(scene.taken));
      },
    ),
    { numRuns: 60 },
  );
  t.pass();
});

t.test("of many busy targets two or three go on in a turn, and each has its turn", async (t) => {
  const scenes = Array.from({ length: 10 }, () => new Scene(0.001));
  // The first chunk goes in one piece, and in a turn of its own: nobody knows yet what a byte costs.
  for (const scene of scenes) {
    scene.feed.push(CHUNK, scene.stream);
    await scene.read(CHUNK.length);
  }
  for (const { feed, stream } of scenes) feed.push(CHUNK, stream);
  const readBy = (): number[] => scenes.map(({ taken }) => taken.length);
  let most = 0;
  for (let before = readBy(); scenes.some(({ taken }) => taken.length < 2 * CHUNK.length); ) {
    await turn();
    const now = readBy();
    most = Math.max(most, now.filter((count, i) => count > (before[i] ?? 0)).length);
    const [least = 0, largest = 0] = [Math.min(...now), Math.max(...now)];
    if (largest - least > 8000) t.fail(`one has read ${largest} bytes, another ${least}`);
    before = now;
  }
  t.ok(most === 2 || most === 3, `${most} in a turn`);
});

t.test("a stream may write over what it gave", async (t) => {
  const scene = new Scene(0.001);
  const memory = Buffer.from(CHUNK);
  scene.feed.push(memory, scene.stream);
  memory.fill(255);
  scene.feed.push(memory.subarray(0, 1000), scene.stream);
  memory.fill(254);
  await scene.read(61_000);
  t.same(Buffer.from(scene.taken), Buffer.concat([CHUNK, Buffer.alloc(1000, 255)]));
});
