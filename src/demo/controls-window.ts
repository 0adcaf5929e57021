import type { Rect } from "../framebuffer/rect.ts";
import { Button } from "./button.ts";
import { Label } from "./label.ts";
import { RadioGroup } from "./radio-group.ts";
import { Slider } from "./slider.ts";
import { ACCENTS, type Accent, BLUE, COLOUR, FONT, METRIC } from "./theme.ts";
import { Toggle } from "./toggle.ts";
import { Window } from "./window.ts";

const SIZE = { width: 400, height: 404 } as const;
const TEXT_SIZE = { least: 12, most: 28, value: 16 } as const;

export interface ControlsHost {
  clockChanged(is24Hour: boolean): void;
  accentChanged(accent: Accent): void;
  textSizeChanged(sizePx: number): void;
  saveAsked(): void;
}

/** "Controls": a counter, a switch, a choice of three, a slider and a button that opens a dialog; all have an effect. */
export class ControlsWindow extends Window {
  readonly #saved: Label;
  #clicks = 0;
  #saves = 0;

  constructor(host: ControlsHost) {
    super("controls", "Controls", { x: 796, y: 104, ...SIZE });
    const half = (SIZE.width - 2 * METRIC.padding - 12) / 2;
    const counter = this.add(
      new Button("controls.counter", row(0, 40), "Click me", () => {
        this.#clicks++;
        counter.setLabel(this.#clicks === 1 ? "Clicked once" : `Clicked ${this.#clicks} times`);
      }),
    );
    this.add(
      new Toggle("controls.toggle", row(60, 32), "24-hour clock", true, (isOn) => host.clockChanged(isOn)),
    );
    this.add(new Label(row(112, 20), "Accent colour", FONT.smallStrong, COLOUR.quiet));
    const names = ACCENTS.map(({ name }) => name);
    this.add(
      new RadioGroup("controls.accent", row(136, 32), names, (i) => host.accentChanged(ACCENTS[i] ?? BLUE)),
    );
    this.add(new Label(row(188, 20), "Text size in Notes", FONT.smallStrong, COLOUR.quiet));
    const size = new Label(row(188, 20), `${TEXT_SIZE.value} px`, FONT.small, COLOUR.quiet, true);
    this.add(size);
    this.add(
      new Slider("controls.slider", row(212, 32), TEXT_SIZE, (value) => {
        size.setText(`${value} px`);
        host.textSizeChanged(value);
      }),
    );
    const foot = row(SIZE.height - METRIC.titleHeight - 2 * METRIC.padding - 40, 40);
    this.#saved = this.add(
      new Label({ ...foot, width: half + 40 }, "Nothing saved yet", FONT.small, COLOUR.quiet),
    );
    const save = { ...foot, x: foot.x + foot.width - 120, width: 120 };
    this.add(new Button("controls.save", save, "Save…", () => host.saveAsked(), true));
  }

  get clicks(): number {
    return this.#clicks;
  }

  get saves(): number {
    return this.#saves;
  }

  /** Says that the note was saved once more. */
  noteSaved(): void {
    this.#saves++;
    this.#saved.setText(this.#saves === 1 ? "Saved once" : `Saved ${this.#saves} times`);
  }
}

/** A full-width row, `top` pixels below the title bar's padding. */
function row(top: number, height: number): Rect {
  const { padding, titleHeight } = METRIC;
  return { x: padding, y: titleHeight + padding + top, width: SIZE.width - 2 * padding, height };
}
