import { randomUUID } from "node:crypto";
import { plainWords } from "../../../compositor/look/shown-text.ts";
import type { Clock } from "../../../platform/clock.ts";
import { RefusedError } from "../../error.ts";
import type { DesktopEvent } from "../../events/desktop-event.ts";
import type { Audience } from "../../view.ts";
import type { Actor } from "../action.ts";
import type { Holder } from "../arbiter.ts";
import {
  type HumanRequest,
  LONGEST_ANSWER,
  LONGEST_REASON,
  type RequestChange,
  type RequestKind,
  type RequestState,
} from "./human-request.ts";

/** Open requests on one desktop, of all agents; each has one at most. */
export const MOST_OPEN = 20;
/** A timer takes no more; the expiry is less, but a file may say anything. */
const LONGEST_TIMER_MS = 86_400_000;
const DEFAULT_EXPIRY_MS = 900_000;
/** A target tells what was copied there some time after it was. */
const LATE_MS = 3000;
/** Requests that are over are told to who asks for so long … */
const KEPT_MS = 3_600_000;
/** … and so many of one desktop at most. */
export const MOST_ENDED = 50;

/** What is needed of the desktop; Desktop is one. */
interface RequestedDesktop {
  readonly id: string;
  readonly holder: Holder | null;
  readonly masks: { hideAll(audiences: readonly Audience[]): void };
  setHolding(isHolding: boolean, by: Actor): void;
  on(listener: (event: DesktopEvent) => void): () => void;
}

interface HumanRequestsPorts {
  readonly clock: Clock;
  tell(event: Extract<DesktopEvent, { type: "request" }>): void;
}

interface HumanRequestsOptions {
  /** How long a request waits, and how long one that is taken may last after its person has left; default 15 min. */
  readonly requestExpiryMs?: number;
  /** Those of the process before this one: what was open is so again, what was private too. */
  readonly requests?: readonly HumanRequest[];
}

/** What an agent asks for. */
export interface RequestAsked {
  readonly kind: RequestKind;
  readonly reason: string;
  readonly wantsPrivate: boolean;
}

/** How a person ends a request. */
export interface RequestEnd {
  readonly state: "done" | "declined";
  /** null: nothing was written. */
  readonly answer: string | null;
}

/**
 * The requests of agents to people on one desktop. A person who takes one may make it private: from then on, until that
 * person or an administrator ends it or gives the input back, no agent and no recording sees anything of the desktop. It
 * outlasts the person's hold of the input, for they may look for their phone meanwhile, but not the request's expiry.
 */
export class HumanRequests {
  readonly #desktop: RequestedDesktop;
  readonly #expiryMs: number;
  readonly #ports: HumanRequestsPorts;
  readonly #open = new Map<string, HumanRequest>();
  readonly #expiries = new Map<string, () => void>();
  #ended: HumanRequest[] = [];
  #isPrivate = false;
  #privateEndedMs = Number.NEGATIVE_INFINITY;

  constructor(
    desktop: RequestedDesktop,
    { requestExpiryMs = DEFAULT_EXPIRY_MS, requests = [] }: HumanRequestsOptions,
    ports: HumanRequestsPorts,
  ) {
    this.#desktop = desktop;
    this.#expiryMs = requestExpiryMs;
    this.#ports = ports;
    desktop.on(({ type }) => {
      if (type === "holder") this.#holderChanged();
    });
    this.#ended = requests.filter(({ endedAt }) => endedAt !== null);
    for (const request of requests) {
      if (request.endedAt !== null) continue;
      this.#open.set(request.id, request);
      this.#expireLater(request);
    }
    this.#cover();
  }

