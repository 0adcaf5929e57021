import type { Fit } from "../../desktop/view.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { Screenshot } from "../model/screenshot-store.ts";
import { keepScreenshot } from "./capture.ts";
import { placeOf, rectIn } from "./place.ts";
import type { ToolContext } from "./tool.ts";

interface AskedPicture {
  readonly screenshot_id?: string | undefined;
  /** Of the desktop as it is now. */
  readonly region?: Rect | undefined;
  readonly connection_id?: string | undefined;
}

/**
 * The screenshot that was asked for, or one taken now, as agents are shown the desktop; nobody is shown it, but it can be
 * looked at by its id. `check`: throws for a size that is of no use, before a picture is made.
 */
export async function pictureOf(
  args: AskedPicture,
  context: ToolContext,
  { fit, check }: { readonly fit?: Fit; readonly check?: (size: Size) => void } = {},
): Promise<{ readonly shot: Screenshot; readonly isStale: boolean }> {
  const ownerId = context.principal.id;
  if (args.screenshot_id !== undefined) {
    return { shot: context.mcpState.screenshots.get(args.screenshot_id, ownerId), isStale: false };
  }
  const desktop = await context.readyDesktop(args.connection_id);
  const region = args.region === undefined ? undefined : rectIn(placeOf(desktop, undefined), args.region);
  check?.(region ?? desktop.size);
  const request = { region, signal: context.signal, ownerId, ...(fit === undefined ? {} : { fit }) };
  const snapshot = await desktop.view("agent").snapshot(request);
  const shot = keepScreenshot(context, desktop, snapshot, "detail", { shown: [] });
  return { shot, isStale: snapshot.isStale };
}
