import fc from "fast-check";
import t from "tap";
import type {
  FoundText,
  NamedTerms,
  PaintedPart,
  TextReader,
  TextReaderEvents,
} from "../../../src/desktop/masks/text-reader.ts";
import type { Audience } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { type Rect, rect, type Size } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { settle } from "../../fake-clock.ts";
import { House, HUMAN } from "../house.ts";

/** Colours that stand for text: what is private, and what takes a while to read. */
const PRIVATE = 0xff00fe01;
const SLOW = 0xff0100fe;
/** Text that says nothing private, as it was read. */
const TEXT = 0xff00aaaa;
const CLEAN = 0x336699;
const MASK = 0x404040;
const opaque = (word: number): number => (word | 0xff000000) >>> 0;

/** Knows what it is given and nothing else; answers when it is told to. */
class ModelReader implements TextReader {
  readonly events: TextReaderEvents;
  #frame = new Framebuffer(1, 1);
  #asked: { readonly terms: readonly NamedTerms[]; readonly words: Uint32Array } | null = null;
  isSlowRead = false;
  isPointed = false;
  isClosed = false;

  constructor(events: TextReaderEvents) {
    this.events = events;
  }

  resize({ width, height }: Size): void {
    this.#frame = new Framebuffer(width, height);
  }

  take(copies: readonly CopyMove[], parts: readonly PaintedPart[]): void {
    for (const { fromX, fromY, to } of copies) this.#frame.copy(fromX, fromY, to);
    for (const { rect: at, pixels } of parts) {
      for (let y = 0; y < at.height; y++) {
        const row = pixels.subarray(y * at.width * 4, (y + 1) * at.width * 4);
        this.#frame.bytes.set(row, ((at.y + y) * this.#frame.width + at.x) * 4);
      }
    }
  }

  ask(terms: readonly NamedTerms[], isPointed: boolean): void {
    this.isPointed = isPointed;
    this.#asked = { terms, words: this.#frame.words.slice() };
  }

  get isAsked(): boolean {
    return this.#asked !== null;
  }

  /** Of the picture that was asked about. */
  answer(): void {
    const asked = this.#asked;
    if (asked === null) return;
    this.#asked = null;
    const runs = (colour: number): Rect[] => runsOf(asked.words, this.#frame.width, colour);
    const found: FoundText[] = asked.terms.flatMap(({ id }) => runs(PRIVATE).map((at) => ({ id, rect: at })));
    this.events.read({ unread: this.isSlowRead ? [] : runs(SLOW), found, lines: runs(TEXT) });
  }

  close(): void {
    this.isClosed = true;
  }
}

/** Rows of one colour, each as wide as it is. */
function runsOf(words: Uint32Array, width: number, colour: number): Rect[] {
  const runs: Rect[] = [];
  for (let at = words.indexOf(opaque(colour)); at >= 0; at = words.indexOf(opaque(colour), at)) {
    const from = at;
    const end = from - (from % width) + width;
    while (at < end && words[at] === opaque(colour)) at++;
    runs.push(rect(from % width, Math.floor(from / width), at - from, 1));
  }
  return runs;
}

function open() {
  const readers: ModelReader[] = [];
  const house = House.live(
    "assist",
    {},
    {
      openTextReader: (_id, events) => {
        const reader = new ModelReader(events);
        readers.push(reader);
        return reader;
      },
    },
  );
  const { desktop, link } = house;
  link.paint(link.framebuffer.rect, CLEAN);
  const spec = {
    ...{ rect: rect(0, 0, 9999, 9999), monitor: null, label: null, audiences: ["agent"] as const },
    text: { kinds: ["email"] as const, pattern: null },
  };
  const { id } = desktop.masks.add(spec, null, HUMAN);
  /** All that an audience sees now. */
  const shown = (audience: Audience): Uint32Array => {
    const { width, height } = desktop.size;
    const picture = desktop.view(audience).picture(false);
    const { bytes, offset, strideBytes } = picture.pixels(rect(0, 0, width, height));
    const all = new Uint8Array(width * height * 4);
    for (let y = 0; y < height; y++) {
      all.set(bytes.subarray(offset + y * strideBytes, offset + y * strideBytes + width * 4), y * width * 4);
    }
    return new Uint32Array(all.buffer);
  };
  const count = (audience: Audience, colour: number): number =>
    shown(audience).reduce((sum, word) => sum + (word === opaque(colour) ? 1 : 0), 0);
  /** Until the reader has nothing more to say. */
  const readAll = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      await settle();
      readers.at(-1)?.answer();
    }
  };
  return { ...house, house, desktop, link, readers, shown, count, readAll, id };
}

