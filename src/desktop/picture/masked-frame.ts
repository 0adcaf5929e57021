import { MASK_WORD } from "../../compositor/compose.ts";
import { sourceOf } from "../../framebuffer/copy-move.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { compareDamage, publishDamage } from "../../framebuffer/publish.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Steps } from "../../framebuffer/steps.ts";
import type { Change } from "../view.ts";
import { AdoptableCopy } from "./large-update.ts";
import { carried } from "./moves.ts";

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
    this.#fill(hidden);
    publishDamage(real, this.frame, Region.of(real.rect).subtract(hidden));
  }

  get hidden(): Region {
    return this.#hidden;
  }

  /** Makes ready what `publish` will show of the same damage; `real` shows it already. */
  *preparing(real: Framebuffer, damage: Region): Steps<void> {
    const hidden = this.#hidden;
    const seen = damage.subtract(hidden);
    const next = yield* this.#copy.of(real, this.frame, seen);
    const changed = yield* compareDamage(next, this.frame, seen);
    this.#prepared = { damage, hidden, next, changed };
  }

  /** Takes over what changed in the real picture; what differs here because of it. */
  publish(real: Framebuffer, damage: Region): Region {
    const prepared = this.#prepared;
    this.#prepared = null;
    const isSame = prepared?.damage === damage && prepared.hidden === this.#hidden;
    if (isSame && this.frame.adopt(prepared.next)) return prepared.changed;
    return publishDamage(real, this.frame, damage.subtract(this.#hidden));
  }

  /** Hides this from now on and nothing else; what differs here because of it. */
  hide(real: Framebuffer, hidden: Region): Region {
    const more = hidden.subtract(this.#hidden);
    const less = this.#hidden.subtract(hidden);
    this.#hidden = hidden;
    this.#fill(more);
    publishDamage(real, this.frame, less);
    return more.union(less);
  }

  #fill(hidden: Region): void {
    for (const rect of hidden.rects) this.frame.fill(rect, MASK_WORD);
  }
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
