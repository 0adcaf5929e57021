import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/platform/clock.ts";
import { BLOCK_KIND } from "../src/recording/format/block.ts";
import { BlockIndex } from "../src/recording/format/block-index.ts";
import { writeTracks } from "../src/recording/format/event-codec.ts";
import type { RecordedLine, TextEntry } from "../src/recording/format/event-entry.ts";
import { writeHead } from "../src/recording/format/head.ts";
import { NO_COUNTS } from "../src/recording/format/summary.ts";
import { RecordingArchive } from "../src/recording/library/archive.ts";
import type { SearchScope } from "../src/recording/library/recording-types.ts";
import { writeSeal } from "../src/recording/seal/seal.ts";
import { RecordingsSearch } from "../src/recording/search/recordings-search.ts";
import { BlockWriter } from "../src/recording/write/block-writer.ts";
import { SegmentWriter } from "../src/recording/write/segments.ts";
import { randomOf, SEALER } from "../test/recording/studio.ts";

// `tsx bench/recording-search.ts [HOURS] [RECORDINGS]`: finds words in so many hours of recordings, made at speed.

/** New text comes so often, so many lines at once. */
const EVERY_MS = 60_000;
const LINES = 10;
const WORDS_A_LINE = 8;
/** Words that there are; the first are the most frequent. */
const VOCABULARY = 20_000;
/** Bytes of the pictures of such text: see `typing` in docs/adr/0007-recording-format.md, of which this is a small part. */
const PICTURE_BYTES = 12_000;
const QUERIES = 100;

const hours = Number(process.argv[2] ?? 1000);
const count = Number(process.argv[3] ?? 40);
const random = randomOf(7);
const words = Array.from({ length: VOCABULARY }, (_, i) => {
  const length = 3 + Math.floor(random() * 7);
  return (
    Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("") +
    (i % 7 === 0 ? i : "")
  );
});

function word(): string {
  return words[Math.floor(VOCABULARY * random() ** 3)] ?? "";
}

/** Writes one; gives where its own words are: one a hundred entries that is nowhere else. */
async function make(archive: RecordingArchive, number: number, durationMs: number): Promise<number> {
  const day = new Date(Date.UTC(2026, 0, 1) + number * 86_400_000).toISOString();
  const id = `${day.slice(0, 19).replace(/[-:]/g, "")}Z-${String(number).padStart(8, "0")}`;
  const folder = join(archive.folder, id);
  mkdirSync(folder);
  const segments = new SegmentWriter(folder);
  const index = new BlockIndex();
  const writer = new BlockWriter(segments, index, archive.signer, null);
  const about = {
    ...{ id, desktopId: "d1", title: `desktop ${number}`, startedAt: day },
    ...({ reason: "manual", startedBy: "Ann", startedById: "ann" } as const),
  };
  const { publicKey } = archive.signer;
  await writer.append({
    ...{ kind: BLOCK_KIND.head, fromMs: 0, toMs: 0 },
    raw: writeHead({ ...about, publicKey, sealedKey: null }),
  });
  let standing: readonly RecordedLine[] = [];
  let nextId = 1;
  const picture = randomBytes(PICTURE_BYTES);
  for (let atMs = 0, entry = 0; atMs < durationMs; atMs += EVERY_MS, entry++) {
    const came = Array.from({ length: LINES }, (_, row) => {
      const said = Array.from({ length: WORDS_A_LINE }, word);
      if (row === 0 && entry % 100 === 0) said[3] = `rare${number}x${entry}`;
      const text = said.join(" ");
      let left = 0;
      const places = said.flatMap((one) => {
        const from = left;
        left += 8 * (one.length + 1);
        return [from, left - 8];
      });
      return { id: nextId++, text, x: 8, y: row * 16, width: 8 * text.length, height: 13, words: places };
    });
    const told: TextEntry = {
      ...{ atMs: atMs + 900, type: "text", shownMs: atMs, came, moved: [] },
      ...{ gone: standing.map(({ id: gone }) => gone), ...(entry % 10 === 0 ? { stands: [] } : {}) },
    };
    standing = came;
    const span = { fromMs: atMs, toMs: atMs + 900 };
    await writer.append({ kind: BLOCK_KIND.pictures, frames: 1, ...span, changedPixels: 1, raw: picture });
    await writer.append({ kind: BLOCK_KIND.tracks, ...span, raw: writeTracks([told]) });
  }
  await writer.finish(durationMs);
  const seal = {
    ...{ ...about, sealedAt: day, isEncrypted: "no" as const, width: 1920, height: 1080 },
    ...{ durationMs: index.durationMs, counts: NO_COUNTS, segments: segments.count, bytes: segments.length },
    ...{
      blocks: writer.blocks,
      indexAt: writer.indexAt,
      directoryAt: writer.directoryAt,
      hash: writer.hash,
      publicKey,
    },
  };
  await writeSeal(folder, seal, archive.signer, archive.seals);
  await writer.close();
  return segments.length;
}

