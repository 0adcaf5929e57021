import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { boundRects, type Rect, rect } from "../src/framebuffer/rect.ts";
import { systemClock } from "../src/platform/clock.ts";
import { Engine } from "../src/vision/engine.ts";
import { CellReader } from "../src/vision/glyphs/cell-reader.ts";
import { OcrPool } from "../src/vision/ocr-pool.ts";
import { readLines } from "../src/vision/read-line.ts";
import { findText } from "../src/vision/text/find-text.ts";
import { LineCache } from "../src/vision/text/line-cache.ts";
import { TextIndex } from "../src/vision/text/text-index.ts";
import type { TextLine, TextQuery } from "../src/vision/text/text-line.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import type { Agent } from "../test/e2e/harness/mcp-client.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Shot } from "../test/e2e/harness/xwd.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";
import { measure, summary } from "./stopwatch.ts";
import { readWithProgram } from "./text/readers.ts";
import { benchBesideText } from "./text-beside.ts";
import { TurnFile } from "./turn-file.ts";

const SIZE = { width: 1920, height: 1080 };
const ID = "LIVETEXT";
const never = new AbortController().signal;
/** What is typed: words of all letters, one key after the other. */
const TYPED = "the quick brown fox jumps over the lazy dog while five wizards box ";
/** The first ones are not counted: the engine compiles. */
const TAUGHT = 30;
const LINES = 40;
const QUERIES = 100;
/** How long the appliance is watched with a text that nobody asks for, and without. */
const WATCHED_MS = 10_000;
/** A desktop is followed for 30 s after an agent's last call. */
const FOLLOWED_MS = 32_000;

/** What the text of a desktop costs: a question, a key, a changed line, a thread, and nothing where nobody asks. */
export async function benchLiveText(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: `${SIZE.width}x${SIZE.height}` });
  await display.openWindowManager();
  const turns = new TurnFile(folder);
  const connect = [`vnc://127.0.0.1:${display.vncPort}`];
  const appliance = await Appliance.start(owner, { connect, env: turns.env });
  const agent = await appliance.agent();
  const news = join(folder, "news.txt");
  writeFileSync(news, "");
  // A page of the letters that are typed: what the terminal's letters look like is known.
  const page = `seq -w 1 160 | sed 's/$/ ${TYPED.trim()}/' | tr '\\n' ' '; echo; exec cat`;
  await display.openTerminal("page", "236x60+0+0", page);
  const key = await aKey(agent, isShort);
  await display.openTerminal("news", "60x8+1300+800", `exec tail -n 0 -f '${news}'`);
  await display.openTerminal("scroll", "100x20+0+560", SCROLLS);
  const idle = await idleCost(agent, appliance.program.pid, isShort);
  const late = await changedLine(agent, news, isShort);
  const beside = await benchBesideText(owner, appliance, agent, turns, isShort);
  // Last, for it holds this thread while connections end.
  const scene = { name: "terminal", kind: "xterm", file: key.file, words: [], knownFrom: 0 };
  const whole = readWithProgram(scene, folder).cpuMs;
  const row = judged({
    ...{ id: ID, metric: "CPU of a key in a known terminal, median", unit: "ms", ours: key.cpuMs },
    ...{ peer: "the whole screen by tesseract's own program", theirs: whole, goal: { atLeast: 300 } },
  });
  return [await aQuery(key.lines, isShort), row, late, idle, ...beside, await memory(isShort)];
}

const SCROLLS =
  "n=0; while :; do n=$((n + 1)); echo line $n of a text that scrolls all the time; sleep 0.05; done";

/** A question over a screen full of text, as its thread answers it. */
async function aQuery(lines: readonly TextLine[], isShort: boolean): Promise<Line> {
  const queries: TextQuery[] = [
    { text: "wizards box", match: "exact", isCaseSensitive: false },
    { text: "0500", match: "words", isCaseSensitive: true },
    { text: "\\d{3}1 \\d+", match: "regex", isCaseSensitive: false },
    { text: "quikc brovvn", match: "fuzzy", isCaseSensitive: false },
  ];
  const all = { name: "queries", run: async () => queries.map((query) => findText(lines, query)) };
  const times = await measure([all], QUERIES, isShort);
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  return judged({
    ...{
      id: ID,
      metric: `a query over ${lines.length} lines, ${letters} letters, of four kinds`,
      unit: "ms",
    },
    ...{
      ours: (times.get("queries")?.p50 ?? 0) / queries.length,
      peer: "the goal",
      theirs: 5,
      goal: { within: 5 },
    },
  });
}

/** Keys in a terminal whose letters are known: the median of their CPU, the lines before, the picture after. */
async function aKey(
  agent: Agent,
  isShort: boolean,
): Promise<{ cpuMs: number; lines: readonly TextLine[]; file: Uint8Array }> {
  const [engine, cells] = [await Engine.open(), await CellReader.open()];
  await engine.use(["deu", "eng"]);
  const read = async (lines: Parameters<typeof readLines>[2]) => readLines(engine, cells, lines);
  const index = new TextIndex(SIZE, new LineCache());
  await agent.call("click_at", { x: 400, y: 300 });
  const shot = (): Promise<Shot> => agent.shot({ wait_for_stable_ms: 200 });
  let last = await shot();
  index.paint(rect(0, 0, SIZE.width, SIZE.height), last.rgba);
  index.settle(0);
  const { lines } = await index.lines(null, read, never);
  // Reading held this thread: connections that ended meanwhile are noticed now.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const times: number[] = [];
  const keys = isShort ? TYPED.slice(0, 3) : TYPED;
  for (const [at, letter] of [...keys].entries()) {
    await agent.call("type_text", { text: letter });
    const next = await shot();
    const changed = differing(last, next);
    last = next;
    if (changed === null) throw new Error(`${ID}: the key ${JSON.stringify(letter)} changed nothing`);
    const pixels = partOf(next, changed);
    const before = process.cpuUsage();
    index.paint(changed, pixels);
    index.settle(at + 1);
    await index.since(at, null, read, never);
    const { user, system } = process.cpuUsage(before);
    if (isShort || at >= TAUGHT) times.push((user + system) / 1000);
  }
  const file = await sharp(last.rgba, { raw: { ...SIZE, channels: 4 } })
    .png()
    .toBuffer();
  return { cpuMs: summary(times).p50, lines, file };
}

