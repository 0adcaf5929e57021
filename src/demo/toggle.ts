import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT, type Look } from "./theme.ts";
import { Widget } from "./widget.ts";

const TRACK = { width: 40, height: 22 } as const;

/** A labelled switch; a click anywhere on it, Return or Space turns it. */
export class Toggle extends Widget {
  override readonly isFocusable = true;
  readonly #label: string;
  readonly #changed: (isOn: boolean) => void;
  #isOn: boolean;

  constructor(name: string, rect: Rect, label: string, isOn: boolean, changed: (isOn: boolean) => void) {
    super(name, rect);
    this.#label = label;
    this.#isOn = isOn;
    this.#changed = changed;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  override paint(painter: Painter, { accent, isActive }: Look): void {
    const { x, y, width, height } = this.rect;
    const middle = y + height / 2;
    painter.text(this.#label, x, middle, FONT.body, COLOUR.ink);
    const track = {
      x: x + width - TRACK.width - 2,
      y: Math.round(middle - TRACK.height / 2),
      width: TRACK.width,
      height: TRACK.height,
    };
    painter.fillRound(track, TRACK.height / 2, this.#isOn ? accent.plain : COLOUR.control);
    const knobX = this.#isOn ? track.x + track.width - TRACK.height / 2 : track.x + TRACK.height / 2;
    painter.disc(knobX, track.y + TRACK.height / 2, TRACK.height / 2 - 3, COLOUR.window);
    if (!this.isFocused || !isActive) return;
    const ring = { x: track.x - 2, y: track.y - 2, width: track.width + 4, height: track.height + 4 };
    painter.frame(ring, ring.height / 2, accent.plain, 1);
  }

  override release(x: number, y: number): void {
    if (holdsPoint(this.rect, x, y)) this.#turn();
  }

  override key(press: KeyPress): boolean {
    if (press.name !== "Return" && press.name !== "Space") return false;
    this.#turn();
    return true;
  }

  #turn(): void {
    this.#isOn = !this.#isOn;
    this.damage();
    this.#changed(this.#isOn);
  }
}
