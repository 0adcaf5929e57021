import { holdsPoint, type Point, type Rect } from "../framebuffer/rect.ts";
import type { Action, Actor } from "./action.ts";
import type { Clock } from "./clock.ts";

/** More than a person remembers to have given; the oldest goes first. */
const MAX_GRANTS = 32;

interface Grant {
  readonly actorId: string;
  readonly kind: Action["kind"];
  readonly button: string;
  readonly area: Rect | null;
  readonly untilMs: number;
}

/** "Allow this kind here for 10 minutes": what a person need not be asked again. */
export class StandingGrants {
  readonly #clock: Clock;
  #grants: readonly Grant[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `area`: here; null for an action without a place, which is then meant wherever it goes. */
  add(action: Action, actor: Actor, area: Rect | null, forMs: number): void {
    const { kind, button } = kindOf(action);
    const untilMs = this.#clock.nowMs() + forMs;
    this.#grants = [
      ...this.#grants.slice(1 - MAX_GRANTS),
      { actorId: actor.id, kind, button, area, untilMs },
    ];
  }

  /** `at`: where the action happens, every point of it. */
  covers(action: Action, actor: Actor, at: readonly Point[]): boolean {
    const nowMs = this.#clock.nowMs();
    this.#grants = this.#grants.filter(({ untilMs }) => untilMs > nowMs);
    const { kind, button } = kindOf(action);
    return this.#grants.some(
      ({ area, ...grant }) =>
        grant.actorId === actor.id &&
        grant.kind === kind &&
        grant.button === button &&
        (area === null || (at.length > 0 && at.every(({ x, y }) => holdsPoint(area, x, y)))),
    );
  }

  /** Whoever changes the rules or stops starts anew. */
  clear(): void {
    this.#grants = [];
  }
}

function kindOf(action: Action): { readonly kind: Action["kind"]; readonly button: string } {
  return { kind: action.kind, button: "button" in action ? action.button : "" };
}
