import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Steps } from "../../framebuffer/steps.ts";
import { AUDIENCES, type Audience, byAudience, type Change } from "../view.ts";
import type { AudienceDisplay } from "./audience-display.ts";
import type { MaskSource } from "./mask-source.ts";
import {
  differenceOf,
  type Kept,
  MaskedFrame,
  type Masking,
  maskedChange,
  seenMoves,
} from "./masked-frame.ts";

const NOTHING_KEPT = { hidden: Region.empty, closed: Region.empty };

/** What one audience is shown of an update. */
export interface ShownChange {
  /** Pixels that differ. */
  readonly damage: Region;
  /** What of it was moved, in order. */
  readonly moves: readonly CopyMove[];
}

export type ShownChanges = Readonly<Record<Audience, ShownChange>>;

/** Of an update: all that differs in the real picture, and how that is brought up to date. */
export interface RealChange extends Change {
  readonly damage: Region;
  /** All that the target moved, also where what it painted says the same. */
  readonly moves: readonly CopyMove[];
}

/** Keeps the audiences' pictures beside the real one. Those from whom the same is kept share one. */
export class Layers {
  readonly #shown: Readonly<Record<Audience, AudienceDisplay>>;
  readonly #maskSource: MaskSource;
  #made = 0;

  constructor(shown: Readonly<Record<Audience, AudienceDisplay>>, maskSource: MaskSource) {
    this.#shown = shown;
    this.#maskSource = maskSource;
  }

  /** The real picture has another size: each audience's is made anew. */
  reset(real: Framebuffer): void {
    this.#regroup(real);
  }

  /** What `update` will paint besides, as what is hidden is another by now; empty where it is the same. */
  get moved(): Region {
    return AUDIENCES.reduce((all, audience) => all.union(this.#movedOf(audience)), Region.empty);
  }

  /** Makes ready what `update` will show of much damage; `real` shows it already. */
  *preparing(real: Framebuffer, damage: Region): Steps<void> {
    for (const masked of new Set(AUDIENCES.map((audience) => this.#shown[audience].masked))) {
      if (masked !== null) yield* masked.preparing(real, damage);
    }
  }

  /**
   * Brings all pictures up to date with the real one and with what is hidden now. `onChange`: what each audience's
   * watchers are owed. Where what is kept from whom is otherwise divided, some are shown another picture, of another name.
   */
  update(
    real: Framebuffer,
    change: RealChange,
    onChange: (shown: AudienceDisplay, change: Change) => void,
  ): ShownChanges {
    const isRegrouped = !this.#areGrouped();
    const before = byAudience((audience) => this.#shown[audience].masked?.kept ?? NOTHING_KEPT);
    if (isRegrouped) this.#regroup(real);
    const published = new Map<MaskedFrame, Masking>();
    const told = new Map<Masking, readonly [Change, ShownChange]>();
    const tell = (audience: Audience): ShownChange => {
      const shown = this.#shown[audience];
      const { masked } = shown;
      const kept = this.#keptFrom(audience);
      let masking: Masking;
      if (masked === null || isRegrouped) {
        // What was just made holds the update already, and covers what it would hold.
        const after = kept.hidden.union(kept.held);
        const shifted = differenceOf(before[audience].closed, after).union(kept.held);
        const damage = change.damage.subtract(after).union(shifted);
        const { hidden: hiddenBefore, closed } = before[audience];
        masking = { before: closed, after, hiddenBefore, hiddenAfter: kept.hidden, damage, shifted };
      } else {
        masking = published.get(masked) ?? this.#publish(masked, real, change.damage, kept);
        published.set(masked, masking);
      }
      // Those who share a picture are owed the same.
      const [owed, seen] = told.get(masking) ?? [
        maskedChange(change, masking),
        { damage: masking.damage, moves: seenMoves(change.moves, masking) },
      ];
      told.set(masking, [owed, seen]);
      onChange(shown, owed);
      return seen;
    };
    return byAudience(tell);
  }

  #publish(masked: MaskedFrame, real: Framebuffer, damage: Region, kept: Kept): Masking {
    const before = masked.kept;
    const shifted = masked.keep(real, kept);
    const after = masked.kept;
    return {
      ...{
        before: before.closed,
        after: after.closed,
        hiddenBefore: before.hidden,
        hiddenAfter: after.hidden,
      },
      ...{ shifted, damage: masked.publish(real, damage).union(shifted) },
    };
  }

  #movedOf(audience: Audience): Region {
    const kept = this.#keptFrom(audience);
    return this.#shown[audience].masked?.differsBy(kept) ?? kept.hidden.union(kept.held);
  }

  #keptFrom(audience: Audience): Kept {
    const { lastRead } = this.#maskSource;
    return {
      hidden: this.#maskSource.hiddenFrom(audience),
      held: this.#maskSource.heldFor(audience),
      lastRead,
    };
  }

  /** Whether those who share a picture are still kept the same from, and those who see the real one nothing. */
  #areGrouped(): boolean {
    const kinds = AUDIENCES.filter((audience) => this.#maskSource.kindOf(audience) === audience);
    const areTogether = AUDIENCES.every((audience) => {
      return this.#shown[audience].masked === this.#shown[this.#maskSource.kindOf(audience)].masked;
    });
    if (!areTogether) return false;
    return kinds.every((a, i) => {
      const hidden = this.#maskSource.hiddenFrom(a);
      const { masked } = this.#shown[a];
      if (this.#isKept(a) !== (masked !== null)) return false;
      return kinds.slice(i + 1).every((b) => {
        const isShared = masked === this.#shown[b].masked;
        return isShared === (isSame(hidden, this.#maskSource.hiddenFrom(b)) && this.#areReadAlike(a, b));
      });
    });
  }

  /** Whether an audience has a picture of its own: not made anew whenever all happens to be read. */
  #isKept(audience: Audience): boolean {
    return !this.#maskSource.hiddenFrom(audience).isEmpty || this.#maskSource.readFor(audience) !== "";
  }

  #areReadAlike(a: Audience, b: Audience): boolean {
    return this.#maskSource.readFor(a) === this.#maskSource.readFor(b);
  }

  #regroup(real: Framebuffer): void {
    const made: { readonly masked: MaskedFrame; readonly audience: Audience }[] = [];
    for (const audience of AUDIENCES) {
      const hidden = this.#maskSource.hiddenFrom(audience);
      let masked: MaskedFrame | null = null;
      if (this.#isKept(audience)) {
        const alike = made.find(
          (other) => isSame(other.masked.hidden, hidden) && this.#areReadAlike(other.audience, audience),
        );
        masked = alike?.masked ?? null;
        if (masked === null) {
          masked = new MaskedFrame(`masked ${++this.#made}`, real, this.#keptFrom(audience));
          made.push({ masked, audience });
        }
      }
      this.#shown[audience].masked = masked;
    }
  }
}

function isSame(a: Region, b: Region): boolean {
  return a === b || a.equals(b);
}
