import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, type Look } from "./theme.ts";
import type { Window } from "./window.ts";

const ICON = 44;
const GAP = 12;
const EDGE = 10;
const HEIGHT = ICON + 2 * EDGE + 4;
const LIFT = 12;

/** A window the dock can bring back, and its picture within a square of 44 pixels. */
export interface DockEntry {
  readonly window: Window;
  readonly colour: string;
  picture(painter: Painter): void;
}

/** The row of icons at the foot of a monitor; each shows its window in front. */
export class Dock {
  readonly #entries: readonly DockEntry[];
  #monitor: Rect;

  constructor(entries: readonly DockEntry[], monitor: Rect) {
    this.#entries = entries;
    this.#monitor = monitor;
  }

  place(monitor: Rect): void {
    this.#monitor = monitor;
  }

  get rect(): Rect {
    const width = this.#entries.length * (ICON + GAP) - GAP + 2 * EDGE;
    const { x, y } = this.#monitor;
    return {
      x: x + Math.round((this.#monitor.width - width) / 2),
      y: y + this.#monitor.height - HEIGHT - LIFT,
      width,
      height: HEIGHT,
    };
  }

  elements(): readonly (readonly [string, Rect])[] {
    return this.#entries.map(({ window }, i) => [`dock.${window.id}`, this.#iconRect(i)] as const);
  }

  windowAt(x: number, y: number): Window | null {
    return this.#entries.find((_, i) => holdsPoint(this.#iconRect(i), x, y))?.window ?? null;
  }

  paint(painter: Painter, { accent }: Look, isShown: (window: Window) => boolean): void {
    painter.fillRound(this.rect, 18, COLOUR.dock);
    for (const [i, { window, colour, picture }] of this.#entries.entries()) {
      const icon = this.#iconRect(i);
      painter.fillRound(icon, 11, colour);
      painter.within(icon.x, icon.y, () => picture(painter));
      if (isShown(window)) painter.disc(icon.x + ICON / 2, icon.y + ICON + 7, 2.5, accent.plain);
    }
  }

  #iconRect(index: number): Rect {
    const { x, y } = this.rect;
    return { x: x + EDGE + index * (ICON + GAP), y: y + EDGE - 1, width: ICON, height: ICON };
  }
}