t.test("nothing is shown that was not read, and what is read and clean is shown as it is", async (t) => {
  const { desktop, link, count, readAll, readers, id } = open();
  const pixels = desktop.size.width * desktop.size.height;
  t.equal(count("agent", MASK), pixels, "all of it is covered until somebody read it");
  t.equal(count("viewer", CLEAN), pixels, "others see it as it is");
  await readAll();
  t.equal(count("agent", CLEAN), pixels);
  link.paint(rect(40, 40, 60, 20), 0x123456);
  t.equal(count("agent", 0x123456), 0, "what changed is covered in the same update");
  t.equal(count("agent", CLEAN), pixels - 60 * 20);
  await readAll();
  t.equal(count("agent", 0x123456), 60 * 20);
  link.paint(rect(80, 60, 30, 10), PRIVATE);
  await readAll();
  t.equal(count("agent", PRIVATE), 0);
  t.equal(count("agent", MASK), 300);
  t.equal(count("viewer", PRIVATE), 300);
  t.equal(desktop.masks.all[0]?.state, "text");
  t.same(desktop.masks.placesFrom("agent").length, 10, "it is told where something was found");
  desktop.masks.remove(id, HUMAN);
  t.equal(count("agent", PRIVATE), 300, "shown again");
  t.ok(readers[0]?.isClosed);
});

t.test(
  "a pointer that the target draws nobody knows where is moved by nothing before anything is read",
  async (t) => {
    const { desktop, link, count, readAll, readers, clock } = open();
    await readAll();
    const pixels = desktop.size.width * desktop.size.height;
    const anywhere = rect(0, 0, 0xffff, 0xffff);
    link.events.drawnPointer?.(anywhere);
    const moves = (): number => link.said.filter((line) => line.startsWith("pointer")).length;
    link.paint(rect(40, 40, 60, 20), 0x123456);
    await settle();
    t.same(moves(), 2, "a pixel away, and back");
    await readAll();
    t.equal(count("agent", MASK), 60 * 20, "nobody was asked yet");
    link.events.drawnPointer?.(null);
    link.paint(rect(40, 40, 60, 20), CLEAN);
    await readAll();
    t.equal(count("agent", CLEAN), pixels, "the target draws it no more");
    t.same(moves(), 2);

    link.events.drawnPointer?.(anywhere);
    link.paint(rect(40, 40, 60, 20), 0x123456);
    await settle();
    t.notOk(readers[0]?.isAsked);
    await clock.live(1500);
    await readAll();
    t.equal(count("agent", 0x123456), 60 * 20, "a target that takes no moves is not waited for");
    link.paint(rect(80, 60, 30, 10), 0x654321);
    await readAll();
    t.equal(count("agent", 0x654321), 300);
    t.same(moves(), 4, "and asked once");
  },
);

t.test(
  "whether a pointer is drawn is told to the reader, and nothing is shown that was read before it was",
  async (t) => {
    const { link, count, readAll, readers } = open();
    await readAll();
    const [reader] = readers;
    link.paint(rect(40, 40, 60, 20), 0x123456);
    await settle();
    t.ok(reader?.isAsked);
    link.events.drawnPointer?.(rect(50, 50, 10, 16));
    reader?.answer();
    t.equal(count("agent", 0x123456), 0, "an answer to a question without a pointer");
    await settle();
    t.ok(reader?.isAsked && reader.isPointed);
    await readAll();
    t.equal(count("agent", 0x123456), 60 * 20);
    link.events.drawnPointer?.(rect(60, 50, 10, 16));
    await settle();
    t.notOk(reader?.isAsked, "wherever it is");
    link.events.drawnPointer?.(null);
    reader?.events.news();
    await settle();
    t.ok(reader?.isAsked && reader.isPointed, "it is in the picture until the target has painted over it");
    await readAll();
    link.paint(rect(50, 50, 10, 16), CLEAN);
    await settle();
    t.ok(reader?.isAsked);
    t.notOk(reader?.isPointed);
  },
);

