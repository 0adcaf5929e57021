import { createHash } from "node:crypto";
import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { boundRects, intersectRects, isEmptyRect, type Point, type Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";

/**
 * What changes again and again by itself is left out of a binding, but only in small pieces and in all only a small
 * part: else whoever draws the screen could blink a place until it no longer counts, and then change it.
 */
const MAX_MASKED_SIDE = 32;
const MAX_MASKED_SHARE = 1 / 16;
/** Around the target only something as thin as a caret is left out. */
const NEAR: Point = { x: 48, y: 24 };
const CARET = { width: 4, height: 48 } as const;

/** Where a target sends approximations: blocks of so many pixels a side may differ by this mean, 0 to 255. */
const BLOCK = 8;
const TOLERANCE = 24;

interface Patch {
  readonly area: Rect;
  readonly mask: Region;
  /** RGBA of the area, what is masked set to 0. */
  readonly pixels: Uint8Array;
}

/** The pixels that a person saw when asked: an approval is void once they are others. */
export class ScreenBinding {
  readonly #patches: readonly Patch[];
  readonly #targets: readonly Point[];
  readonly #isExact: boolean;
  readonly #width: number;
  readonly #height: number;

  private constructor(
    patches: readonly Patch[],
    targets: readonly Point[],
    frame: Framebuffer,
    isExact: boolean,
  ) {
    this.#patches = patches;
    this.#targets = targets;
    this.#isExact = isExact;
    this.#width = frame.width;
    this.#height = frame.height;
  }

  /**
   * Binds to `areas` of a frame as it is now. `targets`: where the action points. `periodic`: what changes by itself.
   * `isExact` false compares with tolerance, for targets that send approximations.
   */
  static of(
    frame: Framebuffer,
    areas: readonly Rect[],
    targets: readonly Point[],
    periodic: Region,
    isExact: boolean,
  ): ScreenBinding {
    const patches = areas
      .map((area) => intersectRects(area, frame.rect))
      .filter((area) => !isEmptyRect(area))
      .map((area) => {
        const mask = maskOf(area, targets, periodic);
        return { area, mask, pixels: read(frame, area, mask) };
      });
    return new ScreenBinding(patches, targets, frame, isExact);
  }

  get isExact(): boolean {
    return this.#isExact;
  }

  /** What is bound; null where nothing is. */
  get bounds(): Rect | null {
    const [first, ...rest] = this.#patches.map(({ area }) => area);
    return first === undefined ? null : rest.reduce(boundRects, first);
  }

  /** SHA-256 of the bound pixels, hex. */
  get hash(): string {
    const hash = createHash("sha256").update(`${this.#width}x${this.#height}`);
    for (const { area, pixels } of this.#patches) {
      hash.update(`\n${area.x},${area.y} ${area.width}x${area.height}\n`).update(pixels);
    }
    return hash.digest("hex");
  }

  /** To the same places, as they are now. */
  again(frame: Framebuffer, periodic: Region): ScreenBinding {
    const areas = this.#patches.map(({ area }) => area);
    return ScreenBinding.of(frame, areas, this.#targets, periodic, this.#isExact);
  }

  /** The share of the bound pixels that are others now, 0 to 1; 1 for a frame of another size. */
  changedShare(frame: Framebuffer): number {
    if (frame.width !== this.#width || frame.height !== this.#height) return 1;
    let changed = 0;
    let all = 0;
    for (const { area, mask, pixels } of this.#patches) {
      const now = read(frame, area, mask);
      all += area.width * area.height;
      for (let i = 0; i < now.length; i += BYTES_PER_PIXEL) {
        if (now[i] !== pixels[i] || now[i + 1] !== pixels[i + 1] || now[i + 2] !== pixels[i + 2]) changed++;
      }
    }
    return all === 0 ? 0 : changed / all;
  }

  /** Whether a change there may be one of what is bound. */
  isTouchedBy(damage: Region): boolean {
    return this.#patches.some(({ area }) => damage.overlaps(area));
  }

  /** Whether the frame still shows what was bound. */
  holds(frame: Framebuffer): boolean {
    if (frame.width !== this.#width || frame.height !== this.#height) return false;
    return this.#patches.every(({ area, mask, pixels }) => {
      const now = read(frame, area, mask);
      return this.#isExact ? Buffer.compare(now, pixels) === 0 : isSimilar(now, pixels, area);
    });
  }
}

/** The part of what changes by itself that may be left out. */
function maskOf(area: Rect, targets: readonly Point[], periodic: Region): Region {
  const here = periodic.clip(area);
  if (here.isEmpty) return here;
  const near = Region.from(
    targets.map(({ x, y }) => ({ x: x - NEAR.x, y: y - NEAR.y, width: 2 * NEAR.x, height: 2 * NEAR.y })),
  );
  const close = here.intersect(near);
  const { width, height } = close.bounds;
  const caret = width <= CARET.width && height <= CARET.height ? close : Region.empty;
  const small = here
    .subtract(near)
    .rects.filter((rect) => rect.width <= MAX_MASKED_SIDE && rect.height <= MAX_MASKED_SIDE);
  const mask = caret.union(Region.from(small));
  return mask.area <= area.width * area.height * MAX_MASKED_SHARE ? mask : Region.empty;
}

function read(frame: Framebuffer, area: Rect, mask: Region): Uint8Array {
  const pixels = frame.read(area);
  const stride = area.width * BYTES_PER_PIXEL;
  for (const { x, y, width, height } of mask.rects) {
    for (let row = y - area.y; row < y - area.y + height; row++) {
      const from = row * stride + (x - area.x) * BYTES_PER_PIXEL;
      pixels.fill(0, from, from + width * BYTES_PER_PIXEL);
    }
  }
  return pixels;
}

function isSimilar(a: Uint8Array, b: Uint8Array, area: Rect): boolean {
  for (let top = 0; top < area.height; top += BLOCK) {
    for (let left = 0; left < area.width; left += BLOCK) {
      const right = Math.min(left + BLOCK, area.width);
      const bottom = Math.min(top + BLOCK, area.height);
      let difference = 0;
      for (let y = top; y < bottom; y++) {
        const from = (y * area.width + left) * BYTES_PER_PIXEL;
        const to = (y * area.width + right) * BYTES_PER_PIXEL;
        for (let i = from; i < to; i++) difference += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
      }
      // Alpha is always the same and does not count.
      if (difference > TOLERANCE * 3 * (right - left) * (bottom - top)) return false;
    }
  }
  return true;
}
