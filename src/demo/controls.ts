import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import type { Drawing } from "./drawing.ts";
import type { KeyPress } from "./key.ts";
import { type Accent, COLOUR, FONT, type Font, METRIC } from "./theme.ts";

/** What a control needs to know of the desktop while it is drawn. */
export interface Look {
  readonly accent: Accent;
  /** It has the focus, in the window in front. */
  readonly isFocused: boolean;
  /** The pointer is over it. */
  readonly isOver: boolean;
  /** The left button went down on it and is still down. */
  readonly isHeld: boolean;
  /** False in the dark half of a caret's blink. */
  readonly isCaretShown: boolean;
}

/** Something in a window to act on. Coordinates are the window's; it draws only within `rect`. */
export interface Control {
  /** How tests and docs call it: "notes.text". */
  readonly name: string;
  readonly rect: Rect;
  /** Where it can be acted on, by name, where that is not just `rect`. */
  readonly parts?: readonly (readonly [name: string, rect: Rect])[];
  /** The pointer is an I-beam over it. */
  readonly isText?: boolean;
  draw(drawing: Drawing, look: Look): void;
  /** Left button down within it; `drag` and `release` follow wherever the pointer goes. */
  press?(x: number, y: number): void;
  drag?(x: number, y: number): void;
  release?(isInside: boolean): void;
  /** One notch of the wheel, down positive. */
  wheel?(notches: number): void;
  /** A key while it has the focus; true where it was used. What has no such method takes no focus. */
  key?(press: KeyPress): boolean;
}

/** Acts by a click that ends on it, by Return or Space. */
function pushed(act: () => void): Required<Pick<Control, "release" | "key">> {
  return {
    release: (isInside) => {
      if (isInside) act();
    },
    key: ({ name }) => {
      const isMeant = name === "Return" || name === "Space";
      if (isMeant) act();
      return isMeant;
    },
  };
}

/** Where a key leads, of a table of key names; true where it leads somewhere. */
function step(table: Readonly<Record<string, number>>, name: string, go: (to: number) => void): boolean {
  const to = table[name];
  if (to !== undefined) go(to);
  return to !== undefined;
}

export function button(name: string, rect: Rect, label: string, act: () => void, isPrimary = false): Control {
  return {
    name,
    rect,
    ...pushed(act),
    draw: (drawing, { accent, isFocused, isOver, isHeld }) => {
      const radius = METRIC.controlRadius;
      if (isPrimary) {
        drawing.fillRound(rect, radius, isOver ? accent.dark : accent.plain);
        drawing.textCentred(label, rect, FONT.strong, COLOUR.onAccent);
      } else {
        const hover = isHeld ? COLOUR.buttonPressed : COLOUR.buttonHover;
        drawing.fillRound(rect, radius, isOver ? hover : COLOUR.surface);
        drawing.frame(rect, radius, COLOUR.border);
        drawing.textCentred(label, rect, FONT.body, COLOUR.ink);
      }
      if (!isFocused) return;
      const inset = isPrimary ? 3 : 0;
      const { x, y, width, height } = rect;
      const inner = { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset };
      const ring = isPrimary ? COLOUR.onAccent : accent.plain;
      drawing.frame(inner, radius - inset / 2, ring, isPrimary ? 1 : 2);
    },
  };
}

/** A labelled switch. */
export function toggle(name: string, rect: Rect, label: string, isOn: boolean, turn: () => void): Control {
  return {
    name,
    rect,
    ...pushed(turn),
    draw: (drawing, { accent, isFocused }) => {
      const middle = rect.y + rect.height / 2;
      drawing.text(label, rect.x, middle, FONT.body, COLOUR.ink);
      const [width, height] = [40, 22];
      const half = height / 2;
      const track = { x: rect.x + rect.width - width - 2, y: Math.round(middle - half), width, height };
      drawing.fillRound(track, half, isOn ? accent.plain : COLOUR.border);
      drawing.disc(track.x + (isOn ? width - half : half), track.y + half, half - 3, COLOUR.surface);
      if (!isFocused) return;
      const ring = { x: track.x - 2, y: track.y - 2, width: width + 4, height: height + 4 };
      drawing.frame(ring, ring.height / 2, accent.plain, 1);
    },
  };
}