function searchOf(archive: RecordingArchive): RecordingsSearch {
  return new RecordingsSearch(
    {
      ids: async () => [...(await archive.ids())].sort().reverse(),
      get: (id) => archive.get(id),
      open: (id) => archive.read(id),
      readIndex: (id) => archive.readIndex(id),
      writeIndex: (id, index) => archive.writeIndex(id, index),
    },
    systemClock,
  );
}

const ALL: SearchScope = { reach: () => "all", limit: 50 };

async function timed<Result>(
  run: () => Promise<Result>,
): Promise<{ readonly ms: number; readonly result: Result }> {
  const beganMs = performance.now();
  const result = await run();
  return { ms: performance.now() - beganMs, result };
}

function percentile(all: readonly number[], share: number): string {
  const sorted = [...all].sort((a, b) => a - b);
  return `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)} ms`;
}

const dataDir = mkdtempSync(join(tmpdir(), "oc-search-"));
try {
  const archive = await RecordingArchive.open(dataDir, SEALER);
  const durationMs = (hours / count) * 3_600_000;
  let bytes = 0;
  for (let number = 0; number < count; number++) bytes += await make(archive, number, durationMs);
  const building = searchOf(archive);
  const built = await timed(async () => {
    for (;;) {
      const { unread } = await building.search("nowhere", ALL);
      if (unread === 0) return;
    }
  });
  await building.close();
  const folder = join(dataDir, "recording-words");
  const indexBytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const search = searchOf(archive);
  const first = await timed(() => search.search("nowhere", ALL));
  const entries = Math.floor(durationMs / EVERY_MS / 100);
  const kinds = { rare: [] as number[], two: [] as number[], common: [] as number[] };
  for (let i = 0; i < QUERIES; i++) {
    const number = Math.floor(random() * count);
    const entry = 100 * Math.floor(random() * entries);
    const rare = await timed(() => search.search(`rare${number}x${entry}`, ALL));
    const [hit] = rare.result.hits;
    if (hit?.atMs !== entry * EVERY_MS) throw new Error(`rare${number}x${entry} was not found at its time`);
    kinds.rare.push(rare.ms);
    kinds.two.push((await timed(() => search.search(`${word()} ${word()}`, ALL))).ms);
    kinds.common.push((await timed(() => search.search(words[0] ?? "", ALL))).ms);
  }
  const figures = Object.entries(kinds).map(
    ([kind, all]) => `${kind} p50 ${percentile(all, 0.5)}, p95 ${percentile(all, 0.95)}`,
  );
  process.stdout.write(
    `${hours} h in ${count} recordings, ${(bytes / 1e6).toFixed(0)} MB; index ${(indexBytes / 1e6).toFixed(2)} MB ` +
      `(${((100 * indexBytes) / bytes).toFixed(2)} %), made in ${(built.ms / 1000).toFixed(1)} s\n` +
      `first search of a process ${first.ms.toFixed(0)} ms; then ${figures.join("; ")}\n`,
  );
  await search.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
