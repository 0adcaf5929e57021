import type { Rect } from "../framebuffer/rect.ts";
import { button, label } from "./controls.ts";
import { COLOUR, FONT, METRIC } from "./theme.ts";
import type { Window } from "./windows.ts";

const WIDTH = 380;
const LINE = 24;
const BUTTON = { width: 112, height: 36 } as const;
const { padding: PAD, titleHeight: TITLE } = METRIC;

export interface DialogAnswer {
  /** The last part of its element's name: "dialog.save". */
  readonly name: string;
  readonly label: string;
  act(): void;
}

interface Question {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** The last one is what Return means, the first what Escape means. */
  readonly answers: readonly DialogAnswer[];
}

/** A modal question in the middle of a monitor. */
export function dialog(question: Question, monitor: Rect, answered: (answer: DialogAnswer) => void): Window {
  const { id, title, lines, answers } = question;
  const height = TITLE + PAD * 3 + lines.length * LINE + BUTTON.height;
  const buttons = answers.map((answer, i) => {
    const fromRight = answers.length - i;
    const x = WIDTH - PAD - fromRight * BUTTON.width - (fromRight - 1) * 10;
    const place = { x, y: height - PAD - BUTTON.height, ...BUTTON };
    return button(`${id}.${answer.name}`, place, answer.label, () => answered(answer), fromRight === 1);
  });
  const give = (answer: DialogAnswer | undefined): void => {
    if (answer !== undefined) answered(answer);
  };
  return {
    id,
    title,
    home: {
      x: monitor.x + Math.max(0, Math.round((monitor.width - WIDTH) / 2)),
      y: monitor.y + Math.max(METRIC.barHeight, Math.round((monitor.height - height) / 2.4)),
    },
    size: { width: WIDTH, height },
    controls: () => buttons,
    modal: { confirm: () => give(answers.at(-1)), cancel: () => give(answers[0]) },
    draw: (drawing) => {
      const left = PAD + 4;
      for (const [i, text] of lines.entries()) {
        const place = { x: left, y: TITLE + PAD + i * LINE, width: WIDTH - 2 * left, height: LINE };
        label(drawing, place, text, i === 0 ? FONT.strong : FONT.body, i === 0 ? COLOUR.ink : COLOUR.quiet);
      }
    },
  };
}
