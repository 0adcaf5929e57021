import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Patch, takePatch } from "../../../src/framebuffer/patch.ts";
import {
  boundRects,
  intersectRects,
  isEmptyRect,
  type Point,
  type Rect,
  rect,
} from "../../../src/framebuffer/rect.ts";
import { findExact } from "../../../src/framebuffer/search-exact.ts";
import type { Shot } from "../harness/xwd.ts";

/** How a planted text looks: all pixels of it, as the target itself shows them. */
export interface Look {
  readonly text: string;
  readonly patch: Patch;
}

/** How a text looks over a moving picture: its pixels that are wholly of its own colour, at its place on the display. */
export interface InkLook {
  readonly text: string;
  readonly word: number;
  readonly pixels: readonly { readonly x: number; readonly y: number }[];
  /** Those between its letters. */
  readonly ground: readonly { readonly x: number; readonly y: number }[];
}

/** Where less of what lies between letters is of another colour than they are, there are no letters: a white window is no text. */
const LEAST_OTHER = 0.25;

/** A frame in which the whole of a planted text stands. */
export interface Leak {
  readonly text: string;
  readonly seenBy: string;
  readonly scene: string;
  readonly at: Rect;
}

export function frameOf({ width, height, rgba }: Shot): Framebuffer {
  const frame = new Framebuffer(width, height, { hasKernels: true });
  frame.bytes.set(rgba);
  return frame;
}

/** As small as its letters: what hides a line beside it may reach into the rest. */
export function lookAt(frame: Framebuffer, text: string, at: Rect): Look {
  return { text, patch: takePatch(frame, lettersIn(frame, at)) };
}

/** The bounds of what is of another colour than the corner. */
function lettersIn(frame: Framebuffer, at: Rect): Rect {
  const ground = frame.words[at.y * frame.width + at.x];
  let letters: Rect | null = null;
  for (let y = at.y; y < at.y + at.height; y++) {
    for (let x = at.x; x < at.x + at.width; x++) {
      if (frame.words[y * frame.width + x] === ground) continue;
      letters = letters === null ? rect(x, y, 1, 1) : boundRects(letters, rect(x, y, 1, 1));
    }
  }
  return letters ?? at;
}

/** Pixels of one colour in a rectangle, such as those of white letters on black. */
export function inkAt(frame: Framebuffer, text: string, at: Rect, word: number): InkLook {
  const pixels: { x: number; y: number }[] = [];
  const ground: { x: number; y: number }[] = [];
  for (let y = at.y; y < at.y + at.height; y++) {
    for (let x = at.x; x < at.x + at.width; x++) {
      (frame.words[y * frame.width + x] === word ? pixels : ground).push({ x, y });
    }
  }
  return { text, word, pixels, ground };
}

/** Searches frames for planted texts, exactly, and counts both. */
export class Sight {
  looks: readonly Look[] = [];
  inks: readonly InkLook[] = [];
  scene = "";
  readonly frames = new Map<string, number>();
  readonly leaks: Leak[] = [];

  /** `changed`: where the frame may differ from the one looked at before; null: everywhere. */
  look(frame: Framebuffer, seenBy: string, changed: Rect | null = null): readonly Leak[] {
    this.frames.set(seenBy, (this.frames.get(seenBy) ?? 0) + 1);
    const found = this.find(frame, changed).map(({ text, at }) => ({ text, at, seenBy, scene: this.scene }));
    this.leaks.push(...found);
    return found;
  }

  /** Where planted texts stand whole. */
  find(frame: Framebuffer, changed: Rect | null): readonly Pick<Leak, "text" | "at">[] {
    const bySight = this.looks.flatMap(({ text, patch }) => {
      const { width, height } = patch;
      const area =
        changed === null
          ? frame.rect
          : rect(
              changed.x - width + 1,
              changed.y - height + 1,
              changed.width + 2 * width - 2,
              changed.height + 2 * height - 2,
            );
      const places = placesOf(frame, patch, intersectRects(area, frame.rect));
      return places.map(({ x, y }) => ({ text, at: rect(x, y, width, height) }));
    });
    const byInk = this.inks.flatMap(({ text, word, pixels, ground }) => {
      const isWord = ({ x, y }: { readonly x: number; readonly y: number }): boolean =>
        frame.words[y * frame.width + x] === word;
      if (pixels.length === 0 || !pixels.every(isWord)) return [];
      if (ground.filter((pixel) => !isWord(pixel)).length < LEAST_OTHER * ground.length) return [];
      const xs = pixels.map(({ x }) => x);
      const ys = pixels.map(({ y }) => y);
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      return [{ text, at: rect(left, top, Math.max(...xs) - left + 1, Math.max(...ys) - top + 1) }];
    });
    return [...bySight, ...byInk];
  }

  get count(): number {
    return [...this.frames.values()].reduce((sum, count) => sum + count, 0);
  }
}

/**
 * Some of the places of a patch, all of an area looked at. A search gives up where too many pixels are like the patch's rarest one,
 * as under a mask whose grey a letter's edge has too: then in half of the area at a time.
 */
function placesOf(frame: Framebuffer, patch: Patch, area: Rect): readonly Point[] {
  const { places, isComplete } = findExact(frame, patch, area, 8);
  if (isComplete || places.length > 0) return places;
  const half = (area.height - patch.height + 1) >> 1;
  if (half === 0)
    throw new Error(`a search gave up in one row: ${patch.width}x${patch.height} pixels are no text`);
  return [
    ...placesOf(frame, patch, { ...area, height: patch.height - 1 + half }),
    ...placesOf(frame, patch, { ...area, y: area.y + half, height: area.height - half }),
  ];
}

/** Pixels of a part of a frame, RGBA. */
export function partOf(frame: Framebuffer, at: Rect): Shot | null {
  const { x, y, width, height } = intersectRects(at, frame.rect);
  if (isEmptyRect({ x, y, width, height })) return null;
  const rgba = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * frame.width + x) * 4;
    rgba.set(frame.bytes.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, rgba };
}
