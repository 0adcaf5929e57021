import { hash } from "node:crypto";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { FramePicture } from "../src/framebuffer/frame-picture.ts";
import { Framebuffer } from "../src/framebuffer/framebuffer.ts";
import { Region } from "../src/framebuffer/region.ts";
import { systemClock } from "../src/platform/clock.ts";
import { PictureEncoder } from "../src/protocols/recording/picture-encoder.ts";
import { BLOCK_KIND } from "../src/recording/format/block.ts";
import { BlockIndex } from "../src/recording/format/block-index.ts";
import { writeTracks } from "../src/recording/format/event-codec.ts";
import type { RecordedLine, TextEntry } from "../src/recording/format/event-entry.ts";
import { writeHead } from "../src/recording/format/head.ts";
import { PictureGroup } from "../src/recording/format/picture-group.ts";
import { NO_COUNTS } from "../src/recording/format/summary.ts";
import { RecordingArchive } from "../src/recording/library/archive.ts";
import type { SearchScope } from "../src/recording/library/recording-types.ts";
import { writeSeal } from "../src/recording/seal/seal.ts";
import { RecordingsSearch } from "../src/recording/search/recordings-search.ts";
import { BlockWriter } from "../src/recording/write/block-writer.ts";
import { SegmentWriter } from "../src/recording/write/segments.ts";
import { randomOf, SEALER } from "../test/recording/studio.ts";
import { judged, type Line } from "./line.ts";

/** New text comes so often, so many lines at once. */
const EVERY_MS = 60_000;
const LINES = 10;
const WORDS_A_LINE = 8;
/** Words that there are; the first are the most frequent. */
const VOCABULARY = 20_000;
const LINE_HEIGHT = 16;
const LETTER_WIDTH = 8;
/** Of so many letters a line has at most. */
const LINE_LETTERS = 80;
const INK = 0xff202020;
const PAPER = 0xfff8f8f8;
const SIZE = { width: 1280, height: 720 } as const;
const ALL: SearchScope = { reach: () => "all", limit: 50 };

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

/** The picture of an entry as it is written, and what it shows. */
interface Shown {
  readonly raw: Uint8Array;
  readonly isKey: boolean;
  readonly changedPixels: number;
  readonly hash: string;
}

/** Pictures of lines that are written over others, as many as there are entries; all recordings have the same. */
function makePictures(entries: number): readonly Shown[] {
  const frame = new Framebuffer(SIZE.width, SIZE.height);
  const picture = new FramePicture(frame);
  const encoder = new PictureEncoder((bytes) => hash("sha256", bytes, "base64"));
  const group = new PictureGroup();
  const area = SIZE.width * SIZE.height;
  return Array.from({ length: entries }, (_, entry) => {
    const rect = { x: 0, y: 0, width: LINE_LETTERS * LETTER_WIDTH, height: LINES * LINE_HEIGHT };
    for (let y = 0; y < rect.height; y++) {
      // As many bytes as such text takes: see `typing` in docs/adr/0007-recording-format.md, of which this is a small part.
      for (let x = 0; x < rect.width; x++) frame.words[y * SIZE.width + x] = random() < 0.5 ? INK : PAPER;
    }
    const damage = Region.of(rect);
    const isKey = group.needsKey(damage.area, area);
    const input = { picture, damage, copies: [], atMs: entry * EVERY_MS, generation: entry + 1, isKey };
    group.added(isKey, encoder.add({ ...input, isPartial: false }), area);
    group.closedBlock();
    return { raw: encoder.take(), isKey, changedPixels: damage.area, hash: hash("sha1", frame.bytes) };
  });
}

/** Writes one; gives where its own words are: one a hundred entries that is nowhere else. */
async function make(archive: RecordingArchive, number: number, pictures: readonly Shown[]): Promise<number> {
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
  for (const [entry, { raw, isKey, changedPixels }] of pictures.entries()) {
    const atMs = entry * EVERY_MS;
    const came = Array.from({ length: LINES }, (_, row) => {
      const said = Array.from({ length: WORDS_A_LINE }, word);
      if (row === 0 && entry % 100 === 0) said[3] = `rare${number}x${entry}`;
      const text = said.join(" ");
      let left = 0;
      const places = said.flatMap((one) => {
        const from = left;
        left += LETTER_WIDTH * (one.length + 1);
        return [from, left - LETTER_WIDTH];
      });
      const place = { x: 0, y: row * LINE_HEIGHT, width: LETTER_WIDTH * text.length, height: 13 };
      return { id: nextId++, text, ...place, words: places };
    });
    const told: TextEntry = {
      ...{ atMs: atMs + 900, type: "text", shownMs: atMs, came, moved: [] },
      ...{ gone: standing.map(({ id: gone }) => gone), ...(entry % 10 === 0 ? { stands: [] } : {}) },
    };
    standing = came;
    const span = { fromMs: atMs, toMs: atMs + 900 };
    await writer.append({ kind: BLOCK_KIND.pictures, isKey, frames: 1, ...span, changedPixels, raw });
    await writer.append({ kind: BLOCK_KIND.tracks, ...span, raw: writeTracks([told]) });
  }
  await writer.finish(pictures.length * EVERY_MS);
  const seal = {
    ...{ ...about, sealedAt: day, isEncrypted: "no" as const, ...SIZE },
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
      writeIndex: (id, parts) => archive.writeIndex(id, parts),
    },
    systemClock,
  );
}

