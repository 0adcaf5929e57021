import type { Framebuffer } from "../framebuffer.ts";
import type { Region } from "../region.ts";
import type { Steps } from "../steps.ts";
import { findingScroll, LEAST_PIXELS, type Scroll } from "./scroll.ts";

/** After this many searches that found nothing one update is skipped before the next search, then two, and so on … */
const PATIENCE = 8;
/** … up to this many: a page that scrolls after a film is seen to within a few updates. */
const MOST_LEFT_OUT = 7;

/** Looks for scrolls update after update, and seldom where there are none: a film costs little of it. */
export class ScrollSeeker {
  #misses = 0;
  #leftOut = 0;

  /** As findingScroll; null also where it did not look. */
  *finding(before: Framebuffer, after: Framebuffer, damage: Region): Steps<Scroll | null> {
    if (damage.area < LEAST_PIXELS) return null;
    if (this.#leftOut > 0) {
      this.#leftOut--;
      return null;
    }
    const found = yield* findingScroll(before, after, damage);
    this.#misses = found === null ? this.#misses + 1 : 0;
    this.#leftOut = Math.min(MOST_LEFT_OUT, Math.floor(this.#misses / PATIENCE));
    return found;
  }
}
