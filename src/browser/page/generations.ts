import { createHash } from "node:crypto";
import type { TreeLine } from "./tree-lines.ts";

/** null: the whole page; a number: as much of it as so many characters hold; a ref: what is in that element. */
export type View = number | string | null;

/** Views that are told apart; beyond it the oldest are new again. */
const MOST_VIEWS = 8;

/**
 * Counts how often a page was another one. Of a large page an agent sees its beginning, and what it did shows in the whole:
 * each is compared with itself alone. INVARIANT: where `since` is at most a generation that was told with a view, that view
 * is what it was then.
 */
export class Generations {
  #now = 0;
  #shown: View = null;
  readonly #views = new Map<View, { readonly hash: string; readonly since: number }>();

  /** The newest. */
  get now(): number {
    return this.#now;
  }

  /** Gives since which generation these lines are what this view shows. */
  count(view: View, lines: readonly TreeLine[]): number {
    const hash = createHash("sha256");
    for (const { depth, text } of lines) hash.update(`${depth} ${text}\n`);
    const digest = hash.digest("base64");
    const known = this.#views.get(view);
    if (known?.hash === digest) return known.since;
    const since = ++this.#now;
    this.#views.delete(view);
    this.#views.set(view, { hash: digest, since });
    const [oldest = null] = this.#views.keys();
    if (this.#views.size > MOST_VIEWS) this.#views.delete(oldest);
    return since;
  }

  /** As `count`, of what an agent is shown: another view than it was shown last is another page to it. */
  show(view: View, lines: readonly TreeLine[]): number {
    if (this.#shown !== view) this.#views.delete(view);
    this.#shown = view;
    return this.count(view, lines);
  }
}
