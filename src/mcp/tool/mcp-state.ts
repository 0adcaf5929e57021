import type { Painter } from "../../compositor/painter.ts";
import { annotateFile } from "../../compositor/picture-file-marks.ts";
import { AgentRates } from "../../desktop/control/agent-rates.ts";
import { EventsHub } from "../../desktop/events/event-hub.ts";
import { ScreenshotStore } from "../model/screenshot-store.ts";
import { ToldScreens } from "../model/told-screens.ts";
import type { McpPorts } from "./ports.ts";

/** What the MCP face keeps between calls, for all principals together; each of them sees only its own. */
export interface Desk {
  readonly limits: AgentRates;
  readonly screenshots: ScreenshotStore;
  readonly told: ToldScreens;
  readonly events: EventsHub;
  readonly annotate: Painter["annotate"];
}

export function openDesk(ports: McpPorts): Desk {
  return {
    limits: ports.rates ?? new AgentRates(ports.clock, true),
    annotate: (ownerId, file, annotations, signal) =>
      ports.painter?.annotate(ownerId, file, annotations, signal) ?? annotateFile(file, annotations, signal),
    screenshots: new ScreenshotStore(),
    told: new ToldScreens(),
    events: new EventsHub(ports.clock, (err) => ports.log.error({ err }, "Event listener failed")),
  };
}
