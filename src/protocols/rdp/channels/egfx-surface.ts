import { Framebuffer, isAcceptableSize } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Point, type Rect, type Size } from "../../../framebuffer/rect.ts";
import { badData, tooLarge } from "../codecs/bad-data.ts";

/** Surfaces at a time; hosts make one for each monitor. */
const MOST_SURFACES = 64;
/** Screens that all surfaces together may fill: a host that changes its size may make the new ones before it drops the old. */
const MOST_SCREENS = 2;
/** Pixels beyond those screens, for surfaces in whole tiles and for what is prepared off the screen. */
const SPARE_PIXELS = 1 << 20;
/** Changed places of a surface that are told apart before they become one. */
const MOST_CHANGES = 4096;

/** Pixels off the screen that a host draws on, and where on the output they are seen. */
export class Surface {
  readonly id: number;
  readonly pixels: Framebuffer;
  /** Where its top left pixel is on the output; null while it is not shown. */
  origin: Point | null = null;
  #changes: Rect[] = [];

  constructor(id: number, width: number, height: number) {
    this.id = id;
    this.pixels = new Framebuffer(width, height);
  }

  /** Throws RdpError `bad_data` for a rectangle that reaches outside, and also for an empty one that lies there. */
  check(rect: Rect): void {
    const { width, height } = this.pixels;
    if (rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= width && rect.y + rect.height <= height) return;
    throw badData(
      `rectangle ${rect.x},${rect.y} of ${rect.width}x${rect.height}, expected it within the ${width}x${height} surface`,
    );
  }

  /** Remembers that these places were painted. */
  change(rects: readonly Rect[]): void {
    for (const rect of rects) if (areaOfRect(rect) > 0) this.#changes.push(rect);
    if (this.#changes.length > MOST_CHANGES) this.#changes = [this.pixels.rect];
  }

  /** What was painted since the last call, in its own pixels. */
  takeChanges(): Rect[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }
}

/** The surfaces of one graphics channel, by number. */
export class Surfaces {
  readonly #surfaces = new Map<number, Surface>();
  readonly #output: Size;
  #pixels = 0;

  /** `output`: the desktop as large as it is at any time. */
  constructor(output: Size) {
    this.#output = output;
  }

  /** Throws RdpError `too_large`, or `bad_data` for a number that is taken. */
  create(id: number, width: number, height: number): void {
    if (this.#surfaces.has(id)) throw badData(`a second surface ${id}, expected a new number`);
    const most = MOST_SCREENS * this.#output.width * this.#output.height + SPARE_PIXELS;
    if (!isAcceptableSize({ width, height }) || this.#pixels + width * height > most) {
      throw tooLarge(
        `a surface of ${width}x${height} pixels beside ${this.#pixels}, expected ${most} at most for this desktop`,
      );
    }
    if (this.#surfaces.size >= MOST_SURFACES) {
      throw tooLarge(`surface ${MOST_SURFACES + 1}, expected at most ${MOST_SURFACES}`);
    }
    this.#surfaces.set(id, new Surface(id, width, height));
    this.#pixels += width * height;
  }

  delete(id: number): void {
    const { pixels } = this.at(id);
    this.#surfaces.delete(id);
    this.#pixels -= pixels.width * pixels.height;
  }

  /** Throws RdpError `bad_data` where there is none of this number. */
  at(id: number): Surface {
    const surface = this.#surfaces.get(id);
    if (surface === undefined) throw badData(`surface ${id}, expected one that was created`);
    return surface;
  }

  all(): IterableIterator<Surface> {
    return this.#surfaces.values();
  }
}
