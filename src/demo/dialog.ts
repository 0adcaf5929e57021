import type { Rect } from "../framebuffer/rect.ts";
import { Button } from "./button.ts";
import { Label } from "./label.ts";
import { COLOUR, FONT, METRIC } from "./theme.ts";
import { Window } from "./window.ts";

const WIDTH = 380;
const LINE = 24;
const BUTTON = { width: 112, height: 36 } as const;

export interface DialogAnswer {
  readonly name: string;
  readonly label: string;
  act(): void;
}

export interface DialogText {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** A modal question in the middle of a monitor. The last answer is what Return means, the first what Escape means. */
export class Dialog extends Window {
  readonly #answers: readonly DialogAnswer[];

  constructor({ id, title, lines }: DialogText, answers: readonly DialogAnswer[], monitor: Rect) {
    const height = METRIC.titleHeight + METRIC.padding * 3 + lines.length * LINE + BUTTON.height;
    const x = monitor.x + Math.max(0, Math.round((monitor.width - WIDTH) / 2));
    const y = monitor.y + Math.max(METRIC.barHeight, Math.round((monitor.height - height) / 2.4));
    super(id, title, { x, y, width: WIDTH, height }, true);
    this.#answers = answers;
    const left = METRIC.padding + 4;
    for (const [i, line] of lines.entries()) {
      const top = METRIC.titleHeight + METRIC.padding + i * LINE;
      const rect = { x: left, y: top, width: WIDTH - 2 * left, height: LINE };
      this.add(new Label(rect, line, i === 0 ? FONT.strong : FONT.body, i === 0 ? COLOUR.ink : COLOUR.quiet));
    }
    for (const [i, answer] of answers.entries()) {
      const fromRight = answers.length - i;
      const rect = {
        x: WIDTH - METRIC.padding - fromRight * BUTTON.width - (fromRight - 1) * 10,
        y: height - METRIC.padding - BUTTON.height,
        ...BUTTON,
      };
      this.add(
        new Button(`${id}.${answer.name}`, rect, answer.label, () => answer.act(), i === answers.length - 1),
      );
    }
  }

  override confirm(): void {
    this.#answers.at(-1)?.act();
  }

  override cancel(): void {
    this.#answers[0]?.act();
  }
}
