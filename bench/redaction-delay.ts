import { overlapRects, type Rect, rect } from "../src/framebuffer/rect.ts";
import type { LineInk } from "../src/vision/cut/cut-line.ts";
import { cutPicture } from "../src/vision/cut/cut-lines.ts";
import type { PixelPicture } from "../src/vision/cut/pixel-picture.ts";
import { Engine } from "../src/vision/engine.ts";
import { fontAtlas } from "../src/vision/glyphs/font-atlas.ts";
import type { FromLiveThread } from "../src/vision/live/live-messages.ts";
import { LiveServer } from "../src/vision/live/live-server.ts";
import type { LineWords } from "../src/vision/ocr-messages.ts";
import { readByEngine } from "../src/vision/read-line.ts";
import { LIVE_LANGUAGES } from "../src/vision/text/engine-lines.ts";
import { FakeClock, settle } from "../test/fake-clock.ts";
import { scenePicture } from "../test/vision/scene-picture.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";

const ID = "REDACT";
/** A terminal whose letters are no font that is known. */
const SCENE = "xterm-dejavu-9";
/** What a line takes an engine, measured (docs/performance.md): by its width, 45 ms where it is 60 letters long; and how many there are. */
const LINE_MS = 3;
const PIXEL_MS = 0.1;
const ENGINES = 2;
/** A fast typist, or a program that writes slowly: 25 letters a second. */
const LETTER_MS = 40;
const LETTERS = 60;
const TERMS = [{ id: "m", kinds: ["email"], pattern: null }] as const;

/** A letter that comes: where, and when. */
interface Typed {
  readonly at: Rect;
  readonly atMs: number;
}

/**
 * How long letters that are typed stay covered, in counted time: a real engine reads, what it takes is counted, and nothing
 * else takes any time, so that who else uses the machine does not matter.
 */
export async function benchRedactionDelay(isShort: boolean): Promise<Line[]> {
  await fontAtlas();
  const engine = await Engine.open();
  await engine.use(LIVE_LANGUAGES);
  const picture = await scenePicture(SCENE);
  const rows: Line[] = [];
  for (const lines of isShort ? [2] : [1, 2, 4]) {
    const typing = new Typing(picture, engine, typedIn(picture, lines, isShort ? 6 : LETTERS));
    const delays = await typing.delays();
    const { p50, p95 } = summary(delays);
    const name = `${lines === 1 ? "a line" : `${lines} lines`} typed at once, ${1000 / LETTER_MS} letters a second each`;
    rows.push(
      judged({
        ...{ id: ID, metric: `${name}: until a letter is read, p95 (p50: ${p50.toFixed(0)} ms)`, unit: "ms" },
        ...{ ours: p95, peer: "the goal", theirs: 150, goal: { within: 150 } },
      }),
    );
  }
  return rows;
}

