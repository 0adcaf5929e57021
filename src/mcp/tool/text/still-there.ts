import { RefusedError } from "../../../desktop/error.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { McpDesktop } from "../ports.ts";

/**
 * Throws RefusedError stale_screen where pixels of what was found, a text or an element, changed since. Small places that
 * are known to change by themselves, as a caret, do not count.
 */
export function assertUnchanged(
  desktop: McpDesktop,
  generation: number,
  rect: Rect,
  what: "text" | "element",
): void {
  const changed = desktop.sizedSince() > generation ? null : desktop.changedSince(generation);
  if (changed?.clip(rect).subtract(desktop.periodic()).isEmpty === true) return;
  throw new RefusedError(
    "stale_screen",
    `the ${what} changed between the look and the press, nothing was clicked: call again`,
  );
}
