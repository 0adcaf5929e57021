import { holdsPoint, type Point, type Rect } from "../framebuffer/rect.ts";
import type { Drawing, Sprite } from "./drawing.ts";
import { type Accent, COLOUR, FONT } from "./theme.ts";

const WIDTH = 208;
const ITEM_HEIGHT = 32;
const EDGE = 6;
const SHADOW = 24;
const RADIUS = 9;

export interface MenuItem {
  /** The last part of its element's name: "menu.tidy". */
  readonly name: string;
  readonly label: string;
  act(): void;
}

/** A small menu at a point of the desktop, gone after a choice, Escape or a press elsewhere. */
export class Menu {
  readonly #rect: Rect;
  readonly #items: readonly MenuItem[];
  #current: number | null = null;
  #shadow: Sprite | null = null;

  /** At (x, y), or as near as it fits within `bounds`. */
  constructor(at: Point, bounds: Rect, items: readonly MenuItem[]) {
    const height = items.length * ITEM_HEIGHT + 2 * EDGE;
    this.#rect = {
      x: Math.max(bounds.x, Math.min(at.x, bounds.x + bounds.width - WIDTH - EDGE)),
      y: Math.max(bounds.y, Math.min(at.y, bounds.y + bounds.height - height - EDGE)),
      width: WIDTH,
      height,
    };
    this.#items = items;
  }

  holds(x: number, y: number): boolean {
    return holdsPoint(this.#rect, x, y);
  }

  elements(): (readonly [name: string, rect: Rect])[] {
    return this.#items.map(({ name }, i) => [`menu.${name}`, this.#itemRect(i)] as const);
  }

  /** The pointer is at (x, y); true where another item is pointed at. */
  hover(x: number, y: number): boolean {
    const before = this.#current;
    const index = this.#items.findIndex((_, i) => holdsPoint(this.#itemRect(i), x, y));
    this.#current = index < 0 ? null : index;
    return this.#current !== before;
  }

  /** Goes to the next item down, or up for -1. */
  step(by: 1 | -1): void {
    const count = this.#items.length;
    this.#current = ((this.#current ?? (by > 0 ? -1 : count)) + by + count) % count;
  }

  /** The item that is pointed at. */
  get current(): MenuItem | null {
    return this.#current === null ? null : (this.#items[this.#current] ?? null);
  }

  draw(drawing: Drawing, accent: Accent): void {
    const { x, y, width, height } = this.#rect;
    const outer = { width: width + 2 * SHADOW, height: height + 2 * SHADOW };
    this.#shadow ??= drawing.sprite(`menu ${height}`, outer, (own) => {
      const inner = { x: SHADOW, y: SHADOW, width, height };
      own.castShadow(inner, RADIUS, 18, 5, "rgba(24, 36, 66, 0.28)");
      own.castShadow(inner, RADIUS, 2, 0, "rgba(24, 36, 66, 0.35)");
    });
    drawing.image(this.#shadow, x - SHADOW, y - SHADOW);
    drawing.fillRound(this.#rect, RADIUS, COLOUR.surface);
    for (const [i, { label }] of this.#items.entries()) {
      const item = this.#itemRect(i);
      const isCurrent = i === this.#current;
      if (isCurrent) drawing.fillRound(item, 5, accent.plain);
      const ink = isCurrent ? COLOUR.onAccent : COLOUR.ink;
      drawing.text(label, item.x + 12, item.y + ITEM_HEIGHT / 2, FONT.body, ink);
    }
  }

  #itemRect(index: number): Rect {
    const { x, y, width } = this.#rect;
    return { x: x + EDGE, y: y + EDGE + index * ITEM_HEIGHT, width: width - 2 * EDGE, height: ITEM_HEIGHT };
  }
}
