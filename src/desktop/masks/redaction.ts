import { sourceOf, targetsOf } from "../../framebuffer/copy-move.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import {
  areaOfRect,
  EMPTY_RECT,
  intersectRects,
  isEmptyRect,
  overlapRects,
  type Rect,
  translateRect,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import { carried, composeChanges } from "../picture/moves.ts";
import type { Change } from "../view.ts";
import { bring, copyOf } from "./copied-parts.ts";
import { isPicture, LIVELY_MS, LivelyAreas } from "./lively-areas.ts";
import { PointerSeeker, type PointerSeekerPorts } from "./pointer-seeker.ts";
import type { FoundText, NamedTerms, TextRead, TextReader, TextReaderEvents } from "./text-reader.ts";

export interface RedactionPorts extends Pick<PointerSeekerPorts, "nudgePointer"> {
  readonly clock: Clock;
  /** Absent: nobody can read, and all stays covered. */
  open?(events: TextReaderEvents): TextReader;
  /** All pixels; null before the first picture. */
  unmasked(): Framebuffer | null;
  /** What is covered is another by now, and not because of an update. */
  changed(): void;
  onBug(error: unknown): void;
}

const NOTHING: Change = { painted: Region.empty, copies: [] };

/** What is covered in more rectangles than this is covered in fewer, larger ones. */
const MOST_COVERED = 256;
/** A change of more moves than this is given to the reader as pixels. */
const MOST_MOVES = 32;
/** After a reader was lost another one is opened, not at once: what ends it may end the next. */
const REOPEN_MS = 1000;

/**
 * Where text that masks hide stands in a live picture, and what of the picture was not read yet.
 *
 * INVARIANT: every pixel that changed is unread from that update on until a picture that has it was read; what was found is
 * covered as long as nothing of it is painted over. What a move takes elsewhere is known there as well as it was.
 *
 * What is unread is covered. Where the picture changes faster than it is read it is held instead: shown as it was when it
 * was read last, so that a film plays at the speed of reading.
 */
export class Redaction {
  readonly #ports: RedactionPorts;
  #terms: readonly NamedTerms[] = [];
  #bounds: Rect = EMPTY_RECT;
  #reader: TextReader | null = null;
  #unread = Region.empty;
  /** Part of what is unread. INVARIANT: what is shown there was read, and is clean. */
  #held = Region.empty;
  readonly #lively = new LivelyAreas();
  /** What the reader was given: from a question to its answer the picture that was asked about. */
  #given: Framebuffer | null = null;
  #isAnswered = false;
  #found: readonly FoundText[] = [];
  /** What the reader was not given yet. */
  #owed: Change = NOTHING;
  /** What came after what the open question is about; null: none is open. */
  #since: Change | null = null;
  /** The answer to the open question is about other terms, or another size. */
  #isVoid = false;
  #isNews = false;
  #isFeeding = false;
  #cancelReopen: (() => void) | null = null;
  readonly #pointer: PointerSeeker;
  /** Of a last look, once a film may be over. */
  #cancelLook: (() => void) | null = null;

  constructor(ports: RedactionPorts) {
    this.#ports = ports;
    this.#pointer = new PointerSeeker({ ...ports, found: () => this.#feed() });
  }

  /** Whether anything is looked for at all. */
  get isActive(): boolean {
    return this.#terms.length > 0;
  }

  /** What may hold text that is looked for. */
  get unread(): Region {
    return this.#unread;
  }

  /** What of it is shown as it was when it was read last. */
  get held(): Region {
    return this.#held;
  }

  /** The picture that was read last, while it is told that it was: what is held is shown as it is there. */
  get lastRead(): Framebuffer | null {
    return this.#isAnswered ? this.#given : null;
  }

  /** Where text of a mask was found. */
  placesOf(id: string): readonly Rect[] {
    return this.#found.flatMap((one) => (one.id === id ? [one.rect] : []));
  }

  /**
   * The target may have drawn its pointer there, over text that is then another to who reads it; null: nowhere.
   *
   * INVARIANT: where nobody knows where a pointer is that is drawn, nothing is read before the target was asked to draw it
   * no more.
   */
  set drawnPointer(area: Rect | null) {
    const wasDrawn = this.#pointer.isDrawn;
    this.#pointer.area = area;
    if (this.#pointer.isDrawn !== wasDrawn) {
      this.#isNews = true;
      // What the open question is about may be under the pointer already.
      this.#isVoid ||= !wasDrawn && this.#since !== null;
    }
    this.#feed();
  }

