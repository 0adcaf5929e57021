import { holdsPoint, type Point, type Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter, Sprite } from "./painter.ts";
import { COLOUR, FONT, type Look } from "./theme.ts";
import type { Damage } from "./widget.ts";

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
  readonly #report: Damage;
  #shadow: Sprite | null = null;
  #current: number | null = null;

  /** At (x, y), or as near as it fits within `bounds`. */
  constructor(at: Point, bounds: Rect, items: readonly MenuItem[], report: Damage) {
    const height = items.length * ITEM_HEIGHT + 2 * EDGE;
    this.#rect = {
      x: Math.max(bounds.x, Math.min(at.x, bounds.x + bounds.width - WIDTH - EDGE)),
      y: Math.max(bounds.y, Math.min(at.y, bounds.y + bounds.height - height - EDGE)),
      width: WIDTH,
      height,
    };
    this.#items = items;
    this.#report = report;
  }

  /** All pixels it may paint. */
  get outer(): Rect {
    const { x, y, width, height } = this.#rect;
    return { x: x - SHADOW, y: y - SHADOW, width: width + 2 * SHADOW, height: height + 2 * SHADOW };
  }

  holds(x: number, y: number): boolean {
    return holdsPoint(this.#rect, x, y);
  }

  elements(): readonly (readonly [string, Rect])[] {
    return this.#items.map(({ name }, i) => [`menu.${name}`, this.#itemRect(i)] as const);
  }

  hover(x: number, y: number): void {
    const index = this.#items.findIndex((_, i) => holdsPoint(this.#itemRect(i), x, y));
    this.#point(index < 0 ? null : index);
  }

  /** The item that is pointed at. */
  get current(): MenuItem | null {
    return this.#current === null ? null : (this.#items[this.#current] ?? null);
  }

  key({ name }: KeyPress): void {
    const step = name === "Down" ? 1 : name === "Up" ? -1 : 0;
    if (step === 0) return;
    const count = this.#items.length;
    const from = this.#current ?? (step > 0 ? -1 : count);
    this.#point((from + step + count) % count);
  }

  paint(painter: Painter, { accent }: Look): void {
    const { width, height } = this.outer;
    this.#shadow ??= painter.sprite({ width, height }, (own) => {
      const inner = { x: SHADOW, y: SHADOW, width: this.#rect.width, height: this.#rect.height };
      own.castShadow(inner, RADIUS, 18, 5, "rgba(24, 36, 66, 0.28)");
      own.castShadow(inner, RADIUS, 2, 0, "rgba(24, 36, 66, 0.35)");
    });
    painter.image(this.#shadow, this.outer.x, this.outer.y);
    painter.fillRound(this.#rect, RADIUS, COLOUR.window);
    for (const [i, { label }] of this.#items.entries()) {
      const item = this.#itemRect(i);
      const isCurrent = i === this.#current;
      if (isCurrent) painter.fillRound(item, 5, accent.plain);
      const ink = isCurrent ? COLOUR.onAccent : COLOUR.ink;
      painter.text(label, item.x + 12, item.y + item.height / 2, FONT.body, ink);
    }
  }

  #point(index: number | null): void {
    if (index === this.#current) return;
    for (const changed of [this.#current, index]) if (changed !== null) this.#report(this.#itemRect(changed));
    this.#current = index;
  }

  #itemRect(index: number): Rect {
    const { x, y, width } = this.#rect;
    return { x: x + EDGE, y: y + EDGE + index * ITEM_HEIGHT, width: width - 2 * EDGE, height: ITEM_HEIGHT };
  }
}
