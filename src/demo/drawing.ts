import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import {
  intersectRects,
  isEmptyRect,
  joinNear,
  overlapRects,
  type Point,
  type Rect,
  type Size,
  translateRect,
} from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { Font } from "./theme.ts";
import type { Typeface } from "./typeface.ts";

/** Changes with at most so many pixels between them are one: lines of a text, not two windows. */
const NEAR_PIXELS = 4096;

/** A picture drawn once and shown often; equal keys are equal pixels. */
export interface Sprite extends Size {
  readonly key: string;
  readonly canvas: Canvas;
}

/** Colours from the top of a rectangle to its bottom, each with its place from 0 to 1. */
export type Fade = readonly (readonly [at: number, colour: string])[];

/** One thing drawn. */
interface Mark {
  /** All pixels that it may touch. */
  readonly rect: Rect;
  /** All that its pixels depend on: marks with equal keys look the same. */
  readonly key: string;
  paint(context: SKRSContext2D): void;
}

/** What is to be seen, as a list of marks: it can be painted, and compared with what was to be seen before. */
export class Drawing {
  readonly typeface: Typeface;
  readonly #marks: Mark[] = [];
  /** Opaque parts: the marks before `end` are hidden there. */
  readonly #covers: { readonly end: number; readonly rects: readonly Rect[] }[] = [];
  #origin: Point = { x: 0, y: 0 };
  #clip: Rect | null = null;

  constructor(typeface: Typeface) {
    this.typeface = typeface;
  }

  /** A picture of its own, transparent at first. */
  sprite(key: string, size: Size, draw: (drawing: Drawing) => void): Sprite {
    const drawing = new Drawing(this.typeface);
    draw(drawing);
    const canvas = createCanvas(size.width, size.height);
    drawing.paint(canvas.getContext("2d"), { x: 0, y: 0, ...size });
    return { key, canvas, width: size.width, height: size.height };
  }

  /** Paints what touches a rectangle, whose corner is the context's origin. */
  paint(context: SKRSContext2D, part: Rect): void {
    for (const mark of this.#marks) {
      if (!overlapRects(mark.rect, part)) continue;
      context.save();
      context.translate(-part.x, -part.y);
      mark.paint(context);
      context.restore();
    }
  }

