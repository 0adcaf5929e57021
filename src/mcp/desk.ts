import { EventsHub } from "../desktop/events-hub.ts";
import { ScreenshotStore } from "../desktop/screenshot-store.ts";
import type { McpPorts } from "./ports.ts";
import { RateLimits } from "./rate-limit.ts";

/** What the MCP face keeps between calls, for all principals together; each of them sees only its own. */
export interface Desk {
  readonly limits: RateLimits;
  readonly screenshots: ScreenshotStore;
  readonly events: EventsHub;
}

export function openDesk(ports: McpPorts): Desk {
  return {
    limits: new RateLimits(ports.clock, ports.isRateLimited ?? true),
    screenshots: new ScreenshotStore(),
    events: new EventsHub(ports.clock, (err) => ports.log.error({ err }, "Event listener failed")),
  };
}
