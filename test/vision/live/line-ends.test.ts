import { readFileSync } from "node:fs";
import t from "tap";
import { decodePicture } from "../../../src/compositor/picture-file.ts";
import type { TextRead } from "../../../src/desktop/masks/text-reader.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { type Box, heightOf, widthOf } from "../../../src/vision/cut/box.ts";
import type { LineInk } from "../../../src/vision/cut/cut-line.ts";
import { cutPicture } from "../../../src/vision/cut/cut-lines.ts";
import { fontAtlas } from "../../../src/vision/glyphs/font-atlas.ts";
import type { FromLiveThread, KnownTerms } from "../../../src/vision/live/live-messages.ts";
import { LiveServer } from "../../../src/vision/live/live-server.ts";
import type { OcrWord } from "../../../src/vision/ocr-messages.ts";
import { FakeClock, settle } from "../../fake-clock.ts";
import { until } from "../../support/until.ts";

const PAGE = await decodePicture(readFileSync(new URL("../page.png", import.meta.url)));
const PIXELS = new Uint32Array(Uint8Array.from(PAGE.rgba).buffer);
/** How four words of the page look: with letters that go up and down, so that each line of them is as high. */
const LOOKS: readonly Box[] = (() => {
  const line = cutPicture({ ...PAGE, words: PIXELS }).find(
    ({ words, left }) => words.length === 4 && left < 100,
  );
  if (line === undefined) throw new Error("no line of four words");
  return line.words.map(({ left, right }) => ({ ...line, left: left - 1, right: right + 1 }));
})();

// Loaded before, so that engines are asked as soon as promises are settled.
await fontAtlas();

const WIDTH = 1200;
const HEIGHT = 60;
const TOP = 24;
const BLANK = 4;
/** Ink, but too little for an engine to take it for a part of a letter. */
const FAINT = 0xffd6d6d6;
const ALL: KnownTerms = {
  id: "m",
  kinds: ["email", "phone", "credit_card", "iban", "ssn", "ip_address", "api_key"],
  pattern: null,
};

/** Whose columns without ink part words, which say what `textAt` tells of a column. */
function wordsIn(
  { ink, inkBox, top, bottom }: LineInk,
  textAt: (x: number) => Pick<OcrWord, "text" | "confidence">,
) {
  const [width, height] = [widthOf(inkBox), heightOf(inkBox)];
  const words: OcrWord[] = [];
  let [from, end] = [-1, -1];
  for (let x = 0; x <= width; x++) {
    let isInk = false;
    for (let y = 0; y < height && x < width && !isInk; y++) isInk = (ink[y * width + x] ?? 0) > 40;
    if (isInk && from < 0) from = x;
    if (isInk) end = x + 1;
    if (from < 0 || (x < width && x - end < BLANK - 1)) continue;
    const at = rect(inkBox.left + from, top, end - from, bottom - top);
    words.push({ ...textAt(at.x), rect: at });
    from = -1;
  }
  return words;
}

/** A line of words that are typed one after the other, a server that reads it, and the engine's side of it. */
class TypedLine {
  readonly #told: FromLiveThread[] = [];
  readonly #clock = new FakeClock();
  readonly #server = new LiveServer((message) => this.#told.push(message), this.#clock);
  readonly #words: { x: number; text: string; confidence: number }[] = [];
  #terms: readonly KnownTerms[] = [ALL];
  #isPointed = false;
  #end = 20;

  constructor() {
    this.#server.take({ kind: "size", size: { width: WIDTH, height: HEIGHT } });
    this.#paint(0, 0, WIDTH, HEIGHT, () => PIXELS[0] ?? 0);
  }

