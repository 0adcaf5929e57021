import sharp from "sharp";
import t from "tap";
import { changedParts, exportFrames } from "../../../src/recording/export/export-frames.ts";
import { type ExportRequest, exportRecording } from "../../../src/recording/export/export-recording.ts";
import type { TrackEntry } from "../../../src/recording/format/event-entry.ts";
import { colourAt, FakeReader, recordingSummary, SIZE, TRACK } from "../../web/fake-recordings.ts";
import { threeParts } from "../join/moved.ts";

const PLAIN = { hasOverlays: false, hasPointer: false } as const;
const NEVER = new AbortController().signal;

async function read(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

t.test("the pictures of a range follow each other without a hole, each as long as it stood", async (t) => {
  const reader = new FakeReader(recordingSummary());
  const range = { fromMs: 2500, toMs: 5500, framesPerSecond: 10, decor: PLAIN };
  const frames = await collect(exportFrames(reader, range, NEVER));
  t.same(
    frames.map(({ atMs, durationMs }) => [atMs, durationMs]),
    [
      [0, 500],
      [500, 1000],
      [1500, 1000],
      [2500, 500],
    ],
  );
  t.same(
    frames.map(({ rgba }) => rgba[0]),
    [2, 3, 4, 5],
  );
});

t.test("what cannot be read is black, from its beginning to its end", async (t) => {
  const { moved, first } = await threeParts(t);
  for (const [node, reds] of [
    ["b", [0x33, 0x44, 0, 0x77, 0x88]],
    ["a", [0, 0x55, 0x66, 0]],
  ] as const) {
    moved.away.clear();
    moved.away.add(node);
    const reader = await moved[node === "a" ? "b" : "a"].recordings.wholes.open(first);
    const { durationMs, parts = [] } = reader.summary;
    const range = { fromMs: 0, toMs: durationMs, framesPerSecond: 10, decor: PLAIN };
    const frames = await collect(exportFrames(reader, range, NEVER));
    t.same(
      frames.map(({ rgba }) => rgba[0]),
      reds,
      `without node ${node}`,
    );
    const lost = parts.filter((part) => part.node === node).map(({ fromMs }) => fromMs);
    t.same(
      frames.filter(({ rgba }) => rgba[0] === 0).map(({ atMs }) => atMs),
      lost,
    );
    t.ok(frames.every(({ rgba }) => rgba[3] === 255));
    await reader.close();
  }
});

t.test("fewer pictures a second leave out what came between, never the end", async (t) => {
  const reader = new FakeReader(recordingSummary());
  const range = { fromMs: 0, toMs: 10_000, framesPerSecond: 0.25, decor: PLAIN };
  const frames = await collect(exportFrames(reader, range, NEVER));
  t.same(
    frames.map(({ rgba }) => rgba[0]),
    [3, 7, 9],
  );
  t.equal(
    frames.reduce((sum, { durationMs }) => sum + durationMs, 0),
    10_000,
  );
});

/** A pointer of 3x3 red pixels, hotspot in its middle, that moves; an overlay that comes and goes. */
const DECORATED: readonly TrackEntry[] = [
  {
    ...{ type: "cursor", atMs: 100, width: 3, height: 3, hotspotX: 1, hotspotY: 1 },
    rgba: Buffer.alloc(36, Uint8Array.of(255, 0, 0, 255)).toString("base64"),
  },
  { type: "pointer", atMs: 200, x: 10, y: 10 },
  {
    ...{ type: "overlays_shown", atMs: 2000 },
    overlays: [
      {
        ...{ kind: "highlight", x: 20, y: 20, width: 20, height: 10, color: "#00ff00", opacity: 1 },
        ...{ label: null, temporaryMs: null, clickThrough: true, monitorIndex: 0 },
        ...{ id: "o1", ownerId: "bot", createdAt: "2026-11-21T08:00:02.000Z" },
      },
    ],
  },
  { type: "pointer", atMs: 3400, x: 50, y: 40 },
  { type: "overlays_gone", atMs: 4000, ids: ["o1"] },
];

/** Where a picture has another colour than its corner: "x,y" of each. */
function drawn(rgba: Uint8Array): string[] {
  const found: string[] = [];
  for (let i = 0; i < rgba.length; i += 4) {
    const isPlain = [0, 1, 2].every((channel) => rgba[i + channel] === rgba[channel]);
    if (!isPlain) found.push(`${(i / 4) % SIZE.width},${Math.floor(i / 4 / SIZE.width)}`);
  }
  return found;
}

function spots(left: number, top: number, width: number, height: number): string[] {
  return Array.from(
    { length: width * height },
    (_, i) => `${left + (i % width)},${top + Math.floor(i / width)}`,
  );
}

t.test("pointer and overlays are painted where they were and as long as they were there", async (t) => {
  const reader = new FakeReader(recordingSummary(), DECORATED);
  const pointer = spots(9, 9, 3, 3);
  const moved = spots(49, 39, 3, 3);
  const overlay = spots(20, 20, 20, 10);
  const at = async (ms: number, wish: Partial<ExportRequest> = {}) => {
    const png = await read(exportRecording(reader, { format: "png", fromMs: ms, ...wish }, NEVER).parts);
    return drawn((await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })).data).sort();
  };
  t.same(await at(50), [], "nothing was there yet");
  t.same(await at(1500), pointer.sort());
  t.same(await at(2500), [...pointer, ...overlay].sort());
  t.same(await at(3500), [...moved, ...overlay].sort());
  t.same(await at(3500, { hasOverlays: false }), moved.sort());
  t.same(await at(3500, { hasPointer: false }), overlay.sort());
  t.same(await at(4500), moved.sort());
  const range = {
    fromMs: 0,
    toMs: 4990,
    framesPerSecond: 10,
    decor: { hasOverlays: true, hasPointer: true },
  };
  const frames = await collect(exportFrames(reader, range, NEVER));
  t.same(
    frames.map(({ atMs, rgba }) => [atMs, drawn(rgba).length]),
    [
      [0, 0],
      [200, 9],
      [1000, 9],
      [2000, 209],
      [3000, 209],
      [3400, 209],
      [4000, 9],
    ],
    "a picture comes up whenever something painted changes",
  );
  t.same(
    (await collect(exportFrames(reader, { ...range, decor: PLAIN }, NEVER))).map(({ rgba }) => drawn(rgba)),
    [[], [], [], [], []],
  );
});

