import { MASK_WORD } from "../../compositor/compose.ts";
import { sourceOf } from "../../framebuffer/copy-move.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { CELL, compareDamage, copyRows, publishDamage } from "../../framebuffer/publish.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Steps } from "../../framebuffer/steps.ts";
import type { Change } from "../view.ts";
import { AdoptableCopy } from "./large-update.ts";
import { carried } from "./moves.ts";

/** As many pixels are copied in one turn: some milliseconds. */
const MOST_AT_ONCE = 4 * 1024 * 1024;

/** What is kept from somebody. */
export interface Kept {
  readonly hidden: Region;
  /** Apart from what is hidden: what is shown there stays, but where it is brought up to `lastRead`. */
  readonly held: Region;
  readonly lastRead: Framebuffer | null;
}

/**
 * A desktop's pixels without those that somebody must not see.
 *
 * INVARIANT: of the real picture nothing was ever copied here that was hidden or held when it was copied; what is hidden is
 * MASK_WORD, and so is what is held and was hidden, until a picture that was read has it.
 */
export class MaskedFrame {
  /** Names the pictures that are made of it. */
  readonly name: string;
  readonly frame: Framebuffer;
  readonly #copy = new AdoptableCopy();
  #hidden: Region;
  /** What is hidden or held. */
  #closed: Region;
  #held: Region;
  /** The cells in which something is closed. */
  #cells: Region;
  /** What `publish` of this damage shows, as long as the same is hidden. */
  #prepared: {
    readonly damage: Region;
    readonly closed: Region;
    readonly next: Framebuffer;
    readonly changed: Region;
  } | null = null;

  constructor(name: string, real: Framebuffer, { hidden, held }: Kept) {
    this.name = name;
    this.frame = new Framebuffer(real.width, real.height, { hasKernels: true });
    this.#hidden = hidden;
    this.#held = held;
    this.#closed = hidden.union(held);
    this.#cells = cellsOf(this.#closed);
    this.#fill(this.#closed);
    publishDamage(real, this.frame, Region.of(real.rect).subtract(this.#closed));
  }

  get hidden(): Region {
    return this.#hidden;
  }

  /** `closed`: what is hidden or held: what changes there in the real picture changes nothing here. */
  get kept(): { readonly hidden: Region; readonly closed: Region } {
    return { hidden: this.#hidden, closed: this.#closed };
  }

  /** Makes ready what `publish` will show of the same damage; `real` shows it already. */
  *preparing(real: Framebuffer, damage: Region): Steps<void> {
    if (damage.area <= MOST_AT_ONCE) return;
    const closed = this.#closed;
    const { open, near } = this.#parted(damage);
    const next = yield* this.#copy.of(real, this.frame, open.union(near));
    const changed = open.union(yield* compareDamage(next, this.frame, near));
    this.#prepared = { damage, closed, next, changed };
  }

  /** Takes over what changed in the real picture; what differs here because of it. */
  publish(real: Framebuffer, damage: Region): Region {
    const prepared = this.#prepared;
    this.#prepared = null;
    const isSame = prepared?.damage === damage && prepared.closed === this.#closed;
    if (isSame && this.frame.adopt(prepared.next)) return prepared.changed;
    const { open, near } = this.#parted(damage);
    for (const part of open.clip(this.frame.rect).rects) copyRows(real, this.frame, part);
    return open.union(publishDamage(real, this.frame, near));
  }

  /**
   * What is damaged in cells of which nothing is closed differs here as it does there: it need not be compared. In the
   * others what differs may be under the mask alone, which nobody is told.
   */
  #parted(damage: Region): { readonly open: Region; readonly near: Region } {
    if (this.#closed.isEmpty) return { open: damage, near: Region.empty };
    return {
      open: damage.subtract(this.#cells),
      near: damage.intersect(this.#cells).subtract(this.#closed),
    };
  }

  /** Where `keep` may change what is shown. */
  differsBy({ hidden, held, lastRead }: Kept): Region {
    const isSame = hidden === this.#hidden && held === this.#held;
    if (isSame && (lastRead === null || held.isEmpty)) return Region.empty;
    const { more, less } = this.#turnedBy(hidden, held);
    return lastRead === null ? more.union(less) : more.union(less).union(held);
  }

  /** Keeps this from now on and nothing else; what differs here because of it. */
  keep(real: Framebuffer, { hidden, held, lastRead }: Kept): Region {
    let shifted = Region.empty;
    if (hidden !== this.#hidden || held !== this.#held) {
      const { more, less } = this.#turnedBy(hidden, held);
      this.#hidden = hidden;
      this.#held = held;
      this.#closed = hidden.union(held);
      this.#cells = cellsOf(this.#closed);
      this.#fill(more);
      shifted = more.union(publishDamage(real, this.frame, less));
    }
    if (lastRead === null || held.isEmpty) return shifted;
    return shifted.union(publishDamage(lastRead, this.frame, held));
  }

  /** What will be hidden and was not, and what will be open and was not. */
  #turnedBy(hidden: Region, held: Region): { readonly more: Region; readonly less: Region } {
    return {
      more: hidden.subtract(this.#hidden),
      less: this.#closed.subtract(hidden.union(held)),
    };
  }

  #fill(hidden: Region): void {
    for (const rect of hidden.rects) this.frame.fill(rect, MASK_WORD);
  }
}

function cellsOf(region: Region): Region {
  const down = (at: number): number => Math.floor(at / CELL) * CELL;
  const up = (at: number): number => Math.ceil(at / CELL) * CELL;
  return Region.from(
    region.rects.map(({ x, y, width, height }): Rect => {
      const [left, top] = [down(x), down(y)];
      return { x: left, y: top, width: up(x + width) - left, height: up(y + height) - top };
    }),
  );
}

/** What of a masked picture was closed before an update and is after it, and what differs in it. */
export interface Masking {
  readonly before: Region;
  readonly after: Region;
  /** Of these what was hidden and is: all of it of one colour. */
  readonly hiddenBefore: Region;
  readonly hiddenAfter: Region;
  readonly damage: Region;
  /** Of that what differs because something else is hidden or held. */
  readonly shifted: Region;
}

/**
 * A change of the real picture as it brings a masked one up to date. A move stays a move, but for what it reads from
 * under a mask or writes over one: that is painted.
 *
 * INVARIANT: of a masked picture that was right before, all pixels outside `painted` are right once the moves were made.
 */
export function maskedChange(change: Change, masking: Masking): Change {
  const { painted, copies } = change;
  const { before, after, damage, shifted } = masking;
  if (before.isEmpty && after.isEmpty) return change;
  const seen = new Set(seenMoves(copies, masking));
  if (![...seen].some(({ to }) => damage.overlaps(to))) return { painted: damage, copies: [] };
  const { hiddenBefore, hiddenAfter } = masking;
  const heldBefore = before.subtract(hiddenBefore);
  const heldAfter = after.subtract(hiddenAfter);
  const held = heldBefore.union(heldAfter);
  /** What is of the mask's colour once the moves were made, and what shows neither that nor what the real picture does. */
  let coloured = hiddenBefore;
  let stale = Region.empty;
  for (const move of copies) {
    if (seen.has(move)) {
      coloured = carried(coloured, move);
      stale = carried(stale, move).union(draggedBy(move, held));
    } else stale = stale.union(Region.of(move.to).subtract(coloured));
  }
  const wrong = [stale, differenceOf(coloured, hiddenAfter), differenceOf(heldBefore, heldAfter), shifted];
  return {
    painted: wrong.reduce((all, one) => all.union(one), painted.subtract(after)),
    copies: copies.filter((move) => seen.has(move)),
  };
}

/** In one of them and not in the other. */
export function differenceOf(a: Region, b: Region): Region {
  return a === b ? Region.empty : a.subtract(b).union(b.subtract(a));
}

/** Those that are told: a move from under a mask, or under one, is told to nobody, and all of its target is painted. */
export function seenMoves(
  moves: readonly CopyMove[],
  { before, after }: Pick<Masking, "before" | "after">,
): readonly CopyMove[] {
  if (before.isEmpty && after.isEmpty) return moves;
  const hidden = before.union(after);
  return moves.filter((move) => !draggedBy(move, hidden).holds(move.to));
}

/** What a move writes of a mask's colour, and what it writes over a mask. */
function draggedBy(move: CopyMove, hidden: Region): Region {
  const { fromX, fromY, to } = move;
  return hidden
    .clip(sourceOf(move))
    .translate(to.x - fromX, to.y - fromY)
    .union(hidden.clip(to));
}
