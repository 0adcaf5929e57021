import type { CopyMove } from "../../framebuffer/picture.ts";
import {
  intersectRects,
  isEmptyRect,
  type Rect,
  rectOfSize,
  type Size,
  translateRect,
} from "../../framebuffer/rect.ts";
import { type Box, boxesOverlap, boxOfRect, rectOfBox } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import { type CutChange, KeptCut, type KeptPiece } from "../cut/kept-cut.ts";
import type { PixelPicture } from "../cut/pixel-picture.ts";
import type { PlacedLine } from "../elements/find-elements.ts";
import type { LineWords, OcrWord } from "../ocr-messages.ts";
import { ocrLineOf } from "../read-line.ts";
import { inReadingOrder } from "../reading-order.ts";
import { type LineCache, type Reading, readingOf } from "./line-cache.ts";
import type { TextLine, TextNow, TextSince } from "./text-line.ts";

/** Reads lines; rejects with VisionError. */
export type LineReader = (lines: readonly LineInk[]) => Promise<LineWords>;

/** A picture that nothing is painted to any more. `mask`: 0 where there is ink. */
export interface StillPicture {
  readonly generation: number;
  readonly picture: PixelPicture;
  readonly mask: Uint8Array;
  /** All lines of it, read; rejects as the reader does. */
  lines(read: LineReader, signal: AbortSignal): Promise<readonly PlacedLine[]>;
}

/** A line of text in the picture as it is now, and since which generation it stands there. */
export interface IndexedLine extends Box {
  readonly hash: string;
  /** The generation at which it was first seen. */
  readonly cameAt: number;
  /** At which it was last seen elsewhere than before; null: never. */
  readonly movedAt: number | null;
  /** null until somebody wants to know what it says. */
  reading: Reading | null;
  /** What is to be read; null once it is. */
  ink: LineInk | null;
}

/** Lines given to the reader at once. */
const BATCH = 12;
/** Batches that are read at a time: as many as there are engines. */
const MOST_READING = 2;

/**
 * The text of a picture, kept by what changes: lines that a change touches are cut again, and read only where their ink
 * was never seen. INVARIANT: after `settle` the lines are those of a fresh cut of the whole picture.
 */
export class TextIndex {
  readonly size: Size;
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #cut: KeptCut;
  readonly #cache: LineCache;
  readonly #gone = new GoneLines();
  readonly #entries = new Map<KeptPiece, IndexedLine>();
  #damage: Box[] = [];
  #generation = -1;

  constructor(size: Size, cache: LineCache) {
    this.size = size;
    this.#words = new Uint32Array(size.width * size.height);
    this.#bytes = new Uint8Array(this.#words.buffer);
    this.#cut = new KeptCut(size);
    this.#cache = cache;
  }

  /** Pixels that stood elsewhere. */
  copy({ fromX, fromY, to }: CopyMove): void {
    const target = intersectRects(to, rectOfSize(this.size));
    const source = translateRect(target, fromX - to.x, fromY - to.y);
    if (isEmptyRect(target)) return;
    const stride = this.size.width;
    const isDown = target.y > source.y;
    for (let k = 0; k < target.height; k++) {
      // From the end where rows would else be overwritten before they are copied.
      const row = isDown ? target.height - 1 - k : k;
      const from = (source.y + row) * stride + source.x;
      this.#words.copyWithin((target.y + row) * stride + target.x, from, from + target.width);
    }
    this.#damage.push(boxOfRect(target));
  }

  /** New pixels, RGBA, row after row. */
  paint(rect: Rect, pixels: Uint8Array): void {
    for (let y = 0; y < rect.height; y++) {
      const from = y * rect.width * 4;
      const to = ((rect.y + y) * this.size.width + rect.x) * 4;
      this.#bytes.set(pixels.subarray(from, from + rect.width * 4), to);
    }
    this.#damage.push(boxOfRect(rect));
  }

