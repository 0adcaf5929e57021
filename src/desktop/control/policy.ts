import type { Point } from "../../framebuffer/rect.ts";
import type { Action, Actor } from "./action.ts";
import {
  ACTION_CLASSES,
  type ActionClass,
  actionClassesOf,
  type InputState,
  isWeakerWord,
  pathOf,
  stricterWord,
  type VerdictWord,
} from "./action-class.ts";
import { customWord, weakensAreas } from "./custom-rules.ts";
import type { CustomRules } from "./custom-rules-fields.ts";

export const MODES = ["passive", "assist", "autopilot", "composing", "custom"] as const;
export type Mode = (typeof MODES)[number];

/** A mode with its rules: only custom has any. */
export type Policy =
  | { readonly mode: Exclude<Mode, "custom"> }
  | { readonly mode: "custom"; readonly rules: CustomRules };

/** What the configuration says of the clipboard, whatever the mode. */
export interface ClipboardLimits {
  readonly read: VerdictWord;
  readonly write: VerdictWord;
}

/** What the policy says of one action. */
export type Verdict =
  | { readonly kind: "allow" }
  | { readonly kind: "ask" }
  | { readonly kind: "deny"; readonly reason: string };

type Row = Readonly<Record<ActionClass, VerdictWord>>;

function row(rest: VerdictWord, changes: Partial<Row> = {}): Row {
  return {
    pointer: rest,
    keys: rest,
    text: rest,
    write_clipboard: rest,
    read_clipboard: rest,
    resize: rest,
    ...changes,
  };
}

/** The policy table; docs/policy.md is generated from it. */
const TABLE: Readonly<Record<Exclude<Mode, "custom">, Row>> = {
  passive: row("deny"),
  assist: row("ask"),
  composing: row("ask", { text: "allow", write_clipboard: "allow", read_clipboard: "allow" }),
  autopilot: row("allow"),
};

/** What a policy says of an action class, `path` being the way of the pointer. */
export function wordFor(policy: Policy, actionClass: ActionClass, path: readonly Point[] = []): VerdictWord {
  return policy.mode === "custom"
    ? customWord(policy.rules, actionClass, path)
    : TABLE[policy.mode][actionClass];
}

/** Whether `to` weakens any verdict of `from`, anywhere: that is raising, and needs a human. */
export function isRaise(from: Policy, to: Policy): boolean {
  if (
    ACTION_CLASSES.some((actionClass) => isWeakerWord(wordFor(from, actionClass), wordFor(to, actionClass)))
  )
    return true;
  return (
    from.mode === "custom" &&
    weakensAreas(from.rules, to.mode === "custom" ? to.rules : null, wordFor(to, "pointer"))
  );
}

/** The stricter of two policies by name; custom where neither is stricter throughout. */
export function stricterMode(a: Policy, b: Policy): Mode {
  if (!isRaise(b, a)) return a.mode;
  return isRaise(a, b) ? "custom" : b.mode;
}

/** What holds for one actor: the desktop's ceiling, the actor's own choice where it made one, the configuration. */
export interface Rulings {
  readonly ceiling: Policy;
  readonly choice: Policy | null;
  readonly clipboard: ClipboardLimits;
}

/**
 * Decides whether an actor may do an action: the strictest of all that holds for it. Humans are bound by their role,
 * not by the mode. `input`: where the pointer is and what is held.
 */
export function decide(rulings: Rulings, action: Action, actor: Actor, input: InputState): Verdict {
  if (actor.kind === "human") return { kind: "allow" };
  if (actor.kind === "replay") return { kind: "deny", reason: "a replay takes no input" };
  const path = pathOf(action, input);
  let verdict: Verdict = { kind: "allow" };
  for (const actionClass of actionClassesOf(action, input.keys)) {
    const judged = judge(rulings, actionClass, path);
    if (judged.kind === "deny") return judged;
    if (judged.kind === "ask") verdict = judged;
  }
  return verdict;
}

/** What the strictest of the rulings says of one action class. */
function judge(rulings: Rulings, actionClass: ActionClass, path: readonly Point[]): Verdict {
  const byCeiling = wordFor(rulings.ceiling, actionClass, path);
  const byChoice = rulings.choice === null ? "allow" : wordFor(rulings.choice, actionClass, path);
  const byClipboard = clipboardWord(rulings.clipboard, actionClass);
  const strictest = stricterWord(stricterWord(byCeiling, byChoice), byClipboard);
  if (strictest !== "deny") return { kind: strictest };
  if (byCeiling === "deny") return { kind: "deny", reason: reasonOf(rulings.ceiling.mode, actionClass) };
  if (byChoice === "deny") {
    return {
      kind: "deny",
      reason: `you chose ${rulings.choice?.mode ?? "a mode"}, which denies ${NAMES[actionClass]}: a human must raise the mode`,
    };
  }
  return { kind: "deny", reason: `the configuration denies ${NAMES[actionClass]} on every desktop` };
}

function clipboardWord(limits: ClipboardLimits, actionClass: ActionClass): VerdictWord {
  if (actionClass === "read_clipboard") return limits.read;
  return actionClass === "write_clipboard" ? limits.write : "allow";
}

function reasonOf(mode: Mode, actionClass: ActionClass): string {
  if (mode === "passive") {
    return "the desktop is in passive mode, which takes no input: a human must raise the mode";
  }
  return `the rules of the desktop's ${mode} mode deny ${NAMES[actionClass]} there: a human must change them`;
}

/** Action classes in words, for messages and docs. */
export const NAMES: Readonly<Record<ActionClass, string>> = {
  pointer: "pointing and clicking",
  keys: "pressing keys",
  text: "typing text",
  write_clipboard: "setting the clipboard",
  read_clipboard: "reading the clipboard",
  resize: "resizing the desktop",
};
