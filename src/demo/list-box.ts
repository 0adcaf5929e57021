import type { Rect } from "../framebuffer/rect.ts";
import type { Control, Look } from "./controls.ts";
import type { Drawing } from "./drawing.ts";
import type { KeyPress } from "./key.ts";
import { COLOUR, FONT, METRIC } from "./theme.ts";

export const ROW_HEIGHT = 32;
const SCROLLBAR = 14;
const WHEEL_ROWS = 3;

/** What one row says: to the left, and quietly to the right. */
export interface ListRow {
  readonly title: string;
  readonly detail: string;
}

/** Rows to scroll by wheel, arrows or scrollbar, one of them selected. */
export class ListBox implements Control {
  readonly name: string;
  readonly rect: Rect;
  #rows: readonly ListRow[];
  #first = 0;
  #selection: number | null = null;
  #isScrolling = false;

  constructor(name: string, rect: Rect, rows: readonly ListRow[]) {
    this.name = name;
    this.rect = rect;
    this.#rows = rows;
  }

  get rows(): readonly ListRow[] {
    return this.#rows;
  }

  /** The row shown on top. */
  get first(): number {
    return this.#first;
  }

  get selection(): number | null {
    return this.#selection;
  }

  get parts(): readonly (readonly [string, Rect])[] {
    const shown = this.#rows.slice(this.#first, this.#first + this.#capacity);
    const rows = shown.map((_, i) => [`${this.name}.row.${this.#first + i}`, this.#rowRect(i)] as const);
    return [[this.name, this.rect], ...rows];
  }

  /** Puts a row on top of all, and shows it. */
  prepend(row: ListRow): void {
    this.#rows = [row, ...this.#rows];
    if (this.#selection !== null) this.#selection++;
    this.#first = 0;
  }

  draw(drawing: Drawing, { accent, isFocused }: Look): void {
    drawing.fillRound(this.rect, METRIC.controlRadius, COLOUR.surface);
    drawing.clipped({ ...this.rect, x: this.rect.x + 1, width: this.rect.width - 2 }, () => {
      const shown = this.#rows.slice(this.#first, this.#first + this.#capacity + 1);
      for (const [i, { title, detail }] of shown.entries()) {
        const { x, y, width, height } = this.#rowRect(i);
        const isSelected = this.#first + i === this.#selection;
        const isBright = isSelected && isFocused;
        const bar = { x: x + 5, y: y + 1, width: width - 7, height: height - 2 };
        if (isSelected) drawing.fillRound(bar, 5, isFocused ? accent.plain : accent.pale);
        const middle = y + height / 2;
        drawing.text(title, x + 14, middle, FONT.body, isBright ? COLOUR.onAccent : COLOUR.ink);
        const quiet = isBright ? COLOUR.onAccent : COLOUR.quiet;
        drawing.textRight(detail, x + width - 12, middle, FONT.small, quiet);
      }
    });
    drawing.frame(this.rect, METRIC.controlRadius, isFocused ? accent.plain : COLOUR.line, isFocused ? 2 : 1);
    drawing.fillRound(this.#thumb(), 3, COLOUR.border);
  }

  press(x: number, y: number): void {
    this.#isScrolling = x >= this.rect.x + this.rect.width - SCROLLBAR;
    if (this.#isScrolling) this.#scrollToY(y);
    else this.#select(this.#first + Math.floor((y - this.rect.y - 4) / ROW_HEIGHT));
  }

  drag(_x: number, y: number): void {
    if (this.#isScrolling) this.#scrollToY(y);
  }

  wheel(notches: number): void {
    this.#scrollTo(this.#first + notches * WHEEL_ROWS);
  }

  key({ name }: KeyPress): boolean {
    const at = this.#selection;
    const target: Readonly<Record<string, number>> = {
      Up: (at ?? 1) - 1,
      Down: (at ?? -1) + 1,
      Page_Up: (at ?? 0) - this.#capacity,
      Page_Down: (at ?? 0) + this.#capacity,
      Home: 0,
      End: this.#rows.length - 1,
    };
    const index = target[name];
    if (index !== undefined) this.#select(Math.min(this.#rows.length - 1, Math.max(0, index)));
    return index !== undefined;
  }

  #select(index: number): void {
    if (index < 0 || index >= this.#rows.length) return;
    this.#selection = index;
    this.#scrollTo(Math.min(index, Math.max(this.#first, index - this.#capacity + 1)));
  }

  #scrollTo(wanted: number): void {
    this.#first = Math.min(Math.max(0, this.#rows.length - this.#capacity), Math.max(0, wanted));
  }

  #scrollToY(y: number): void {
    const { height } = this.#thumb();
    const travel = this.rect.height - 8 - height;
    const part = travel <= 0 ? 0 : (y - this.rect.y - 4 - height / 2) / travel;
    this.#scrollTo(Math.round(part * (this.#rows.length - this.#capacity)));
  }

  /** Whole rows that fit. */
  get #capacity(): number {
    return Math.floor((this.rect.height - 8) / ROW_HEIGHT);
  }

  /** Of the row shown `index` rows below the top. */
  #rowRect(index: number): Rect {
    const { x, y, width } = this.rect;
    return { x, y: y + 4 + index * ROW_HEIGHT, width: width - SCROLLBAR, height: ROW_HEIGHT };
  }

  #thumb(): Rect {
    const { x, y, width, height } = this.rect;
    const travel = height - 8;
    const hidden = Math.max(0, this.#rows.length - this.#capacity);
    const size = Math.max(28, Math.round((travel * this.#capacity) / Math.max(1, this.#rows.length)));
    const offset = hidden === 0 ? 0 : Math.round(((travel - size) * this.#first) / hidden);
    return { x: x + width - 11, y: y + 4 + offset, width: 6, height: Math.min(size, travel) };
  }
}
