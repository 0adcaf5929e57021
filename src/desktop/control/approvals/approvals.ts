import { createHash, randomUUID } from "node:crypto";
import { plainWords } from "../../../compositor/look/shown-text.ts";
import type { Point, Rect } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import { RefusedError } from "../../error.ts";
import type { Audience } from "../../view.ts";
import type { Action, Actor, Edit } from "../action.ts";
import type { Detail } from "../action-details.ts";
import type { HeldBeside } from "../action-summary.ts";
import { scopeOf } from "./grant-scope.ts";

/** stale: what the card showed has changed on the screen, and changing back does not revive it. */
type ApprovalState = "pending" | "granted" | "denied" | "expired" | "cancelled" | "stale";

/** Needs approval though it is no input: an agent proposes a desktop. */
export interface Proposal {
  readonly kind: "add_connection";
  readonly name: string;
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  /** All that it is, and all that will be sent there. */
  readonly details: readonly Detail[];
}

/** Done in a paired browser, which is no desktop: what, to which element of which site, and the text that goes there. */
export interface BrowserProposal {
  readonly kind: "browser" | "browser_script";
  readonly details: readonly Detail[];
  readonly text?: string;
}

/** All that people are asked about. */
export type Asked = Action | Proposal | BrowserProposal;

/** Whether it is about no desktop, and says all of itself in its details. */
export function isProposal(asked: Asked): asked is Proposal | BrowserProposal {
  return "details" in asked;
}

/** A question to a human: may this actor do this action? */
export interface Approval {
  readonly id: string;
  /** Empty for a proposal, which is about no desktop. */
  readonly desktopId: string;
  readonly action: Asked;
  /** The action in words, without typed text: "Click left at 640,300". */
  readonly summary: string;
  readonly held: HeldBeside;
  readonly actor: Actor;
  readonly intent: string | null;
  /** Where on the desktop, for the card's ring; null where the action has no place. */
  readonly point: Point | null;
  /** The crop the card shows. */
  readonly crop: Rect | null;
  /** What must still look the same when it is done; null where the approval is bound to its arguments alone. */
  readonly bound: Rect | null;
  /** SHA-256 of those pixels, hex; null without any, and where some of them are hidden from anybody. */
  readonly screenHash: string | null;
  /** From whom a part of what it is about is hidden; absent: from nobody. */
  readonly hiddenFrom?: readonly Audience[];
  /** Whether those pixels are compared exactly, not with tolerance. */
  readonly isExact: boolean;
  /** SHA-256 of the action with all its arguments, hex. */
  readonly argumentsHash: string;
  readonly askedAt: string;
  readonly expiresAt: string;
  /** A yes is taken from whom it was shown to for so long; 0: from everybody at once. */
  readonly armingMs: number;
  /** Only a yes by somebody else than the agent's owner counts. */
  readonly isFourEyes: boolean;
  readonly state: ApprovalState;
  readonly decidedBy: Actor | null;
  /** Who said no does it themselves; absent: nobody does. */
  readonly isTakenOver?: true;
}

/** What is asked: an Approval without what the queue adds. */
export type Question = Omit<
  Approval,
  "id" | "argumentsHash" | "askedAt" | "expiresAt" | "armingMs" | "isFourEyes" | "state" | "decidedBy"
>;

/** How long a question waits for an answer, how long a yes has to wait, and whose counts. */
export interface ApprovalTerms {
  readonly approvalExpiryMs: number;
  /** See Approval.armingMs. Default 0. */
  readonly approvalArmingMs?: number;
  /** See Approval.isFourEyes. Default false. */
  readonly isFourEyes?: boolean;
}

/** What a face has put before somebody: the card's words, or all that a person needs to decide. */
export type ShownPart = "words" | "all";

/** What a human answers. */
export type Decision =
  | { readonly kind: "approve"; readonly edit?: Edit; readonly allowForMs?: number }
  | { readonly kind: "deny" }
  /** The human does it: the agent is told that it lost the input. */
  | { readonly kind: "take_over" };

