import { RefusedError } from "../../error.ts";
import type { DesktopEvent } from "../../events/desktop-event.ts";
import { Listeners } from "../../listeners.ts";
import type { Audience } from "../../view.ts";
import type { Actor } from "../action.ts";
import type { Approval, Approvals, Decision, ShownPart } from "./approvals.ts";

/** Where questions come from: a desktop, or the registry of desktops itself. */
export interface QuestionSource {
  readonly approvals: Pick<Approvals, "pending" | "decide" | "belongsTo" | "picture" | "shown">;
  on(listener: (event: DesktopEvent) => void): () => void;
}

/** Every open question of the appliance in one place, for those who answer. */
export class Questions {
  readonly #sources = new Map<QuestionSource, () => void>();
  readonly #listeners: Listeners<Approval>;

  constructor(onBug: (error: unknown) => void) {
    this.#listeners = new Listeners(onBug);
  }

  add(source: QuestionSource): void {
    const stop = source.on((event) => {
      if (event.type === "approval") this.#listeners.tell(event.approval);
    });
    this.#sources.set(source, stop);
  }

  remove(source: QuestionSource): void {
    this.#sources.get(source)?.();
    this.#sources.delete(source);
  }

  /** Oldest first. */
  get pending(): readonly Approval[] {
    return [...this.#sources.keys()]
      .flatMap(({ approvals }) => approvals.pending)
      .sort((a, b) => a.askedAt.localeCompare(b.askedAt));
  }

  /** Told of each question when it is asked and when it is settled. */
  on(listener: (approval: Approval) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Whether the question was asked by the call that this signal belongs to. */
  belongsTo(id: string, call: AbortSignal): boolean {
    return [...this.#sources.keys()].some(({ approvals }) => approvals.belongsTo(id, call));
  }

  /** As Approvals.picture, wherever the question came from. */
  picture(id: string, audience: Audience): Promise<Uint8Array> | null {
    for (const { approvals } of this.#sources.keys()) {
      const picture = approvals.picture(id, audience);
      if (picture !== null) return picture;
    }
    return null;
  }

  /** As Approvals.shown, wherever the question came from. */
  shown(id: string, to: Pick<Actor, "id">, part: ShownPart): void {
    for (const { approvals } of this.#sources.keys()) approvals.shown(id, to, part);
  }

  /** As Approvals.decide, wherever the question came from. */
  decide(id: string, decision: Decision, by: Actor): Approval {
    for (const { approvals } of this.#sources.keys()) {
      if (approvals.pending.some((approval) => approval.id === id)) return approvals.decide(id, decision, by);
    }
    throw new RefusedError(
      "not_found",
      "no such open approval: it was decided, has expired or never existed",
    );
  }
}
