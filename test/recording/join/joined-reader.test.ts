import { inflateRawSync } from "node:zlib";
import t from "tap";
import { verifyRecording } from "../../../src/cli/recordings-cli.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { PictureDecoder, readHeads } from "../../../src/protocols/recording/picture-decoder.ts";
import type { PictureRun, RecordingReader } from "../../../src/recording/read/reader.ts";
import { HUMAN } from "../../desktop/house.ts";
import { Moved, threeParts } from "./moved.ts";

/** Red, green and blue of the first pixel, and the width. */
async function seen(reader: RecordingReader, ms: number): Promise<readonly number[]> {
  const { rgba, width } = await reader.frameAt(ms);
  return [...rgba.subarray(0, 3), width];
}

/** What a browser paints of a run at a moment. */
function painted({ parts }: PictureRun, ms: number): readonly number[] {
  const decoder = new PictureDecoder((width, height) => new Framebuffer(width, height));
  for (const { bytes, isDeflated } of parts) {
    const chunk = isDeflated ? inflateRawSync(bytes) : Buffer.from(bytes);
    for (const head of readHeads(chunk)) {
      if (decoder.head === null || head.atMs <= ms) decoder.paint(chunk, head, null);
    }
  }
  return [...(decoder.frame?.bytes.subarray(0, 3) ?? []), decoder.frame?.width ?? 0];
}

t.test("three parts at two nodes are one timeline, whichever of them is named", async (t) => {
  const { moved, first, second, third } = await threeParts(t);
  for (const id of [first, second, third]) {
    const reader = await moved.a.recordings.wholes.open(id);
    const { summary } = reader;
    t.match(summary, { id, state: "sealed", width: 64, startedBy: HUMAN.name, counts: { gaps: 2 } });
    const [one, two, three] = summary.parts ?? [];
    t.match(
      [one, two, three],
      [
        { id: first, node: "a", fromMs: 0, problem: null },
        { id: second, node: "b", fromMs: 4000, problem: null },
        { id: third, node: "a", fromMs: 7000, problem: null },
      ],
    );
    t.equal(summary.durationMs, three?.toMs);
    const gaps = (await reader.events()).filter(({ type }) => type === "gap");
    const move = (from: string, to: string) => `the desktop moved from node ${from} to node ${to}`;
    t.match(gaps, [
      { fromMs: one?.toMs, atMs: 4000, reason: move("a", "b") },
      { fromMs: two?.toMs, atMs: 7000, reason: move("b", "a") },
    ]);
    const told = new Map(
      [
        ...([[0, 0x112233, 64] as const, [1500, 0x223344, 64] as const] as const),
        ...([[3000, 0x223344, 64] as const, [4500, 0x334455, 80] as const] as const),
        ...([[5500, 0x445566, 80] as const, [6500, 0x445566, 80] as const] as const),
        ...([[7500, 0x556677, 64] as const, [8900, 0x667788, 64] as const] as const),
      ].map(([ms, colour, width]) => [ms, [colour & 255, (colour >> 8) & 255, colour >> 16, width]]),
    );
    for (const [ms, pixel] of told) {
      t.same(await seen(reader, ms), pixel, `at ${ms}`);
      const run = await reader.run(ms);
      t.same(painted(run, ms), pixel, `a browser at ${ms}`);
      t.ok(run.untilMs === null || run.untilMs > ms, "it says until when");
    }
    // Back over a seam, and by steps.
    t.same(await seen(reader, 0), told.get(0));
    const widths = [];
    for (const ms of [3000, 4500, 5500, 1500]) {
      widths.push(
        await reader.step(ms, ({ frame, head, damage }) => [frame.width, damage === null, head.atMs <= ms]),
      );
    }
    t.same(widths.map(([width, isWhole, isBy]) => [width, isBy, isWhole]).slice(0, 2), [
      [64, true, true],
      [80, true, true],
    ]);
    t.equal(widths[3]?.[0], 64);
    await reader.close();
  }
});

