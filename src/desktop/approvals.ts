import type { Point, Rect } from "../framebuffer/rect.ts";
import type { Action, Actor } from "./action.ts";

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

/** The queue of one desktop's open questions. Silence means no. */
export declare class Approvals {
  readonly pending: readonly Approval[];
  /** Throws RefusedError not_found for an unknown or already decided one. */
  decide(id: string, isGranted: boolean, by: Actor): Approval;
}
