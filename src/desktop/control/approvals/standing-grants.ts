import { randomUUID } from "node:crypto";
import { holdsPoint, type Point, type Rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import { RefusedError } from "../../error.ts";
import type { AudienceDisplay } from "../../picture/audience-display.ts";
import type { Action, Actor } from "../action.ts";
import { type HeldBeside, isSameHeld } from "../action-summary.ts";
import { isSameScope, scopeOf } from "./grant-scope.ts";
import type { ScreenBinding } from "./screen-binding.ts";

/** More than a person remembers to have given; the oldest goes first. */
const MAX_GRANTS = 32;
/** What allowed actions themselves may change of the bound picture: a line of text, a button, not a new window. */
export const MOST_OWN_CHANGE = 1 / 4;

/** What a person need not be asked again for a while. */
export interface Grant {
  readonly id: string;
  /** Who may. */
  readonly actor: Actor;
  /** Who said so. */
  readonly by: Actor;
  /** In words: "Click left here". */
  readonly scope: string;
  readonly kind: Action["kind"];
  /** Here; null for what has no place. */
  readonly area: Rect | null;
  readonly givenAt: string;
  readonly expiresAt: string;
  readonly uses: number;
}

/** stale: the screen there is another; ended: the rules changed, the desktop was stopped, or there are newer ones. */
export type GrantChange = "given" | "used" | "revoked" | "expired" | "stale" | "ended";

export interface GrantPorts {
  readonly clock: Clock;
  /** To people, who say yes to what they see. */
  readonly shown: Pick<AudienceDisplay, "frame">;
  /** Binds anew to the same places, as they are now. */
  rebind(binding: ScreenBinding): ScreenBinding;
  tell(change: GrantChange, grant: Grant, by: Actor | null): void;
}

interface Kept {
  grant: Grant;
  readonly action: Action;
  readonly held: HeldBeside;
  binding: ScreenBinding | null;
  /** Actions under way that it allowed: what changes meanwhile is theirs. */
  using: number;
  readonly cancelExpiry: () => void;
}

/** A grant while an action makes use of it. */
export interface GrantUse {
  readonly grant: Grant;
  /** Whether it still holds: not revoked, not expired, the screen as it was. */
  holds(): boolean;
  /** From now on what changes on the screen is the action's doing. */
  begin(): void;
  end(): void;
}

/** "Allow this for 10 minutes": bound to the action, its place and what that shows. */
export class StandingGrants {
  readonly #ports: GrantPorts;
  readonly #all = new Map<string, Kept>();

  constructor(ports: GrantPorts) {
    this.#ports = ports;
  }

  /** Oldest first. */
  get all(): readonly Grant[] {
    return [...this.#all.values()].map(({ grant }) => grant);
  }

  /**
   * `area`: here, null for an action without a place. `held`: what is held beside it. The action that was asked about is
   * its first use, which begins at once. null where the action can be allowed once only.
   */
  add(
    action: Action,
    held: HeldBeside,
    actor: Actor,
    by: Actor,
    area: Rect | null,
    binding: ScreenBinding | null,
    forMs: number,
  ): GrantUse | null {
    const scope = scopeOf(action, held);
    if (scope === null) return null;
    const { clock } = this.#ports;
    const now = clock.date();
    const id = randomUUID();
    const grant: Grant = {
      ...{ id, actor, by, scope, kind: action.kind, area },
      givenAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + forMs).toISOString(),
      uses: 0,
    };
    const cancelExpiry = clock.after(forMs, () => this.#drop(id, "expired", null));
    const kept: Kept = { grant, action, held, binding, using: 0, cancelExpiry };
    this.#all.set(id, kept);
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= MAX_GRANTS) break;
      this.#drop(oldest, "ended", null);
    }
    this.#ports.tell("given", grant, by);
    const use = this.#use(kept);
    use.begin();
    return use;
  }

  /** What covers an action of an actor with the same held beside it; `path`: where it is done, every point of it. */
  find(action: Action, held: HeldBeside, actor: Actor, path: readonly Point[]): GrantUse | null {
    for (const kept of this.#all.values()) {
      const { grant, binding } = kept;
      const isHere =
        grant.area === null ||
        (path.length > 0 && path.every(({ x, y }) => holdsPoint(grant.area ?? EVERYWHERE, x, y)));
      if (grant.actor.id !== actor.id || !isHere || !isSameScope(kept.action, action)) continue;
      if (!isSameHeld(kept.held, held)) continue;
      if (binding !== null && kept.using === 0 && !this.#isAsBound(binding)) continue;
      return this.#use(kept);
    }
    return null;
  }

  /** Pixels changed: what is bound to others is over, for good. null: all of them may have. */
  onDamage(damage: Region | null): void {
    for (const { grant, binding, using } of [...this.#all.values()]) {
      if (binding === null || using > 0 || (damage !== null && !binding.isTouchedBy(damage))) continue;
      if (!this.#isAsBound(binding)) this.#drop(grant.id, "stale", null);
    }
  }

  /** False for an unknown one. Throws RefusedError permission_denied for all but humans. */
  revoke(id: string, by: Actor): boolean {
    if (by.kind !== "human") {
      throw new RefusedError("permission_denied", "only a human takes back what a human allowed");
    }
    return this.#drop(id, "revoked", by);
  }

  /** Whoever changes the rules or stops starts anew. */
  clear(): void {
    for (const id of [...this.#all.keys()]) this.#drop(id, "ended", null);
  }

  #use(kept: Kept): GrantUse {
    const { id } = kept.grant;
    let isUsing = false;
    return {
      grant: kept.grant,
      holds: () => this.#all.get(id) === kept,
      begin: () => {
        if (isUsing) return;
        isUsing = true;
        kept.using++;
        kept.grant = { ...kept.grant, uses: kept.grant.uses + 1 };
        if (this.#all.get(id) === kept) this.#ports.tell("used", kept.grant, kept.grant.actor);
      },
      end: () => {
        if (!isUsing) return;
        isUsing = false;
        kept.using--;
        if (kept.using === 0) this.#settle(kept);
      },
    };
  }

  /** An allowed action is over: what it changed is what is bound now, unless it is a new screen. */
  #settle(kept: Kept): void {
    const { frame } = this.#ports.shown;
    if (kept.binding === null || this.#all.get(kept.grant.id) !== kept) return;
    if (frame === null || kept.binding.changedShare(frame) > MOST_OWN_CHANGE) {
      this.#drop(kept.grant.id, "stale", null);
    } else kept.binding = this.#ports.rebind(kept.binding);
  }

  #isAsBound(binding: ScreenBinding): boolean {
    const { frame } = this.#ports.shown;
    return frame !== null && binding.holds(frame);
  }

  #drop(id: string, change: GrantChange, by: Actor | null): boolean {
    const kept = this.#all.get(id);
    if (kept === undefined) return false;
    this.#all.delete(id);
    kept.cancelExpiry();
    this.#ports.tell(change, kept.grant, by);
    return true;
  }
}

const EVERYWHERE: Rect = Object.freeze({ x: 0, y: 0, width: 65_536, height: 65_536 });
