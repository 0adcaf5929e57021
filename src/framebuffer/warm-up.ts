import { Framebuffer } from "./framebuffer.ts";
import { publishDamage } from "./publish.ts";
import { rect } from "./rect.ts";
import { Region } from "./region.ts";
import { findScroll } from "./scroll/scroll.ts";

const SIDE = 192;
const SHIFT = 40;

/** Enough for V8 to compile what they run through. */
const ROUNDS = 8;

/**
 * Publishes small pictures that scroll, both ways, until that is compiled: the first update of a full HD desktop took the
 * loop for 25 ms otherwise, five times as long as those after it.
 */
export function warmUpPublishing(): void {
  const shown = new Framebuffer(SIDE, SIDE, { hasKernels: true });
  const decoded = new Framebuffer(SIDE, SIDE);
  const whole = Region.of(shown.rect);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < shown.words.length; i++) shown.words[i] = Math.imul(i + round, 0x9e3779b1);
    for (const [fromX, fromY] of [
      [0, SHIFT],
      [SHIFT, 0],
    ] as const) {
      decoded.words.set(shown.words);
      decoded.copy(fromX, fromY, rect(0, 0, SIDE - fromX, SIDE - fromY));
      findScroll(shown, decoded, whole);
    }
    publishDamage(decoded, shown, whole);
  }
}
