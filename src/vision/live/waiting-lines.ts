import type { Rect } from "../../framebuffer/rect.ts";
import { boxesOverlap, widthOf } from "../cut/box.ts";
import type { IndexedLine } from "../text/text-index.ts";

/** A line of which more is unread is another one, not one that is typed. */
const MOST_TYPED = 0.5;

interface Wait {
  /** The generation since which something of it is unread: a line that is typed is another one with each letter. */
  readonly since: number;
  readonly isTyped: boolean;
}

/** Lines that nobody reads yet, and how long each has waited. */
export class WaitingLines {
  #waits = new Map<IndexedLine, Wait>();
  #before: ReadonlyMap<IndexedLine, Wait> = this.#waits;

  /** The picture is another; the lines that wait in it follow. */
  turn(): void {
    this.#before = this.#waits;
    this.#waits = new Map();
  }

  /** `unread`: of a line of which the rest is known, the part that is not. */
  add(line: IndexedLine, unread: Rect | null): void {
    const isTyped = unread !== null && unread.width <= MOST_TYPED * widthOf(line);
    let since = line.cameAt;
    for (const [other, wait] of this.#before) {
      if (boxesOverlap(other, line)) since = Math.min(since, wait.since);
    }
    this.#waits.set(line, { since, isTyped });
  }

  /** It is being read: what changes in it from now on waits since then. */
  take(line: IndexedLine): void {
    this.#waits.delete(line);
  }

  /** Of lines that are typed what waited longest, so that each has its turn; where there is none the first one. */
  nextOf(lines: readonly IndexedLine[]): IndexedLine | undefined {
    return this.longestOf(lines.filter((line) => this.#waits.get(line)?.isTyped)) ?? lines[0];
  }

  /** Of what waited as long the first one. */
  longestOf(lines: readonly IndexedLine[]): IndexedLine | undefined {
    return lines.reduce<IndexedLine | undefined>(
      (oldest, line) => (oldest === undefined || this.#sinceOf(line) < this.#sinceOf(oldest) ? line : oldest),
      undefined,
    );
  }

  #sinceOf(line: IndexedLine): number {
    return this.#waits.get(line)?.since ?? line.cameAt;
  }
}