t.test("chunks and frames are numbered and timed through all parts", async (t) => {
  const { moved, second } = await threeParts(t);
  const reader = await moved.b.recordings.wholes.open(second);
  const { durationMs } = reader.summary;
  const all = await reader.chunks(0, durationMs);
  const parts = reader.summary.parts ?? [];
  const numbers = [-1, 0, 1].flatMap((place, nth) => {
    const { fromMs: beganMs = 0, toMs: endedMs = 0 } = parts[nth] ?? {};
    const own = all.filter(({ fromMs }) => fromMs >= beganMs && fromMs <= endedMs);
    return own.map((_, index) => place * 2 ** 32 + index);
  });
  t.same(
    all.map(({ index }) => index),
    numbers,
    "in each part without holes, seen from the one that was named",
  );
  t.equal(reader.chunkCount, all.length);
  const times: number[] = [];
  for (const { index, fromMs } of all) {
    const heads = readHeads(inflateRawSync(await reader.chunkBytes(index)));
    t.equal(heads[0]?.atMs, fromMs, "its pictures say the time of the whole");
    times.push(...heads.map(({ atMs }) => atMs));
  }
  t.same(
    times,
    times.toSorted((a, b) => a - b),
  );
  t.same(await reader.frameTimes(0, durationMs), [...new Set(times)]);
  const inGap = await reader.chunks(3000, 3500);
  t.ok(inGap.length > 0 && inGap.every(({ fromMs }) => fromMs < 3000), "in a gap the picture before it");
  for (const index of [-2, all.length, 2 ** 33])
    await t.rejects(reader.chunkBytes(index), { code: "damaged" }, `chunk ${index}`);
  await reader.close();
});

t.test("a part whose node is away is a gap that says so, and comes back", async (t) => {
  const { moved, first, second, third } = await threeParts(t);
  moved.away.add("b");
  for (const id of [first, second, third]) {
    const reader = await moved.a.recordings.wholes.open(id);
    const gaps = (await reader.events()).filter((entry) => entry.type === "gap");
    t.equal(gaps.length, 1);
    t.match(gaps[0], {
      atMs: 7000,
      reason: /what node b recorded cannot be read: that node does not answer/,
    });
    t.match(reader.summary.parts?.[1], { id: second, fromMs: 4000, problem: "that node does not answer" });
    t.same((await seen(reader, 7500)).slice(0, 1), [0x77]);
    await reader.close();
  }
  const verified = await moved.a.recordings.wholes.verify(first);
  t.match(verified, {
    state: "unsealed",
    problem: `part ${second} of node b is missing: that node does not answer`,
  });
  moved.away.clear();
  const reader = await moved.a.recordings.wholes.open(first);
  t.match(reader.summary.parts?.[1], { problem: null });
  t.match(await moved.a.recordings.wholes.verify(first), { state: "sealed", problem: null });
  // It goes while it is read.
  moved.away.add("b");
  await t.rejects(seen(reader, 5500), lossOf("b"));
  t.equal(reader.isStale, true);
  t.equal((await reader.events()).filter(({ type }) => type === "gap").length, 1);
  t.match(reader.summary.parts?.[1], { problem: "that node does not answer" });
  await reader.close();
});

/** As who asks for what node b recorded is told. */
const lossOf = (node: string) => ({
  name: "RefusedError",
  code: "node_unreachable",
  message: `what node ${node} recorded cannot be read: that node does not answer`,
});

/** The bytes of each chunk by its number, in the time of the whole. */
async function bytesOf(reader: RecordingReader): Promise<ReadonlyMap<number, Uint8Array>> {
  const chunks = await reader.chunks(0, reader.summary.durationMs);
  const read = chunks.filter(({ frames }) => frames > 0).map(({ index }) => index);
  return new Map(
    await Promise.all(
      read.map(async (index) => [index, inflateRawSync(await reader.chunkBytes(index))] as const),
    ),
  );
}

