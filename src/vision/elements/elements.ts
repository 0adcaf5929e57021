import { equalRects, type Rect } from "../../framebuffer/rect.ts";
import { boxesOverlap, boxOfRect } from "../cut/box.ts";
import { VisionError } from "../error.ts";
import { inReadingOrder } from "../reading-order.ts";
import type { LineReader, StillPicture } from "../text/text-index.ts";
import type { ElementsTerms } from "../text/text-messages.ts";
import type { ElementFound, ElementsNow, ScreenElement } from "./element.ts";
import { ElementBook } from "./element-book.ts";
import { findElements } from "./find-elements.ts";

/** What elements are looked for in, and how its lines are read. */
interface Looked {
  readonly still: StillPicture;
  readonly read: LineReader;
  readonly signal: AbortSignal;
}

/** The elements of one desktop. */
export class Elements {
  readonly #book = new ElementBook();
  /** Of the last picture that was looked at. */
  #last: { readonly generation: number; readonly elements: readonly ScreenElement[] } | null = null;

  get nextNumber(): number {
    return this.#book.nextNumber;
  }

  /** Those whose middle is in an area (null: all), in reading order. */
  async now(
    looked: Looked,
    { area, ...terms }: { readonly area: Rect | null } & ElementsTerms,
  ): Promise<ElementsNow> {
    const { generation } = looked.still;
    const all = await this.#look(looked, terms);
    const within = area === null ? all : all.filter(({ rect }) => holdsMiddle(area, rect));
    const placed = within.map((element) => ({ element, ...boxOfRect(element.rect) }));
    return { generation, elements: inReadingOrder(placed).map(({ element }) => element) };
  }

  /** One of them where it is now; throws VisionError element_unknown, element_gone, element_changed. */
  async find(
    looked: Looked,
    { id, ...terms }: { readonly id: string } & ElementsTerms,
  ): Promise<ElementFound> {
    const { generation, picture } = looked.still;
    const before = this.#book.get(id);
    if (before === null) throw new VisionError("element_unknown", "no element has that id");
    if (this.#book.isAsItWas(id, picture, terms.except.map(boxOfRect))) {
      return { generation, element: before, isMoved: false };
    }
    const all = await this.#look(looked, terms);
    const element = all.find((each) => each.id === id) ?? this.#book.successorOf(id, all);
    if (element !== null) return { generation, element, isMoved: !equalRects(element.rect, before.rect) };
    const after = all.find(({ rect }) => isSamePlace(rect, before.rect));
    if (after === undefined) {
      throw new VisionError("element_gone", `${nameOf(before)} is not on the screen any more`);
    }
    throw new VisionError(
      "element_changed",
      `${nameOf(before)} looks otherwise: there is ${nameOf(after)} now`,
    );
  }

  async #look(
    { still, read, signal }: Looked,
    { except, ...ids }: ElementsTerms,
  ): Promise<readonly ScreenElement[]> {
    const { generation, picture, mask } = still;
    if (this.#last?.generation === generation) return this.#last.elements;
    const lines = await still.lines(read, signal);
    const found = findElements(picture, mask, lines);
    const elements = this.#book.enter(picture, found, except.map(boxOfRect), ids);
    this.#last = { generation, elements };
    return elements;
  }
}

/** An element in words: its id, kind, label and place. */
function nameOf({ id, kind, label, rect: { x, y } }: ScreenElement): string {
  const said = label === null ? "" : ` ${JSON.stringify(label.slice(0, 80))}`;
  return `element ${id} (${kind.replace("_", " ")}${said} at ${x},${y})`;
}

function holdsMiddle(area: Rect, rect: Rect): boolean {
  const x = rect.x + rect.width / 2;
  const y = rect.y + rect.height / 2;
  return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
}

/** What lies in the middle of where another was. */
function isSamePlace(rect: Rect, was: Rect): boolean {
  return boxesOverlap(boxOfRect(rect), boxOfRect(was)) && holdsMiddle(was, rect);
}
