import { Framebuffer, OPAQUE } from "../../src/framebuffer/framebuffer.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";

/** Numbers that look random and are the same in every run: xorshift32. */
export function numbers(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** A picture of random pixels of at most `colours` colours. */
export function noisyFrame(
  width: number,
  height: number,
  seed: number,
  colours = 2 ** 24,
  hasKernels = true,
): Framebuffer {
  const frame = new Framebuffer(width, height, { hasKernels });
  const next = numbers(seed);
  for (let i = 0; i < frame.words.length; i++) {
    frame.words[i] = (Math.imul(next() % colours, 0x9e3779b1) | OPAQUE) >>> 0;
  }
  return frame;
}

/** The same pixels in ordinary memory, where only the twins work. */
export function withoutKernels(frame: Framebuffer): Framebuffer {
  const copy = new Framebuffer(frame.width, frame.height);
  copy.words.set(frame.words);
  return copy;
}

/** Text-like marks: words of strokes on a light ground, no two lines alike. */
export function drawText(frame: Framebuffer, area: Rect, seed: number): void {
  frame.fill(area, 0xfffffa);
  const next = numbers(seed);
  for (let y = area.y + 4; y + 12 <= area.y + area.height; y += 18) {
    let x = area.x + 6 + (next() % 20);
    while (x + 10 < area.x + area.width - 8) {
      const letter = next();
      for (let bit = 0; bit < 20; bit++) {
        if (((letter >>> bit) & 1) === 0) continue;
        const grey = 20 + ((letter >>> 20) & 63);
        const cell = { x: x + (bit % 4) * 2, y: y + Math.floor(bit / 4) * 2, width: 2, height: 2 };
        frame.fill(cell, grey * 0x010101);
      }
      x += next() % 7 === 0 ? 18 : 10;
    }
  }
}

/** Adds -most to +most to every channel. */
export function addNoise(frame: Framebuffer, most: number, seed: number): void {
  const next = numbers(seed);
  const bytes = frame.bytes;
  for (let i = 0; i < bytes.length; i++) {
    if (i % 4 === 3) continue;
    const moved = (bytes[i] ?? 0) + (next() % (2 * most + 1)) - most;
    bytes[i] = Math.max(0, Math.min(255, moved));
  }
}
