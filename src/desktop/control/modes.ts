import { RefusedError } from "../error.ts";
import type { Action, Actor } from "./action.ts";
import type { InputState } from "./action-class.ts";
import { readCustomRules } from "./custom-rules.ts";
import type { CustomRules } from "./custom-rules-fields.ts";
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

/** What people set of a desktop's modes, as it goes on elsewhere. */
export interface ModeState {
  readonly mode: Mode;
  /** Of custom mode; null in any other. */
  readonly rules: CustomRules | null;
  /** See Modes.limits. */
  readonly limits: CustomRules | null;
  /** Whose doing it is that agents have the freedom that they have; null: the configuration's. */
  readonly freedBy: Actor | null;
}

/** The modes of one desktop: people set its ceiling, each agent may choose something stricter for itself. */
export class Modes {
  readonly #clipboard: ClipboardLimits;
  readonly #choices = new PrincipalState<Policy>();
  readonly #isFourEyes: boolean;
  #ceiling: Policy;
  #limits: CustomRules | null;
  #freedBy: Actor | null;

  /**
   * `isFourEyes`: what the owner of an agent lets agents do without asking is asked about, where it is their own. `before`: what
   * held elsewhere, where `ceiling` is of there.
   */
  constructor(
    ceiling: Policy,
    clipboard: ClipboardLimits,
    isFourEyes = false,
    before: Partial<Pick<ModeState, "limits" | "freedBy">> = {},
  ) {
    this.#isFourEyes = isFourEyes;
    this.#ceiling = ceiling;
    const { limits = ceiling.mode === "custom" ? ceiling.rules : null, freedBy = null } = before;
    this.#limits = limits;
    this.#freedBy = freedBy;
    this.#clipboard = clipboard;
  }

  /**
   * The rules that an administrator, or the configuration, put in force last, whatever mode somebody chose within them
   * since; null for none.
   */
  get limits(): CustomRules | null {
    return this.#limits;
  }

  get state(): ModeState {
    const [limits, freedBy] = [this.#limits, this.#freedBy];
    return { mode: this.ceiling, rules: this.rules, limits, freedBy };
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
   * A human sets the ceiling, as far as their authority goes, and what agents chose for themselves before is void. An
   * agent chooses for itself alone. Throws RefusedError permission_denied where an agent would weaken any verdict that
   * holds for it now, or a human go beyond their authority.
   */
  set(mode: Mode, actor: Actor, metadata?: unknown): void {
    if (actor.kind === "human") {
      const before = this.#ceiling;
      this.#ceiling =
        actor.authority === "rules" ? this.#ruled(mode, metadata) : this.#withinLimits(mode, actor, metadata);
      const isStricter = isRaise(this.#ceiling, before) && !isRaise(before, this.#ceiling);
      if (!isStricter) this.#freedBy = actor;
      this.#choices.clear();
      return;
    }
    const policy = policyOf(mode, metadata);
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

  /** What an administrator says holds, and is a limit to all others. Passive is a pause: the limits wait. */
  #ruled(mode: Mode, metadata: unknown): Policy {
    const policy = policyOf(mode, metadata);
    if (policy.mode === "custom") this.#limits = policy.rules;
    else if (policy.mode !== "passive") this.#limits = null;
    return policy;
  }

  /** What others may choose: never more than an administrator's rules, and custom is those rules. */
  #withinLimits(mode: Mode, { authority }: Actor, metadata: unknown): Policy {
    if (authority !== "modes") {
      throw new RefusedError(
        "permission_denied",
        "your role may not set what agents are free to do: an operator or an administrator does; you can stop the desktop",
      );
    }
    if (metadata !== undefined || mode === "autopilot") {
      const what = metadata === undefined ? "autopilot" : "rules";
      throw new RefusedError(
        "permission_denied",
        `got ${what}, which only an administrator sets: expected passive, assist, composing, or custom without rules`,
      );
    }
    if (mode === "custom") return { mode, rules: this.#limits ?? readCustomRules({}) };
    const limits = this.#limits;
    if (limits !== null && isRaise({ mode: "custom", rules: limits }, { mode })) {
      throw new RefusedError(
        "permission_denied",
        `got ${mode}, which would loosen an administrator's rules of this desktop: expected passive or custom, or ask an administrator`,
      );
    }
    return { mode };
  }

  verdict(action: Action, actor: Actor, input: InputState): Verdict {
    const choice = this.#choices.get(actor.id) ?? null;
    const verdict = decide(
      { ceiling: this.#ceiling, choice, clipboard: this.#clipboard },
      action,
      actor,
      input,
    );
    return verdict.kind === "allow" && this.#isFreedByOwner(actor) ? { kind: "ask" } : verdict;
  }

  /** A mode is a yes to all that it allows: under four eyes that of an agent's owner does not count for it. */
  #isFreedByOwner({ kind, person }: Actor): boolean {
    if (!this.#isFourEyes || kind !== "agent" || this.#freedBy === null) return false;
    return person === undefined || this.#freedBy.person === undefined || this.#freedBy.person === person;
  }
}
