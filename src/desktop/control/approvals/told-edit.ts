import type { Done } from "../../input/performer.ts";
import type { Action, ActionResult } from "../action.ts";
import { summaryOf } from "../action-summary.ts";
import type { Permit } from "./approval-requester.ts";

/**
 * What an agent is told of what a person changed of its action. Of a place that is hidden from agents that is that they
 * changed it, and nothing of what they wrote, nor where: it may be what the place is hidden for.
 */
export function toldEdit(
  permit: Pick<Permit, "edit" | "isHiddenEdit"> | null,
  done: Pick<Done, "notTyped">,
): Pick<ActionResult, "edit"> & Partial<Pick<Done, "notTyped" | "position">> {
  if (permit === null || permit.edit === null) return {};
  if (!permit.isHiddenEdit) return { edit: permit.edit };
  const notTyped = done.notTyped.map(() => "?");
  return permit.edit.x === undefined ? { edit: {}, notTyped } : { edit: {}, position: null };
}

/** An action as a record tells of it. */
export interface Recorded {
  readonly action: Action;
  readonly summary: string;
}

/** A place that a person named under a mask, and how long a text that they wrote there is, are not told. */
export function recordedAs(
  permit: Pick<Permit, "action" | "isHiddenEdit"> | null,
  asked: Action,
  subject?: string,
): Recorded {
  if (permit?.isHiddenEdit === true)
    return { action: asked, summary: `${summaryOf(asked, subject)}, changed by a person` };
  const action = permit?.action ?? asked;
  return { action, summary: summaryOf(action, subject) };
}
