import type { Rect } from "../framebuffer/rect.ts";
import type { Control, Look } from "./controls.ts";
import type { Drawing } from "./drawing.ts";
import type { KeyPress } from "./key.ts";
import { layoutText, lineAt, type TextLine } from "./text-layout.ts";
import { COLOUR, type Font, METRIC } from "./theme.ts";
import type { Typeface } from "./typeface.ts";

/** The most code points kept; what is typed or pasted beyond is refused. */
export const TEXT_LIMIT = 20_000;

const INSET = 14;
const CARET_WIDTH = 2;

/** What a field asks of its desktop. */
export interface TextFieldHost {
  /** Offers text to whoever watches (Ctrl+C). */
  copy(text: string): void;
  /** What whoever watches has offered (Ctrl+V). */
  paste(): string;
}

/** Several lines of text with a caret; it wraps, and scrolls to where the caret is. */
export class TextField implements Control {
  readonly name: string;
  readonly rect: Rect;
  readonly isText = true;
  readonly #typeface: Typeface;
  readonly #host: TextFieldHost;
  readonly #hint: readonly string[];
  #font: Font = { sizePx: 16, weight: "regular" };
  #characters: string[] = [];
  #lines: readonly TextLine[] = [{ start: 0, end: 0, text: "" }];
  #caret = 0;
  /** Where Up and Down aim at, in pixels; null after a sideways move. */
  #aimX: number | null = null;
  #firstLine = 0;

  constructor(name: string, rect: Rect, hint: readonly string[], typeface: Typeface, host: TextFieldHost) {
    this.name = name;
    this.rect = rect;
    this.#hint = hint;
    this.#typeface = typeface;
    this.#host = host;
  }

  get text(): string {
    return this.#characters.join("");
  }

  /** In code points. */
  get length(): number {
    return this.#characters.length;
  }

  /** The caret's place in code points from the start. */
  get caret(): number {
    return this.#caret;
  }

  setTextSize(sizePx: number): void {
    this.#font = { ...this.#font, sizePx };
    this.#layOut();
    this.#firstLine = 0;
    this.#reveal();
  }

  clear(): void {
    this.#replace(0, this.#characters.length, []);
  }

  /** Puts text at the caret. Control characters but line breaks are dropped; more than TEXT_LIMIT is cut off. */
  insert(text: string): void {
    const room = TEXT_LIMIT - this.#characters.length;
    // A code point is at most two units, so that a huge paste is not taken apart whole.
    const points = [
      ...text
        .slice(0, 2 * room)
        .replace(/\r\n?/g, "\n")
        .replace(/\t/g, "    "),
    ];
    const shown = points.filter((point) => point === "\n" || !/\p{Cc}/u.test(point)).slice(0, room);
    if (shown.length > 0) this.#replace(this.#caret, this.#caret, shown);
  }

