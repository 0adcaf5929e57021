import * as z from "zod";
import { ElementFollower } from "../../../browser/page/element-follower.ts";
import { elementSeen } from "../../../browser/page/elements-on-desktop.ts";
import { RefusedError } from "../../../desktop/error.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { McpDesktop } from "../ports.ts";
import type { ToolContext } from "../tool.ts";
import { liveDesktops } from "./desktops-seen.ts";

/** An element of a shared tab where a desktop's own tools take one: its id in get_elements. */
export const elementRefField = z.string().min(5).max(81).optional();

/**
 * An anchor that goes with an element of a shared tab, as its page and the pixels say; hidden while it is not seen. Rejects
 * with BrowserError, and RefusedError where the element is not seen on this desktop.
 */
export async function anchorElement(
  context: ToolContext,
  desktop: McpDesktop,
  elementRef: string,
  how: { readonly id: string; readonly isOfOverlays: boolean },
): Promise<{ readonly id: string; readonly rect: Rect }> {
  const [tabId = "", ref = ""] = elementRef.split(":");
  if (ref === "") {
    throw new RefusedError(
      "invalid_parameters",
      `got ref ${JSON.stringify(elementRef)}, expected tab_id:ref, as get_elements has it`,
    );
  }
  const page = context.browsers.page(tabId);
  const place = page.refs.placeOf(ref);
  const desktops = () => liveDesktops(context).map((one) => ({ id: one.id, view: () => one.view("agent") }));
  const seen = await elementSeen(page, place, desktops(), true);
  if (seen.rect === null) {
    throw new RefusedError(
      "not_found",
      `the element ${elementRef} is ${seen.why}: browser_scroll brings it into view, browser_get_tabs tells which tab is in front`,
    );
  }
  if (seen.desktopId !== desktop.id) {
    throw new RefusedError(
      "invalid_parameters",
      `the element ${elementRef} is seen on another desktop: pass connection_id ${JSON.stringify(seen.desktopId)}`,
    );
  }
  let follower: ElementFollower | null = null;
  const tell = desktop.anchors
    .of(context.principal.id)
    .follow(seen.rect, { ...how, ended: () => follower?.close() });
  follower = new ElementFollower(page, place, seen, {
    desktops,
    tell: ({ desktopId, rect, why }) => {
      const isHere = rect === null || desktopId === desktop.id;
      tell(isHere ? rect : null, isHere ? why : "it is on another desktop now");
    },
    onBug: (error) => context.mcpState.onBug(error),
  });
  return { id: how.id, rect: seen.rect };
}
