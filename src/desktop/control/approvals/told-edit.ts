import type { Done } from "../../input/performer.ts";
import type { ActionResult } from "../action.ts";
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