  /** What was copied and painted is the picture of that generation. */
  settle(generation: number): void {
    const picture = { ...this.size, words: this.#words };
    const damage = this.#damage;
    this.#damage = [];
    this.#take(this.#cut.update(picture, damage), generation);
    this.#generation = generation;
  }

  /** The pixels of a rectangle, row after row; null where they are not those that were settled, or not all in the picture. */
  pixels({ x, y, width, height }: Rect): Uint32Array | null {
    const { width: stride, height: rows } = this.size;
    const isWithin = x >= 0 && y >= 0 && x + width <= stride && y + height <= rows;
    if (!isWithin || this.#damage.some((box) => boxesOverlap(box, boxOfRect({ x, y, width, height }))))
      return null;
    const pixels = new Uint32Array(width * height);
    for (let k = 0; k < height; k++) {
      const from = (y + k) * stride + x;
      pixels.set(this.#words.subarray(from, from + width), k * width);
    }
    return pixels;
  }

  /** Boxes and hashes, for whoever compares them with a fresh cut. */
  get entries(): readonly Pick<IndexedLine, keyof Box | "hash">[] {
    return [...this.#entries.values()];
  }

  /** All lines, each with what it says where that is known by now. */
  known(): readonly IndexedLine[] {
    const entries = [...this.#entries.values()];
    for (const entry of entries) entry.reading ??= this.#cache.get(entry.hash);
    return entries;
  }

  /** Reads a line of this index at once where that is possible; false where it is not. */
  readAtOnce(entry: IndexedLine, read: (line: LineInk) => readonly OcrWord[] | null): boolean {
    const words = entry.ink === null ? null : read(entry.ink);
    if (words !== null) this.#know(entry, words);
    return words !== null;
  }

  /** Reads lines of this index that nobody read yet. Rejects as the reader does. */
  async readLines(lines: readonly IndexedLine[], read: LineReader): Promise<void> {
    await this.#readBatch(lines, read);
  }

  /** Reads what is not read yet in an area (null: everywhere) and gives its lines. Rejects as the reader does. */
  async lines(area: Rect | null, read: LineReader, signal: AbortSignal): Promise<TextNow> {
    const generation = this.#generation;
    const within = [...this.#entries.values()].filter(
      (entry) => area === null || boxesOverlap(entry, boxOfRect(area)),
    );
    await this.#read(within, read, signal);
    const lines = inReadingOrder(within).flatMap((entry) => lineOf(entry, area) ?? []);
    return { generation, lines };
  }

  /** The picture as of now, which stays so whatever is painted, for who looks for more than text. */
  still(): StillPicture {
    const entries = [...this.#entries.values()];
    return {
      generation: this.#generation,
      picture: { ...this.size, words: this.#words.slice() },
      mask: this.#cut.mask.bytes.slice(),
      lines: async (read, signal) => {
        await this.#read(entries, read, signal);
        return entries.map(({ left, top, right, bottom, reading }) => {
          const words = reading?.words ?? [];
          const { text = null, confidence = 0 } = ocrLineOf(words) ?? {};
          return {
            ...{ left, top, right, bottom, text, confidence: confidence / 100 },
            words: words.map((word) => ({ text: word.text, left: left + word.rect.x })),
          };
        });
      },
    };
  }

  /** What differs from what was shown at a generation that this was settled at, or any later than the first one. */
  async since(
    generation: number,
    area: Rect | null,
    read: LineReader,
    signal: AbortSignal,
  ): Promise<TextSince> {
    const now = this.#generation;
    if (!this.#gone.isKnown(generation)) return { generation: now, changes: null };
    const isWithin = (entry: IndexedLine): boolean => area === null || boxesOverlap(entry, boxOfRect(area));
    const fresh = [...this.#entries.values()].filter(
      (entry) => isWithin(entry) && (entry.cameAt > generation || (entry.movedAt ?? -1) > generation),
    );
    const left = this.#gone.since(generation).filter(isWithin);
    await this.#read(fresh, read, signal);
    const added: TextLine[] = [];
    const moved: TextLine[] = [];
    for (const entry of inReadingOrder(fresh)) {
      const line = lineOf(entry, area);
      if (line !== null) (entry.cameAt > generation ? added : moved).push(line);
    }
    const gone = inReadingOrder(left).flatMap((entry) => lineOf(entry, area) ?? []);
    // A caret or a highlight changes ink and no text.
    const isSame = (a: TextLine, b: TextLine): boolean =>
      a.text === b.text && Math.abs(a.rect.x - b.rect.x) <= 4 && Math.abs(a.rect.y - b.rect.y) <= 4;
    const told = (change: "added" | "gone" | "moved", lines: readonly TextLine[]) =>
      lines.map(({ text, rect }) => ({ change, text, rect }));
    const changes = [
      ...told(
        "gone",
        gone.filter((line) => !added.some((other) => isSame(line, other))),
      ),
      ...told("moved", moved),
      ...told(
        "added",
        added.filter((line) => !gone.some((other) => isSame(line, other))),
      ),
    ];
    return { generation: now, changes };
  }

  /** Same ink elsewhere is a line that moved. */
  #take({ gone, came }: CutChange, generation: number): void {
    const left = new Map<string, IndexedLine[]>();
    for (const piece of gone) {
      const entry = this.#entries.get(piece);
      if (entry === undefined) continue;
      this.#entries.delete(piece);
      left.set(entry.hash, [...(left.get(entry.hash) ?? []), entry]);
    }
    for (const [piece, line] of came) {
      if (line === null) continue;
      const before = left.get(line.hash)?.shift();
      const reading = before?.reading ?? this.#cache.get(line.hash);
      const { hash, left: x, top, right, bottom, ink, inkBox } = line;
      this.#entries.set(piece, {
        ...{ left: x, top, right, bottom, hash, reading },
        cameAt: before?.cameAt ?? generation,
        movedAt: before === undefined ? null : isSamePlace(before, line) ? before.movedAt : generation,
        ink: reading === null ? { ink, inkBox, top, bottom } : null,
      });
    }
    this.#gone.add([...left.values()].flat(), generation);
  }

  async #read(entries: readonly IndexedLine[], read: LineReader, signal: AbortSignal): Promise<void> {
    const waiting = entries.filter((entry) => entry.reading === null);
    const readNext = async (): Promise<void> => {
      for (let batch = waiting.splice(0, BATCH); batch.length > 0; batch = waiting.splice(0, BATCH)) {
        signal.throwIfAborted();
        await this.#readBatch(batch, read);
      }
    };
    await Promise.all(Array.from({ length: MOST_READING }, readNext));
  }

  async #readBatch(batch: readonly IndexedLine[], read: LineReader): Promise<void> {
    const unknown = batch.filter((entry) => {
      entry.reading ??= this.#cache.get(entry.hash);
      return entry.reading === null;
    });
    const words = await read(unknown.flatMap(({ ink }) => ink ?? []));
    unknown.forEach((entry, index) => {
      this.#know(entry, words[index] ?? []);
    });
  }

  #know(entry: IndexedLine, words: readonly OcrWord[]): void {
    const reading = readingOf(entry, words);
    entry.reading = reading;
    entry.ink = null;
    this.#cache.set(entry.hash, reading);
  }
}

const isSamePlace = (a: Box, b: Box): boolean =>
  a.left === b.left && a.top === b.top && a.right === b.right && a.bottom === b.bottom;

function shifted(word: OcrWord, x: number, y: number): OcrWord {
  return { ...word, rect: translateRect(word.rect, x, y) };
}

/** What stands of a line in an area: words whose middle does; null for none. */
function lineOf(entry: IndexedLine, area: Rect | null): TextLine | null {
  const words = (entry.reading?.words ?? []).map((word) => shifted(word, entry.left, entry.top));
  const within = words.filter(({ rect }) => {
    if (area === null) return true;
    const x = rect.x + rect.width / 2;
    const y = rect.y + rect.height / 2;
    return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
  });
  const line = ocrLineOf(within);
  if (line === null) return null;
  return within.length === words.length ? { ...line, rect: rectOfBox(entry) } : line;
}

/**
 * Lines that went and are remembered, of some hundred bytes each; a caller who missed more than these gets the whole
 * text.
 */
const MOST_GONE = 2000;

/** Lines that were shown once, and when they went. */
class GoneLines {
  readonly #lines: { readonly entry: IndexedLine; readonly goneAt: number }[] = [];
  /** Since which generation all that went is known; null before the first one. */
  #knownFrom: number | null = null;

  add(entries: readonly IndexedLine[], generation: number): void {
    this.#knownFrom ??= generation;
    this.#lines.push(...entries.map((entry) => ({ entry, goneAt: generation })));
    const forgotten = this.#lines.splice(0, Math.max(0, this.#lines.length - MOST_GONE)).at(-1);
    if (forgotten !== undefined) this.#knownFrom = forgotten.goneAt;
  }

  /** Whether all that went after that generation is still known. */
  isKnown(generation: number): boolean {
    return this.#knownFrom !== null && generation >= this.#knownFrom;
  }

  /** What stood there at that generation and went later. */
  since(generation: number): IndexedLine[] {
    return this.#lines
      .filter(({ entry, goneAt }) => goneAt > generation && entry.cameAt <= generation)
      .map(({ entry }) => entry);
  }
}
