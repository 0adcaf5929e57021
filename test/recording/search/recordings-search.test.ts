import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { RecordingSummary } from "../../../src/recording/format/summary.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import type { SearchScope } from "../../../src/recording/library/recording-types.ts";
import { RecordingsSearch } from "../../../src/recording/search/recordings-search.ts";
import type { ShownText, TextReader } from "../../../src/recording/write/recorder-ports.ts";
import { HUMAN } from "../../desktop/house.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { SEALER, Studio } from "../studio.ts";

const BY = { by: HUMAN } as const;
const ALL: SearchScope = { reach: () => "all", limit: 50 };

/** What a desktop says, as a test wants it. */
class Screen implements TextReader {
  texts: readonly string[] = [];
  readonly studio: Studio;

  constructor(studio: Studio) {
    this.studio = studio;
  }

  async now(): Promise<ShownText> {
    const lines = this.texts.map((text, row) => ({
      ...{ text, rect: { x: 10, y: 20 * row, width: 8 * text.length, height: 13 } },
      words: wordsOf(text),
    }));
    return { generation: this.studio.desktop.generation, lines };
  }

  close(): void {}
}

function wordsOf(text: string): ShownText["lines"][number]["words"] {
  let at = 0;
  return text.split(" ").map((word) => {
    const rect = { x: 10 + 8 * at, y: 0, width: 8 * word.length, height: 13 };
    at += word.length + 1;
    return { rect };
  });
}

/** How many entries tell of text. */
async function entriesOf({ recordings }: Studio, id: string): Promise<number> {
  const reader = await recordings.open(id);
  const entries = await reader.events();
  await reader.close();
  return entries.filter(({ type }) => type === "text").length;
}

async function open(owner: Owner, options: Parameters<typeof Studio.open>[1] = {}) {
  let screen: Screen | null = null;
  const studio: Studio = await Studio.open(owner, options, undefined, undefined, undefined, () => {
    screen ??= new Screen(studio);
    return screen;
  });
  let colour = 0;
  /** Shows lines, until they are read. */
  const show = async (...texts: string[]): Promise<void> => {
    if (screen !== null) screen.texts = texts;
    const { clock, link } = studio.house;
    const { id = "" } = studio.recordings.runningOn("d1") ?? {};
    const before = await entriesOf(studio, id);
    link.paint({ x: 1, y: 1, width: 9, height: 9 }, ++colour * 0x1111);
    // The disk takes its own time, the clock none.
    await until("its text", async () => {
      await clock.live(500, 50);
      return (await entriesOf(studio, id)) > before;
    });
  };
  return { studio, show };
}

t.test("words are found in every recording, also in one that still runs", async (t) => {
  const { studio, show } = await open(t);
  const { recordings } = studio;
  const first = await recordings.start("d1", BY);
  await show("Evening harbour", "$ ls");
  await show("Evening harbour", "$ ls", "lantern.txt  notes");
  await recordings.stop(first.id);
  const second = await recordings.start("d1", BY);
  await show("Evening harbour again");
  const found = await recordings.searchAll("harbour", ALL);
  t.same(
    found.hits.map(({ recording, text }) => [recording.id, text]).sort(),
    [
      [first.id, "Evening harbour"],
      [second.id, "Evening harbour again"],
    ].sort(),
  );
  t.match(found, { isCut: false, unread: 0 });
  const [lantern, ...others] = (await recordings.searchAll("TXT notes", ALL)).hits;
  t.same(others, []);
  t.match(lantern, { recording: { id: first.id }, rect: { x: 74, y: 40, width: 80, height: 13 } });
  await show("Evening harbour again", "Grown meanwhile");
  t.equal((await recordings.searchAll("meanwhile", ALL)).hits.length, 1, "what came since is found");
  await recordings.stop(second.id);
  t.equal((await recordings.searchAll("meanwhile", ALL)).hits.length, 1, "and when it is sealed");
  t.same((await recordings.searchAll("harbour meanwhile", ALL)).hits, [], "all words in one line");
  t.same((await recordings.searchAll("  ", ALL)).hits, []);
  t.same(studio.bugs, []);
});