  #paint(x: number, y: number, width: number, height: number, word: (x: number, y: number) => number): void {
    const pixels = new Uint32Array(width * height).map((_, at) => word(at % width, Math.floor(at / width)));
    const part = { rect: rect(x, y, width, height), pixels: new Uint8Array(pixels.buffer) };
    this.#server.take({ kind: "pixels", copies: [], parts: [part] });
  }

  /** The next words of the line. `lift`: pixels higher up than the others. */
  type(text: string, confidence = 95, lift = 0): this {
    for (const one of text.split(" ")) {
      const look = LOOKS[this.#words.length % LOOKS.length];
      if (look === undefined) throw new Error("no look");
      this.#words.push({ x: this.#end, text: one, confidence });
      const { left, top } = look;
      this.#paint(
        this.#end,
        TOP - lift,
        widthOf(look),
        heightOf(look),
        (x, y) => PIXELS[(top + y) * PAGE.width + left + x] ?? 0,
      );
      this.#end += widthOf(look) + BLANK;
    }
    return this;
  }

  /** From now on an engine reads a word otherwise. */
  isRead(nth: number, text: string): this {
    const word = this.#words[nth];
    if (word === undefined) throw new Error("no such word");
    word.text = text;
    return this;
  }

  /** A mark, a few pixels high, from one column on. */
  mark(x: number, width: number, colour = 0xff000000): this {
    this.#paint(x, TOP + 8, width, 3, () => colour);
    return this;
  }

  /** Where a word begins. */
  startOf(nth: number): number {
    return this.#words[nth]?.x ?? this.#end;
  }

  look(terms: readonly KnownTerms[] = this.#terms, isPointed = this.#isPointed): TextRead {
    this.#terms = terms;
    this.#isPointed = isPointed;
    this.#server.take({ kind: "ask", terms, isPointed });
    const answer = this.#told.findLast((one) => one.kind === "seen");
    if (answer === undefined) throw new Error("no answer");
    return answer.read;
  }

  /** What an engine is asked to read next, word by word; it answers. Null: nothing. */
  async readNext(): Promise<string[] | null> {
    await settle();
    this.look();
    const question = await until("a question, or none", async () => {
      await settle();
      const at = this.#told.findIndex((one) => one.kind === "read");
      return at < 0 ? "none" : this.#told.splice(at, 1)[0];
    });
    if (question === undefined || question === "none" || question.kind !== "read") return null;
    const words = question.lines.map((line) =>
      wordsIn(line, (x) => {
        const word = this.#words.findLast((one) => one.x <= x + 2);
        if (word === undefined) throw new Error(`no word at ${x}`);
        return word;
      }),
    );
    this.#server.take({ kind: "words", id: question.id, words });
    await settle();
    return words.flat().map(({ text }) => text);
  }

  /** Until nobody reads anything any more. */
  async readAll(): Promise<string[][]> {
    const all: string[][] = [];
    for (let next = await this.readNext(); next !== null; next = await this.readNext()) all.push(next);
    return all;
  }

  async standStill(): Promise<void> {
    this.#clock.advance(1000);
    await settle();
  }
}

const EIGHT = "please answer before friday whether these words stand";

async function begun(text = EIGHT): Promise<TypedLine> {
  const line = new TypedLine();
  await settle();
  line.type(text);
  await line.readAll();
  return line;
}

t.test("of a line that is typed an engine reads the end, and all of it once it stands still", async (t) => {
  const line = await begun();
  line.type("there");
  t.same(await line.readAll(), [["these", "words", "stand", "there"]]);
  t.same(line.look().unread, []);
  await line.standStill();
  t.same(await line.readAll(), [`${EIGHT} there`.split(" ")]);
});

t.test("what is private goes from what was read before into what is read now", async (t) => {
  const line = await begun("please write to these people whose bob");
  line.type("@example.com");
  const [read = []] = await line.readAll();
  t.ok(read.length < 8 && read.length > 0, `${read}`);
  const [found, ...others] = line.look().found;
  t.same(others, []);
  t.ok(found !== undefined && found.rect.x <= line.startOf(6), "with what stood there before");
});

