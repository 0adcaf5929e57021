import { FramePicture } from "../../src/framebuffer/frame-picture.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import type { Picture } from "../../src/framebuffer/picture.ts";
import { type Rect, rect } from "../../src/framebuffer/rect.ts";
import { drawText, numbers } from "../../test/framebuffer/frames.ts";

/** What one benchmark works on: a desktop's picture, in the memory that a live desktop's has. */
export interface Scene {
  readonly name: string;
  readonly frame: Framebuffer;
  readonly picture: Picture;
}

/** A full HD desktop with windows of text, a gradient and a photograph's noise: the same in every run. */
export function mixedScene(): Scene {
  const frame = new Framebuffer(1920, 1080, { hasKernels: true });
  const next = numbers(2026);
  frame.fill(frame.rect, 0x604830);
  drawText(frame, rect(40, 40, 1000, 800), 1);
  drawText(frame, rect(600, 500, 900, 520), 2);
  for (let y = 60; y < 460; y++) {
    for (let x = 1100; x < 1860; x++) {
      const noise = next() % 9;
      const red = Math.floor((x - 1100) / 4) + noise;
      const green = Math.floor((y - 60) / 2) + noise;
      frame.words[y * 1920 + x] = (0xff000000 | red | (green << 8) | ((128 + noise) << 16)) >>> 0;
    }
  }
  return sceneOf("mixed windows", frame);
}

/** What a real desktop showed. */
export function shownScene(name: string, width: number, height: number, rgba: Uint8Array): Scene {
  const frame = new Framebuffer(width, height, { hasKernels: true });
  frame.bytes.set(rgba.subarray(0, frame.bytes.length));
  for (let i = 3; i < frame.bytes.length; i += 4) frame.bytes[i] = 255;
  return sceneOf(name, frame);
}

function sceneOf(name: string, frame: Framebuffer): Scene {
  return { name, frame, picture: new FramePicture(frame) };
}

/** Changes a line of text, 20 rows of pixels, elsewhere at each turn, by copying another. Returns the place. */
export function changeLine({ frame }: Scene, turn: number): Rect {
  const line = rect(64, 40 + ((turn * 37) % (frame.height - 100)), 800, 20);
  frame.copy(66, 50 + ((turn * 53) % 700), line);
  return line;
}
