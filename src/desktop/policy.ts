import type { Action, Actor } from "./action.ts";

export const MODES = ["passive", "assist", "autopilot", "composing"] as const;
export type Mode = (typeof MODES)[number];

/** What the policy says of one action. */
export type Verdict =
  | { readonly kind: "allow" }
  | { readonly kind: "ask" }
  | { readonly kind: "deny"; readonly reason: string };

const ALLOW: Verdict = { kind: "allow" };
const ASK: Verdict = { kind: "ask" };

/** From the least to the most freedom an agent has. */
const FREEDOM = { passive: 0, assist: 1, composing: 2, autopilot: 3 } as const satisfies Record<Mode, number>;

/** The mode that gives an agent less. */
export function stricterMode(a: Mode, b: Mode): Mode {
  return FREEDOM[a] <= FREEDOM[b] ? a : b;
}

/**
 * Decides, from the mode alone, whether an actor may do an action. Humans are bound by their role, not by the mode.
 *
 * | mode | pointer, click, key, resize | type, write clipboard | read clipboard |
 * |---|---|---|---|
 * | passive | deny | deny | deny |
 * | assist | ask | ask | ask |
 * | composing | ask | allow | allow |
 * | autopilot | allow | allow | allow |
 */
export function decide(mode: Mode, action: Action, actor: Actor): Verdict {
  if (actor.kind === "human") return ALLOW;
  if (actor.kind === "replay") return { kind: "deny", reason: "a replay takes no input" };
  switch (mode) {
    case "passive":
      return {
        kind: "deny",
        reason: "the desktop is in passive mode, which takes no input: a human must raise the mode",
      };
    case "assist":
      return ASK;
    case "composing":
      return action.kind === "type" || action.kind === "write_clipboard" || action.kind === "read_clipboard"
        ? ALLOW
        : ASK;
    case "autopilot":
      return ALLOW;
  }
}
