import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT, type Look, METRIC } from "./theme.ts";
import { Widget } from "./widget.ts";

/** A push button; it acts when the left button is released over it, or by Return or Space. */
export class Button extends Widget {
  override readonly isFocusable = true;
  readonly #isPrimary: boolean;
  readonly #act: () => void;
  #label: string;
  #isPressed = false;
  #isOver = false;

  constructor(name: string, rect: Rect, label: string, act: () => void, isPrimary = false) {
    super(name, rect);
    this.#label = label;
    this.#act = act;
    this.#isPrimary = isPrimary;
  }

  setLabel(label: string): void {
    if (label === this.#label) return;
    this.#label = label;
    this.damage();
  }

  override paint(painter: Painter, { accent, isActive }: Look): void {
    const isDown = this.#isPressed && this.#isOver;
    const radius = METRIC.controlRadius;
    if (this.#isPrimary) {
      painter.fillRound(this.rect, radius, isDown || this.#isOver ? accent.dark : accent.plain);
      painter.textCentred(this.#label, this.rect, FONT.strong, COLOUR.onAccent);
    } else {
      const ground = isDown ? COLOUR.buttonPressed : this.#isOver ? COLOUR.buttonHover : COLOUR.button;
      painter.fillRound(this.rect, radius, ground);
      painter.frame(this.rect, radius, COLOUR.control);
      painter.textCentred(this.#label, this.rect, FONT.body, COLOUR.ink);
    }
    if (!this.isFocused || !isActive) return;
    const ring = this.#isPrimary ? COLOUR.onAccent : accent.plain;
    const inset = this.#isPrimary ? 3 : 0;
    const { x, y, width, height } = this.rect;
    const inner = { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset };
    painter.frame(inner, radius - inset / 2, ring, this.#isPrimary ? 1 : 2);
  }

  override press(): void {
    this.#set(true, true);
  }

  override drag(x: number, y: number): void {
    this.#set(this.#isPressed, holdsPoint(this.rect, x, y));
  }

  override release(x: number, y: number): void {
    const isMeant = this.#isPressed && holdsPoint(this.rect, x, y);
    this.#set(false, this.#isOver);
    if (isMeant) this.#act();
  }

  override hover(at: object | null): void {
    this.#set(this.#isPressed, at !== null);
  }

  override key(press: KeyPress): boolean {
    if (press.name !== "Return" && press.name !== "Space") return false;
    this.#act();
    return true;
  }

  #set(isPressed: boolean, isOver: boolean): void {
    if (isPressed === this.#isPressed && isOver === this.#isOver) return;
    this.#isPressed = isPressed;
    this.#isOver = isOver;
    this.damage();
  }
}
