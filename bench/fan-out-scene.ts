import { rect } from "../src/framebuffer/rect.ts";

/** What the viewers of the fan-out benchmarks see, and what of it changes with each frame. */
export const SCREEN = rect(0, 0, 1280, 720);
export const MOVING = rect(320, 160, 320, 192);

/** Milliseconds as they fit into the colours of a pixel, which they come round in after four hours. */
const STAMPS = 0x1000000;

/** The time, as the first pixel of a frame holds it: the same clock in every process. */
export function stampNow(): number {
  return (0xff000000 + (nowMs() % STAMPS)) >>> 0;
}

/** How long before `atMs` a pixel was stamped. */
export function ageOf(pixel: number, atMs: number): number {
  return (atMs - (pixel % STAMPS) + STAMPS) % STAMPS;
}

export function nowMs(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
