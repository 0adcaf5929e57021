import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT, type Look } from "./theme.ts";
import { Widget } from "./widget.ts";

/** One choice of a few, side by side; arrows move it while focused. */
export class RadioGroup extends Widget {
  override readonly isFocusable = true;
  readonly #choices: readonly string[];
  readonly #chosen: (index: number) => void;
  #index = 0;

  constructor(name: string, rect: Rect, choices: readonly string[], chosen: (index: number) => void) {
    super(name, rect);
    this.#choices = choices;
    this.#chosen = chosen;
  }

  override elements(): readonly (readonly [string, Rect])[] {
    return this.#choices.map((choice, i) => [`${this.name}.${choice.toLowerCase()}`, this.#cell(i)] as const);
  }

  override paint(painter: Painter, { accent, isActive }: Look): void {
    for (const [i, choice] of this.#choices.entries()) {
      const { x, y, height } = this.#cell(i);
      const middle = y + height / 2;
      const isOn = i === this.#index;
      painter.disc(x + 10, middle, 9, isOn ? accent.plain : COLOUR.control);
      painter.disc(x + 10, middle, isOn ? 4 : 7.5, COLOUR.window);
      painter.text(choice, x + 26, middle, isOn ? FONT.strong : FONT.body, COLOUR.ink);
      if (isOn && isActive && this.isFocused) {
        const ring = { x, y: Math.round(middle - 10), width: 20, height: 20 };
        painter.frame(ring, 10, accent.dark, 1);
      }
    }
  }

  override press(x: number, y: number): void {
    const index = this.#choices.findIndex((_, i) => holdsPoint(this.#cell(i), x, y));
    if (index >= 0) this.#choose(index);
  }

  override key({ name }: KeyPress): boolean {
    const step = name === "Left" || name === "Up" ? -1 : name === "Right" || name === "Down" ? 1 : 0;
    if (step === 0) return false;
    this.#choose((this.#index + step + this.#choices.length) % this.#choices.length);
    return true;
  }

  #choose(index: number): void {
    if (index === this.#index) return;
    this.#index = index;
    this.damage();
    this.#chosen(index);
  }

  #cell(index: number): Rect {
    const width = Math.floor(this.rect.width / this.#choices.length);
    return { x: this.rect.x + index * width, y: this.rect.y, width, height: this.rect.height };
  }
}
