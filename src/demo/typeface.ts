import { createCanvas, GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import { StrokeTypeface } from "./stroke-typeface.ts";
import type { Font } from "./theme.ts";

/** How text is measured and drawn. */
export interface Typeface {
  /** The advance of `text` in pixels; of a prefix, it is where the caret stands. */
  measure(text: string, font: Font): number;
  draw(context: SKRSContext2D, text: string, x: number, baselineY: number, font: Font, colour: string): void;
}

/** "auto" takes the system's sans font where there is one, else the strokes we carry. */
export type TypefaceChoice = "auto" | "strokes";

// The first that is installed is used, so that one machine always draws the same.
const PREFERRED = [
  "Inter",
  "SF Pro Text",
  "Segoe UI",
  "Helvetica Neue",
  "Noto Sans",
  "Open Sans",
  "Cantarell",
  "Ubuntu",
  "DejaVu Sans",
  "Liberation Sans",
  "Arial",
];

/** Whether this machine has any font at all. */
export function hasSystemFonts(): boolean {
  return GlobalFonts.families.length > 0;
}

/** The typeface for this machine; a machine with nothing but Node may have no font at all. */
export function chooseTypeface(choice: TypefaceChoice): Typeface {
  const installed = new Set(GlobalFonts.families.map(({ family }) => family));
  if (choice === "strokes" || installed.size === 0) return new StrokeTypeface();
  const family = PREFERRED.find((name) => installed.has(name));
  return new SystemTypeface(family === undefined ? "sans-serif" : `"${family}", sans-serif`);
}

class SystemTypeface implements Typeface {
  readonly #family: string;
  // Advances are asked for again and again while a caret moves; bounded because texts are the user's.
  readonly #advances = new Map<string, number>();
  #context: SKRSContext2D | null = null;

  constructor(family: string) {
    this.#family = family;
  }

  measure(text: string, font: Font): number {
    if (text === "") return 0;
    const key = `${font.weight}${font.sizePx} ${text}`;
    const known = this.#advances.get(key);
    if (known !== undefined) return known;
    this.#context ??= measuringContext();
    this.#context.font = this.#css(font);
    const advance = this.#context.measureText(text).width;
    if (this.#advances.size >= 4096) this.#advances.clear();
    this.#advances.set(key, advance);
    return advance;
  }

  draw(context: SKRSContext2D, text: string, x: number, baselineY: number, font: Font, colour: string): void {
    context.font = this.#css(font);
    context.fontKerning = "none";
    context.fillStyle = colour;
    context.fillText(text, x, baselineY);
  }

  #css({ weight, sizePx }: Font): string {
    return `${weight === "bold" ? "600 " : ""}${sizePx}px ${this.#family}`;
  }
}

function measuringContext(): SKRSContext2D {
  const context = createCanvas(1, 1).getContext("2d");
  context.fontKerning = "none";
  return context;
}
