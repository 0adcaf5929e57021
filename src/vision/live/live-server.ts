import type { FoundText, TextRead } from "../../desktop/masks/text-reader.ts";
import { intersectRects, type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import { type Box, boxesOverlap, rectOfBox, widthOf } from "../cut/box.ts";
import type { OcrLine } from "../ocr-messages.ts";
import { boxOf } from "../private/find-private.ts";
import { TermMatcher } from "../private/match-terms.ts";
import { isUnsure } from "../private/unsure.ts";
import { ocrLineOf } from "../read-line.ts";
import { EngineLines } from "../text/engine-lines.ts";
import { begunOf } from "../text/line-begun.ts";
import { LineCache, type Reading, readingOf } from "../text/line-cache.ts";
import { type IndexedLine, TextIndex } from "../text/text-index.ts";
import type { FromLiveThread, KnownTerms, ToLiveThread } from "./live-messages.ts";
import { PrivatePlaces } from "./private-places.ts";
import { aroundOf, ReadPlaces } from "./read-places.ts";
import { spansLike } from "./secret-likeness.ts";
import { WaitingLines } from "./waiting-lines.ts";

/** Lines that are given to engines at a time, one to each of two: one that waited may be another line once it is read. */
const MOST_READING = 2;
/** Lines that are tried before an answer, each some milliseconds at most: of terminals most are of letters that are known. */
const MOST_AT_ONCE = 40;
/** After an engine failed the same lines are tried again, not at once. */
const RETRY_MS = 500;
/** What of a line was read by its end alone is read as a whole once it stood still for so long, and nothing else is to be read. */
const STILL_MS = 300;
/** Letters end softly, in pixels that are no ink yet; above and below other lines are near. */
const MARGIN = { across: 3, down: 1 };

/** A line that an engine reads, where it stood then, and whether it was taken as the newest one. */
interface Underway {
  readonly box: Box;
  readonly isNewest: boolean;
}

/** What a line says whose end alone was read, until it is read as a whole. */
interface Parted {
  readonly reading: Reading;
  isDue: boolean;
}

export interface LiveTimer {
  after(delayMs: number, call: () => void): unknown;
}

/**
 * Reads a picture as it changes: an answer says at once which lines are known and what of them is meant, and what is
 * not known is read afterwards: by one engine lines of which little changed, in turn, then the newest ones; by the other
 * what waited longest.
 */
export class LiveServer {
  readonly #tell: (message: FromLiveThread) => void;
  readonly #timer: LiveTimer;
  readonly #cache = new LineCache();
  readonly #lines: EngineLines;
  /** By what is looked for, of each reading the boxes that are meant, from the corner of the line. */
  readonly #matched = new Map<
    string,
    { readonly matcher: TermMatcher; boxes: WeakMap<Reading, readonly Rect[]> }
  >();
  /** What engines read, by its hash. */
  readonly #underway = new Map<string, Underway>();
  readonly #places = new ReadPlaces();
  readonly #waits = new WaitingLines();
  readonly #private = new PrivatePlaces();
  /** Lines whose private places are kept for these terms. */
  #kept = { terms: "", lines: new WeakSet<IndexedLine>() };
  readonly #tried = new WeakSet<IndexedLine>();
  #parted = new WeakMap<IndexedLine, Parted>();
  #mayPart = false;
  #index: TextIndex | null = null;
  #generation = 0;
  #isResting = false;

  constructor(tell: (message: FromLiveThread) => void, timer: LiveTimer) {
    this.#tell = tell;
    this.#timer = timer;
    this.#lines = new EngineLines(tell);
    // Until they are there engines read all lines.
    this.#lines.open().catch(() => undefined);
  }

  take(message: ToLiveThread): void {
    switch (message.kind) {
      case "size":
        this.#index = new TextIndex(message.size, this.#cache);
        this.#places.clear();
        this.#private.clear();
        return;
      case "pixels":
        for (const move of message.copies) {
          this.#index?.copy(move);
          this.#private.move(move);
        }
        for (const { rect, pixels } of message.parts) {
          this.#index?.paint(rect, pixels);
          this.#private.touch(rect);
        }
        return;
      case "ask":
        this.#allowParts(message.terms, message.isPointed);
        this.#tell({ kind: "seen", read: this.#look(message.terms, message.isPointed) });
        this.#readOn();
        return;
      case "words":
      case "unread":
        this.#lines.take(message);
    }
  }

  /**
   * Whether the ends of lines alone are read: kinds of private text have shapes that do not go over plain words. A pattern or a
   * secret may be anything, and what lies under a pointer as well: then only what was read as a whole counts.
   */
  #allowParts(terms: readonly KnownTerms[], isPointed: boolean): void {
    const isOfKinds = terms.every(({ pattern, values = [] }) => pattern === null && values.length === 0);
    this.#mayPart = isOfKinds && !isPointed;
    if (this.#mayPart) return;
    this.#places.keepWhole();
    this.#parted = new WeakMap();
  }

  #look(terms: readonly KnownTerms[], isPointed: boolean): TextRead {
    const index = this.#index;
    if (index === null) return { unread: [], found: [], lines: [] };
    index.settle(++this.#generation);
    this.#readKnown(index);
    const unread: Rect[] = [];
    const lines: Rect[] = [];
    const found: FoundText[] = this.#private
      .there((rect) => index.pixels(rect))
      .flatMap(({ id, rect }) => (terms.some((one) => one.id === id) ? [{ id, rect }] : []));
    const matchers = terms.map((one) => ({ id: one.id, boxes: this.#boxesFor(one, isPointed) }));
    const kept = this.#keptFor(terms);
    this.#waits.turn();
    for (const entry of index.known()) {
      const reading = entry.reading ?? this.#parted.get(entry)?.reading ?? null;
      const line = grown(entry, entry);
      const part = reading === null ? this.#places.changed(line, (rect) => index.pixels(rect)) : null;
      if (reading === null) {
        unread.push(part?.unread ?? line);
        if (!this.#underway.has(entry.hash)) this.#waits.add(entry, part?.unread ?? null);
      }
      if (reading !== null || part !== null) lines.push(line);
      if (part !== null) {
        // What was private then is, also where more was written to it.
        const { left, top, reading: then } = part.place;
        for (const { id, boxes } of matchers) {
          for (const box of boxes(then))
            found.push({ id, rect: grown(boxAt({ ...entry, left, top }, box), entry) });
        }
      }
      if (reading !== null && reading.words.length > 0) {
        for (const { id, boxes } of matchers) {
          for (const box of boxes(reading)) found.push({ id, rect: grown(boxAt(entry, box), entry) });
        }
      }
      if (entry.reading !== null && !kept.has(entry)) {
        kept.add(entry);
        this.#keepPrivate(index, entry, terms);
      }
    }
    return { unread, found, lines };
  }

  /** Lines whose private places are kept for these terms; none yet for other ones. */
  #keptFor(terms: readonly KnownTerms[]): WeakSet<IndexedLine> {
    const key = JSON.stringify(terms);
    if (this.#kept.terms !== key) this.#kept = { terms: key, lines: new WeakSet() };
    return this.#kept.lines;
  }

  /** Where a line says what is meant; not where it only may, as a pointer may lie on it. */
  #keepPrivate(index: TextIndex, entry: IndexedLine, terms: readonly KnownTerms[]): void {
    const { reading } = entry;
    if (reading === null || reading.words.length === 0) return;
    const isSure = !isUnsure(reading);
    for (const one of terms) {
      for (const box of this.#boxesFor(one, false)(reading)) {
        const rect = intersectRects(grown(boxAt(entry, box), entry), rectOfSize(index.size));
        const pixels = index.pixels(rect);
        if (pixels !== null) this.#private.add({ id: one.id, rect, pixels }, isSure);
      }
    }
  }

  /** Each reading is matched once with the same terms. */
  #boxesFor(
    { kinds, pattern, values = [] }: KnownTerms,
    isPointed: boolean,
  ): (reading: Reading) => readonly Rect[] {
    const key = JSON.stringify({ kinds, pattern, values, isPointed });
    let matched = this.#matched.get(key);
    if (matched === undefined) {
      matched = { matcher: new TermMatcher({ kinds, pattern }), boxes: new WeakMap() };
      this.#matched.set(key, matched);
    }
    const { matcher, boxes } = matched;
    return (reading) => {
      let all = boxes.get(reading);
      if (all === undefined) {
        const line = ocrLineOf(reading.words);
        all = line === null ? [] : [...matcher.boxesIn(line, isPointed), ...boxesLike(line, values)];
        boxes.set(reading, all);
      }
      return all;
    };
  }

  /** What needs no engine is known in this answer. */
  #readKnown(index: TextIndex): void {
    const untried = this.#waiting(index).filter((entry) => !this.#tried.has(entry));
    for (const entry of untried.slice(0, MOST_AT_ONCE)) {
      this.#tried.add(entry);
      index.readAtOnce(entry, (line) => this.#lines.readAtOnce(line));
    }
  }

  /** Whose end alone was read, and that stand still since. */
  #due(index: TextIndex): IndexedLine[] {
    return index.known().filter((entry) => entry.reading === null && this.#parted.get(entry)?.isDue === true);
  }

  /** What nobody reads yet, the newest first; of what came together the short lines, so that few wait for a long one. */
  #waiting(index: TextIndex): IndexedLine[] {
    return index
      .known()
      .filter(
        (entry) => entry.reading === null && !this.#underway.has(entry.hash) && !this.#parted.has(entry),
      )
      .sort((a, b) => b.cameAt - a.cameAt || widthOf(a) - widthOf(b));
  }

  #readOn(): void {
    const index = this.#index;
    if (index === null || this.#isResting) return;
    while (this.#underway.size < MOST_READING) {
      const waiting = this.#waiting(index);
      // An engine is left for what comes.
      if (waiting.length === 0 && this.#underway.size === 0) waiting.push(...this.#due(index).slice(0, 1));
      const underway = [...this.#underway.values()];
      // A line that is typed is another one by now: what is read of it tells most of it.
      const others = waiting.filter((entry) => !underway.some(({ box }) => boxesOverlap(box, entry)));
      const first = others.length > 0 ? others : waiting;
      const isNewest = !underway.some((one) => one.isNewest);
      const entry = isNewest ? this.#waits.nextOf(first) : this.#waits.longestOf(first);
      if (entry === undefined) return;
      this.#read(index, entry, isNewest);
    }
  }

  #read(index: TextIndex, entry: IndexedLine, isNewest: boolean): void {
    this.#underway.set(entry.hash, { box: entry, isNewest });
    this.#waits.take(entry);
    this.#readEntry(index, entry)
      .then(
        () => this.#tell({ kind: "news" }),
        () => this.#rest(),
      )
      .finally(() => {
        this.#underway.delete(entry.hash);
        this.#readOn();
      });
  }

  async #readEntry(index: TextIndex, entry: IndexedLine): Promise<void> {
    const { left, top, bottom, ink } = entry;
    const rect = aroundOf(entry, index.size);
    const pixels = index.pixels(rect);
    const parted = this.#parted;
    const end = await this.#readEnd(entry);
    if (end === null) await index.readLines([entry], (lines) => this.#lines.read(lines));
    const reading = end ?? entry.reading;
    if (end !== null) {
      const part = { reading: end, isDue: false };
      parted.set(entry, part);
      this.#timer.after(STILL_MS, () => {
        part.isDue = true;
        this.#readOn();
      });
    }
    const isOf = index === this.#index && (end === null || parted === this.#parted);
    if (reading !== null && pixels !== null && isOf)
      this.#places.add({ left, top, bottom, rect, pixels, reading, ink, isWhole: end === null });
  }

  /** What a line says whose end alone has to be read for that; null: it is to be read as a whole. */
  async #readEnd(entry: IndexedLine): Promise<Reading | null> {
    const { ink } = entry;
    if (!this.#mayPart || ink === null || this.#parted.has(entry)) return null;
    const known = this.#places.lineAt(ink);
    const begun = known === null ? null : begunOf(known, ink);
    const words = begun === null ? null : await this.#lines.readOn(ink, begun);
    return words === null ? null : readingOf(entry, words);
  }

  #rest(): void {
    this.#isResting = true;
    this.#timer.after(RETRY_MS, () => {
      this.#isResting = false;
      this.#readOn();
    });
  }
}

/** The boxes of what reads like one of the secrets. */
function boxesLike(line: OcrLine, secrets: readonly string[]): readonly Rect[] {
  return secrets.flatMap((secret) => spansLike(line.text, secret).flatMap((span) => boxOf(line, span) ?? []));
}

function boxAt(line: Box, { x, width }: Rect): Box {
  return { ...line, left: line.left + x, right: line.left + x + width };
}

/** As high as its line, and a little more all around. */
function grown({ left, right }: Box, { top, bottom }: Box): Rect {
  return rectOfBox({
    left: Math.max(0, left - MARGIN.across),
    right: right + MARGIN.across,
    top: Math.max(0, top - MARGIN.down),
    bottom: bottom + MARGIN.down,
  });
}
