import type { Clock } from "../platform/clock.ts";
import { OneTimeCodes } from "./one-time-codes.ts";

/** Open links; beyond it the oldest is void. */
const MOST_LINKS = 1000;

/** What a link opens: one question, for whoever has it. */
export interface AnswerLink {
  readonly questionId: string;
  /** As whom they answer: their id and what they are called where it is told who did. */
  readonly by: { readonly id: string; readonly name: string };
}

/**
 * Links that show one question and take its answer, without a sign-in: a ticket is exchanged once for a key, which the
 * page keeps in its memory, and the key answers once. Both are one-time codes, and void when the question is over.
 */
export class AnswerLinks {
  readonly #tickets: OneTimeCodes<AnswerLink>;
  readonly #keys: OneTimeCodes<AnswerLink>;
  readonly #isActive: (personId: string) => boolean;

  /** `lifetimeMs`: of a question. `isActive`: whether who answers still may. */
  constructor(clock: Clock, lifetimeMs: number, isActive: (personId: string) => boolean) {
    this.#tickets = new OneTimeCodes(clock, { lifetimeMs, most: MOST_LINKS });
    this.#keys = new OneTimeCodes(clock, { lifetimeMs, most: MOST_LINKS });
    this.#isActive = isActive;
  }

  issue(link: AnswerLink): string {
    return this.#tickets.issue(link);
  }

  /** The link of a ticket and the key that answers, once; null for one that is unknown, used, too old, or of who may no longer. */
  open(ticket: string): { readonly link: AnswerLink; readonly key: string } | null {
    const link = this.#tickets.redeem(ticket);
    if (link === null || !this.#isActive(link.by.id)) return null;
    return { link, key: this.#keys.issue(link) };
  }

  /** What a key answers; null likewise. */
  find(key: string): AnswerLink | null {
    const link = this.#keys.find(key);
    return link !== null && this.#isActive(link.by.id) ? link : null;
  }

  /** Its question was answered by it. */
  close(key: string): void {
    this.#keys.redeem(key);
  }
}