t.test("what was read goes along with a move at once, clean and private", async (t) => {
  const { link, count, readAll } = open();
  link.paint(rect(80, 60, 30, 10), PRIVATE);
  link.paint(rect(80, 75, 30, 10), 0x123456);
  await readAll();
  const to = rect(150, 10, 30, 30);
  link.framebuffer.copy(80, 60, to);
  link.events.update({ painted: Region.empty, copies: [{ fromX: 80, fromY: 60, to }], missing: 0 });
  t.equal(count("agent", 0x123456), 600, "without a reader's answer");
  t.equal(count("agent", PRIVATE), 0);
  t.equal(count("viewer", PRIVATE), 600);
});

t.test("a reader that is late or gone leaves what changed covered, and another one is opened", async (t) => {
  const { link, count, readAll, readers, clock } = open();
  await readAll();
  link.paint(rect(40, 40, 60, 20), SLOW);
  await readAll();
  t.equal(count("agent", SLOW), 0, "it does not know yet what it says");
  await clock.live(60_000);
  t.equal(count("agent", SLOW), 0);
  readers[0]?.events.lost();
  link.paint(rect(140, 70, 10, 10), PRIVATE);
  link.paint(rect(160, 70, 10, 10), 0x123456);
  await settle();
  t.equal(count("agent", PRIVATE) + count("agent", SLOW) + count("agent", 0x123456), 0);
  readers[0]?.answer();
  t.equal(count("agent", 0x123456), 0, "the one that is gone is not heard");
  await clock.live(2000);
  await settle();
  t.equal(readers.length, 2);
  await readAll();
  t.equal(count("agent", 0x123456), 100, "the next one was given all of the picture");
  const next = readers[1];
  if (next !== undefined) next.isSlowRead = true;
  next?.events.news();
  await readAll();
  t.equal(count("agent", SLOW), 1200, "read by now");
  t.equal(count("agent", PRIVATE), 0);
});

t.test("what changes faster than it is read is shown as it was when it was read", async (t) => {
  const { link, count, readAll, readers, clock } = open();
  await readAll();
  const film = rect(20, 20, 60, 40);
  const [pictures, text] = [60 * 40, 60 * 8];
  link.paint(film, 0x000001);
  t.equal(count("agent", MASK), pictures, "nobody knows yet that it will change again");
  await settle();
  for (let i = 2; i < 6; i++) {
    link.paint(film, i);
    readers.at(-1)?.answer();
    t.equal(count("agent", i - 1), pictures, "the picture that was asked about");
    t.equal(count("viewer", i), pictures);
    link.paint(film, 100 + i);
    t.equal(count("agent", i - 1), pictures, "which stays until the next one was read");
    link.paint(film, i);
    await settle();
  }
  link.paint(rect(20, 30, 60, 8), PRIVATE);
  await settle();
  readers.at(-1)?.answer();
  await settle();
  link.paint(film, 6);
  link.paint(rect(20, 30, 60, 8), PRIVATE);
  readers.at(-1)?.answer();
  t.equal(count("agent", PRIVATE), 0);
  t.equal(count("agent", 5), pictures - text, "around private text too");
  t.equal(count("agent", MASK), text);
  await clock.live(60_000);
  await readAll();
  t.equal(count("agent", 6), pictures - text, "as it is now once it stands still");
  t.equal(count("agent", MASK), text);
  link.paint(film, 7);
  t.equal(count("agent", MASK), pictures, "after a while it is like anything else");
  readers.at(-1)?.events.lost();
  t.equal(count("agent", 7), 0);
});