  /** Other text is looked for from now on: until that was done everything is covered. */
  set terms(terms: readonly NamedTerms[]) {
    this.#terms = terms;
    this.#found = this.#found.filter(({ id }) => terms.some((one) => one.id === id));
    if (terms.length === 0) {
      this.#close();
      this.#unread = Region.empty;
      this.#unhold();
      return;
    }
    this.#unread = Region.of(this.#bounds);
    this.#unhold();
    this.#isVoid = this.#since !== null;
    this.#isNews = true;
    this.#feed();
  }

  /** The picture has another size, or is there for the first time. */
  layOut(bounds: Rect): void {
    this.#bounds = bounds;
    if (!this.isActive) return;
    this.#found = [];
    this.#unread = Region.of(bounds);
    this.#unhold();
    this.#isVoid = this.#since !== null;
    this.#restart();
    this.#feed();
  }

  /** An update changed this, to what the frame shows: what is new is covered when this returns. */
  follow(frame: Framebuffer, change: Change): void {
    if (!this.isActive) return;
    this.#apply(frame, change);
    this.#owed = bounded(composeChanges(this.#owed, change));
    if (this.#since !== null) this.#since = composeChanges(this.#since, change);
    this.#feed();
  }

  close(): void {
    this.#terms = [];
    this.#close();
  }

  #close(): void {
    this.#cancelReopen?.();
    this.#cancelReopen = null;
    this.#cancelLook?.();
    this.#cancelLook = null;
    this.#pointer.close();
    this.#reader?.close();
    this.#reader = null;
    this.#given = null;
    this.#owed = NOTHING;
    this.#since = null;
    this.#isVoid = false;
    this.#isNews = false;
  }

