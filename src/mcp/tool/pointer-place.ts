import { RefusedError } from "../../desktop/error.ts";
import { holdsPoint, type Point } from "../../framebuffer/rect.ts";
import type { McpDesktop } from "./ports.ts";

/** What is said in place of a position. */
export const HIDDEN_PLACE = "a place that is hidden from agents";

function isHidden(desktop: Pick<McpDesktop, "hiddenFrom">, { x, y }: Point): boolean {
  return desktop.hiddenFrom("agent").some((rect) => holdsPoint(rect, x, y));
}

/** Where the pointer is. Throws RefusedError permission_denied while that is hidden from agents: on a keypad it is what is typed. */
export function pointerOf(desktop: Pick<McpDesktop, "hiddenFrom" | "pointer">): Point {
  const { pointer } = desktop;
  if (!isHidden(desktop, pointer)) return pointer;
  throw new RefusedError(
    "permission_denied",
    `the pointer is in ${HIDDEN_PLACE}: move it elsewhere, or ask a human`,
  );
}

/**
 * Where an action was done, as an agent is told it; null in a place that is hidden from it. `named`: where it asked for it
 * itself, null: where the pointer was.
 */
export function toldPlace(
  desktop: Pick<McpDesktop, "hiddenFrom">,
  named: Point | null,
  at: Point | null,
): Point | null {
  if (at === null) return null;
  const isNamed = named?.x === at.x && named.y === at.y;
  return isNamed || !isHidden(desktop, at) ? { x: at.x, y: at.y } : null;
}
