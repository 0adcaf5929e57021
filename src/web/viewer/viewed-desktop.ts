import type { Action, Actor, PerformOptions } from "../../desktop/control/action.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { Audience, View } from "../../desktop/view.ts";
import type { Point } from "../../framebuffer/rect.ts";

/** What viewers are fed of. */
export type FedView = Omit<View, "snapshot">;

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
  | "whenReady"
> &
  Partial<Pick<Desktop, "locks">> & {
    readonly pointer: Point;
    readonly scene: { readonly version: number };
    view(audience: Audience): FedView;
    perform(action: Action, actor: Actor, options?: PerformOptions): Promise<unknown>;
  };