  /** Where it looks different from an earlier drawing. */
  changedSince(before: Drawing): Region {
    const changed = [...before.#visibleWithout(this), ...this.#visibleWithout(before)];
    return Region.from(joinNear(changed, NEAR_PIXELS));
  }

  /** Draws with (x, y) as the origin. */
  within(x: number, y: number, draw: () => void): void {
    const origin = this.#origin;
    this.#origin = { x: origin.x + x, y: origin.y + y };
    draw();
    this.#origin = origin;
  }

  /** Draws nothing outside of a rectangle. */
  clipped(r: Rect, draw: () => void): void {
    const clip = this.#clip;
    const own = this.#onDesktop(r);
    this.#clip = clip === null ? own : intersectRects(clip, own);
    draw();
    this.#clip = clip;
  }

  /** Says that what was drawn so far cannot be seen in some rectangles. */
  cover(rects: readonly Rect[]): void {
    this.#covers.push({ end: this.#marks.length, rects: rects.map((r) => this.#onDesktop(r)) });
  }

  fill(r: Rect, colour: string | Fade): void {
    this.#add(["fill", r, colour], r, (context) => {
      if (typeof colour === "string") context.fillStyle = colour;
      else {
        const gradient = context.createLinearGradient(0, r.y, 0, r.y + r.height);
        for (const [at, stop] of colour) gradient.addColorStop(at, stop);
        context.fillStyle = gradient;
      }
      context.fillRect(r.x, r.y, r.width, r.height);
    });
  }

  fillRound(r: Rect, radius: number | readonly number[], colour: string): void {
    this.#add(["fillRound", r, radius, colour], r, (context) => fillRound(context, r, radius, colour));
  }

  /** A line along the inner edge of a rounded rectangle. */
  frame(r: Rect, radius: number, colour: string, widthPx = 1): void {
    this.#add(["frame", r, radius, colour, widthPx], r, (context) => {
      const inset = widthPx / 2;
      context.beginPath();
      context.roundRect(r.x + inset, r.y + inset, r.width - widthPx, r.height - widthPx, radius - inset);
      context.strokeStyle = colour;
      context.lineWidth = widthPx;
      context.stroke();
    });
  }

  disc(x: number, y: number, radius: number, colour: string): void {
    const side = 2 * radius;
    const bounds = { x: x - radius, y: y - radius, width: side, height: side };
    this.#add(["disc", x, y, radius, colour], bounds, (context) => {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
    });
  }

  line(points: readonly Point[], colour: string, widthPx: number): void {
    this.#add(["line", points, colour, widthPx], boundsOf(points, widthPx), (context) => {
      trace(context, points);
      context.strokeStyle = colour;
      context.lineWidth = widthPx;
      context.lineCap = "round";
      context.lineJoin = "round";
      context.stroke();
    });
  }

  polygon(points: readonly Point[], colour: string): void {
    this.#add(["polygon", points, colour], boundsOf(points, 0), (context) => {
      trace(context, points);
      context.closePath();
      context.fillStyle = colour;
      context.fill();
    });
  }

  /** A filled rounded rectangle with a soft shadow below it; costly, so meant for sprites. */
  castShadow(r: Rect, radius: number, blurPx: number, dropPx: number, colour: string): void {
    const reach = blurPx + dropPx;
    const bounds = {
      x: r.x - reach,
      y: r.y - reach,
      width: r.width + 2 * reach,
      height: r.height + 2 * reach,
    };
    this.#add(["shadow", r, radius, blurPx, dropPx, colour], bounds, (context) => {
      context.shadowColor = colour;
      context.shadowBlur = blurPx;
      context.shadowOffsetY = dropPx;
      fillRound(context, r, radius, "#ffffff");
    });
  }

  image({ key, canvas, width, height }: Sprite, x: number, y: number): void {
    this.#add(["image", key, x, y], { x, y, width, height }, (context) => context.drawImage(canvas, x, y));
  }

  /** One line of text whose capitals are centred on `middleY`. */
  text(text: string, x: number, middleY: number, font: Font, colour: string): void {
    const { sizePx } = font;
    // Glyphs reach a little beyond their advance.
    const width = this.typeface.measure(text, font) + 2 * sizePx;
    const bounds = { x: x - sizePx, y: middleY - sizePx, width, height: 2 * sizePx };
    this.#add(["text", text, x, middleY, font, colour], bounds, (context) => {
      this.typeface.draw(context, text, x, Math.round(middleY + sizePx * 0.36), font, colour);
    });
  }

  textCentred(text: string, r: Rect, font: Font, colour: string): void {
    const x = Math.round(r.x + (r.width - this.typeface.measure(text, font)) / 2);
    this.text(text, x, r.y + r.height / 2, font, colour);
  }

  textRight(text: string, right: number, middleY: number, font: Font, colour: string): void {
    this.text(text, Math.round(right - this.typeface.measure(text, font)), middleY, font, colour);
  }

  #add(what: readonly unknown[], bounds: Rect, paint: (context: SKRSContext2D) => void): void {
    const [origin, clip] = [this.#origin, this.#clip];
    const whole = outward(this.#onDesktop(bounds));
    const rect = clip === null ? whole : intersectRects(whole, clip);
    if (isEmptyRect(rect)) return;
    const clippedPaint = (context: SKRSContext2D): void => {
      if (clip !== null) {
        context.beginPath();
        context.rect(clip.x, clip.y, clip.width, clip.height);
        context.clip();
      }
      context.translate(origin.x, origin.y);
      paint(context);
    };
    this.#marks.push({ rect, key: JSON.stringify([what, origin, clip]), paint: clippedPaint });
  }

  /** Where the marks are seen that another drawing has not. */
  #visibleWithout(other: Drawing): Rect[] {
    const known = new Set(other.#marks.map(({ key }) => key));
    return this.#marks.flatMap(({ key, rect }, i) => {
      if (known.has(key)) return [];
      const hidden = this.#covers.filter(({ end }) => end > i).flatMap(({ rects }) => rects);
      return Region.of(rect).subtract(Region.from(hidden)).rects;
    });
  }

  #onDesktop(r: Rect): Rect {
    return translateRect(r, this.#origin.x, this.#origin.y);
  }
}

function fillRound(
  context: SKRSContext2D,
  r: Rect,
  radius: number | readonly number[],
  colour: string,
): void {
  context.beginPath();
  context.roundRect(r.x, r.y, r.width, r.height, typeof radius === "number" ? radius : [...radius]);
  context.fillStyle = colour;
  context.fill();
}

function trace(context: SKRSContext2D, points: readonly Point[]): void {
  context.beginPath();
  for (const [i, { x, y }] of points.entries()) {
    if (i === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
}

function boundsOf(points: readonly Point[], widthPx: number): Rect {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs) - widthPx, Math.min(...ys) - widthPx];
  const [right, bottom] = [Math.max(...xs) + widthPx, Math.max(...ys) + widthPx];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The whole pixels that a rectangle touches. */
function outward({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top };
}