  /** All that is unread is covered. */
  #unhold(): void {
    this.#held = Region.empty;
    this.#lively.clear();
  }

  /** A reader that knows nothing is given all. */
  #restart(): void {
    this.#reader?.resize(this.#bounds);
    this.#given = new Framebuffer(this.#bounds.width, this.#bounds.height);
    this.#owed = { painted: Region.of(this.#bounds), copies: [] };
  }

  #apply(frame: Framebuffer, change: Change): void {
    const known = replay(this.#found, change);
    this.#found = known.found;
    const { painted, copies } = change;
    const moved = copies.reduce(carried, this.#unread);
    const nowMs = this.#ports.clock.nowMs();
    this.#lively.add(painted, moved.intersect(painted), nowMs, (part) => isPicture(frame, part));
    const lively = this.#lively.at(nowMs);
    // What a move wrote is shown elsewhere than where it was read.
    const written = targetsOf(copies);
    const held = this.#held.subtract(written);
    const open = painted.intersect(lively).subtract(moved.subtract(held));
    this.#unread = few(moved.union(painted).union(known.touched));
    this.#hold(held.union(open.subtract(written)).subtract(known.touched));
  }

  #hold(region: Region): void {
    const found = Region.from(this.#found.map(({ rect }) => rect));
    const held = region.intersect(this.#unread).subtract(found);
    // Less is held, never more.
    this.#held = held.rectCount <= MOST_COVERED ? held : Region.from(largest(held.rects));
  }

  #feed(): void {
    const hasWork = this.#isNews || !isNothing(this.#owed);
    if (this.#isFeeding || this.#since !== null || !hasWork || isEmptyRect(this.#bounds)) return;
    this.#isFeeding = true;
    this.#give()
      .catch((error: unknown) => this.#ports.onBug(error))
      .finally(() => {
        this.#isFeeding = false;
      });
  }

  /** Gives the reader what changed, some in each turn, and asks once it has all of it. */
  async #give(): Promise<void> {
    for (;;) {
      await nextTurn();
      const reader = this.isActive ? this.#opened() : null;
      const frame = this.#ports.unmasked();
      if (reader === null || frame === null || this.#pointer.isSought(this.#bounds)) return;
      const { painted, copies } = this.#owed;
      const { parts, left } = copyOf(frame, painted.clip(this.#bounds));
      if (this.#given !== null) bring(this.#given, copies, parts);
      reader.take(copies, parts);
      this.#owed = { painted: left, copies: [] };
      if (!left.isEmpty) continue;
      this.#isNews = false;
      this.#since = NOTHING;
      reader.ask(this.#terms, this.#pointer.isDrawn);
      return;
    }
  }

  #opened(): TextReader | null {
    if (this.#reader === null && this.#cancelReopen === null) {
      this.#reader = this.#ports.open?.(this.#events()) ?? null;
      if (this.#reader !== null) this.#restart();
    }
    return this.#reader;
  }

  #events(): TextReaderEvents {
    let isOver = false;
    const isNow = (): boolean => !isOver && this.#reader !== null;
    return {
      read: (read) => {
        if (isNow()) this.#read(read);
      },
      news: () => {
        if (!isNow()) return;
        this.#isNews = true;
        this.#feed();
      },
      lost: () => {
        if (!isNow()) return;
        isOver = true;
        this.#close();
        this.#unhold();
        this.#ports.changed();
        this.#cancelReopen = this.#ports.clock.after(REOPEN_MS, () => {
          this.#cancelReopen = null;
          this.#isNews = true;
          this.#feed();
        });
      },
    };
  }

  /** Lines over a film, which are read badly: its picture is their ground. They stay covered, whatever they say. */
  #inFilms(lines: readonly Rect[]): readonly Rect[] {
    const films = this.#lively.filmsAt(this.#ports.clock.nowMs());
    this.#cancelLook?.();
    this.#cancelLook = null;
    if (films.length === 0) return [];
    this.#cancelLook = this.#ports.clock.after(2 * LIVELY_MS, () => {
      this.#isNews = true;
      this.#feed();
    });
    return lines.filter((line) => films.some((film) => overlapRects(film, line)));
  }

  /** INVARIANT: what is shown from now on was read in the picture that was asked about, and did not change since. */
  #read({ unread, found, lines }: TextRead): void {
    const since = this.#since ?? NOTHING;
    this.#since = null;
    if (this.#isVoid) {
      this.#isVoid = false;
      this.#isNews = true;
    } else {
      const known = replay(found, since);
      const unreadThen = Region.from([...unread, ...this.#inFilms(lines)]);
      const moved = since.copies.reduce(carried, unreadThen);
      this.#unread = few(moved.union(since.painted).union(known.touched));
      // The same pixels stay what they were found to be, also where they are less than a line by now.
      this.#found = joined(this.#found, known.found);
      const apart = Region.from([...found.map(({ rect }) => rect), ...since.copies.map(sourceOf)]);
      const clean = since.painted.intersect(this.#lively.at(this.#ports.clock.nowMs())).subtract(unreadThen);
      this.#hold(clean.subtract(known.touched).subtract(apart).subtract(targetsOf(since.copies)));
      this.#isAnswered = true;
      this.#ports.changed();
      this.#isAnswered = false;
    }
    this.#feed();
  }
}

const isNothing = ({ painted, copies }: Change): boolean => painted.isEmpty && copies.length === 0;

const few = (region: Region): Region =>
  region.rectCount <= MOST_COVERED ? region : Region.from(coverOf(region.rects, MOST_COVERED));

const largest = (rects: readonly Rect[]): readonly Rect[] =>
  [...rects].sort((a, b) => areaOfRect(b) - areaOfRect(a)).slice(0, MOST_COVERED);

function bounded(change: Change): Change {
  if (change.copies.length <= MOST_MOVES) return change;
  return { painted: change.painted.union(Region.from(change.copies.map(({ to }) => to))), copies: [] };
}

/**
 * Where what was found is after a change, and where some of it was painted or moved over: what is left there is to be read
 * again, for it may be the ground of something else by now.
 */
function replay(found: readonly FoundText[], { painted, copies }: Change) {
  let touched = Region.empty;
  let kept = found;
  for (const move of copies) {
    const { fromX, fromY, to } = move;
    touched = carried(touched, move);
    kept = kept.flatMap(({ id, rect }) => {
      const taken = intersectRects(rect, sourceOf(move));
      const moved = isEmptyRect(taken)
        ? []
        : [{ id, rect: translateRect(taken, to.x - fromX, to.y - fromY) }];
      if (!overlapRects(rect, to)) return [{ id, rect }, ...moved];
      touched = touched.union(Region.of(rect).subtract(Region.of(to)));
      return moved;
    });
  }
  const over = kept.filter(({ rect }) => painted.overlaps(rect));
  if (over.length > 0) kept = kept.filter(({ rect }) => !painted.overlaps(rect));
  return { found: kept, touched: touched.union(Region.from(over.map(({ rect }) => rect))) };
}

function joined(a: readonly FoundText[], b: readonly FoundText[]): readonly FoundText[] {
  const all = new Map<string, FoundText>();
  for (const one of [...a, ...b]) {
    const { x, y, width, height } = one.rect;
    all.set(`${one.id} ${x},${y},${width},${height}`, one);
  }
  return [...all.values()];
}