t.test("lines over a film stay covered, whatever they say, until it ends", async (t) => {
  const { link, count, readAll, readers, clock } = open();
  await readAll();
  const film = rect(10, 20, 64, 40);
  /** Captions are on a ground that stands still, within the film and beside it. */
  const [caption, far] = [rect(20, 62, 40, 8), rect(150, 70, 40, 8)];
  for (const at of [caption, far]) link.paint(at, TEXT);
  await readAll();
  t.equal(count("agent", TEXT), 640, "it is shown where no film is");
  for (let i = 1; i < 8; i++) {
    // Each column has its own colour: a picture, and no letters on a plain ground.
    for (let x = film.x; x < film.x + film.width; x++)
      link.framebuffer.fill(rect(x, film.y, 1, film.height), (x * 0x010305 + i) & 0xffffff);
    link.events.update({ painted: Region.of(film), copies: [], missing: 0 });
    await settle();
    readers.at(-1)?.answer();
  }
  t.equal(count("agent", TEXT), 320);
  t.equal(count("agent", MASK), 320);
  await clock.live(60_000);
  await readAll();
  t.equal(count("agent", TEXT), 640, "nothing changes there any more");
});

t.test("text that is painted anew as often as a film is none, and is shown once it was read", async (t) => {
  const { link, count, readAll } = open();
  await readAll();
  const terminal = rect(10, 20, 70, 60);
  for (let i = 0; i < 8; i++) {
    link.framebuffer.fill(terminal, 0x101010 * (i % 2));
    for (let row = 0; row < 4; row++)
      link.framebuffer.fill(rect(14 + ((i * 3 + row) % 20), 24 + row * 14, 40, 8), TEXT);
    link.events.update({ painted: Region.of(terminal), copies: [], missing: 0 });
    await readAll();
    t.equal(count("agent", TEXT), 4 * 40 * 8);
  }
});

t.test("a line that is typed is no film", async (t) => {
  const { link, count, readAll } = open();
  await readAll();
  for (let i = 1; i < 12; i++) {
    link.paint(rect(10, 20, 4 * i, 10), TEXT);
    await readAll();
  }
  t.equal(count("agent", TEXT), 440);
});

t.test("without a reader all stays covered", async (t) => {
  const { desktop, link } = House.live();
  link.paint(link.framebuffer.rect, CLEAN);
  const text = { kinds: ["email"] as const, pattern: null };
  const all = { rect: rect(0, 0, 9999, 9999), monitor: null, label: null };
  desktop.masks.add({ ...all, audiences: ["agent"], text }, null, HUMAN);
  await settle();
  t.same(
    desktop.view("agent").hidden.rects,
    [desktop.view("agent").picture(false)].map(({ width, height }) => rect(0, 0, width, height)),
  );
});

t.test("whatever changes, moves and is answered when: never a private pixel", async () => {
  const at = fc.record({ x: fc.integer({ min: 0, max: 140 }), y: fc.integer({ min: 0, max: 70 }) });
  const side = fc.integer({ min: 1, max: 60 });
  const low = fc.integer({ min: 1, max: 30 });
  const paint = fc.record({
    kind: fc.constant("paint" as const),
    at,
    width: side,
    height: low,
    colour: fc.constantFrom(PRIVATE, PRIVATE, SLOW, 0x123456, CLEAN),
  });
  const move = fc.record({ kind: fc.constant("move" as const), from: at, at, width: side, height: low });
  const other = fc.constantFrom(
    { kind: "answer" as const },
    { kind: "turn" as const },
    { kind: "news" as const },
  );
  const steps = fc.array(fc.oneof(paint, paint, move, other, other), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { link, shown, readAll, readers, desktop } = open();
      for (const step of all) {
        const reader = readers.at(-1);
        if (step.kind === "answer") reader?.answer();
        else if (step.kind === "news") reader?.events.news();
        else if (step.kind === "turn") await settle();
        else {
          const target = rect(step.at.x, step.at.y, step.width, step.height);
          if (step.kind === "paint") link.paint(target, step.colour);
          else {
            link.framebuffer.copy(step.from.x, step.from.y, target);
            const copies = [{ fromX: step.from.x, fromY: step.from.y, to: target }];
            link.events.update({ painted: Region.empty, copies, missing: 0 });
          }
        }
        const now = shown("agent");
        if (now.includes(opaque(PRIVATE)) || now.includes(opaque(SLOW))) return false;
      }
      await readAll();
      // What is left covered is what is private or not read, or was once found there and was not painted over.
      const now = shown("agent");
      const real = shown("viewer");
      const isRight = now.every((word, i) => word === real[i] || word === opaque(MASK));
      desktop.close();
      return isRight && !now.includes(opaque(PRIVATE));
    }),
    { numRuns: 60 },
  );
});
