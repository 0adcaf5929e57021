import { RefusedError } from "../../desktop/error.ts";
import { readAnthropic } from "./anthropic.ts";
import { readGemini } from "./gemini.ts";
import { readOpenai } from "./openai.ts";
import { isRecord } from "./read.ts";
import type { VendorAction } from "./step.ts";

/** Actions in one call; vendors send a handful. */
const MAX_ACTIONS = 40;

/**
 * The actions of a vendor's object, told apart by its own fields: Anthropic's {action, …} or tool_use block
 * {name, input}, OpenAI's {type, …} or computer_call, Gemini's {name, args}, or {actions: […]} of any of them.
 * Throws ArgumentsError, or RefusedError invalid_parameters or not_supported.
 */
export function readVendorActions(given: Readonly<Record<string, unknown>>): readonly VendorAction[] {
  const actions = flatten(given, false);
  if (actions.length >= 1 && actions.length <= MAX_ACTIONS) return actions;
  throw new RefusedError(
    "invalid_parameters",
    `got ${actions.length} actions, expected 1 to ${MAX_ACTIONS} in one call`,
  );
}

function flatten(given: Readonly<Record<string, unknown>>, mustConfirm: boolean): VendorAction[] {
  const { action, actions, type, name } = given;
  // OpenAI's item as it came: its safety checks wait for somebody to acknowledge them.
  if (type === "computer_call") {
    const checks = given["pending_safety_checks"];
    const isChecked = Array.isArray(checks) && checks.length > 0;
    if (Array.isArray(actions)) return listOf(actions, isChecked);
    if (isRecord(action)) return flatten(action, isChecked);
    throw unreadable("a computer_call without action or actions");
  }
  if (Array.isArray(actions)) return listOf(actions, mustConfirm);
  if (typeof action === "string") {
    const { action: _name, ...fields } = given;
    return [readAnthropic(action, fields)];
  }
  // The tools before the toolset: the call has the tool's name, and the action is in its arguments.
  const { input } = given;
  if (isRecord(input) && typeof input["action"] === "string") {
    const { action: member, ...fields } = input;
    return [readAnthropic(String(member), fields)];
  }
  if (typeof name === "string" && "input" in given) return [readAnthropic(name, given["input"])];
  if (typeof name === "string") return [readGemini(name, given["args"] ?? given["arguments"] ?? {})];
  if (typeof type === "string") return [readOpenai(type, given, mustConfirm)];
  throw unreadable(`the fields ${Object.keys(given).slice(0, 8).join(", ") || "of nothing"}`);
}

function listOf(actions: readonly unknown[], mustConfirm: boolean): VendorAction[] {
  if (actions.length > MAX_ACTIONS) {
    throw new RefusedError(
      "invalid_parameters",
      `got ${actions.length} actions, expected 1 to ${MAX_ACTIONS} in one call`,
    );
  }
  return actions.flatMap((item) => {
    if (!isRecord(item) || Array.isArray(item["actions"]))
      throw unreadable("a list with something else in it");
    return flatten(item, mustConfirm);
  });
}

function unreadable(got: string): RefusedError {
  return new RefusedError(
    "invalid_parameters",
    `got ${got}, expected a vendor's action: {action, …}, {type, …}, {name, args}, {name, input} or {actions: […]}`,
  );
}
