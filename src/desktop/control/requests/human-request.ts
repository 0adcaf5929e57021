import type { Actor } from "../action.ts";

/** What an agent needs a person for. */
export const REQUEST_KINDS = ["login", "code", "captcha", "decide", "other"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** open: nobody is at it. taken: a person is. All others are ends. */
export const REQUEST_STATES = ["open", "taken", "done", "declined", "expired", "cancelled"] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** Characters of what an agent asks and of what a person answers. */
export const LONGEST_REASON = 500;
export const LONGEST_ANSWER = 2000;

/** An agent's request that a person does something on a desktop, and what became of it. */
export interface HumanRequest {
  readonly id: string;
  readonly desktopId: string;
  readonly actor: Actor;
  readonly kind: RequestKind;
  /** The agent's own words, without characters that hide or reorder others. */
  readonly reason: string;
  /** The agent proposes that nothing be seen meanwhile; the person decides. */
  readonly wantsPrivate: boolean;
  readonly state: RequestState;
  /** Who is at it; null unless taken. */
  readonly takenBy: Actor | null;
  /** While this is true no agent and no recording sees anything of the desktop. Only while taken. */
  readonly isPrivate: boolean;
  readonly askedAt: string;
  readonly expiresAt: string;
  /** What the person wrote, for the agent alone; null where they wrote nothing. */
  readonly answer: string | null;
  /** null while it is open or taken, and where no person ended it. */
  readonly endedBy: Actor | null;
  /** null while it is open or taken. */
  readonly endedAt: string | null;
}

/** What happened to a request; `returned`: who took it gave it back without an answer. */
export type RequestChange =
  | "asked"
  | "taken"
  | "returned"
  | "extended"
  | Exclude<RequestState, "open" | "taken">;
