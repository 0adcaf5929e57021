import { Label } from "./label.ts";
import { TextField, type TextFieldHost } from "./text-field.ts";
import { COLOUR, FONT, METRIC } from "./theme.ts";
import type { Typeface } from "./typeface.ts";
import { Window } from "./window.ts";

const SIZE = { width: 660, height: 362 } as const;
const FOOT = 36;

const HINT = [
  "Click here and type.",
  "",
  "Everything here works: drag a window by its title, scroll",
  "the list, press the buttons, right-click for a menu.",
] as const;

/** "Notes": a field that shows what is typed, and below it how much that is. */
export class NotesWindow extends Window {
  readonly field: TextField;

  constructor(typeface: Typeface, host: Omit<TextFieldHost, "changed">) {
    super("notes", "Notes", { x: 64, y: 72, ...SIZE });
    const { padding, titleHeight } = METRIC;
    const width = SIZE.width - 2 * padding;
    const height = SIZE.height - titleHeight - padding - FOOT;
    const foot = { x: padding, y: SIZE.height - FOOT, width: width / 2, height: FOOT };
    const count = new Label(foot, countOf(0), FONT.small, COLOUR.quiet);
    const field = { x: padding, y: titleHeight + padding, width, height };
    this.field = this.add(
      new TextField("notes.text", field, HINT, typeface, {
        copy: (text) => host.copy(text),
        paste: () => host.paste(),
        changed: (length) => count.setText(countOf(length)),
      }),
    );
    this.add(count);
    const right = { ...foot, x: padding + width / 2 };
    this.add(new Label(right, "Ctrl+C copies all · Ctrl+V pastes", FONT.small, COLOUR.quiet, true));
  }
}

function countOf(length: number): string {
  return length === 1 ? "1 character" : `${length} characters`;
}
