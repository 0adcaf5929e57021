import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Framebuffer, OPAQUE } from "../framebuffer/framebuffer.ts";
import {
  intersectRects,
  isEmptyRect,
  type Point,
  type Rect,
  type Size,
  translateRect,
} from "../framebuffer/rect.ts";
import type { Font } from "./theme.ts";
import type { Typeface } from "./typeface.ts";

/** A picture drawn once and shown often. */
export interface Sprite extends Size {
  readonly canvas: Canvas;
}

/** Colours from the top of a rectangle to its bottom, each with its place from 0 to 1. */
export type Fade = readonly (readonly [at: number, colour: string])[];

/** The only thing that draws: a canvas, its rectangles in whole pixels. */
export class Painter {
  readonly #typeface: Typeface;
  #canvas: Canvas;
  #context: SKRSContext2D;
  #origin: Point = { x: 0, y: 0 };
  /** In the canvas's own pixels. */
  #clip: Rect;

  constructor(size: Size, typeface: Typeface) {
    this.#typeface = typeface;
    this.#canvas = createCanvas(size.width, size.height);
    this.#context = this.#canvas.getContext("2d");
    this.#clip = { x: 0, y: 0, width: size.width, height: size.height };
  }

  /** A picture of its own, transparent at first. */
  sprite(size: Size, draw: (painter: Painter) => void): Sprite {
    const painter = new Painter(size, this.#typeface);
    draw(painter);
    return { width: size.width, height: size.height, canvas: painter.#canvas };
  }

  /** Draws with (x, y) as the origin. */
  within(x: number, y: number, draw: () => void): void {
    const origin = this.#origin;
    this.#context.save();
    this.#context.translate(x, y);
    this.#origin = { x: origin.x + x, y: origin.y + y };
    try {
      draw();
    } finally {
      this.#origin = origin;
      this.#context.restore();
    }
  }

  /** Draws nothing outside of a rectangle. */
  clipped(r: Rect, draw: () => void): void {
    const clip = this.#clip;
    const inner = intersectRects(clip, this.#onCanvas(r));
    if (isEmptyRect(inner)) return;
    this.#context.save();
    this.#context.beginPath();
    this.#context.rect(r.x, r.y, r.width, r.height);
    this.#context.clip();
    this.#clip = inner;
    try {
      draw();
    } finally {
      this.#clip = clip;
      this.#context.restore();
    }
  }

  /** False where a rectangle lies wholly outside of what is being drawn. */
  shows(r: Rect): boolean {
    return !isEmptyRect(intersectRects(this.#clip, this.#onCanvas(r)));
  }

  fill(r: Rect, colour: string | Fade): void {
    if (typeof colour === "string") this.#context.fillStyle = colour;
    else {
      const gradient = this.#context.createLinearGradient(0, r.y, 0, r.y + r.height);
      for (const [at, stop] of colour) gradient.addColorStop(at, stop);
      this.#context.fillStyle = gradient;
    }
    this.#context.fillRect(r.x, r.y, r.width, r.height);
  }

  fillRound(r: Rect, radius: number | readonly number[], colour: string): void {
    this.#context.beginPath();
    this.#context.roundRect(r.x, r.y, r.width, r.height, typeof radius === "number" ? radius : [...radius]);
    this.#context.fillStyle = colour;
    this.#context.fill();
  }

  /** A line along the inner edge of a rounded rectangle. */
  frame(r: Rect, radius: number, colour: string, widthPx = 1): void {
    const inset = widthPx / 2;
    this.#context.beginPath();
    this.#context.roundRect(r.x + inset, r.y + inset, r.width - widthPx, r.height - widthPx, radius - inset);
    this.#context.strokeStyle = colour;
    this.#context.lineWidth = widthPx;
    this.#context.stroke();
  }

  disc(x: number, y: number, radius: number, colour: string): void {
    this.#context.beginPath();
    this.#context.arc(x, y, radius, 0, 2 * Math.PI);
    this.#context.fillStyle = colour;
    this.#context.fill();
  }

  line(points: readonly Point[], colour: string, widthPx: number): void {
    this.#trace(points);
    this.#context.strokeStyle = colour;
    this.#context.lineWidth = widthPx;
    this.#context.lineCap = "round";
    this.#context.lineJoin = "round";
    this.#context.stroke();
  }

  polygon(points: readonly Point[], colour: string): void {
    this.#trace(points);
    this.#context.closePath();
    this.#context.fillStyle = colour;
    this.#context.fill();
  }

  /** A filled rounded rectangle with a soft shadow below it; costly, so meant for sprites. */
  castShadow(r: Rect, radius: number, blurPx: number, dropPx: number, colour: string): void {
    this.#context.save();
    this.#context.shadowColor = colour;
    this.#context.shadowBlur = blurPx;
    this.#context.shadowOffsetY = dropPx;
    this.fillRound(r, radius, "#ffffff");
    this.#context.restore();
  }

  image({ canvas }: Sprite, x: number, y: number): void {
    this.#context.drawImage(canvas, x, y);
  }

  /** One line of text whose capitals are centred on `middleY`. */
  text(text: string, x: number, middleY: number, font: Font, colour: string): void {
    this.#typeface.draw(this.#context, text, x, Math.round(middleY + font.sizePx * 0.36), font, colour);
  }

  textCentred(text: string, r: Rect, font: Font, colour: string): void {
    const x = Math.round(r.x + (r.width - this.measure(text, font)) / 2);
    this.text(text, x, r.y + r.height / 2, font, colour);
  }

  textRight(text: string, right: number, middleY: number, font: Font, colour: string): void {
    this.text(text, Math.round(right - this.measure(text, font)), middleY, font, colour);
  }

  /** The advance of a text in pixels. */
  measure(text: string, font: Font): number {
    return this.#typeface.measure(text, font);
  }

  /** RGBA of a rectangle of the canvas, straight alpha. */
  read(r: Rect): Uint8ClampedArray {
    return this.#context.getImageData(r.x, r.y, r.width, r.height).data;
  }

  /** Copies what was drawn, made opaque, to a framebuffer; `at` is the canvas's origin there, `part` what to copy. */
  copyTo(target: Framebuffer, at: Point, part: readonly Rect[]): void {
    const { width, height } = this.#canvas;
    const pixels = this.read({ x: 0, y: 0, width, height });
    const from = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
    const to = target.words;
    for (const r of part) {
      for (let y = r.y; y < r.y + r.height; y++) {
        const start = (y - at.y) * width + r.x - at.x;
        const shift = y * target.width + r.x - start;
        for (let i = start; i < start + r.width; i++) to[i + shift] = (from[i] ?? 0) | OPAQUE;
      }
    }
  }

  #onCanvas(r: Rect): Rect {
    return translateRect(r, this.#origin.x, this.#origin.y);
  }

  #trace(points: readonly Point[]): void {
    this.#context.beginPath();
    for (const [i, { x, y }] of points.entries()) {
      if (i === 0) this.#context.moveTo(x, y);
      else this.#context.lineTo(x, y);
    }
  }
}
