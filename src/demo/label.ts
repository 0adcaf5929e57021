import type { Rect } from "../framebuffer/rect.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, type Font } from "./theme.ts";
import { Widget } from "./widget.ts";

/** One line of text, to the left or the right of its rectangle. */
export class Label extends Widget {
  readonly #font: Font;
  readonly #colour: string;
  readonly #isRight: boolean;
  #text: string;

  constructor(rect: Rect, text: string, font: Font, colour: string = COLOUR.ink, isRight = false) {
    super(null, rect);
    this.#text = text;
    this.#font = font;
    this.#colour = colour;
    this.#isRight = isRight;
  }

  setText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.damage();
  }

  override paint(painter: Painter): void {
    const { x, y, width, height } = this.rect;
    const middle = y + height / 2;
    if (this.#isRight) painter.textRight(this.#text, x + width, middle, this.#font, this.#colour);
    else painter.text(this.#text, x, middle, this.#font, this.#colour);
  }
}
