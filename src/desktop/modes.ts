import type { Point } from "../framebuffer/rect.ts";
import type { Action, Actor } from "./action.ts";
import { readCustomRules } from "./custom-rules.ts";
import type { CustomRules } from "./custom-rules-fields.ts";
import { RefusedError } from "./error.ts";
import {
  type ClipboardLimits,
  decide,
  isRaise,
  type Mode,
  type Policy,
  stricterMode,
  type Verdict,
} from "./policy.ts";
import { PrincipalState } from "./principal-state.ts";

/** A mode by name; `metadata` are the rules of custom. Throws RefusedError invalid_parameters. */
export function policyOf(mode: Mode, metadata?: unknown): Policy {
  return mode === "custom" ? { mode, rules: readCustomRules(metadata) } : { mode };
}

/** The modes of one desktop: people set its ceiling, each agent may choose something stricter for itself. */
export class Modes {
  readonly #clipboard: ClipboardLimits;
  readonly #choices = new PrincipalState<Policy>();
  #ceiling: Policy;

  constructor(ceiling: Policy, clipboard: ClipboardLimits) {
    this.#ceiling = ceiling;
    this.#clipboard = clipboard;
  }

  get ceiling(): Mode {
    return this.#ceiling.mode;
  }

  /** Of the ceiling; null unless it is custom. */
  get rules(): CustomRules | null {
    return this.#ceiling.mode === "custom" ? this.#ceiling.rules : null;
  }

  /** What holds for a principal, by name. */
  modeOf(principalId: string): Mode {
    const choice = this.#choices.get(principalId);
    return choice === undefined ? this.#ceiling.mode : stricterMode(this.#ceiling, choice);
  }

  /**
   * A human sets the ceiling, and what agents chose for themselves before is void. An agent chooses for itself alone.
   * Throws RefusedError permission_denied where an agent would weaken any verdict that holds for it now.
   */
  set(mode: Mode, actor: Actor, metadata?: unknown): void {
    const policy = policyOf(mode, metadata);
    if (actor.kind === "human") {
      this.#ceiling = policy;
      this.#choices.clear();
      return;
    }
    const choice = this.#choices.get(actor.id);
    const isRaising = isRaise(choice ?? this.#ceiling, policy);
    if (isRaising) {
      throw new RefusedError(
        "permission_denied",
        `only a human may raise the mode from ${this.modeOf(actor.id)} to ${mode}: ask them to do it in the viewer`,
      );
    }
    this.#choices.set(actor.id, policy);
  }

  verdict(action: Action, actor: Actor, pointer: Point): Verdict {
    const choice = this.#choices.get(actor.id) ?? null;
    return decide({ ceiling: this.#ceiling, choice, clipboard: this.#clipboard }, action, actor, pointer);
  }
}
