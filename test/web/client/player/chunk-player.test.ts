import t from "tap";
import { ChunkPlayer, type ChunkSource } from "../../../../src/web/client/player/chunk-player.ts";

/** A picture as src/protocols/recording/picture-format.ts lays it out: one solid record over all of it. */
function solid(atMs: number, colour: readonly [number, number, number], isKey: boolean): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(8, 5);
  record.writeUInt16BE(8, 7);
  record.set(colour, 9);
  const head = Buffer.alloc(22);
  head.writeUInt32BE(18 + record.length, 0);
  head.writeUInt32BE(atMs, 4);
  head.writeUInt8(isKey ? 1 : 0, 12);
  head.writeUInt16BE(8, 14);
  head.writeUInt16BE(8, 16);
  head.writeUInt32BE(1, 18);
  return Buffer.concat([head, record]);
}

/** Three chunks, a key in the first and in the last; the red of a picture is its number. */
const CHUNKS = [
  [solid(100, [1, 0, 0], true), solid(500, [2, 0, 0], false)],
  [solid(2000, [3, 0, 0], false)],
  [solid(9000, [4, 0, 0], true), solid(9500, [5, 0, 0], false)],
] as const;

const INDEX = CHUNKS.map((pictures, index) => ({
  index,
  is_key: index !== 1,
  from_ms: pictures[0].readUInt32BE(4),
  to_ms: pictures.at(-1)?.readUInt32BE(4) ?? 0,
  frames: pictures.length,
  size_bytes: 1,
}));

/** Serves the chunks; what was asked for, in order. */
class FakeSource implements ChunkSource {
  readonly asked: number[] = [];
  isBroken = false;
  readonly #chunks: readonly Buffer[];

  constructor(chunks = CHUNKS.map((pictures) => Buffer.concat(pictures))) {
    this.#chunks = chunks;
  }

  async chunks() {
    return { state: "sealed", duration_ms: 10_000, chunks: INDEX } as const;
  }

  async run(atMs: number) {
    const last = Math.max(
      0,
      INDEX.findLastIndex(({ from_ms }) => from_ms <= atMs),
    );
    const first = INDEX.findLastIndex(({ index, is_key }) => is_key && index <= last);
    const parts = INDEX.slice(first, last + 1).map((info) => ({ info, bytes: this.chunk(info.index) }));
    for (const { bytes } of parts) bytes.catch(() => {});
    return { parts, untilMs: INDEX[last + 1]?.from_ms ?? null };
  }

  async chunk(index: number): Promise<Uint8Array> {
    this.asked.push(index);
    const chunk = this.#chunks[index];
    if (this.isBroken || chunk === undefined) throw new Error("the server answered 500");
    return new Uint8Array(chunk);
  }
}

const redAt = async (chunks: ChunkPlayer, ms: number) => (await chunks.frameAt(ms))?.frame.bytes[0];

t.test("a step goes from part to part, whose chunks have other numbers", async (t) => {
  const source = new FakeSource();
  const numberOf = (nth: number) => (nth < 2 ? nth - 2 ** 32 : nth);
  const parts = INDEX.map((info, nth) => ({ ...info, index: numberOf(nth) }));
  const chunks = new ChunkPlayer(
    {
      chunks: async () => ({ ...(await source.chunks()), chunks: parts }),
      run: () => Promise.reject(new Error("no moment is asked for")),
      chunk: (index) => source.chunk(INDEX.findIndex((_, nth) => numberOf(nth) === index)),
    },
    10_000,
  );
  t.equal(await chunks.frameAfter(2000), 9000);
  t.equal(await chunks.frameBefore(9000), 2000);
  t.equal(await chunks.frameBefore(100), null);
  t.equal(await chunks.frameAfter(9500), null);
});

t.test("any moment is shown from any other, forwards and back", async (t) => {
  const chunks = new ChunkPlayer(new FakeSource(), 10_000);
  const wanted = [
    [0, 1],
    [100, 1],
    [499, 1],
    [500, 2],
    [1999, 2],
    [2000, 3],
    [8999, 3],
    [9000, 4],
    [9999, 5],
  ] as const;
  for (const [from] of wanted) {
    for (const [to, red] of wanted) {
      await chunks.frameAt(from);
      t.equal(await redAt(chunks, to), red, `${from} to ${to}`);
    }
  }
});

t.test("going on paints only what is new, and fetches each chunk once", async (t) => {
  const source = new FakeSource();
  const chunks = new ChunkPlayer(source, 10_000);
  t.equal((await chunks.frameAt(200))?.painted, null, "all of it at first");
  await chunks.learn(200);
  const same = await chunks.frameAt(300);
  t.same(same?.painted, [], "nothing came up since");
  t.equal((await chunks.frameAt(600))?.painted?.length, 1);
  await chunks.frameAt(100);
  await chunks.frameAt(2500);
  t.same(source.asked, [0, 1], "what is not shown is not fetched");
});

t.test("a cold seek asks once for all that it needs, and goes on without asking again", async (t) => {
  const source = new FakeSource();
  const asked: string[] = [];
  const spied: ChunkSource = {
    chunks: () => {
      asked.push("index");
      return new Promise(() => undefined); // it never comes
    },
    chunk: (index) => {
      asked.push(`chunk ${index}`);
      return source.chunk(index);
    },
    run: (atMs) => {
      asked.push(`run ${atMs}`);
      return source.run(atMs);
    },
  };
  const chunks = new ChunkPlayer(spied, 10_000);
  t.equal(await redAt(chunks, 2500), 3);
  t.equal(await redAt(chunks, 2600), 3);
  t.equal(await redAt(chunks, 600), 2, "back in the same run");
  t.same(asked, ["run 2500"], "nothing comes before the picture or beside it");
  t.equal(await redAt(chunks, 9600), 5);
  t.same(asked.slice(1), ["run 9600"]);
  void chunks.learn(9600);
  t.same(asked.slice(2), ["index"], "what lies around is asked for by whoever has the picture");
});

t.test("frames are stepped through across chunks", async (t) => {
  const chunks = new ChunkPlayer(new FakeSource(), 10_000);
  const forwards: number[] = [];
  for (let ms: number | null = await chunks.frameAfter(0); ms !== null; ms = await chunks.frameAfter(ms)) {
    forwards.push(ms);
  }
  t.same(forwards, [100, 500, 2000, 9000, 9500]);
  const back: number[] = [];
  for (let ms: number | null = 9500; ms !== null; ms = await chunks.frameBefore(ms)) back.push(ms);
  t.same(back, forwards.toReversed());
});

t.test("what could not be fetched is tried again", async (t) => {
  const source = new FakeSource();
  const chunks = new ChunkPlayer(source, 10_000);
  source.isBroken = true;
  await t.rejects(chunks.frameAt(200), { message: /500/ });
  source.isBroken = false;
  t.equal(await redAt(chunks, 200), 1);
});

t.test("bytes that are no pictures are refused, and another moment is whole", async (t) => {
  const [, second = [], third = []] = CHUNKS;
  const source = new FakeSource([
    Buffer.from("no pictures in here"),
    Buffer.concat(second),
    Buffer.concat(third),
  ]);
  const chunks = new ChunkPlayer(source, 10_000);
  await t.rejects(chunks.frameAt(200), { name: "PictureError" });
  t.equal(await redAt(chunks, 9000), 4);
});