/** A question that was answered with yes. */
export interface Granted {
  readonly approval: Approval;
  readonly by: Actor;
  readonly edit: Edit | null;
  readonly allowForMs: number;
}

/** More open questions than a person can answer: the next one is refused … */
const MAX_PENDING = 50;
/** … and so many of one agent on all desktops, so that it leaves room for others. */
const MAX_AN_AGENT = 5;

/** What an open question hangs on. */
export interface Asking {
  /** Aborted: the question is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Of the call behind it. */
  readonly call?: AbortSignal | undefined;
  /** Aborted: what its card shows is not so any more. */
  readonly stale?: AbortSignal | undefined;
  /** PNGs of its crop, as people of each role saw it when it was bound. */
  readonly pictures?: ReadonlyMap<Audience, Promise<Uint8Array>> | null;
}

interface Open {
  readonly approval: Approval;
  readonly asking: Asking;
  /** Since when all of it is before whom, by their id. */
  readonly shownAtMs: Map<string, number>;
  readonly close: (approval: Approval, decision?: Decision) => void;
}

/** The queue of one desktop's open questions. Silence means no. */
export class Approvals {
  readonly #open = new Map<string, Open>();
  readonly #clock: Clock;
  readonly #terms: { readonly expiryMs: number; readonly armingMs: number; readonly isFourEyes: boolean };
  readonly #on: (approval: Approval) => void;
  readonly #everywhere: () => readonly Approval[];

  /**
   * `on` is told of each approval when it is asked and when it is decided. `everywhere`: all open questions of the appliance;
   * default these alone.
   */
  constructor(
    clock: Clock,
    { approvalExpiryMs: expiryMs, approvalArmingMs: armingMs = 0, isFourEyes = false }: ApprovalTerms,
    on: (approval: Approval) => void,
    everywhere?: () => readonly Approval[],
  ) {
    this.#everywhere = everywhere ?? (() => this.pending);
    this.#clock = clock;
    this.#terms = { expiryMs, armingMs, isFourEyes };
    this.#on = on;
  }

