import type { MouseButton } from "../../../browser/page/act.ts";
import type { ClickedDesktop } from "../../../browser/page/click-on-desktop.ts";
import type { SeenDesktop } from "../../../browser/page/element-on-desktop.ts";
import { RefusedError } from "../../../desktop/error.ts";
import type { McpDesktop } from "../ports.ts";
import type { ToolContext } from "../tool.ts";

/** The desktops that the caller sees now, as agents see them. */
export function liveDesktops({ desktops }: ToolContext): readonly McpDesktop[] {
  return desktops.all.filter((desktop) => {
    if (desktop.state.kind !== "live") return false;
    try {
      desktop.view("agent");
    } catch (error) {
      // While a person has it for themselves there is nothing on it for agents.
      if (error instanceof RefusedError) return false;
      throw error;
    }
    return true;
  });
}

/** Those on which a browser may be seen. */
export function seenDesktops(context: ToolContext): readonly SeenDesktop[] {
  return liveDesktops(context).map((desktop) => ({ id: desktop.id, view: () => desktop.view("agent") }));
}

export interface PointerClick {
  readonly button: MouseButton;
  readonly clicks: number;
  /** What is clicked, for people and the log: they see more than a place. */
  readonly subject: string;
  readonly intent: string | undefined;
}

/**
 * Those on which the caller may click. A passive one takes no input of agents; what the configuration lets them do in
 * browsers is done in the page then.
 */
export function clickedDesktops(
  context: ToolContext,
  { button, clicks, subject, intent }: PointerClick,
): readonly ClickedDesktop[] {
  const { actor, principal, signal } = context;
  return liveDesktops(context)
    .filter((desktop) => desktop.modeOf(principal.id) !== "passive")
    .map((desktop) => ({
      id: desktop.id,
      view: () => desktop.view("agent"),
      click: async ({ x, y }, proof, isApproved) => {
        const action = { kind: "click", x, y, button, clicks, holdKeysyms: [] } as const;
        // What came of it the page tells.
        const options = { ...{ signal, proof, isApproved, intent, subject }, effectTimeoutMs: 0 };
        await desktop.perform(action, actor, options);
      },
    }));
}