/** The box of what differs; null where nothing does. */
function differing(a: Shot, b: Shot): Rect | null {
  const [one, other] = [a, b].map(
    ({ rgba }) => new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4),
  );
  let box: Rect | null = null;
  if (one === undefined || other === undefined) return null;
  for (let at = 0; at < one.length; at++) {
    if (one[at] === other[at]) continue;
    const pixel = rect(at % SIZE.width, Math.floor(at / SIZE.width), 1, 1);
    box = box === null ? pixel : boundRects(box, pixel);
  }
  return box;
}

function partOf({ rgba }: Shot, { x, y, width, height }: Rect): Uint8Array {
  const pixels = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * SIZE.width + x) * 4;
    pixels.set(rgba.subarray(from, from + width * 4), row * width * 4);
  }
  return pixels;
}

/** From the moment that a program writes a line until a waiting agent is told of it, beside a terminal that scrolls. */
async function changedLine(agent: Agent, file: string, isShort: boolean): Promise<Line> {
  const region = { x: 1290, y: 780, width: 600, height: 200 };
  const list: number[] = [];
  await awake(agent);
  for (let run = -3; run < (isShort ? 1 : LINES); run++) {
    const text = `news ${run + 1000} of the day`;
    const waits = agent.call("wait_for", { condition: "text", text, region, timeout_ms: 20_000 });
    // The first look is over.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const startedAt = performance.now();
    appendFileSync(file, `${text}\n`);
    const { met } = await waits;
    if (met !== true) throw new Error(`${ID}: ${JSON.stringify(text)} was not read`);
    if (run >= 0) list.push(performance.now() - startedAt);
  }
  const { p95 } = summary(list);
  return judged({
    ...{
      id: ID,
      metric: "a program writes a line until wait_for tells it, beside one that scrolls, p95",
      unit: "ms",
    },
    ...{ ours: p95, peer: "the goal", theirs: 150, goal: { within: 150 } },
  });
}

/** After a pause: the server ends connections that were quiet, which a request may meet. */
async function awake(agent: Agent): Promise<void> {
  await until("a connection", async () => {
    try {
      return await agent.call("get_display_info");
    } catch {
      return null;
    }
  });
}

/** CPU of the appliance when nobody looks, beside a terminal that scrolls: with a text that was asked for once, and before. */
async function idleCost(agent: Agent, pid: number | undefined, isShort: boolean): Promise<Line> {
  const lastMs = isShort ? 500 : WATCHED_MS;
  const unfollowed = async (): Promise<void> => {
    if (!isShort) await new Promise((resolve) => setTimeout(resolve, FOLLOWED_MS));
  };
  const cpuOf = async (): Promise<number> => {
    const before = cpuMs(pid);
    await new Promise((resolve) => setTimeout(resolve, lastMs));
    return ((cpuMs(pid) - before) * 1000) / lastMs;
  };
  await awake(agent);
  await agent.shot({});
  await unfollowed();
  const without = [await cpuOf(), await cpuOf()];
  await awake(agent);
  // A whole screen of small text takes a slow machine longer than a question may.
  await agent.call("read_text", { region: { x: 0, y: 560, width: 900, height: 300 } });
  await unfollowed();
  const kept = [await cpuOf(), await cpuOf()];
  return judged({
    ...{
      id: ID,
      metric: "CPU a second beside a terminal that scrolls, a text kept that nobody asks for",
      unit: "ms",
    },
    ...{ ours: Math.min(...kept), peer: "no text kept", theirs: Math.min(...without), goal: { atMost: 1.1 } },
  });
}

/** What a thread that has read a picture keeps while it waits for the next. */
async function memory(isShort: boolean): Promise<Line> {
  const pool = new OcrPool(systemClock);
  const file = await sharp({ create: { ...SIZE, channels: 3, background: "white" } })
    .composite([{ input: PAGE, left: 40, top: 40 }])
    .png()
    .toBuffer();
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const request = { ownerId: "one", file, size: SIZE, part: null, languages: ["deu", "eng"] };
  for (let run = 0; run < (isShort ? 1 : 3); run++) {
    const [line] = await pool.read(request, never);
    if (line === undefined) throw new Error(`${ID}: the page was not read`);
  }
  globalThis.gc?.();
  const ours = (process.memoryUsage.rss() - before) / 2 ** 20;
  await pool.close();
  return judged({
    ...{ id: ID, metric: "memory of an engine's thread that has read and waits", unit: "MiB", ours },
    ...{ peer: "the goal", theirs: 150, goal: { within: 150 } },
  });
}

const PAGE = await sharp(new URL("../test/vision/page.png", import.meta.url).pathname).toBuffer();
