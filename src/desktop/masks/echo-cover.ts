import { sourceOf, targetsOf } from "../../framebuffer/copy-move.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { EMPTY_RECT, intersectRects, isEmptyRect, type Rect, translateRect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { carried } from "../picture/moves.ts";
import type { Change } from "../view.ts";

/** Where nothing changes for so long after the keys, what was typed is not shown. */
const NO_ECHO_MS = 1000;
/** Of a desktop that was slower lately: so many times what its programs took … */
const LATENESS = 4;
/** … and so long at most, however much else changes there. */
const MOST_MS = 4000;
/** So long nothing changes any more once all that was typed is shown. */
const QUIET_MS = 150;
const LOOK_MS = 20;
/** Changes so near to each other are of one echo. */
const NEAR_PIXELS = 12;
/** More rectangles than this become fewer, larger ones. */
const MOST_RECTS = 64;
/** An echo is looked for in parts of this side: what lies over some of them hides no others. */
const TILE = 32;
/** A part with fewer outlines says nothing. */
const LEAST_OUTLINES = 8;
/** Of its outlines so much must be there, and so much at most that it has not, in proportion to those it has. */
const SAME = 0.75;
const OTHERS = 0.5;
/** Of those that are not on the screen so many are known, and so many pixels of them: the oldest are forgotten first. */
const MOST_GONE = 16;
const MOST_GONE_PIXELS = 4_000_000;
/** Of those that are, each move of one making another: more than stand on any screen. */
const MOST_SHOWN = 256;
/** What is almost of one colour has no outline between. */
const OUTLINE = 24;

interface EchoPorts {
  readonly clock: Clock;
  /** All pixels; null before the first picture. */
  unmasked(): Framebuffer | null;
  /** What is covered is another by now, and not because of an update. */
  changed(): void;
}

/** What stands where a secret was shown as it was typed: its place, as it looked before, and then. */
interface Echo {
  readonly rect: Rect;
  readonly before: Uint32Array;
  readonly after: Uint32Array;
  /**
   * What of it is there now. Where something else is, that may be a window that goes again, or the field was cleared or
   * left.
   */
  readonly shown: Region;
}

/**
 * Covers what a secret that is typed leaves on the screen, from everybody. While its keys go on that is all that changes,
 * for only then it is known where the field is, and what of it is the echo: what stays, once nothing changes any more, is
 * covered wherever moves take it, until it is cleared or something else is painted there, and again where it comes back.
 *
 * INVARIANT: nothing that changed between the first key of a secret and that moment was shown to anybody before it was
 * found to be no echo.
 */
export class EchoCover {
  readonly #ports: EchoPorts;
  #echoes: readonly Echo[] = [];
  /** The picture before the first key; null: nothing is typed now. */
  #before: Framebuffer | null = null;
  #changing = Region.empty;
  #changedAtMs: number | null = null;

  constructor(ports: EchoPorts) {
    this.#ports = ports;
  }

