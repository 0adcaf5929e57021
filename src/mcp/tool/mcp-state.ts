import type { Painter } from "../../compositor/painter.ts";
import { annotateFile } from "../../compositor/picture-file-marks.ts";
import { EventsHub } from "../../desktop/events/event-hub.ts";
import { ScreenshotStore } from "../model/screenshot-store.ts";
import { ToldScreens } from "../model/told-screens.ts";
import { RateLimits } from "../server/rate-limit.ts";
import type { McpPorts } from "./ports.ts";

/** What the MCP face keeps between calls, for all principals together; each of them sees only its own. */
export interface Desk {
  readonly limits: RateLimits;
  readonly screenshots: ScreenshotStore;
  readonly told: ToldScreens;
  readonly events: EventsHub;
  readonly annotate: Painter["annotate"];
}

export function openDesk(ports: McpPorts): Desk {
  return {
    limits: new RateLimits(ports.clock, ports.isRateLimited ?? true),
    annotate: (ownerId, file, annotations, signal) =>
      ports.painter?.annotate(ownerId, file, annotations, signal) ?? annotateFile(file, annotations, signal),
    screenshots: new ScreenshotStore(),
    told: new ToldScreens(),
    events: new EventsHub(ports.clock, (err) => ports.log.error({ err }, "Event listener failed")),
  };
}
