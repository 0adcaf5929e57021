import type { Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter } from "./painter.ts";
import type { Look } from "./theme.ts";

/** The pointer's shape over something. */
export type PointerShape = "arrow" | "text";

/** Takes note that pixels will look different; a rectangle in the coordinates of whoever calls. */
export type Damage = (r: Rect) => void;

/**
 * Something within a window. Coordinates are the window's; a widget paints only within its `rect` and says what it
 * changed by `damage`.
 */
export abstract class Widget {
  /** How tests and docs call it ("notes.text"); null where nobody acts on it. */
  readonly name: string | null;
  readonly rect: Rect;
  readonly isFocusable: boolean = false;
  readonly shape: PointerShape = "arrow";
  #isFocused = false;
  #report: Damage = () => {};

  constructor(name: string | null, rect: Rect) {
    this.name = name;
    this.rect = rect;
  }

  abstract paint(painter: Painter, look: Look): void;

  /** Called by its window, once. */
  attach(report: Damage): void {
    this.#report = report;
  }

  get isFocused(): boolean {
    return this.#isFocused;
  }

  setFocused(isFocused: boolean): void {
    if (isFocused === this.#isFocused) return;
    this.#isFocused = isFocused;
    this.damage();
  }

  /** Where it, and what it consists of, can be acted on. */
  elements(): readonly (readonly [name: string, rect: Rect])[] {
    return this.name === null ? [] : [[this.name, this.rect]];
  }

  /** Left button down within it. `drag` and `release` follow wherever the pointer goes. */
  press(_x: number, _y: number): void {}
  drag(_x: number, _y: number): void {}
  release(_x: number, _y: number): void {}
  /** The pointer is over it, or was: null. */
  hover(_at: { readonly x: number; readonly y: number } | null): void {}
  /** One notch of the wheel, down positive. True where it was used. */
  wheel(_notches: number): boolean {
    return false;
  }
  /** A key while it has the focus. True where it was used. */
  key(_press: KeyPress): boolean {
    return false;
  }
  /** The place of its caret while it blinks, else null. */
  caretRect(): Rect | null {
    return null;
  }

  protected damage(r: Rect = this.rect): void {
    this.#report(r);
  }
}
