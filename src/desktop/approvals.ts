import { randomUUID } from "node:crypto";
import type { Point, Rect } from "../framebuffer/rect.ts";
import type { Action, Actor } from "./action.ts";
import type { Clock } from "./clock.ts";
import { RefusedError } from "./error.ts";

export type ApprovalState = "pending" | "granted" | "denied" | "expired" | "cancelled";

/** A question to a human: may this actor do this action? */
export interface Approval {
  readonly id: string;
  readonly desktopId: string;
  readonly action: Action;
  /** The action in words, without typed text: "Click left at 640,300". */
  readonly summary: string;
  readonly actor: Actor;
  readonly intent: string | null;
  /** Where on the desktop, for the card's ring; null where the action has no place. */
  readonly point: Point | null;
  /** The crop the card shows. */
  readonly crop: Rect | null;
  readonly askedAt: string;
  readonly expiresAt: string;
  readonly state: ApprovalState;
  readonly decidedBy: Actor | null;
}

/** What is asked: an Approval without what the queue adds. */
export type Question = Omit<Approval, "id" | "askedAt" | "expiresAt" | "state" | "decidedBy">;

/** More open questions than a person can answer: the next one is refused. */
const MAX_PENDING = 50;

interface Open {
  readonly approval: Approval;
  readonly close: (approval: Approval) => void;
}

/** The queue of one desktop's open questions. Silence means no. */
export class Approvals {
  readonly #open = new Map<string, Open>();
  readonly #clock: Clock;
  readonly #expiryMs: number;
  readonly #on: (approval: Approval) => void;

  /** `on` is told of each approval when it is asked and when it is decided. */
  constructor(clock: Clock, expiryMs: number, on: (approval: Approval) => void) {
    this.#clock = clock;
    this.#expiryMs = expiryMs;
    this.#on = on;
  }

  /** Oldest first. */
  get pending(): readonly Approval[] {
    return [...this.#open.values()].map(({ approval }) => approval);
  }

  /** Resolves with who granted it. Throws RefusedError when it is denied, expires, or the signal aborts. */
  async ask(question: Question, signal?: AbortSignal): Promise<Actor | null> {
    if (this.#open.size >= MAX_PENDING) {
      throw new RefusedError(
        "too_many",
        `${MAX_PENDING} questions wait for a human already: let them be decided first`,
      );
    }
    const now = this.#clock.date();
    const approval: Approval = {
      ...question,
      id: randomUUID(),
      askedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + this.#expiryMs).toISOString(),
      state: "pending",
      decidedBy: null,
    };
    const decided = await this.#wait(approval, signal);
    switch (decided.state) {
      case "granted":
        return decided.decidedBy;
      case "denied":
        throw new RefusedError("denied_by_human", "a human denied this action: ask what they want instead");
      case "expired":
        throw new RefusedError(
          "approval_expired",
          `nobody approved this action within ${this.#expiryMs / 1000} s: ask the human to watch the viewer, then try again`,
        );
      default:
        throw new RefusedError("cancelled", "the action was cancelled before it was approved");
    }
  }

  /** Throws RefusedError not_found for an unknown or already decided one. */
  decide(id: string, isGranted: boolean, by: Actor): Approval {
    const open = this.#open.get(id);
    if (open === undefined) {
      throw new RefusedError("not_found", "no such open approval: it was decided, has expired or never was");
    }
    const approval: Approval = { ...open.approval, state: isGranted ? "granted" : "denied", decidedBy: by };
    open.close(approval);
    return approval;
  }

  /** Everything open is void: the desktop was stopped or is gone. */
  cancelAll(): void {
    for (const { approval, close } of [...this.#open.values()]) close({ ...approval, state: "cancelled" });
  }

  #wait(approval: Approval, signal: AbortSignal | undefined): Promise<Approval> {
    return new Promise((resolve) => {
      const onAbort = (): void => close({ ...approval, state: "cancelled" });
      const close = (closed: Approval): void => {
        if (!this.#open.delete(approval.id)) return;
        cancelExpiry();
        signal?.removeEventListener("abort", onAbort);
        this.#on(closed);
        resolve(closed);
      };
      const cancelExpiry = this.#clock.after(this.#expiryMs, () => close({ ...approval, state: "expired" }));
      this.#open.set(approval.id, { approval, close });
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#on(approval);
    });
  }
}