/** One choice of a few, side by side; arrows move it. */
export function choice(
  name: string,
  rect: Rect,
  labels: readonly string[],
  index: number,
  choose: (index: number) => void,
): Control {
  const width = Math.floor(rect.width / labels.length);
  const cells = labels.map((_, i) => ({ ...rect, x: rect.x + i * width, width }));
  const [before, after] = [(index + labels.length - 1) % labels.length, (index + 1) % labels.length];
  const table = { Left: before, Up: before, Right: after, Down: after };
  return {
    name,
    rect,
    parts: cells.map((cell, i) => [`${name}.${labels[i]?.toLowerCase()}`, cell] as const),
    draw: (drawing, { accent, isFocused }) => {
      for (const [i, { x, y, height }] of cells.entries()) {
        const middle = y + height / 2;
        const isOn = i === index;
        drawing.disc(x + 10, middle, 9, isOn ? accent.plain : COLOUR.border);
        drawing.disc(x + 10, middle, isOn ? 4 : 7.5, COLOUR.surface);
        drawing.text(labels[i] ?? "", x + 26, middle, isOn ? FONT.strong : FONT.body, COLOUR.ink);
        const ring = { x, y: Math.round(middle - 10), width: 20, height: 20 };
        if (isOn && isFocused) drawing.frame(ring, 10, accent.dark, 1);
      }
    },
    press: (x, y) => {
      const chosen = cells.findIndex((cell) => holdsPoint(cell, x, y));
      if (chosen >= 0) choose(chosen);
    },
    key: (press) => step(table, press.name, choose),
  };
}

/** Whole numbers from a least to a most, by dragging, the wheel or the arrows. */
export function slider(
  name: string,
  rect: Rect,
  { least, most, value }: { readonly least: number; readonly most: number; readonly value: number },
  change: (value: number) => void,
): Control {
  const knob = 9;
  const left = rect.x + knob + 1;
  const travel = rect.width - 2 * (knob + 1);
  const set = (wanted: number): void => change(Math.min(most, Math.max(least, wanted)));
  const drag = (x: number): void => set(Math.round(least + ((x - left) / travel) * (most - least)));
  const [less, more] = [value - 1, value + 1];
  const table = { Left: less, Down: less, Right: more, Up: more, Home: least, End: most };
  return {
    name,
    rect,
    draw: (drawing, { accent, isFocused }) => {
      const middle = rect.y + Math.floor(rect.height / 2);
      const knobX = left + Math.round(((value - least) / (most - least)) * travel);
      const track = { x: rect.x + 2, y: middle - 3, width: rect.width - 4, height: 6 };
      drawing.fillRound(track, 3, COLOUR.line);
      drawing.fillRound({ ...track, width: knobX - rect.x }, 3, accent.plain);
      drawing.disc(knobX, middle, knob, isFocused ? accent.dark : accent.plain);
      drawing.disc(knobX, middle, isFocused ? knob - 3 : knob - 2, COLOUR.surface);
    },
    press: drag,
    drag,
    wheel: (notches) => set(value - notches),
    key: (press) => step(table, press.name, set),
  };
}

/** One line of text, to the left or the right of its rectangle. */
export function label(
  drawing: Drawing,
  r: Rect,
  text: string,
  font: Font,
  colour: string,
  isRight = false,
): void {
  const middle = r.y + r.height / 2;
  drawing.clipped(r, () => {
    if (isRight) drawing.textRight(text, r.x + r.width, middle, font, colour);
    else drawing.text(text, r.x, middle, font, colour);
  });
}