t.test("an export that nobody waits for any more ends", async (t) => {
  const controller = new AbortController();
  controller.abort(new Error("gone"));
  const reader = new FakeReader(recordingSummary());
  const { parts } = exportRecording(reader, { format: "gif" }, controller.signal);
  await t.rejects(read(parts), { message: "gone" });
});

t.test("where two pictures differ is told in cells, clipped and apart", async (t) => {
  const size = { width: 200, height: 130 };
  const before = new Uint8Array(size.width * size.height * 4);
  const after = Uint8Array.from(before);
  t.same(changedParts(before, after, size), []);
  const touch = (x: number, y: number): void => {
    after[(y * size.width + x) * 4] = 9;
  };
  touch(0, 0);
  touch(70, 10);
  touch(199, 129);
  t.same(changedParts(before, after, size), [
    { x: 0, y: 0, width: 128, height: 64 },
    { x: 192, y: 128, width: 8, height: 2 },
  ]);
});

t.test("a gif shows each picture for its time", async (t) => {
  const reader = new FakeReader(recordingSummary());
  const file = exportRecording(reader, { format: "gif", fromMs: 1000, toMs: 3500 }, NEVER);
  const gif = await read(file.parts);
  const { pages, delay } = await sharp(gif, { animated: true }).metadata();
  t.equal(pages, 3);
  t.same(delay, [1000, 1000, 500]);
  const { data } = await sharp(gif, { page: 2 }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  t.same([...data.subarray(0, 3)], colourAt(3000));
});

t.test("a replay page holds its pictures and actions, and nothing in it can end its script", async (t) => {
  const evil = "</script><script>alert(1)</script>";
  const entries = TRACK.map((entry) => (entry.type === "action" ? { ...entry, summary: evil } : entry));
  const reader = new FakeReader(recordingSummary({ title: `<b>${evil}` }), entries);
  const html = (await read(exportRecording(reader, { format: "html" }, NEVER).parts)).toString();
  t.notMatch(html, "alert(1)</script>");
  t.notMatch(html, "<b>");
  t.notMatch(html.replaceAll(/data:image/g, ""), /(?:src|href)="?https?:/, "it asks nobody");
  const json = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
  const data = JSON.parse(json);
  t.match(data, { ...SIZE, duration: 10_000 });
  const [action] = data.moments.filter(({ kind }: { kind: string }) => kind === "action");
  t.match(action, { words: evil, detail: /“open the menu” · .* · Bot$/, tone: "busy" });
  t.equal(data.frames.length, 10);
  t.equal(data.frames[0].key, true);
  const [, , png] = data.frames[4].parts[0];
  const { data: pixels } = await sharp(Buffer.from(png, "base64"))
    .raw()
    .toBuffer({ resolveWithObject: true });
  t.same([...pixels.subarray(0, 3)], colourAt(4000));
});

t.test("a range that is none, or too long for its format, is refused in words", async (t) => {
  const reader = new FakeReader(recordingSummary({ durationMs: 100_000 }));
  const wrong = (request: Parameters<typeof exportRecording>[1]) => () =>
    exportRecording(reader, request, NEVER);
  t.throws(wrong({ format: "html", fromMs: 5000, toMs: 4000 }), { code: "invalid_parameters" });
  t.throws(wrong({ format: "gif" }), { code: "invalid_parameters", message: /100 s for a gif.*at most 60/ });
});

t.test("the name of the file is the desktop's, without what no file may be called", async (t) => {
  const name = (title: string) =>
    exportRecording(new FakeReader(recordingSummary({ title })), { format: "webm" }, NEVER).name;
  t.equal(name("Büro/../PC: 1"), "Büro..PC 1 2026-11-21 08-00.webm");
  t.equal(name("///"), "recording 2026-11-21 08-00.webm");
});