for (const lost of [0, 1, 2]) {
  const which = ["first", "middle", "last"][lost];
  t.test(`numbers and times are the same while the ${which} part is lost, and when it is back`, async (t) => {
    const { moved, first, second, third } = await threeParts(t);
    const node = lost === 1 ? "b" : "a";
    const { wholes } = moved[node === "a" ? "b" : "a"].recordings;
    const ids = [first, second, third];
    for (const named of ids) {
      const there = await wholes.open(named);
      const { parts = [], durationMs } = there.summary;
      const all = await bytesOf(there);
      const lies = parts.map(({ problem: _, ...place }) => place);
      const isOfLost = (ms: number) => parts.findLast(({ fromMs }) => fromMs <= ms)?.node === node;
      moved.away.add(node);
      // One that was open when the node went, and one that is opened now.
      const without = await wholes.open(named);
      for (const reader of [there, without]) {
        for (const [index, bytes] of all) {
          const head = readHeads(Buffer.from(bytes))[0]?.atMs ?? 0;
          if (isOfLost(head)) await t.rejects(reader.chunkBytes(index), lossOf(node));
          else t.same(inflateRawSync(await reader.chunkBytes(index)), bytes, `chunk ${index}`);
        }
        t.equal(reader.isStale, true, "what is opened next may have it again");
        t.same(
          (reader.summary.parts ?? []).map(({ problem: _, ...place }) => place),
          lies,
          "all lie where they lay",
        );
        for (let ms = 0; ms <= durationMs; ms += 250) {
          const asks = [() => reader.frameAt(ms), () => reader.run(ms), () => reader.step(ms, () => null)];
          const { index = 0, frames } =
            (await reader.chunks(0, durationMs)).findLast(({ fromMs }) => fromMs <= ms) ?? {};
          if (isOfLost(ms)) {
            for (const ask of asks) await t.rejects(async () => void (await ask()), lossOf(node), `at ${ms}`);
            await t.rejects(reader.textAt(ms), lossOf(node));
            t.equal(frames, 0, "what stands for it is no picture");
            const [alone] = await reader.chunks(ms, ms);
            t.equal(alone?.index, index, "also where a moment of it is looked at");
            await t.rejects(reader.chunkBytes(index), lossOf(node));
          } else {
            t.equal(frames === 0, false);
            const { untilMs } = await reader.run(ms);
            t.ok(untilMs === null || !isOfLost(untilMs - 1), "a run ends where what is lost begins");
          }
        }
        const told = await bytesOf(reader);
        t.same(
          [...told.keys()],
          [...all.keys()].filter((index) => told.has(index)),
        );
      }
      moved.away.clear();
      const back = await wholes.open(named);
      t.strictSame(await bytesOf(back), all);
      const stood = (await there.chunks(0, durationMs)).find(({ frames }) => frames === 0);
      await t.rejects(back.chunkBytes(stood?.index ?? 0), { code: "invalid_parameters" }, "is no chunk's");
      await there.close();
      await back.close();
      await without.close();
    }
  });
}

t.test("by files alone a lost part hides neither what is before it nor where all lie", async (t) => {
  const { moved, third } = await threeParts(t);
  const fourth = await moved.begin("b", 12_000, 80, 0x778899);
  await moved.end("b", fourth, 0x8899aa);
  moved.told.length = 0;
  const { wholes } = moved.b.recordings;
  const there = await wholes.open(fourth);
  const all = await bytesOf(there);
  const lies = (there.summary.parts ?? []).map(({ problem: _, ...place }) => place);
  t.equal(lies.length, 4);
  moved.away.add("a");
  const without = await wholes.open(fourth);
  t.match(without.summary.parts?.[2], { id: third, problem: "that node does not answer" });
  t.same(
    (without.summary.parts ?? []).map(({ problem: _, ...place }) => place),
    lies,
  );
  for (const [index, bytes] of await bytesOf(without)) t.same(all.get(index), bytes);
  await there.close();
  await without.close();
});