  draw(drawing: Drawing, { accent, isFocused, isCaretShown }: Look): void {
    drawing.fillRound(this.rect, METRIC.controlRadius, COLOUR.surface);
    drawing.frame(this.rect, METRIC.controlRadius, isFocused ? accent.plain : COLOUR.line, isFocused ? 2 : 1);
    drawing.clipped(this.#inner(), () => {
      if (this.#characters.length === 0) this.#drawHint(drawing);
      for (const [i, { text }] of this.#lines
        .slice(this.#firstLine, this.#firstLine + this.#rows() + 2)
        .entries()) {
        const row = this.#rowRect(this.#firstLine + i);
        drawing.text(text, row.x, row.y + row.height / 2, this.#font, COLOUR.ink);
      }
      if (isFocused && isCaretShown) drawing.fill(this.#caretRect(), accent.plain);
    });
    const thumb = this.#thumb();
    if (thumb !== null) drawing.fillRound(thumb, 2, COLOUR.border);
  }

  press(x: number, y: number): void {
    const line = this.#firstLine + Math.floor((y - this.#inner().y) / this.#rowHeight());
    this.#moveTo(this.#nearest(Math.min(this.#lines.length - 1, Math.max(0, line)), x - this.#inner().x));
  }

  wheel(notches: number): void {
    const last = Math.max(0, this.#lines.length - this.#rows());
    this.#firstLine = Math.min(last, Math.max(0, this.#firstLine + notches * 3));
  }

  key({ name, text, isCtrl, isAlt }: KeyPress): boolean {
    if (isCtrl && !isAlt) return this.#command(name.toLowerCase());
    const line = lineAt(this.#lines, this.#caret);
    const acts: Readonly<Record<string, () => void>> = {
      Return: () => this.insert("\n"),
      BackSpace: () => this.#replace(Math.max(0, this.#caret - 1), this.#caret, []),
      Delete: () => this.#replace(this.#caret, this.#caret + 1, []),
      Left: () => this.#moveTo(this.#caret - 1),
      Right: () => this.#moveTo(this.#caret + 1),
      Home: () => this.#moveTo(this.#lines[line]?.start ?? 0),
      End: () => this.#moveTo(this.#endOf(line)),
      Up: () => this.#moveLines(-1),
      Down: () => this.#moveLines(1),
      Page_Up: () => this.#moveLines(-this.#rows()),
      Page_Down: () => this.#moveLines(this.#rows()),
    };
    const act = acts[name] ?? (text === null ? undefined : () => this.insert(text));
    act?.();
    return act !== undefined;
  }

  #command(letter: string): boolean {
    if (letter === "c") this.#host.copy(this.text);
    else if (letter === "v") this.insert(this.#host.paste());
    else if (letter === "home") this.#moveTo(0);
    else if (letter === "end") this.#moveTo(this.#characters.length);
    else return false;
    return true;
  }

  #replace(from: number, to: number, by: readonly string[]): void {
    this.#characters = [...this.#characters.slice(0, from), ...by, ...this.#characters.slice(to)];
    this.#caret = from + by.length;
    this.#aimX = null;
    this.#layOut();
    this.#reveal();
  }

  #moveTo(caret: number): void {
    this.#aimX = null;
    this.#setCaret(Math.min(this.#characters.length, Math.max(0, caret)));
  }

  #moveLines(count: number): void {
    const line = lineAt(this.#lines, this.#caret);
    const aim = this.#aimX ?? this.#caretX(line);
    const target = Math.min(this.#lines.length - 1, Math.max(0, line + count));
    this.#setCaret(this.#nearest(target, aim));
    this.#aimX = aim;
  }

  #setCaret(caret: number): void {
    this.#caret = caret;
    this.#reveal();
  }

  #layOut(): void {
    const font = this.#font;
    this.#lines = layoutText(this.#characters, this.#inner().width - CARET_WIDTH, (character) =>
      this.#typeface.measure(character, font),
    );
  }

  /** Scrolls so that the caret's line is shown, and no further past the end than needed. */
  #reveal(): void {
    const line = lineAt(this.#lines, this.#caret);
    const rows = this.#rows();
    const last = Math.max(0, this.#lines.length - rows);
    this.#firstLine = Math.min(last, line, Math.max(this.#firstLine, line - rows + 1));
  }

  /** The caret's place on a line nearest to a distance from its start. */
  #nearest(line: number, aimPx: number): number {
    const { start } = this.#lines[line] ?? { start: 0 };
    let best = start;
    let bestDistance = Number.POSITIVE_INFINITY;
    for (let at = start; at <= this.#endOf(line); at++) {
      const distance = Math.abs(this.#measure(start, at) - aimPx);
      if (distance >= bestDistance) break;
      best = at;
      bestDistance = distance;
    }
    return best;
  }

  /** The last place that is still on a line: after a soft break the end belongs to the next one. */
  #endOf(line: number): number {
    const { start, end } = this.#lines[line] ?? { start: 0, end: 0 };
    const isSoft = this.#lines[line + 1]?.start === end;
    return isSoft ? Math.max(start, end - 1) : end;
  }

  #measure(from: number, to: number): number {
    return this.#typeface.measure(this.#characters.slice(from, to).join(""), this.#font);
  }

  #caretX(line: number): number {
    return this.#measure(this.#lines[line]?.start ?? 0, this.#caret);
  }

  #caretRect(): Rect {
    const line = lineAt(this.#lines, this.#caret);
    const { x, y, width, height } = this.#rowRect(line);
    // A space that hangs over the edge takes no caret out of the field.
    const offset = Math.min(width - CARET_WIDTH, Math.round(this.#caretX(line)));
    return { x: x + offset, y: y + 2, width: CARET_WIDTH, height: height - 4 };
  }

  #rowHeight(): number {
    return Math.round(this.#font.sizePx * 1.5);
  }

  #rows(): number {
    return Math.max(1, Math.floor(this.#inner().height / this.#rowHeight()));
  }

  #rowRect(line: number): Rect {
    const { x, y, width } = this.#inner();
    const height = this.#rowHeight();
    return { x, y: y + (line - this.#firstLine) * height, width, height };
  }

  #inner(): Rect {
    const { x, y, width, height } = this.rect;
    return { x: x + INSET, y: y + INSET - 4, width: width - 2 * INSET, height: height - 2 * (INSET - 4) };
  }

  #thumb(): Rect | null {
    const rows = this.#rows();
    if (this.#lines.length <= rows) return null;
    const { x, y, width, height } = this.rect;
    const travel = height - 8;
    const size = Math.max(24, Math.round((travel * rows) / this.#lines.length));
    const offset = Math.round(((travel - size) * this.#firstLine) / (this.#lines.length - rows));
    return { x: x + width - 8, y: y + 4 + offset, width: 4, height: size };
  }

  #drawHint(drawing: Drawing): void {
    const { x, y } = this.#inner();
    const height = this.#rowHeight();
    for (const [i, line] of this.#hint.entries()) {
      drawing.text(line, x + 4, y + (i + 0.5) * height, this.#font, COLOUR.quiet);
    }
  }
}