  /** Open and taken ones, oldest first. */
  get open(): readonly HumanRequest[] {
    return [...this.#open.values()];
  }

  /** Those that the next process is to know as well: what is open, and what ended a while ago, oldest first. */
  get kept(): readonly HumanRequest[] {
    this.#forgetOld();
    return [...this.#ended, ...this.#open.values()];
  }

  /** Whether nothing of the desktop is to be seen by agents and recordings now. */
  get isPrivate(): boolean {
    return this.#isPrivate;
  }

  /** The same, and for as long afterwards as a target may take to tell what was done until then. */
  get wasPrivate(): boolean {
    return this.#isPrivate || this.#ports.clock.nowMs() - this.#privateEndedMs < LATE_MS;
  }

  /** Of one agent, those that ended a while ago included, oldest first. */
  of(agentId: string): readonly HumanRequest[] {
    return this.kept.filter(({ actor }) => actor.id === agentId);
  }

  /** Throws RefusedError private_time for agents while a person has the desktop for themselves. */
  checkSeen(by: Audience | Actor["kind"]): void {
    if (!this.#isPrivate || by !== "agent") return;
    throw new RefusedError(
      "private_time",
      "a person has this desktop for themselves and nobody else sees it: wait until your request is over, as poll_events tells (request_ended)",
    );
  }

  /** Throws RefusedError too_many where this agent has asked already, or too many have; invalid_parameters. */
  ask({ kind, reason, wantsPrivate }: RequestAsked, actor: Actor): HumanRequest {
    const own = this.open.find((request) => request.actor.id === actor.id);
    if (own !== undefined) {
      throw new RefusedError(
        "too_many",
        `your request ${own.id} on this desktop is not over, expected one at a time: wait until a person answers it, or it expires at ${own.expiresAt}`,
      );
    }
    if (this.#open.size >= MOST_OPEN) {
      throw new RefusedError(
        "too_many",
        `${MOST_OPEN} requests on this desktop wait for a person, the most there may be: try again later`,
      );
    }
    if (reason.length > LONGEST_REASON) throw tooLong("a reason", reason.length, LONGEST_REASON);
    const words = plainWords(reason).trim();
    if (words === "") {
      throw new RefusedError(
        "invalid_parameters",
        "got a reason without visible characters, expected words for a person to read",
      );
    }
    const request: HumanRequest = {
      ...{ id: randomUUID(), desktopId: this.#desktop.id, kind, reason: words, wantsPrivate },
      actor: { ...actor, name: plainWords(actor.name) },
      ...{ state: "open", takenBy: null, isPrivate: false, answer: null, endedBy: null, endedAt: null },
      askedAt: this.#ports.clock.date().toISOString(),
      expiresAt: this.#inExpiry(),
    };
    this.#put("asked", request, actor);
    return request;
  }

  /**
   * A person does it, and has the input from now on. Throws RefusedError not_found, and permission_denied for agents and
   * where another person is at it.
   */
  take(id: string, isPrivate: boolean, by: Actor): HumanRequest {
    const request = this.#get(id, by);
    this.#checkMine(request, by);
    const taken: HumanRequest = {
      ...request,
      ...{ state: "taken", takenBy: by, isPrivate },
      expiresAt: this.#inExpiry(),
    };
    // What they do first is hidden already.
    this.#put("taken", taken, by);
    this.#desktop.setHolding(true, by);
    return taken;
  }

  /** Answers it, and gives the input back. Throws RefusedError as `take`, and invalid_parameters for too long an answer. */
  end(id: string, { state, answer }: RequestEnd, by: Actor): HumanRequest {
    const request = this.#get(id, by);
    this.#checkMine(request, by);
    if (answer !== null && answer.length > LONGEST_ANSWER) {
      throw tooLong("an answer", answer.length, LONGEST_ANSWER);
    }
    const over = this.#close(request, state, by, answer);
    if (request.takenBy?.id === by.id && this.#holderId === by.id) this.#desktop.setHolding(false, by);
    return over;
  }

  /** A person gave the input back, saying so: what they had taken waits again, and is private no longer. No other's is. */
  givenBack(by: Actor): void {
    for (const request of this.open) {
      if (request.takenBy?.id === by.id) this.#return(request, by);
    }
  }

  /** The desktop is gone for good. */
  cancelAll(): void {
    for (const request of this.open) this.#close(request, "cancelled", null, null);
  }

  /** The process ends; what is open stays so for the next one. */
  close(): void {
    for (const cancel of this.#expiries.values()) cancel();
    this.#expiries.clear();
  }

  get #holderId(): string | null {
    return this.#desktop.holder?.actor.id ?? null;
  }

  /** Whoever had the input may have it no longer, without having said so: what is private stays so. */
  #holderChanged(): void {
    for (const request of this.open) {
      if (request.state === "taken" && !request.isPrivate && request.takenBy?.id !== this.#holderId) {
        this.#return(request, null);
      }
    }
  }

  #get(id: string, by: Actor): HumanRequest {
    // INVARIANT: no agent takes or ends a request, not even another's, whatever face it comes from.
    if (by.kind !== "human") throw new RefusedError("permission_denied", "only a person answers a request");
    const request = this.#open.get(id);
    if (request !== undefined) return request;
    throw new RefusedError("not_found", "no such open request: it is over, has expired or never existed");
  }

  #checkMine(request: HumanRequest, by: Actor): void {
    if (request.takenBy === null || mayEnd(request, by)) return;
    throw new RefusedError(
      "permission_denied",
      `${request.takenBy.name} is at this: only they and administrators take or end it`,
    );
  }

  #return(request: HumanRequest, by: Actor | null): void {
    this.#put("returned", { ...request, state: "open", takenBy: null, isPrivate: false }, by);
  }

  #put(change: RequestChange, request: HumanRequest, by: Actor | null): void {
    this.#open.set(request.id, request);
    this.#expireLater(request);
    this.#cover();
    this.#ports.tell({ type: "request", change, request, by });
  }

