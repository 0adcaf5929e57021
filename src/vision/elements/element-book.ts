import { createHash } from "node:crypto";
import { type Box, joinBoxes, rectOfBox } from "../cut/box.ts";
import type { PixelPicture } from "../cut/pixel-picture.ts";
import type { ScreenElement } from "./element.ts";
import type { FoundElement } from "./find-elements.ts";

/** A known element is some hundred bytes; those that were not seen for the longest time are forgotten. */
const MOST_KNOWN = 4000;

/** How something looks: by itself, and with the line beside it. */
interface Look {
  readonly own: string;
  readonly joined: string;
  /** What `joined` is made of. */
  readonly box: Box;
}

interface Known extends Look {
  readonly element: ScreenElement;
}

/**
 * The ids of a desktop's elements. An id stays with a picture: at its place, and where it moved, as long as nothing else
 * looks the same.
 */
export class ElementBook {
  /** By id; who was seen least lately comes first. */
  readonly #known = new Map<string, Known>();
  #next = 1;

  /** No element has this number or a higher one. */
  get nextNumber(): number {
    return this.#next;
  }

  /**
   * Gives what was found its ids: those that are known, new ones from a number on. `except`: what changes by itself, and
   * so tells nothing.
   */
  enter(
    picture: PixelPicture,
    found: readonly FoundElement[],
    except: readonly Box[],
    { prefix, firstNumber }: { readonly prefix: string; readonly firstNumber: number },
  ): readonly ScreenElement[] {
    this.#next = Math.max(this.#next, firstNumber);
    const looks = found.map((element): Look => {
      const box = element.beside === null ? element.box : joinBoxes(element.box, element.beside);
      const own = lookOf(picture, element.box, except);
      return { own, joined: element.beside === null ? own : lookOf(picture, box, except), box };
    });
    const known = {
      own: grouped([...this.#known.values()], "own"),
      joined: grouped([...this.#known.values()], "joined"),
    };
    const seen = { own: grouped(looks, "own"), joined: grouped(looks, "joined") };
    return found.map(({ kind, label, score, box }, index) => {
      const look = looks[index];
      if (look === undefined) throw new Error("an element without a look");
      const rect = rectOfBox(box);
      const isAlike = isToldByLine({ kind }) || seen.own.get(look.own)?.length !== 1;
      const by = isAlike ? "joined" : "own";
      const same = known[by].get(look[by]) ?? [];
      const isHere = ({ element: { rect: was } }: Known): boolean => was.x === rect.x && was.y === rect.y;
      // Several that look the same keep to their places: which one moved where is not known.
      const isOne = same.length === 1 && seen[by].get(look[by])?.length === 1;
      const before = same.find(isHere) ?? (isOne ? same[0] : undefined);
      const element: ScreenElement = {
        ...{ id: before?.element.id ?? `${prefix}${this.#next++}`, kind, label, rect, score },
      };
      this.#know({ element, ...look });
      return element;
    });
  }

  /** As it was told last; null for an id that was never given, or is forgotten. */
  get(id: string): ScreenElement | null {
    return this.#known.get(id)?.element ?? null;
  }

  /**
   * The only one of those on the screen that looks as a known one did, under an id of its own: it was shown at both places
   * for a moment. null where there is none, or several.
   */
  successorOf(id: string, now: readonly ScreenElement[]): ScreenElement | null {
    const known = this.#known.get(id);
    if (known === undefined) return null;
    const by = isToldByLine(known.element) ? "joined" : "own";
    const alike = now.filter((element) => this.#known.get(element.id)?.[by] === known[by]);
    return alike.length === 1 ? (alike[0] ?? null) : null;
  }

  /** Whether a known element looks at its place as it did: nothing needs to be found then. */
  isAsItWas(id: string, picture: PixelPicture, except: readonly Box[]): boolean {
    const known = this.#known.get(id);
    return known !== undefined && known.joined === lookOf(picture, known.box, except);
  }

  #know(known: Known): void {
    this.#known.delete(known.element.id);
    this.#known.set(known.element.id, known);
    if (this.#known.size <= MOST_KNOWN) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

/** Boxes to fill in or to tick look alike: which one it is the line beside it says. */
function isToldByLine({ kind }: Pick<ScreenElement, "kind">): boolean {
  return kind === "check_box" || kind === "field";
}

function grouped<Looked extends Look>(all: readonly Looked[], by: "own" | "joined"): Map<string, Looked[]> {
  const groups = new Map<string, Looked[]>();
  for (const each of all) {
    const group = groups.get(each[by]);
    if (group === undefined) groups.set(each[by], [each]);
    else group.push(each);
  }
  return groups;
}

/** The same for the same pixels, wherever they lie. */
function lookOf({ words, width, height }: PixelPicture, box: Box, except: readonly Box[]): string {
  const left = Math.max(0, box.left);
  const top = Math.max(0, box.top);
  const wide = Math.max(0, Math.min(width, box.right) - left);
  const high = Math.max(0, Math.min(height, box.bottom) - top);
  const pixels = new Uint32Array(wide * high);
  for (let y = 0; y < high; y++) {
    const from = (top + y) * width + left;
    pixels.set(words.subarray(from, from + wide), y * wide);
  }
  for (const hole of except) {
    const from = Math.max(0, hole.left - left);
    const to = Math.min(wide, hole.right - left);
    if (to <= from) continue;
    for (let y = Math.max(0, hole.top - top); y < Math.min(high, hole.bottom - top); y++) {
      pixels.fill(0, y * wide + from, y * wide + to);
    }
  }
  return createHash("sha1").update(`${wide}x${high}:`).update(pixels).digest("base64");
}