/** What was asked, and what of it is right. */
type Ask = () => Promise<void>;

interface Cost {
  readonly p95: number;
  /** Of all threads of this process, which other programs do not lengthen. */
  readonly cpuP95: number;
}

async function costOf(asks: readonly Ask[]): Promise<Cost> {
  const times: number[] = [];
  const work: number[] = [];
  for (const ask of asks) {
    const before = process.cpuUsage();
    const beganMs = performance.now();
    await ask();
    times.push(performance.now() - beganMs);
    const { user, system } = process.cpuUsage(before);
    work.push((user + system) / 1000);
  }
  return { p95: p95(times), cpuP95: p95(work) };
}

function p95(all: readonly number[]): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(0.95 * sorted.length))] ?? 0;
}

/** SEARCH: words in a thousand hours of recordings, made at speed, until the frames that show them. */
export async function benchSearch(folder: string, isShort: boolean): Promise<Line[]> {
  const [hours, count, queries] = isShort ? [8, 4, 3] : [1000, 40, 100];
  const dataDir = join(folder, "search");
  mkdirSync(dataDir, { recursive: true });
  const archive = await RecordingArchive.open(dataDir, SEALER);
  const pictures = makePictures(Math.ceil(((hours / count) * 3_600_000) / EVERY_MS));
  let bytes = 0;
  for (let number = 0; number < count; number++) bytes += await make(archive, number, pictures);
  const building = searchOf(archive);
  while ((await building.search("nowhere", ALL)).unread > 0);
  await building.close();
  const indices = join(dataDir, "recording-words");
  const indexBytes = readdirSync(indices).reduce((sum, name) => sum + statSync(join(indices, name)).size, 0);
  // As after a restart: all that is known is in the files.
  const search = searchOf(archive);
  const first = await costOf([async () => void (await search.search("nowhere", ALL))]);
  const frameOf = async (id: string, atMs: number): Promise<void> => {
    const reader = await archive.read(id);
    const { rgba } = await reader.frameAt(atMs);
    await reader.close();
    if (hash("sha1", rgba) !== pictures[atMs / EVERY_MS]?.hash)
      throw new Error(`another picture at ${atMs} ms`);
  };
  const rareAsks: Ask[] = [];
  const frameAsks: Ask[] = [];
  for (let i = 0; i < queries; i++) {
    const number = Math.floor(random() * count);
    const entry = 100 * Math.floor((random() * pictures.length) / 100);
    const sought = `rare${number}x${entry}`;
    rareAsks.push(async () => {
      const { hits } = await search.search(sought, ALL);
      const [hit] = hits.filter(({ text }) => text.split(" ").includes(sought));
      if (hit?.atMs !== entry * EVERY_MS) throw new Error(`${sought} was not found at its time`);
      await frameOf(hit.recording.id, hit.atMs);
    });
    frameAsks.push(async () => frameOf((await archive.ids())[number] ?? "", entry * EVERY_MS));
  }
  const findAndShow = (query: string): Ask => {
    return async () => {
      const [hit] = (await search.search(query, ALL)).hits;
      if (hit !== undefined) await frameOf(hit.recording.id, hit.atMs);
    };
  };
  const asks = (query: () => string): Ask[] => Array.from({ length: queries }, () => findAndShow(query()));
  const frame = await costOf(frameAsks);
  const rare = await costOf(rareAsks);
  const two = await costOf(asks(() => `${word()} ${word()}`));
  const common = await costOf(asks(() => words[0] ?? ""));
  const letters = await costOf(asks(() => (words[0] ?? "").slice(0, 2)));
  await search.close();
  const peer = "a frame whose time is known";
  const rows = (what: string, cost: Cost): Line[] => [
    judged({
      ...{ id: "SEARCH", metric: `${what} of ${hours} h to its frame, p95`, unit: "ms", ours: cost.p95 },
      ...{ peer, theirs: frame.p95, goal: { within: 150 } },
    }),
    judged({
      ...{ id: "SEARCH", metric: `${what} of ${hours} h to its frame, CPU, p95`, unit: "ms" },
      ...{ ours: cost.cpuP95, peer, theirs: frame.cpuP95, goal: { within: 150 } },
    }),
  ];
  return [
    ...rows("a rare word", rare),
    ...rows("two words", two),
    ...rows("a common word", common),
    ...rows("two letters", letters),
    judged({
      ...{ id: "SEARCH", metric: `the first search of a process, ${hours} h, CPU`, unit: "ms" },
      ...{ ours: first.cpuP95, peer, theirs: frame.cpuP95, goal: { within: 1000 } },
    }),
    judged({
      ...{
        id: "SEARCH",
        metric: `index of words, of ${count} recordings`,
        unit: "KB",
        ours: indexBytes / 1024,
      },
      ...{ peer: "the recordings", theirs: bytes / 1024, goal: { atMost: 0.02 } },
    }),
  ];
}
