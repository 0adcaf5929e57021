import type { AuditEntry } from "../../audit/audit-event.ts";
import type { Config } from "../../config/config-schema.ts";
import type { Metrics } from "../../monitoring/metrics.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { RfbServerPorts } from "../../protocols/rfb/server/rfb-server.ts";
import { FarViewers } from "../../web/cascade/far-viewers.ts";
import { ViewerSessions } from "../../web/viewer/sessions.ts";

interface ViewerParts {
  readonly rfb: RfbServerPorts;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The name of this node; empty without a fleet. */
  readonly self: string;
  audit(entry: AuditEntry): void;
}

/** Viewers of desktops that are here, and of those that other nodes have. */
export function openViewers(
  { viewer }: Pick<Config, "viewer">,
  log: Logger,
  { rfb, clock, metrics, self, audit }: ViewerParts,
) {
  const sessions = new ViewerSessions({
    ...{ rfb, clock, log, audit },
    filmEncoder: viewer.film_encoder === "off" ? null : viewer.film_encoder,
    updated: (delayMs) => metrics.updated(delayMs),
    sent: (bytes) => metrics.sent(bytes),
  });
  const onBug = (err: unknown): void => log.error({ err }, "Picture of another node failed");
  return { sessions, far: new FarViewers({ sessions, clock, onBug, self }) };
}