t.test("numbers, accounts, labels and marks before what changed are read again", async (t) => {
  for (const [text, from] of [
    ["please answer before friday whether 4539 1488 0343", "whether"],
    ["please answer before friday whether GB29 NWBK 6016 1331 9268", "whether"],
    ["please answer before friday whether +49 30 4295", "whether"],
    ["please answer before friday Kennwort : is", "Kennwort"],
    ["please answer before friday roberta @ mailhost .", "roberta"],
    ["please answer before friday the password: is", "the"],
  ] as const) {
    const line = await begun(text);
    line.type("more");
    const [read = []] = await line.readAll();
    t.same([read[0], read.at(-1)], [from, "more"], text);
  }
});

t.test("a line is read as a whole where its beginning is not known for sure", async (t) => {
  const isWhole = async (line: TypedLine, why: string): Promise<void> => {
    line.type("there");
    const [read = []] = await line.readAll();
    t.equal(read.length, 9, why);
  };
  await isWhole(await begun("1111 2222 3333 4444 5555 6666 7777 8888"), "no plain words");
  await isWhole(await begun("of it all is in an or my"), "words that may be groups of an account");
  const doubted = new TypedLine();
  await settle();
  doubted.type("please answer before", 80).type("friday whether these words stand");
  await doubted.readAll();
  await isWhole(doubted, "a word that was read with doubt");
  await isWhole((await begun()).mark(22, 3), "other ink at the beginning");
  for (const lift of [3, -6]) {
    const higher = (await begun()).type("there", 95, lift);
    t.equal((await higher.readAll())[0]?.length, 9, "another height");
  }
});

t.test("where a blank has ink, be it faint, nothing is parted", async (t) => {
  const line = await begun();
  line.mark(line.startOf(5) - BLANK, BLANK, FAINT);
  await line.readAll();
  await line.standStill();
  await line.readAll();
  line.type("there");
  t.same(await line.readAll(), [["whether", "these", "words", "stand", "there"]]);
});

t.test("where what is read again is read otherwise the whole line is read", async (t) => {
  const line = await begun();
  line.type("there").isRead(6, "swords");
  const [end = [], whole = []] = await line.readAll();
  t.same(end, ["these", "swords", "stand", "there"]);
  t.equal(whole.length, 9);
});

t.test("once the whole line was read it says what counts", async (t) => {
  const line = await begun();
  line.type("there");
  await line.readAll();
  t.same(line.look().found, []);
  line.isRead(8, "bob@example.com");
  await line.standStill();
  await line.readAll();
  t.equal(line.look().found.length, 1);
});

t.test("patterns, secrets and pointers have every line read as a whole", async (t) => {
  const own = { id: "p", kinds: [], pattern: "answer.*there" };
  const secret = { id: "s", kinds: [], pattern: null, secrets: ["door"], values: ["answer before friday"] };
  for (const terms of [[own], [ALL, own], [secret]]) {
    const line = await begun();
    line.look(terms);
    line.type("there");
    t.equal((await line.readAll())[0]?.length, 9);
    t.equal(line.look().found.length, 1);
  }
  const pointed = await begun();
  pointed.look([ALL], true);
  pointed.type("there");
  t.equal((await pointed.readAll())[0]?.length, 9, "under a pointer");
});

t.test("terms that come later are not looked for in what was read by its end", async (t) => {
  const line = await begun();
  line.type("there");
  await line.readAll();
  const own = { id: "p", kinds: [], pattern: "answer.*there" };
  const { unread, found } = line.look([own]);
  t.equal(unread.length, 1);
  t.same(found, []);
  t.same(await line.readAll(), [`${EIGHT} there`.split(" ")]);
  t.equal(line.look().found.length, 1);
  const other = await begun();
  other.type("there");
  await other.readAll();
  other.type("again");
  const [part] = other.look([ALL]).unread;
  t.ok(part !== undefined && part.x > other.startOf(8), "what is new alone");
  const [all] = other.look([own]).unread;
  t.ok(all !== undefined && all.x <= other.startOf(0), "nor told from");
});
