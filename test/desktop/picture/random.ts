import { type Rect, rect, type Size } from "../../../src/framebuffer/rect.ts";

/** A number from 0 up to `below`. */
export type Random = (below: number) => number;

/** The same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let random = seed | 1;
  return (below) => {
    random = (Math.imul(random, 1664525) + 1013904223) | 0;
    return (random >>> 8) % below;
  };
}

/** A rectangle within a picture, no side longer than `most`. */
export function anyRect(next: Random, { width, height }: Size, most = Math.max(width, height)): Rect {
  const [x, y] = [next(width - 1), next(height - 1)];
  return rect(x, y, 1 + next(Math.min(most, width - x)), 1 + next(Math.min(most, height - y)));
}
