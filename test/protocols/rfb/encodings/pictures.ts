import fc from "fast-check";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";

const MODULUS = 2 ** 32;

/** Numbers that look random and are the same for the same seed: 0 to 2^32 - 1. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
}

/** What desktops show: each draws the whole picture. */
const PAINTERS = {
  solid(to: Framebuffer, next: () => number) {
    to.fill(to.rect, next());
  },
  fewColours(to: Framebuffer, next: () => number) {
    const colours = Array.from({ length: 2 + (next() % 20) }, next);
    for (const i of to.words.keys()) to.words[i] = 0xff000000 | (colours[next() % colours.length] ?? 0);
  },
  manyColours(to: Framebuffer, next: () => number) {
    const colours = Array.from({ length: 130 + (next() % 140) }, next);
    for (const i of to.words.keys()) to.words[i] = 0xff000000 | (colours[next() % colours.length] ?? 0);
  },
  gradient(to: Framebuffer, next: () => number) {
    const base = next();
    for (let y = 0; y < to.height; y++) {
      for (let x = 0; x < to.width; x++) to.fill({ x, y, width: 1, height: 1 }, base + x * 3 + y * 0x0200);
    }
  },
  noise(to: Framebuffer, next: () => number) {
    for (const i of to.words.keys()) to.words[i] = 0xff000000 | next();
  },
  text(to: Framebuffer, next: () => number) {
    to.fill(to.rect, 0xffffff);
    for (let y = 2; y + 9 < to.height; y += 12) {
      for (let x = 3; x + 6 < to.width; x += 7) {
        const glyph = next();
        for (let bit = 0; bit < 32; bit++) {
          if ((glyph >> bit) & 1)
            to.fill({ x: x + (bit % 5), y: y + Math.floor(bit / 5), width: 1, height: 1 }, 0);
        }
      }
    }
  },
  windows(to: Framebuffer, next: () => number) {
    to.fill(to.rect, next());
    for (let n = 0; n < 6; n++) {
      const x = next() % to.width;
      const y = next() % to.height;
      const width = 1 + (next() % (to.width - x));
      const height = 1 + (next() % (to.height - y));
      to.fill({ x, y, width, height }, next());
    }
  },
} as const;

/** Pictures of every kind and awkward size. */
export function anyPicture(mostSide: number): fc.Arbitrary<Framebuffer> {
  return fc
    .record({
      kind: fc.constantFrom(...Object.values(PAINTERS)),
      width: fc.integer({ min: 1, max: mostSide }),
      height: fc.integer({ min: 1, max: mostSide }),
      seed: fc.integer({ min: 0, max: MODULUS - 1 }),
    })
    .map(({ kind, width, height, seed }) => {
      const to = new Framebuffer(width, height);
      kind(to, numbers(seed));
      return to;
    });
}

export function noisePicture(width: number, height: number, seed = 7): Framebuffer {
  const to = new Framebuffer(width, height);
  PAINTERS.noise(to, numbers(seed));
  return to;
}

/** Smooth in every colour, as photographs are. */
export function photoPicture(width: number, height: number): Framebuffer {
  const to = new Framebuffer(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const red = Math.round(127 + 120 * Math.sin(x / 23));
      const green = Math.round(127 + 120 * Math.sin(y / 31));
      const blue = Math.round(127 + 120 * Math.sin((x + y) / 41));
      to.fill({ x, y, width: 1, height: 1 }, red | (green << 8) | (blue << 16));
    }
  }
  return to;
}