t.test("what is not the caller's is not looked into", async (t) => {
  const { studio, show } = await open(t);
  const { recordings } = studio;
  const { id } = await recordings.start("d1", BY);
  await show("Evening harbour");
  recordings.bookmark(id, "harbour seen", HUMAN);
  await studio.house.clock.live(1_500, 50);
  await recordings.stop(id);
  const kinds = async (reach: (recording: RecordingSummary) => "none" | "events" | "all") =>
    (await recordings.searchAll("harbour", { reach, limit: 50 })).hits.map(({ entry }) => entry.type);
  t.same(await kinds(() => "all"), ["text", "bookmark"]);
  t.same(await kinds(() => "events"), ["bookmark"]);
  t.same(await kinds(() => "none"), []);
  t.same(await kinds(({ desktopId }) => (desktopId === "d1" ? "all" : "none")), ["text", "bookmark"]);
});

t.test("the index is made of the recording, whatever becomes of it", async (t) => {
  const { studio, show } = await open(t);
  const { recordings, dataDir } = studio;
  const { id } = await recordings.start("d1", BY);
  await show("Evening harbour");
  await recordings.stop(id);
  const file = join(dataDir, "recording-words", `${id}.words`);
  await until("the index", () => existsSync(file));
  const bytes = readFileSync(file);
  const isFound = async (): Promise<boolean> => {
    // Another appliance over the same files: nothing is in its memory.
    const other = await Studio.open(t, {}, dataDir);
    const { hits } = await other.recordings.searchAll("harbour", ALL);
    await other.recordings.close();
    return hits.length === 1;
  };
  t.ok(await isFound());
  t.same(readFileSync(file), bytes, "the same one");
  rmSync(file);
  t.ok(await isFound(), "without it");
  t.same(readFileSync(file), bytes, "made anew");
  for (const at of [0, 5, 9, 20, 50, bytes.length - 70, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    writeFileSync(file, changed);
    t.ok(await isFound(), `changed at ${at}`);
    t.same(readFileSync(file), bytes, "replaced");
  }
  writeFileSync(file, bytes.subarray(0, 30));
  t.ok(await isFound(), "cut short");
  t.equal((await recordings.verify(id)).state, "sealed", "the seal does not know it");
  await recordings.remove(id);
  t.same((await recordings.searchAll("harbour", ALL)).hits, [], "nor is it found once it is deleted");
  t.notOk(existsSync(file));
});

t.test("an index that is changed after it was read first is made anew within the search", async (t) => {
  const { studio, show } = await open(t);
  const { id } = await studio.recordings.start("d1", BY);
  await show("Evening harbour");
  await studio.recordings.stop(id);
  const archive = await RecordingArchive.open(studio.dataDir, SEALER);
  await until("the index", async () => (await archive.readIndex(id)) !== null);
  const file = join(studio.dataDir, "recording-words", `${id}.words`);
  const bytes = readFileSync(file);
  const search = new RecordingsSearch(
    {
      ...{ ids: () => archive.ids(), get: (one) => archive.get(one), open: (one) => archive.read(one) },
      async readIndex(one) {
        const kept = await archive.readIndex(one);
        // Between the look at all of it and the first part that is wanted.
        if (readFileSync(file).equals(bytes)) writeFileSync(file, bytes.subarray(0, bytes.length - 1));
        return kept;
      },
      writeIndex: (one, parts) => archive.writeIndex(one, parts),
    },
    studio.house.clock,
  );
  const { hits, unread } = await search.search("harbour", ALL);
  t.equal(hits.length, 1);
  t.equal(unread, 0);
  t.same(readFileSync(file), bytes, "and kept");
  await search.close();
});

t.test("words of an encrypted recording do not lie beside it", async (t) => {
  const { studio, show } = await open(t, { isEncrypted: true });
  const { recordings, dataDir } = studio;
  const { id } = await recordings.start("d1", BY);
  await show("Evening harbour");
  await recordings.stop(id);
  t.equal((await recordings.searchAll("harbour", ALL)).hits.length, 1);
  t.notOk(existsSync(join(dataDir, "recording-words", `${id}.words`)));
});

t.test("only so many hits are told, and that there are more", async (t) => {
  const { studio, show } = await open(t);
  const { recordings } = studio;
  const { id } = await recordings.start("d1", BY);
  for (let i = 0; i < 12; i++) await show(`Number ${i} passes`);
  await recordings.stop(id);
  const all = await recordings.searchAll("passes", ALL);
  t.equal(all.hits.length, 10);
  t.equal(all.isCut, true);
  t.equal((await recordings.searchAll("passes", { ...ALL, limit: 3 })).hits.length, 3);
  const reader = await recordings.open(id);
  t.equal((await reader.search("passes")).length, 12, "in it alone all are found");
  await reader.close();
});