  /** Oldest first. */
  get pending(): readonly Approval[] {
    return [...this.#open.values()].map(({ approval }) => approval);
  }

  /** Whether an open question was asked by the call that this signal belongs to. */
  belongsTo(id: string, call: AbortSignal): boolean {
    return this.#open.get(id)?.asking.call === call;
  }

  /** What the card of an open question shows people of a role, as it was when it was asked; null where there is none. */
  picture(id: string, audience: Audience): Promise<Uint8Array> | null {
    return this.#open.get(id)?.asking.pictures?.get(audience) ?? null;
  }

  /**
   * Somebody has it before them from now on. Words alone are not all of a question that has a picture; what was shown
   * before stays so.
   */
  shown(id: string, to: Pick<Actor, "id">, part: ShownPart): void {
    const open = this.#open.get(id);
    if (open === undefined || (part === "words" && open.asking.pictures)) return;
    const { shownAtMs } = open;
    if (!shownAtMs.has(to.id)) shownAtMs.set(to.id, this.#clock.nowMs());
  }

  /** Resolves with how it was granted. Throws RefusedError when it is denied, expires, or is void. */
  async ask(question: Question, asking: Asking = {}): Promise<Granted> {
    const now = this.#clock.date();
    this.#checkRoom(question.actor, now);
    const { actor, intent } = question;
    const approval: Approval = {
      ...question,
      // What an agent calls itself and says must not turn the words of a card around, or hide some.
      summary: plainWords(question.summary),
      actor: { ...actor, name: plainWords(actor.name) },
      intent: intent === null ? null : plainWords(intent),
      id: randomUUID(),
      argumentsHash: createHash("sha256").update(JSON.stringify(question.action)).digest("hex"),
      askedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + this.#terms.expiryMs).toISOString(),
      armingMs: this.#terms.armingMs,
      isFourEyes: this.#terms.isFourEyes,
      state: "pending",
      decidedBy: null,
    };
    const { closed, decision } = await this.#wait(approval, asking);
    switch (closed.state) {
      case "granted": {
        if (decision?.kind !== "approve" || closed.decidedBy === null) throw new Error("granted by nobody");
        const { edit = null, allowForMs = 0 } = decision;
        return { approval: closed, by: closed.decidedBy, edit, allowForMs };
      }
      case "denied":
        throw decision?.kind === "take_over"
          ? new RefusedError(
              "human_in_control",
              "a human does this themselves and holds the input: wait until they give it back",
            )
          : new RefusedError("denied_by_human", "a human denied this action: ask what they want instead");
      case "expired":
        throw new RefusedError(
          "approval_expired",
          `nobody approved this action within ${this.#terms.expiryMs / 1000} s: ask the human to watch the viewer, then try again`,
        );
      case "stale":
        throw new RefusedError(
          "stale_screen",
          "the screen around the target changed before a human approved this: take a new screenshot and ask again",
        );
      default:
        throw new RefusedError("cancelled", "the action was cancelled before it was approved");
    }
  }

  /** Throws RefusedError too_many, which says what makes room. */
  #checkRoom(actor: Actor, now: Date): void {
    const own = this.#everywhere().filter((approval) => approval.actor.id === actor.id);
    const isOwn = own.length >= MAX_AN_AGENT;
    if (!isOwn && this.#open.size < MAX_PENDING) return;
    const oldest = isOwn ? own : this.pending;
    const endsMs = Math.min(...oldest.map(({ expiresAt }) => Date.parse(expiresAt)));
    const retryAfterMs = Math.max(1, endsMs - now.getTime());
    const who = isOwn
      ? `${MAX_AN_AGENT} questions of yours wait for a human, the most of one agent`
      : `${MAX_PENDING} questions about this desktop wait for a human, the most there may be`;
    throw new RefusedError(
      "too_many",
      `${who}: a decision in the viewer, a cancelled call of yours, or the oldest's expiry in ${Math.ceil(retryAfterMs / 1000)} s makes room`,
      { retryAfterMs },
    );
  }

  /**
   * Answers an open question, once. Throws RefusedError not_found for an unknown or already decided one,
   * permission_denied for anyone but a human and for the yes of an agent's owner under four eyes, too_early for a yes of whom it was not shown to for long enough,
   * invalid_parameters for an edit that does not fit.
   */
  decide(id: string, answer: boolean | Decision, by: Actor): Approval {
    let decision: Decision = typeof answer === "boolean" ? { kind: answer ? "approve" : "deny" } : answer;
    const open = this.#open.get(id);
    if (open === undefined) {
      throw new RefusedError(
        "not_found",
        "no such open approval: it was decided, has expired or never existed",
      );
    }
    // INVARIANT: whatever face this comes from, no agent decides, not even about another's question.
    if (by.kind !== "human") throw new RefusedError("permission_denied", "only a human decides approvals");
    if (decision.kind === "approve") {
      checkFourEyes(open.approval, by);
      this.#checkArmed(open, by);
      const { action } = open.approval;
      const wanted = decision.edit === undefined ? action : withEdit(action, decision.edit);
      const mayLast = !isProposal(wanted) && scopeOf(wanted) !== null;
      if ((decision.allowForMs ?? 0) > 0 && !mayLast) {
        throw new RefusedError(
          "invalid_parameters",
          "got an approval for a while of what can be allowed once only, expected no allow_for_ms: a text with line breaks, control characters or secrets, or a connection, is asked about each time",
        );
      }
      if (isUnchanged(action, wanted)) decision = { kind: "approve", allowForMs: decision.allowForMs ?? 0 };
    }
    const state = decision.kind === "approve" ? "granted" : "denied";
    const taken = decision.kind === "take_over" ? ({ isTakenOver: true } as const) : {};
    const approval: Approval = { ...open.approval, state, decidedBy: by, ...taken };
    open.close(approval, decision);
    return approval;
  }

  /** A yes in the moment that a card appears was meant for what stood there before. */
  #checkArmed({ approval, asking, shownAtMs }: Open, by: Actor): void {
    const { armingMs } = approval;
    if (armingMs === 0) return;
    const atMs = shownAtMs.get(by.id);
    if (atMs === undefined) {
      const what = asking.pictures ? "picture was never fetched (picture_url)" : "question was never listed";
      throw new RefusedError(
        "too_early",
        `got a yes by somebody whom this was not shown to, its ${what}: look at it, wait ${armingMs} ms, then answer`,
      );
    }
    const leftMs = Math.ceil(atMs + armingMs - this.#clock.nowMs());
    if (leftMs <= 0) return;
    throw new RefusedError(
      "too_early",
      `got a yes ${armingMs - leftMs} ms after this was shown, expected one after ${armingMs} ms: wait ${leftMs} ms, then answer`,
      { retryAfterMs: leftMs },
    );
  }

  /** Everything open is void: the desktop was stopped or is gone. */
  cancelAll(): void {
    for (const { approval, close } of [...this.#open.values()]) close({ ...approval, state: "cancelled" });
  }

  #wait(
    approval: Approval,
    asking: Asking,
  ): Promise<{ readonly closed: Approval; readonly decision: Decision | undefined }> {
    const { signal, stale } = asking;
    return new Promise((resolve) => {
      const onAbort = (): void => close({ ...approval, state: "cancelled" });
      const onStale = (): void => close({ ...approval, state: "stale" });
      const close = (closed: Approval, decision?: Decision): void => {
        if (!this.#open.delete(approval.id)) return;
        cancelExpiry();
        signal?.removeEventListener("abort", onAbort);
        stale?.removeEventListener("abort", onStale);
        resolve({ closed, decision });
        this.#on(closed);
      };
      const cancelExpiry = this.#clock.after(this.#terms.expiryMs, () =>
        close({ ...approval, state: "expired" }),
      );
      this.#open.set(approval.id, { approval, asking, shownAtMs: new Map(), close });
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      stale?.addEventListener("abort", onStale, { once: true });
      this.#on(approval);
    });
  }
}

/** INVARIANT: whatever face a yes comes from, it is of somebody who is known not to be the agent's owner. */
function checkFourEyes({ isFourEyes, actor }: Approval, by: Actor): void {
  if (!isFourEyes) return;
  if (actor.person === undefined) {
    throw new RefusedError(
      "permission_denied",
      "nobody is known to own this agent, so nobody may approve it (approvals.four_eyes): an administrator makes a token for it that names its owner",
    );
  }
  if (by.person !== undefined && by.person !== actor.person) return;
  throw new RefusedError(
    "permission_denied",
    "got a yes by the owner of this agent, expected one by somebody else (approvals.four_eyes): another person who may approve answers, you may say no",
  );
}

/** What a human may change of an action, for the card. */
export function editableOf(action: Asked): "text" | "point" | null {
  if (action.kind === "type" || action.kind === "write_clipboard" || action.kind === "paste") return "text";
  return action.kind === "click" || action.kind === "move" || action.kind === "scroll" ? "point" : null;
}

/** Whether an edit names what was asked: the agent is not to hear of a change that nobody made. */
function isUnchanged(asked: Asked, wanted: Asked): boolean {
  if ("text" in asked && "text" in wanted && asked.text !== wanted.text) return false;
  return !("x" in asked && "x" in wanted) || (asked.x === wanted.x && asked.y === wanted.y);
}

/** The action as the human changed it. Throws RefusedError invalid_parameters where it has no such thing. */
export function withEdit<One extends Asked>(action: One, edit: Edit): One {
  const { text, x, y } = edit;
  const wanted = editableOf(action);
  const hasPoint = x !== undefined && y !== undefined;
  if (wanted === "text" && text !== undefined && x === undefined && y === undefined) {
    return { ...action, text };
  }
  if (wanted === "point" && hasPoint && text === undefined) return { ...action, x, y };
  throw new RefusedError(
    "invalid_parameters",
    `got a change that does not fit the action ${action.kind}, expected ${wanted === null ? "none" : wanted === "text" ? "text" : "x and y"}`,
  );
}
