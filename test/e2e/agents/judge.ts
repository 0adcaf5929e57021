import * as z from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import type { Shot } from "../harness/xwd.ts";

const rect = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });

/** The claims of an answer about the screen. */
export const claimSchema = z.object({
  changed: z.boolean().nullable(),
  changed_rects: z.array(rect),
  /** What moves by itself, and was moving before; answers that know of none may leave it out. */
  periodic_rects: z.array(rect).default([]),
  generation_before: z.int(),
  generation_after: z.int(),
});
export type Claim = z.infer<typeof claimSchema>;

/** What was seen around an action, from outside. */
export interface Seen {
  readonly before: Shot;
  readonly after: Shot;
  /** Told by the next look, with if_changed_since: generation_after; null: it said that nothing changed since. */
  readonly since: readonly Rect[] | null;
  /** Known to move by itself. */
  readonly moving: readonly Rect[];
}

/** A clock or a caret: what may be called periodic is no larger than this share of the screen. */
const PERIODIC_SHARE = 1 / 16;

/** Answers that say nothing, late or too much are no lies, but they must stay few. */
const CAPS = { unclaimed: 0.1, late: 0.2, idle: 0.1, wide: 0.1 } as const;
/** A few of them are no share of anything. */
const FEW = 2;

/** Compares what an agent is told with what happened. */
export class Judge {
  answers = 0;
  readonly untrue: string[] = [];
  /** `changed: null`, where nothing excuses it. */
  unclaimed = 0;
  /** `changed: false`, and the next look told of a change that came after the answer. */
  late = 0;
  /** `changed: true` where no pixel is another one. */
  idle = 0;
  /** Rectangles of most of the screen where little of it is another. */
  wide = 0;
  imageBytes = 0;
  fullBytes = 0;

  claim(what: string, claim: Claim, seen: Seen, isNullFine: boolean): void {
    this.answers++;
    const say = (fault: string): void => void this.untrue.push(`${what}: ${fault}`);
    const { before, after, since, moving } = seen;
    if (before.width !== after.width || before.height !== after.height) {
      if (claim.changed === false && since === null) say("the screen has another size, which nobody told");
      return;
    }
    const told = [...claim.changed_rects, ...claim.periodic_rects];
    const share = claim.periodic_rects.reduce((sum, { width, height }) => sum + width * height, 0);
    if (share > before.width * before.height * PERIODIC_SHARE)
      say(`calls ${share} pixels periodic, which no clock or caret has`);
    const untold = differing(before, after, [...told, ...(since ?? []), ...moving]);
    if (untold.count > 0) {
      say(
        `changed: ${claim.changed}, and ${untold.count} pixels differ that neither the answer nor the next look told of, ` +
          `first at ${untold.first} (generation ${claim.generation_before} to ${claim.generation_after})`,
      );
    }
    if (claim.changed === false && claim.changed_rects.length > 0) say("changed: false with changed_rects");
    if (claim.changed === true && claim.changed_rects.length === 0)
      say("changed: true without changed_rects");
    if (claim.changed === null && !isNullFine) this.unclaimed++;
    const differs = differing(before, after, moving).count > 0;
    if (claim.changed === false && differs && untold.count === 0 && since !== null) this.late++;
    if (claim.changed === true && !differs && since === null && moving.length === 0) this.idle++;
    const pixels = before.width * before.height;
    const toldPixels = claim.changed_rects.reduce((sum, { width, height }) => sum + width * height, 0);
    if (toldPixels > pixels / 2 && spread(before, after) < pixels / 10 && since === null) this.wide++;
    for (const { x, y, width, height } of told) {
      const isInside = x >= 0 && y >= 0 && x + width <= before.width && y + height <= before.height;
      if (!isInside || width < 1 || height < 1)
        say(`the rectangle ${width}x${height}+${x}+${y} is not of the screen`);
    }
  }

  /** A fact that an answer stated or implied. */
  fact(what: string, isTrue: boolean): void {
    this.answers++;
    if (!isTrue) this.untrue.push(what);
  }

  /** How many answers were of the kinds that must be few, where they were too many. */
  get excesses(): readonly string[] {
    return (["unclaimed", "late", "idle", "wide"] as const)
      .filter((kind) => this[kind] > Math.max(FEW, this.answers * CAPS[kind]))
      .map((kind) => `${this[kind]} of ${this.answers} answers were ${kind}`);
  }

  get summary(): string {
    const share = this.fullBytes === 0 ? 0 : Math.round((100 * this.imageBytes) / this.fullBytes);
    return (
      `${this.answers} answers judged, ${this.untrue.length} untrue; ${this.unclaimed} claimed nothing, ${this.late} were ` +
      `before a late change, ${this.idle} told of a change that left no trace, ${this.wide} of far too much; images ${share} % of full ones`
    );
  }
}

/** Pixels that differ outside of some rectangles. */
export function differing(
  a: Shot,
  b: Shot,
  except: readonly Rect[],
): { readonly count: number; readonly first: string } {
  if (Buffer.compare(a.rgba, b.rgba) === 0) return { count: 0, first: "" };
  const { width, height } = a;
  const isExcepted = new Uint8Array(width * height);
  for (const rect of except) {
    for (let y = Math.max(0, rect.y); y < Math.min(height, rect.y + rect.height); y++) {
      isExcepted.fill(1, y * width + Math.max(0, rect.x), y * width + Math.min(width, rect.x + rect.width));
    }
  }
  let count = 0;
  let first = "";
  for (let i = 0; i < isExcepted.length; i++) {
    const at = i * 4;
    if (isExcepted[i] === 1) continue;
    if (a.rgba[at] === b.rgba[at] && a.rgba[at + 1] === b.rgba[at + 1] && a.rgba[at + 2] === b.rgba[at + 2])
      continue;
    if (count === 0) first = `${i % width},${Math.floor(i / width)}`;
    count++;
  }
  return { count, first };
}

/** Pixels of the smallest rectangle around all that differ. */
function spread(a: Shot, b: Shot): number {
  let [left, top, right, bottom] = [a.width, a.height, 0, 0];
  for (let y = 0; y < a.height; y++) {
    const row = y * a.width * 4;
    if (
      Buffer.compare(a.rgba.subarray(row, row + a.width * 4), b.rgba.subarray(row, row + a.width * 4)) === 0
    )
      continue;
    top = Math.min(top, y);
    bottom = y + 1;
    for (let x = 0; x < a.width; x++) {
      const at = row + x * 4;
      if (a.rgba[at] === b.rgba[at] && a.rgba[at + 1] === b.rgba[at + 1] && a.rgba[at + 2] === b.rgba[at + 2])
        continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
    }
  }
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}
