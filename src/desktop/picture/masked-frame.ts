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

/**
 * A desktop's pixels without those that somebody must not see.
 *
 * INVARIANT: of the real picture nothing was ever copied here that was hidden when it was copied; what is hidden is
 * MASK_WORD.
 */
export class MaskedFrame {
  /** Names the pictures that are made of it. */
  readonly name: string;
  readonly frame: Framebuffer;
  readonly #copy = new AdoptableCopy();
  #hidden: Region;
  /** The cells in which something is hidden. */
  #cells: Region;
  /** What `publish` of this damage shows, as long as the same is hidden. */
  #prepared: {
    readonly damage: Region;
    readonly hidden: Region;
    readonly next: Framebuffer;
    readonly changed: Region;
  } | null = null;

  constructor(name: string, real: Framebuffer, hidden: Region) {
    this.name = name;
    this.frame = new Framebuffer(real.width, real.height, { hasKernels: true });
    this.#hidden = hidden;
    this.#cells = cellsOf(hidden);
    this.#fill(hidden);
    publishDamage(real, this.frame, Region.of(real.rect).subtract(hidden));
  }

  get hidden(): Region {
    return this.#hidden;
  }

  /** Makes ready what `publish` will show of the same damage; `real` shows it already. */
  *preparing(real: Framebuffer, damage: Region): Steps<void> {
    if (damage.area <= MOST_AT_ONCE) return;
    const hidden = this.#hidden;
    const { open, near } = this.#parted(damage);
    const next = yield* this.#copy.of(real, this.frame, open.union(near));
    const changed = open.union(yield* compareDamage(next, this.frame, near));
    this.#prepared = { damage, hidden, next, changed };
  }

  /** Takes over what changed in the real picture; what differs here because of it. */
  publish(real: Framebuffer, damage: Region): Region {
    const prepared = this.#prepared;
    this.#prepared = null;
    const isSame = prepared?.damage === damage && prepared.hidden === this.#hidden;
    if (isSame && this.frame.adopt(prepared.next)) return prepared.changed;
    const { open, near } = this.#parted(damage);
    for (const part of open.clip(this.frame.rect).rects) copyRows(real, this.frame, part);
    return open.union(publishDamage(real, this.frame, near));
  }

  /**
   * What is damaged in cells of which nothing is hidden differs here as it does there: it need not be compared. In the
   * others what differs may be under the mask alone, which nobody is told.
   */
  #parted(damage: Region): { readonly open: Region; readonly near: Region } {
    if (this.#hidden.isEmpty) return { open: damage, near: Region.empty };
    return {
      open: damage.subtract(this.#cells),
      near: damage.intersect(this.#cells).subtract(this.#hidden),
    };
  }

  /** Hides this from now on and nothing else; what differs here because of it. */
  hide(real: Framebuffer, hidden: Region): Region {
    const more = hidden.subtract(this.#hidden);
    const less = this.#hidden.subtract(hidden);
    this.#hidden = hidden;
    this.#cells = cellsOf(hidden);
    this.#fill(more);
    publishDamage(real, this.frame, less);
    return more.union(less);
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

/** What a masked picture hid before an update and hides after it, and what differs in it. */
export interface Masking {
  readonly before: Region;
  readonly after: Region;
  readonly damage: Region;
}

/**
 * A change of the real picture as it brings a masked one up to date. A move stays a move, but for what it reads from
 * under a mask or writes over one: that is painted.
 *
 * INVARIANT: of a masked picture that was right before, all pixels outside `painted` are right once the moves were made.
 */
export function maskedChange(change: Change, masking: Masking): Change {
  const { painted, copies } = change;
  const { before, after, damage } = masking;
  if (before.isEmpty && after.isEmpty) return change;
  const hidden = before.union(after);
  const seen = seenMoves(copies, masking);
  if (!seen.some(({ to }) => damage.overlaps(to))) return { painted: damage, copies: [] };
  const touched = copies.reduce(
    (region, move) => carried(region, move).union(draggedBy(move, hidden)),
    Region.empty,
  );
  const moved = before.subtract(after).union(after.subtract(before));
  return { painted: painted.subtract(after).union(touched).union(moved), copies: seen };
}

/** Those that are told: a move from under a mask, or under one, is told to nobody, and all of its target is painted. */
export function seenMoves(
  moves: readonly CopyMove[],
  { before, after }: Pick<Masking, "before" | "after">,
): readonly CopyMove[] {
  if (before.isEmpty && after.isEmpty) return moves;
  const hidden = before.union(after);
  return moves.filter((move) => !Region.of(move.to).subtract(draggedBy(move, hidden)).isEmpty);
}

/** What a move writes of a mask's colour, and what it writes over a mask. */
function draggedBy(move: CopyMove, hidden: Region): Region {
  const { fromX, fromY, to } = move;
  return hidden
    .clip(sourceOf(move))
    .translate(to.x - fromX, to.y - fromY)
    .union(hidden.clip(to));
}
