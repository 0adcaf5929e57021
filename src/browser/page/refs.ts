import { BrowserError } from "../error.ts";

/** A frame that another process draws has a session of its own; null is the tab's. */
export type Session = string | null;

/** An element in a page: a node of one of its sessions. */
export interface ElementPlace {
  readonly session: Session;
  /** The browser's own number, the same as long as the element is there. */
  readonly node: number;
}

/** Beyond it the oldest are forgotten. */
const MOST_REFS = 50_000;

/**
 * Short names of elements. INVARIANT: an element keeps its ref from one tree to the next, and no ref is ever given to
 * another element.
 */
export class Refs {
  readonly #places = new Map<string, ElementPlace>();
  readonly #refs = new Map<string, string>();
  #last = 0;

  refOf(place: ElementPlace): string {
    const key = keyOf(place);
    const known = this.#refs.get(key);
    if (known !== undefined) return known;
    const ref = `e${++this.#last}`;
    this.#refs.set(key, ref);
    this.#places.set(ref, place);
    if (this.#places.size > MOST_REFS) {
      for (const [oldest, old] of this.#places) {
        this.#places.delete(oldest);
        this.#refs.delete(keyOf(old));
        break;
      }
    }
    return ref;
  }

  /** Throws BrowserError ref_unknown. */
  placeOf(ref: string): ElementPlace {
    const place = this.#places.get(ref);
    if (place !== undefined) return place;
    throw new BrowserError(
      "ref_unknown",
      `got ref ${JSON.stringify(ref.slice(0, 20))}, which is not in this page: call browser_get_accessibility_tree for those of now`,
    );
  }

  /** The page is another one: what was in the old one is gone. */
  clear(): void {
    this.#places.clear();
    this.#refs.clear();
  }
}

function keyOf({ session, node }: ElementPlace): string {
  return `${session ?? ""}:${node}`;
}
