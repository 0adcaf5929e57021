import type { Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, type Look } from "./theme.ts";
import { Widget } from "./widget.ts";

const KNOB = 9;

/** Whole numbers from a least to a most, by dragging, the wheel or the arrows. */
export class Slider extends Widget {
  override readonly isFocusable = true;
  readonly #least: number;
  readonly #most: number;
  readonly #changed: (value: number) => void;
  #value: number;

  constructor(
    name: string,
    rect: Rect,
    range: { readonly least: number; readonly most: number; readonly value: number },
    changed: (value: number) => void,
  ) {
    super(name, rect);
    this.#least = range.least;
    this.#most = range.most;
    this.#value = range.value;
    this.#changed = changed;
  }

  get value(): number {
    return this.#value;
  }

  override paint(painter: Painter, { accent, isActive }: Look): void {
    const { x, y, width, height } = this.rect;
    const middle = y + Math.floor(height / 2);
    const knobX = this.#knobX();
    const isFocused = isActive && this.isFocused;
    painter.fillRound({ x: x + 2, y: middle - 3, width: width - 4, height: 6 }, 3, COLOUR.line);
    painter.fillRound({ x: x + 2, y: middle - 3, width: knobX - x, height: 6 }, 3, accent.plain);
    painter.disc(knobX, middle, KNOB, isFocused ? accent.dark : accent.plain);
    painter.disc(knobX, middle, isFocused ? KNOB - 3 : KNOB - 2, COLOUR.window);
  }

  override press(x: number): void {
    this.drag(x);
  }

  override drag(x: number): void {
    const travel = this.rect.width - 2 * (KNOB + 1);
    const part = (x - this.rect.x - KNOB - 1) / travel;
    this.#set(Math.round(this.#least + part * (this.#most - this.#least)));
  }

  override wheel(notches: number): boolean {
    this.#set(this.#value - notches);
    return true;
  }

  override key({ name }: KeyPress): boolean {
    const target: Readonly<Record<string, number>> = {
      Left: this.#value - 1,
      Down: this.#value - 1,
      Right: this.#value + 1,
      Up: this.#value + 1,
      Home: this.#least,
      End: this.#most,
    };
    const value = target[name];
    if (value === undefined) return false;
    this.#set(value);
    return true;
  }

  #set(wanted: number): void {
    const value = Math.min(this.#most, Math.max(this.#least, wanted));
    if (value === this.#value) return;
    this.#value = value;
    this.damage();
    this.#changed(value);
  }

  #knobX(): number {
    const travel = this.rect.width - 2 * (KNOB + 1);
    const part = (this.#value - this.#least) / (this.#most - this.#least);
    return this.rect.x + KNOB + 1 + Math.round(part * travel);
  }
}
