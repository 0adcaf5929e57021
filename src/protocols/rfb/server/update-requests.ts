import { equalRects, holdsRect, intersectRects, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";

/** Updates and bytes that a viewer with continuous updates may be behind by before it is waited for. */
const MAX_UPDATES_IN_FLIGHT = 4;
const MAX_BYTES_IN_FLIGHT = 512 * 1024;

/** Of a viewer that keeps up, only every third update asks for an answer, or what has so many bytes. */
const FENCE_EVERY = 3;
const FENCE_EVERY_BYTES = 128 * 1024;

/** Updates on their way. */
interface Flight {
  readonly updates: number;
  readonly bytes: number;
}

const NONE: Flight = { updates: 0, bytes: 0 };

/** More rectangles than this asked for are one: what a viewer asks for costs bounded memory. */
const MAX_RECTS = 64;

/** What a viewer is waiting for: open requests, continuous updates, and how far behind it is (by Fence). */
export class UpdateRequests {
  #asked = Region.empty;
  /** What was last asked for: most ask for the same again and again. */
  #usual = Region.empty;
  #refresh = Region.empty;
  #continuous: Rect | null = null;
  /** What each fence stands for that was not answered, by its number, oldest first. */
  readonly #inFlight = new Map<number, Flight>();
  /** All of these together. */
  #fenced = NONE;
  /** What was sent after the last fence. */
  #loose = NONE;
  /** The last fence was answered before another update went. */
  #keepsUp = false;
  #fences = 0;

  /** What the viewer wants to get whole, changed or not. */
  get refresh(): Region {
    return this.#refresh;
  }

  get isOpen(): boolean {
    return !this.#asked.isEmpty || this.#isFlowing;
  }

  get isContinuous(): boolean {
    return this.#continuous !== null;
  }

  /** Updates that the viewer was asked to confirm and has not yet. */
  get updatesInFlight(): number {
    return this.#fenced.updates;
  }

  /** What may be sent now. */
  get region(): Region {
    const { isEmpty } = this.#asked;
    if (!this.#isFlowing || this.#continuous === null) return this.#asked;
    return isEmpty ? Region.of(this.#continuous) : this.#asked.union(Region.of(this.#continuous));
  }

  get #isFlowing(): boolean {
    if (this.#continuous === null) return false;
    const { updates, bytes } = sum(this.#fenced, this.#loose);
    return updates === 0 || (updates < MAX_UPDATES_IN_FLIGHT && bytes < MAX_BYTES_IN_FLIGHT);
  }

  ask(rect: Rect, isIncremental: boolean): void {
    if (isEmptyRect(rect)) return;
    if (!equalRects(rect, this.#usual.bounds)) this.#usual = Region.of(rect);
    this.#asked = this.#asked.union(this.#usual).simplified(MAX_RECTS);
    if (!isIncremental) this.refreshAll(rect);
  }

  /** A part that the viewer must get whole with its next requests. */
  refreshAll(rect: Rect): void {
    this.#refresh = this.#refresh.union(Region.of(rect)).simplified(MAX_RECTS);
  }

  continue(rect: Rect | null): void {
    this.#continuous = rect;
    if (rect === null) this.#forgetFlight();
  }

  /** An update answers every open request, RFC 6143 section 7.5.3. `sent`: the pixels it held. */
  answered(sent: Region): void {
    this.#asked = Region.empty;
    if (!this.#refresh.isEmpty) this.#refresh = this.#refresh.subtract(sent);
  }

  /** True where all of this may be sent now. */
  holds(rect: Rect): boolean {
    if (this.#isFlowing && this.#continuous !== null && holdsRect(this.#continuous, rect)) return true;
    return this.region.holds(rect);
  }

  /**
   * The number of the fence that is to follow an update of so many bytes, `wished` where that was not used before; null
   * where none is needed yet.
   */
  launch(sizeBytes: number, wished = 0): number | null {
    const loose = sum(this.#loose, { updates: 1, bytes: sizeBytes });
    const isFew = loose.updates < FENCE_EVERY && loose.bytes < FENCE_EVERY_BYTES;
    this.#loose = this.#keepsUp && isFew ? loose : NONE;
    if (this.#loose === loose) return null;
    this.#fences = Math.max(this.#fences + 1, wished) >>> 0;
    this.#inFlight.set(this.#fences, loose);
    this.#fenced = sum(this.#fenced, loose);
    return this.#fences;
  }

  /** The viewer answered a fence, and so has read all that was sent before it. */
  landed(fence: number): void {
    if (!this.#inFlight.has(fence)) return;
    for (const [number, { updates, bytes }] of this.#inFlight) {
      this.#inFlight.delete(number);
      this.#fenced = sum(this.#fenced, { updates: -updates, bytes: -bytes });
      if (number === fence) break;
    }
    this.#keepsUp = this.#inFlight.size === 0 && this.#loose.updates === 0;
  }

  /** The desktop is now this big: requests beyond are void and all of it is new. */
  resize(whole: Rect): void {
    this.#asked = this.#asked.clip(whole);
    this.#refresh = Region.of(whole);
    if (this.#continuous === null) return;
    // A viewer of the whole desktop says the new size itself, but only when it has read of it.
    const clipped = intersectRects(this.#continuous, whole);
    this.#continuous = isEmptyRect(clipped) ? whole : clipped;
  }

  #forgetFlight(): void {
    this.#inFlight.clear();
    this.#fenced = NONE;
    this.#loose = NONE;
    this.#keepsUp = false;
  }
}

function sum(a: Flight, b: Flight): Flight {
  return { updates: a.updates + b.updates, bytes: a.bytes + b.bytes };
}