  /** In desktop pixels. */
  get places(): readonly Rect[] {
    return [...this.#changing.rects, ...this.#echoes.flatMap(({ shown }) => shown.rects)];
  }

  /** The first key of a secret is pressed next. */
  begin(): void {
    const frame = this.#ports.unmasked();
    if (frame === null || this.#before !== null) return;
    const before = new Framebuffer(frame.width, frame.height);
    before.bytes.set(frame.bytes);
    this.#before = before;
    this.#changedAtMs = null;
  }

  /**
   * The target took the last key of a secret: resolves when its echo is known, or there is none. `reactionMs`: how long its
   * programs took lately to show what an action did. Rejects with the signal's reason, and covers what it did until then.
   */
  async settled(reactionMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#ports;
    const beganMs = clock.nowMs();
    const noEchoMs = Math.min(MOST_MS, Math.max(NO_ECHO_MS, reactionMs * LATENESS));
    try {
      for (;;) {
        const nowMs = clock.nowMs();
        const at = this.#changedAtMs;
        const isOver = at === null ? nowMs - beganMs >= noEchoMs : nowMs - Math.max(at, beganMs) >= QUIET_MS;
        if (isOver || nowMs - beganMs >= MOST_MS) break;
        await delay(clock, LOOK_MS, signal);
      }
    } finally {
      this.end();
    }
  }

  /** No more keys of a secret come: what changed since the first one stays covered as long as it stands there. */
  end(): void {
    const before = this.#before;
    if (before === null) return;
    const after = this.#ports.unmasked();
    const places = grouped(this.#changing.rects);
    this.#before = null;
    this.#changing = Region.empty;
    if (places.length === 0) return;
    if (after !== null && after.width === before.width && after.height === before.height) {
      const found = places.map((rect): Echo => {
        return { rect, before: wordsOf(before, rect), after: wordsOf(after, rect), shown: Region.of(rect) };
      });
      this.#echoes = bounded([...this.#echoes, ...found.filter((one) => isThere(one, after))]);
    }
    this.#ports.changed();
  }

  /** An update changed this: what has to be covered in it is when this returns. True where that is another by now. */
  follow(real: Framebuffer, { painted, copies }: Change): boolean {
    const isTyping = this.#before !== null;
    if (this.#before !== null) {
      this.#changedAtMs = this.#ports.clock.nowMs();
      const all = copies.reduce(carried, this.#changing).union(painted);
      this.#changing = all.rectCount > MOST_RECTS ? Region.from(coverOf(all.rects, MOST_RECTS)) : all;
    }
    if (this.#echoes.length === 0) return isTyping;
    const touched = painted.union(targetsOf(copies));
    const judged = (one: Echo, over: Region): Echo => {
      const changed = over.clip(one.rect);
      if (changed.isEmpty) return one;
      // What was not touched is what it was.
      return { ...one, shown: isThere(one, real) ? Region.of(one.rect) : one.shown.subtract(changed) };
    };
    const moved = this.#echoes.flatMap((one) => copies.reduce<readonly Echo[]>(movedEchoes, [one]).slice(1));
    const before = this.#echoes;
    this.#echoes = bounded([
      ...before.map((one) => judged(one, touched)),
      ...moved.map((one) => judged(one, painted)).filter(({ shown }) => !shown.isEmpty),
    ]);
    return isTyping || this.#echoes.some(({ shown }, nth) => shown !== before[nth]?.shown);
  }

  /** The picture has another size: what is still within it stays where it was, until it is painted. */
  layOut(bounds: Rect): void {
    this.#before = null;
    this.#changing = Region.empty;
    this.#echoes = this.#echoes.flatMap((one) => partOf(one, bounds) ?? []);
  }
}

/** What is near to each other as one rectangle. */
function grouped(rects: readonly Rect[]): Rect[] {
  const grown = rects.map(({ x, y, width, height }) => ({
    x: x - NEAR_PIXELS,
    y: y - NEAR_PIXELS,
    width: width + 2 * NEAR_PIXELS,
    height: height + 2 * NEAR_PIXELS,
  }));
  const groups: { near: Region; of: Region }[] = [];
  for (const [nth, near] of grown.entries()) {
    const group = { near: Region.of(near), of: Region.of(rects[nth] ?? EMPTY_RECT) };
    for (const other of groups.filter((one) => one.near.overlaps(near))) {
      group.near = group.near.union(other.near);
      group.of = group.of.union(other.of);
      groups.splice(groups.indexOf(other), 1);
    }
    groups.push(group);
  }
  return groups.map(({ of }) => of.bounds);
}

/** Where echoes are after a move: what was moved is there twice, until the place it came from is painted over. */
function movedEchoes(echoes: readonly Echo[], move: CopyMove): readonly Echo[] {
  const { fromX, fromY, to } = move;
  return echoes.flatMap((one) => {
    const taken = partOf(one, sourceOf(move));
    if (taken === null) return [one];
    const [dx, dy] = [to.x - fromX, to.y - fromY];
    const shown = taken.shown.translate(dx, dy);
    return [one, { ...taken, rect: translateRect(taken.rect, dx, dy), shown }];
  });
}

/** The part of an echo that lies in a rectangle; null where none does. */
function partOf(echo: Echo, within: Rect): Echo | null {
  const { rect, before, after } = echo;
  const part = intersectRects(rect, within);
  if (isEmptyRect(part)) return null;
  if (part.width === rect.width && part.height === rect.height) return echo;
  const cut = (words: Uint32Array): Uint32Array => {
    const out = new Uint32Array(part.width * part.height);
    for (let row = 0; row < part.height; row++) {
      const from = (part.y - rect.y + row) * rect.width + part.x - rect.x;
      out.set(words.subarray(from, from + part.width), row * part.width);
    }
    return out;
  };
  return { rect: part, before: cut(before), after: cut(after), shown: echo.shown.clip(part) };
}

function wordsOf(frame: Framebuffer, rect: Rect): Uint32Array {
  const out = new Uint32Array(rect.width * rect.height);
  for (let row = 0; row < rect.height; row++) {
    const from = (rect.y + row) * frame.width + rect.x;
    out.set(frame.words.subarray(from, from + rect.width), row * rect.width);
  }
  return out;
}

/**
 * Whether some of an echo stands in its place: the outlines that came with it are there, in whatever colours, and few
 * others. Where all is as before it was typed, or another picture is there, they are not.
 */
function isThere(echo: Echo, real: Framebuffer): boolean {
  const { x, y, width, height } = intersectRects(echo.rect, real.rect);
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      const tile = { x: x + left, y: y + top, width: TILE, height: TILE };
      if (isTileThere(echo, intersectRects(tile, real.rect), real)) return true;
    }
  }
  return false;
}

function isTileThere({ rect, before, after }: Echo, tile: Rect, real: Framebuffer): boolean {
  const { x: left, y: top, width, height } = intersectRects(tile, rect);
  let all = 0;
  let same = 0;
  let others = 0;
  for (let y = top; y < top + height; y++) {
    for (let x = Math.max(left, rect.x + 1); x < left + width; x++) {
      const at = (y - rect.y) * rect.width + x - rect.x;
      const [was, wasBeside] = [after[at] ?? 0, after[at - 1] ?? 0];
      const now = y * real.width + x;
      const isNow = isOutline(real.words[now] ?? 0, real.words[now - 1] ?? 0);
      if (!isOutline(was, wasBeside)) {
        if (isNow) others++;
      } else if (was !== before[at] || wasBeside !== before[at - 1]) {
        all++;
        if (isNow) same++;
      }
    }
  }
  return all >= LEAST_OUTLINES && same >= all * SAME && others <= all * OTHERS;
}

/** Of those that are not on the screen the newest, as far as there is room for them. */
function bounded(echoes: readonly Echo[]): readonly Echo[] {
  const gone = echoes.filter(({ shown }) => shown.isEmpty).slice(-MOST_GONE);
  let pixels = gone.reduce((sum, { after }) => sum + after.length, 0);
  const forgotten = new Set<Echo>();
  for (const one of gone) {
    if (pixels <= MOST_GONE_PIXELS) break;
    pixels -= one.after.length;
    forgotten.add(one);
  }
  const known = echoes.filter((one) => !one.shown.isEmpty || (gone.includes(one) && !forgotten.has(one)));
  return known.slice(-MOST_SHOWN);
}

function isOutline(a: number, b: number): boolean {
  if (a === b) return false;
  for (const shift of [0, 8, 16]) {
    if (Math.abs(((a >>> shift) & 255) - ((b >>> shift) & 255)) >= OUTLINE) return true;
  }
  return false;
}
