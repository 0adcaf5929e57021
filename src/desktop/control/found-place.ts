import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { MAX_PATCH_PIXELS } from "../../framebuffer/kernels/picture-memory.ts";
import { type Patch, takePatch } from "../../framebuffer/patch.ts";
import {
  equalRects,
  holdsRect,
  isEmptyRect,
  type Point,
  type Rect,
  translateRect,
} from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import { findExact, isExactlyAt } from "../../framebuffer/search-exact.ts";
import { likenessAt } from "../../framebuffer/search-tolerant.ts";
import { RefusedError } from "../error.ts";
import type { Found } from "./action.ts";
import type { GatePorts } from "./gate-ports.ts";

/** How far a channel may be off where the pointer lies over something that looks as it did: a light behind it. */
const TOLERANCE = 16;

type FoundPlacePorts = Pick<GatePorts, "display" | "input" | "changedSince">;

/** What changes by itself: small places, as a caret. */
interface Itself {
  readonly periodic: Region;
}

/** What became of what was acted on. */
interface Aftermath {
  /** Why the action may have met something else; null where nothing speaks for that. */
  readonly doubt: string | null;
  /** Present: nothing on the screen looks as it did. */
  readonly looksOtherwise?: true;
}

/** What a caller found on the screen and acts on: remembered as it looked, so that it is known where it is no more. */
export class FoundPlace {
  readonly #found: Found;
  readonly #ports: FoundPlacePorts;
  readonly #itself: Itself;
  /** Of its middle where it is large; null where it had changed before it could be remembered. */
  readonly #patch: Patch | null = null;
  readonly #at: Rect;

  /** null for nothing. */
  static of(found: Found | undefined, ports: FoundPlacePorts, itself: Itself): FoundPlace | null {
    return found === undefined ? null : new FoundPlace(found, ports, itself);
  }

  private constructor(found: Found, ports: FoundPlacePorts, itself: Itself) {
    this.#found = found;
    this.#ports = ports;
    this.#itself = itself;
    this.#at = middleOf(found.rect);
    const { frame } = this;
    const isThere = frame !== null && !isEmptyRect(this.#at) && holdsRect(frame.rect, this.#at);
    if (isThere && this.#isUnchanged()) this.#patch = takePatch(frame, this.#at);
  }

  /** Where the target's newest pixels decide. */
  get bound(): Rect {
    return this.#found.rect;
  }

  get frame(): Framebuffer | null {
    return this.#ports.display.shownTo("agent").frame;
  }

  /** Throws RefusedError stale_screen where its pixels are others than when it was found; says where it is. */
  check(): void {
    if (this.#isUnchanged()) return;
    const { what } = this.#found;
    const now = this.#elsewhere();
    throw new RefusedError(
      "stale_screen",
      now === null
        ? `the ${what} changed between the look and the press, nothing was clicked: call again`
        : `the ${what} moved between the look and the press, to ${now.x},${now.y}, nothing was clicked: call again`,
    );
  }

  /** An action that has begun changes it itself. */
  checkOn(): void {}

  /**
   * After an action that began at a generation. A program that lays out anew before it paints takes a press for what is
   * not on the screen yet, which no look before the press can tell.
   */
  after(generation: number): Aftermath {
    const { frame } = this;
    const patch = this.#patch;
    if (frame === null || patch === null || this.#looksAlike(frame, patch)) return { doubt: null };
    const now = this.#elsewhere();
    if (now === null) return { doubt: null, looksOtherwise: true };
    const stands = translateRect(this.#at, now.x - this.#found.rect.x, now.y - this.#found.rect.y);
    // One that looks the same and stood there all the time.
    const isNew = this.#ports.changedSince(generation)?.overlaps(stands) !== false;
    if (!isNew) return { doubt: null, looksOtherwise: true };
    const { what } = this.#found;
    return {
      doubt: `the ${what} is at ${now.x},${now.y} now: where the click did not move it, it moved before, and something else was clicked; look at the screen`,
    };
  }

  /** Small places that are known to change by themselves do not count. */
  #isUnchanged(): boolean {
    const { rect, generation } = this.#found;
    const { display, changedSince, input } = this.#ports;
    if (display.sizedSince > generation) return false;
    if (changedSince(generation)?.clip(rect).subtract(this.#itself.periodic).isEmpty === true) return true;
    const { frame } = this;
    const patch = this.#patch;
    if (frame === null || patch === null) return false;
    // Approximations are others each time.
    if (input.link?.isExact === false) return this.#looksAlike(frame, patch);
    // As it was again, or found so long ago that nobody knows what changed since.
    return equalRects(this.#at, rect) && isExactlyAt(frame, patch, this.#at);
  }

  #looksAlike(frame: Framebuffer, patch: Patch): boolean {
    return isExactlyAt(frame, patch, this.#at) || likenessAt(frame, patch, this.#at, TOLERANCE) !== null;
  }

  /** The one place where it stands now instead; null where there is none, or several. */
  #elsewhere(): Point | null {
    const { frame } = this;
    const patch = this.#patch;
    // What has no ink is found in every empty place.
    if (frame === null || patch === null || patch.samples.length === 0) return null;
    const { places, isComplete } = findExact(frame, patch, frame.rect, 2);
    const [place] = places;
    if (place === undefined || !isComplete) return null;
    const { rect } = this.#found;
    const point = { x: rect.x + place.x - this.#at.x, y: rect.y + place.y - this.#at.y };
    return point.x === rect.x && point.y === rect.y ? null : point;
  }
}

/** As much of the middle of a rectangle as a patch may have. */
function middleOf(rect: Rect): Rect {
  const height = Math.min(rect.height, MAX_PATCH_PIXELS);
  const width = Math.min(rect.width, Math.floor(MAX_PATCH_PIXELS / Math.max(1, height)));
  return {
    x: rect.x + ((rect.width - width) >> 1),
    y: rect.y + ((rect.height - height) >> 1),
    ...{ width, height },
  };
}
