import type { Desktop } from "../../desktop/desktop.ts";
import type { Point } from "../../framebuffer/rect.ts";

/** The part of a Desktop that a viewer sees. */
export type ViewedDesktop = Pick<
  Desktop,
  | "id"
  | "name"
  | "size"
  | "screens"
  | "cursor"
  | "generation"
  | "viewers"
  | "attachViewer"
  | "on"
  | "view"
  | "whenReady"
  | "perform"
> &
  Partial<Pick<Desktop, "locks">> & { readonly pointer: Point; readonly scene: { readonly version: number } };
