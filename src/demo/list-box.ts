import type { Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT, type Look, METRIC } from "./theme.ts";
import { Widget } from "./widget.ts";

export const ROW_HEIGHT = 32;
const SCROLLBAR = 14;
const WHEEL_ROWS = 3;

/** What one row says: to the left, and quietly to the right. */
export interface ListRow {
  readonly title: string;
  readonly detail: string;
}

/** Rows to scroll by wheel, arrows or scrollbar, one of them selected. */
export class ListBox extends Widget {
  override readonly isFocusable = true;
  readonly #selected: (row: ListRow, index: number) => void;
  #rows: readonly ListRow[];
  #first = 0;
  #selection: number | null = null;
  #isScrolling = false;

  constructor(
    name: string,
    rect: Rect,
    rows: readonly ListRow[],
    selected: (row: ListRow, index: number) => void,
  ) {
    super(name, rect);
    this.#rows = rows;
    this.#selected = selected;
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

  /** Puts a row on top of all, and shows it. */
  prepend(row: ListRow): void {
    this.#rows = [row, ...this.#rows];
    if (this.#selection !== null) this.#selection++;
    this.#first = 0;
    this.damage();
  }

  override elements(): readonly (readonly [string, Rect])[] {
    const rows: (readonly [string, Rect])[] = [];
    for (let i = this.#first; i < Math.min(this.#rows.length, this.#first + this.#capacity); i++) {
      rows.push([`${this.name}.row.${i}`, this.#rowRect(i)]);
    }
    return [[this.name ?? "", this.rect], ...rows];
  }

  override paint(painter: Painter, { accent, isActive }: Look): void {
    painter.fillRound(this.rect, METRIC.controlRadius, COLOUR.field);
    const isFocused = isActive && this.isFocused;
    const inner = { ...this.rect, x: this.rect.x + 1, width: this.rect.width - 2 };
    painter.clipped(inner, () => {
      for (let i = this.#first; i < this.#rows.length; i++) {
        const row = this.#rowRect(i);
        if (row.y >= this.rect.y + this.rect.height) break;
        if (!painter.shows(row)) continue;
        const isSelected = i === this.#selection;
        if (isSelected) {
          painter.fillRound(pad(row), 5, isFocused ? accent.plain : accent.pale);
        }
        const isBright = isSelected && isFocused;
        const middle = row.y + row.height / 2;
        const { title, detail } = this.#rows[i] ?? { title: "", detail: "" };
        painter.text(title, row.x + 14, middle, FONT.body, isBright ? COLOUR.onAccent : COLOUR.ink);
        const quiet = isBright ? COLOUR.onAccent : COLOUR.quiet;
        painter.textRight(detail, row.x + row.width - 12, middle, FONT.small, quiet);
      }
    });
    painter.frame(this.rect, METRIC.controlRadius, isFocused ? accent.plain : COLOUR.line, isFocused ? 2 : 1);
    painter.fillRound(this.#thumb(), 3, COLOUR.control);
  }

  override press(x: number, y: number): void {
    this.#isScrolling = x >= this.rect.x + this.rect.width - SCROLLBAR;
    if (this.#isScrolling) this.#scrollToY(y);
    else this.#pick(y);
  }

  override drag(_x: number, y: number): void {
    if (this.#isScrolling) this.#scrollToY(y);
  }

  override release(): void {
    this.#isScrolling = false;
  }

  override wheel(notches: number): boolean {
    this.#scrollTo(this.#first + notches * WHEEL_ROWS);
    return true;
  }

  override key({ name }: KeyPress): boolean {
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
    if (index === undefined) return false;
    this.#select(Math.min(this.#rows.length - 1, Math.max(0, index)));
    return true;
  }

  #pick(y: number): void {
    const index = this.#first + Math.floor((y - this.rect.y - 4) / ROW_HEIGHT);
    if (index >= this.#first && index < this.#rows.length) this.#select(index);
  }

  #select(index: number): void {
    const row = this.#rows[index];
    if (row === undefined || index === this.#selection) return;
    if (this.#selection !== null) this.damage(this.#visible(this.#selection));
    this.#selection = index;
    this.damage(this.#visible(index));
    this.#scrollTo(Math.min(index, Math.max(this.#first, index - this.#capacity + 1)));
    this.#selected(row, index);
  }

  #scrollTo(wanted: number): void {
    const first = Math.min(Math.max(0, this.#rows.length - this.#capacity), Math.max(0, wanted));
    if (first === this.#first) return;
    this.#first = first;
    this.damage();
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

  #rowRect(index: number): Rect {
    const { x, y, width } = this.rect;
    return { x, y: y + 4 + (index - this.#first) * ROW_HEIGHT, width: width - SCROLLBAR, height: ROW_HEIGHT };
  }

  /** A row's rectangle, nothing where it is scrolled away. */
  #visible(index: number): Rect {
    const row = this.#rowRect(index);
    const isShown = index >= this.#first && row.y < this.rect.y + this.rect.height;
    return isShown ? row : { ...row, height: 0 };
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

function pad({ x, y, width, height }: Rect): Rect {
  return { x: x + 5, y: y + 1, width: width - 7, height: height - 2 };
}