/** The letters of some lines of a picture, one after the other in each, all lines at once. */
function typedIn(picture: PixelPicture, lines: number, letters: number): readonly Typed[] {
  const long = cutPicture(picture)
    .filter(({ left, right }) => right - left > letters * 7)
    .sort((a, b) => a.top - b.top);
  // Every other one: what is near to another line is cut with it.
  const chosen = long.filter((_, index) => index % 2 === 1).slice(0, lines);
  if (chosen.length < lines) throw new Error(`${SCENE} has ${chosen.length} long lines, ${lines} are wanted`);
  return chosen
    .flatMap((line, index) =>
      lettersOf(line)
        .slice(0, letters)
        .map((at, nth) => ({ at, atMs: nth * LETTER_MS + (index * LETTER_MS) / lines })),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

/** The columns of a line that have ink, one letter each where letters do not touch. */
function lettersOf({ ink, inkBox, top, bottom }: LineInk): Rect[] {
  const width = inkBox.right - inkBox.left;
  const height = inkBox.bottom - inkBox.top;
  const letters: Rect[] = [];
  let from = -1;
  for (let x = 0; x <= width; x++) {
    let isInk = false;
    for (let y = 0; y < height && x < width && !isInk; y++) isInk = ink[y * width + x]! > 0;
    if (isInk && from < 0) from = x;
    if (isInk || from < 0) continue;
    letters.push(rect(inkBox.left + from, top - 1, x - from, bottom - top + 2));
    from = -1;
  }
  return letters;
}

/** A live server that is given a picture letter by letter, and engines whose time is counted. */
class Typing {
  readonly #picture: PixelPicture;
  readonly #engine: Engine;
  readonly #typed: readonly Typed[];
  readonly #clock = new FakeClock();
  readonly #server: LiveServer;
  readonly #waiting: { readonly id: number; readonly lines: readonly LineInk[] }[] = [];
  #free = ENGINES;
  #done: { readonly id: number; readonly words: Promise<LineWords> }[] = [];
  #hasNews = false;
  #shown: readonly Rect[] = [];

  constructor(picture: PixelPicture, engine: Engine, typed: readonly Typed[]) {
    this.#picture = picture;
    this.#engine = engine;
    this.#typed = typed;
    this.#server = new LiveServer((message) => this.#told(message), this.#clock);
  }

  /** Of each letter, from when it was painted until nothing of it is unread, in ms. */
  async delays(): Promise<number[]> {
    const startMs = this.#clock.nowMs();
    await settle();
    this.#server.take({ kind: "size", size: this.#picture });
    const { width, height, words } = this.#picture;
    // Its upper right corner is empty.
    const blank = new Uint32Array(width * height).fill(words[width - 1] ?? 0);
    this.#paint(rect(0, 0, width, height), new Uint8Array(blank.buffer));
    const delays: number[] = [];
    let covered: Typed[] = [];
    let next = 0;
    while (next < this.#typed.length || covered.length > 0) {
      const nowMs = this.#clock.nowMs() - startMs;
      for (let one = this.#typed[next]; one !== undefined && one.atMs <= nowMs; one = this.#typed[++next]) {
        this.#paint(one.at, pixelsOf(this.#picture, one.at));
        covered.push(one);
      }
      await this.#answer();
      covered = covered.filter(({ at, atMs }) => {
        if (this.#shown.some((unread) => overlapRects(unread, at))) return true;
        delays.push(nowMs - atMs);
        return false;
      });
      this.#clock.advance(1);
    }
    return delays;
  }

  #paint(at: Rect, pixels: Uint8Array<ArrayBuffer>): void {
    this.#server.take({ kind: "pixels", copies: [], parts: [{ rect: at, pixels }] });
    this.#server.take({ kind: "ask", terms: TERMS, isPointed: false });
  }

  #told(message: FromLiveThread): void {
    if (message.kind === "seen") this.#shown = message.read.unread;
    else if (message.kind === "news") this.#hasNews = true;
    else {
      this.#waiting.push(message);
      this.#fill();
    }
  }

  #fill(): void {
    while (this.#free > 0) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#free--;
      const words = readByEngine(this.#engine, job.lines);
      this.#clock.after(msOf(job.lines), () => {
        this.#free++;
        this.#done.push({ id: job.id, words });
        this.#fill();
      });
    }
  }

  /** All that takes no time: what engines are done with, and the questions that follow. */
  async #answer(): Promise<void> {
    const done = this.#done;
    this.#done = [];
    for (const { id, words } of done) this.#server.take({ kind: "words", id, words: await words });
    await settle();
    if (!this.#hasNews) return;
    this.#hasNews = false;
    this.#server.take({ kind: "ask", terms: TERMS, isPointed: false });
    await settle();
  }
}

function msOf(lines: readonly LineInk[]): number {
  return lines.reduce((sum, { inkBox }) => sum + LINE_MS + PIXEL_MS * (inkBox.right - inkBox.left), 0);
}

function pixelsOf({ words, width }: PixelPicture, at: Rect): Uint8Array<ArrayBuffer> {
  const part = new Uint32Array(at.width * at.height);
  for (let y = 0; y < at.height; y++) {
    const from = (at.y + y) * width + at.x;
    part.set(words.subarray(from, from + at.width), y * at.width);
  }
  return new Uint8Array(part.buffer);
}