  #close(
    request: HumanRequest,
    state: Exclude<RequestState, "open" | "taken">,
    by: Actor | null,
    answer: string | null,
  ): HumanRequest {
    const written = answer === null || answer === "" ? null : answer;
    const endedAt = this.#ports.clock.date().toISOString();
    const over = {
      ...{ ...request, state, takenBy: null, isPrivate: false },
      ...{ answer: written, endedBy: by, endedAt },
    };
    this.#open.delete(request.id);
    this.#expiries.get(request.id)?.();
    this.#expiries.delete(request.id);
    this.#forgetOld();
    this.#ended = [...this.#ended, over].slice(-MOST_ENDED);
    this.#cover();
    this.#ports.tell({ type: "request", change: state, request: over, by });
    return over;
  }

  #expireLater({ id, expiresAt }: HumanRequest): void {
    const { clock } = this.#ports;
    this.#expiries.get(id)?.();
    const leftMs = Math.min(Math.max(0, Date.parse(expiresAt) - clock.date().getTime()), LONGEST_TIMER_MS);
    this.#expiries.set(
      id,
      clock.after(leftMs, () => this.#expire(id), { isIdle: true }),
    );
  }

  /** Not under the hands of who is at it. */
  #expire(id: string): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    const isAtIt = request.takenBy !== null && request.takenBy.id === this.#holderId;
    if (isAtIt) this.#put("extended", { ...request, expiresAt: this.#inExpiry() }, null);
    else this.#close(request, "expired", null, null);
  }

  #inExpiry(): string {
    return new Date(this.#ports.clock.date().getTime() + this.#expiryMs).toISOString();
  }

  #cover(): void {
    const isPrivate = this.open.some((request) => request.isPrivate);
    if (isPrivate === this.#isPrivate) return;
    // Hidden before it is refused, shown after: the picture itself is what protects.
    if (isPrivate) this.#desktop.masks.hideAll(["agent", "recording"]);
    this.#isPrivate = isPrivate;
    if (isPrivate) return;
    this.#privateEndedMs = this.#ports.clock.nowMs();
    this.#desktop.masks.hideAll([]);
  }

  #forgetOld(): void {
    const since = new Date(this.#ports.clock.date().getTime() - KEPT_MS).toISOString();
    this.#ended = this.#ended.filter(({ endedAt }) => endedAt !== null && endedAt >= since);
  }
}

function mayEnd({ takenBy }: HumanRequest, by: Actor): boolean {
  return takenBy?.id === by.id || by.authority === "rules";
}

function tooLong(what: string, got: number, most: number): RefusedError {
  return new RefusedError(
    "invalid_parameters",
    `got ${what} of ${got} characters, expected at most ${most}: use fewer words`,
  );
}
