import t from "tap";
import { Slice } from "../../../src/platform/loop-turns.ts";
import type { TrackEntry } from "../../../src/recording/format/event-entry.ts";
import { KeptWords, ReadWords, type RecordingWords } from "../../../src/recording/search/recording-words.ts";
import { blocksWith } from "../../../src/recording/search/unit-set.ts";
import { WordIndex } from "../../../src/recording/search/word-index.ts";
import { WordIndexBuilder } from "../../../src/recording/search/word-index-builder.ts";
import { randomOf } from "../studio.ts";

interface Block {
  readonly at: number;
  readonly entries: TrackEntry[];
  /** Of each line. */
  readonly lines: readonly string[];
}

/** Text as programs show it: some words in nearly all lines, most in few. */
function randomBlocks(seed: number, count: number): Block[] {
  const random = randomOf(seed);
  const letters = "abcdefghijklmnopqrstuvwxyzäöß0123456789";
  const words = Array.from({ length: 300 }, () =>
    Array.from(
      { length: 1 + Math.floor(random() * 8) },
      () => letters[Math.floor(random() * letters.length)],
    ).join(""),
  );
  let at = 100;
  return Array.from({ length: count }, (_, i) => {
    at += 50 + Math.floor(random() * 2 ** (i % 30));
    const lines = Array.from({ length: Math.floor(random() * 6) }, () =>
      Array.from(
        { length: Math.floor(random() * 9) },
        () => words[Math.floor(300 * random() ** 3)] ?? "",
      ).join(" "),
    );
    const came = lines.map((text, id) => ({ id, text, x: 0, y: 0, width: 9, height: 9, words: [] }));
    const entry: TrackEntry = { type: "text", atMs: i, shownMs: i, came, moved: [], gone: [] };
    return { at, entries: [entry], lines };
  });
}

function readerOf(blocks: readonly Block[]): Parameters<ReadWords["read"]>[0] {
  return {
    async *trackBlocks(afterAt) {
      for (const { at, entries } of blocks) if (at > afterAt) yield { at, entries };
    },
  };
}

async function all(words: RecordingWords, query: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for await (const at of words.blocksWith(query, new Slice("free"))) found.push(at);
  return found;
}

/** As it is meant: one line has every word, perhaps inside of another. */
function plainly(blocks: readonly Block[], query: readonly string[]): number[] {
  const has = (line: string): boolean => line !== "" && query.every((word) => line.includes(word));
  return blocks.filter(({ lines }) => lines.some(has)).map(({ at }) => at);
}

t.test("an index names the blocks of which a line has all words, in one part or in many", async (t) => {
  const blocks = randomBlocks(3, 240);
  const random = randomOf(4);
  const lines = blocks.flatMap((block) => block.lines).filter((line) => line !== "");
  const queries = Array.from({ length: 30 }, () => {
    const ofLine = (lines[Math.floor(random() * lines.length)] ?? "").split(" ");
    const word = (): string => {
      const one = ofLine[Math.floor(random() * ofLine.length)] ?? "";
      const from = Math.floor(random() * one.length);
      return random() < 0.5 ? one : one.slice(from, from + 1 + Math.floor(random() * 3));
    };
    return random() < 0.1 ? ["nowhere", word()] : Array.from({ length: 1 + Math.floor(random() * 3) }, word);
  });
  for (const mostPlaces of [20, 200, 100_000]) {
    const read = new ReadWords(mostPlaces);
    // As a recording grows.
    await read.read(readerOf(blocks.slice(0, 90)), () => true);
    t.same(await all(read, ["nowhere"]), []);
    await read.read(readerOf(blocks), () => true);
    const growing = await Promise.all(queries.map((query) => all(read, query)));
    const parts = await read.parts();
    const kept = new KeptWords({ parts: parts.length, read: async (i) => parts[i] ?? Buffer.alloc(0) });
    t.equal(parts.length > 1, mostPlaces < 100_000);
    let hits = 0;
    for (const [i, query] of queries.entries()) {
      const expected = plainly(blocks, query);
      hits += expected.length;
      for (const [name, found] of [
        ["growing", growing[i]],
        ["closed", await all(read, query)],
        ["kept", await all(kept, query)],
      ] as const) {
        if (JSON.stringify(found) !== JSON.stringify(expected)) t.same(found, expected, `${name}: ${query}`);
      }
    }
    t.ok(hits > 100, `${hits} hits were compared`);
  }
});

t.test("what it names first needs no part behind", async (t) => {
  const read = new ReadWords(50);
  await read.read(readerOf(randomBlocks(5, 200)), () => true);
  const parts = await read.parts();
  const asked: number[] = [];
  const kept = new KeptWords({
    parts: parts.length,
    async read(i) {
      asked.push(i);
      return parts[i] ?? Buffer.alloc(0);
    },
  });
  for await (const at of kept.blocksWith([], new Slice("free"))) {
    t.ok(at > 0);
    break;
  }
  t.same(asked, [0]);
  t.ok(parts.length > 5);
});

t.test("bytes that are no index are refused, and no change of one goes on for ever", async (t) => {
  const builder = new WordIndexBuilder();
  for (const { at, lines } of randomBlocks(6, 60)) {
    builder.add(
      at,
      lines.map((line) => line.split(" ")),
    );
  }
  const bytes = await builder.bytes();
  for (const length of [0, 3, 23, 24, bytes.length >> 1]) {
    t.throws(() => new WordIndex(bytes.subarray(0, length)), { code: "damaged" }, `cut to ${length}`);
  }
  const random = randomOf(8);
  let refused = 0;
  for (let i = 0; i < 300; i++) {
    const changed = Buffer.from(bytes);
    for (let n = 0; n < 4; n++)
      changed[Math.floor(random() * (i % 2 ? 24 : changed.length))] = Math.floor(random() * 256);
    try {
      const index = new WordIndex(changed);
      await blocksWith(index, ["a"], new Slice("free"));
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error) || error.code !== "damaged") throw error;
      refused++;
    }
  }
  t.ok(refused > 50, `${refused} were refused`);
});