t.test("what nobody could read is as missing as it is told", async (t) => {
  const { moved, second } = await threeParts(t);
  moved.away.add("a").add("b");
  moved.told.shift();
  await t.rejects(moved.a.recordings.wholes.open("20200101T000000Z-00000000"), { code: "not_found" });
  const hidden = moved.a.recordings.wholes.open(moved.told[1]?.id ?? "", () => false);
  await t.rejects(hidden, { code: "not_found" }, "nothing of it is for who asks");
  const seenBy = await moved.b.recordings.wholes.open(second, ({ id }) => id === second);
  t.match(seenBy.summary.parts, [
    { node: "a", fromMs: 0, problem: "that node does not answer" },
    { id: second, problem: null },
    { node: "a", problem: "that node does not answer" },
  ]);
  await seenBy.close();
});

t.test("a part that is being written at another node grows", async (t) => {
  const moved = await Moved.open(t);
  const first = await moved.begin("a", 1000, 64, 0x112233);
  await moved.end("a", first, 0x223344);
  const second = await moved.begin("b", 5000, 80, 0x334455);
  const { clock, link } = moved.b.house;
  await clock.live(1000, 100);
  const reader = await moved.a.recordings.wholes.open(first);
  t.equal(reader.summary.state, "recording");
  const before = reader.summary.durationMs;
  link.paint(link.framebuffer.rect, 0x778899);
  await clock.live(2000, 100);
  t.same(await seen(reader, 6900), [0x99, 0x88, 0x77, 80]);
  await reader.events();
  t.ok(reader.summary.durationMs >= before + 1000, `${before} ms, then ${reader.summary.durationMs}`);
  const key = moved.a.recordings.wholes.keyOf(first);
  await moved.end("b", second, 0x8899aa);
  t.not(moved.a.recordings.wholes.keyOf(first), key, "who reads on opens it anew");
  await reader.close();
});

t.test("by files alone the last part leads to all before it that are here", async (t) => {
  const { moved, first, second, third } = await threeParts(t);
  moved.told.length = 0;
  const reader = await moved.a.recordings.wholes.open(third);
  t.match(reader.summary.parts, [
    { id: first, problem: null },
    { id: second, node: "b", problem: null },
    { id: third, problem: null },
  ]);
  await reader.close();
  const kept = { data_dir: moved.a.dataDir, sealing: {} };
  const said = await verifyRecording(kept, third);
  t.match(said, /intact/);
  t.match(
    said,
    new RegExp(`goes on from ${second} of node b, which is missing here: verify it at that node`),
  );
  const found = await moved.b.recordings.wholes.open(second);
  t.match(found.summary.parts, [{ id: first, node: "a" }, { id: second }]);
  await found.close();
});

t.test("names, markers and deletion are of the whole", async (t) => {
  const { moved, first, second, third } = await threeParts(t);
  const { wholes } = moved.a.recordings;
  await wholes.change(third, { name: "Ours", text: "all of it" });
  t.equal(moved.a.recordings.notes.get(first).name, "Ours", "the first part has the words");
  const marked = await wholes.mark(first, { atMs: 5000, label: "here", by: "Ann" });
  t.equal(marked.atMs, 5000);
  t.match(moved.b.recordings.notes.get(second).markers, [{ atMs: 1000, label: "here" }]);
  const note = await wholes.noteOf(await wholes.get(third));
  t.match(note, { name: "Ours", text: "all of it", markers: [{ id: marked.id, atMs: 5000 }] });
  await wholes.unmark(third, marked.id);
  t.same(moved.b.recordings.notes.get(second).markers, []);
  moved.away.add("b");
  await t.rejects(wholes.remove(first, HUMAN), { code: "node_unreachable" });
  moved.away.clear();
  await wholes.remove(second, HUMAN);
  t.same([await moved.a.recordings.list(), await moved.b.recordings.list()], [[], []]);
});
