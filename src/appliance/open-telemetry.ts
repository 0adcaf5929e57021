import type { McpAudit } from "../audit/mcp-audit.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import type { Desktop } from "../desktop/desktop.ts";
import type { Desktops } from "../desktop/desktops.ts";
import { guardedRequest } from "../desktop/links/guarded-request.ts";
import type { McpPorts } from "../mcp/tool/ports.ts";
import { openTelemetry } from "../monitoring/load-telemetry.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import type { Telemetry } from "../monitoring/telemetry.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { VERSION } from "../platform/version.ts";
import type { ConnectedClients } from "../web/http/connected-clients.ts";
import { pushReach } from "./open-push.ts";

interface TelemetryRooms {
  readonly desktops: Desktops;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly own: OwnListener[];
}

/** What a collector of OpenTelemetry is told; null where none is configured. */
export async function openTelemetryOf(
  config: Config,
  log: Logger,
  { desktops, metrics, clock, own }: TelemetryRooms,
): Promise<Telemetry | null> {
  // Not to where no desktop may be: the operator's rules of targets hold for what is sent there too.
  const reach = pushReach(config, own);
  const telemetry = await openTelemetry(config.telemetry, {
    ...{ version: VERSION, clock },
    families: () => metrics.families(),
    send: (request) => guardedRequest(request, reach),
    onChange: (isWorking, err) => {
      if (isWorking) log.info("Telemetry collector works again");
      else log.error({ err }, "Telemetry collector failed");
    },
  });
  if (telemetry === null) return null;
  desktops.questions.on((approval) => telemetry.asked(approval));
  const follow = (desktop: Desktop): void => {
    const { id, connection } = desktop;
    const tell = (state: Desktop["state"]): void =>
      telemetry.linked({ id, protocol: connection.protocol, state });
    tell(desktop.state);
    desktop.on((event) => {
      if (event.type === "state") tell(event.state);
    });
  };
  desktops.on(({ type, desktop }) => {
    if (type === "added") follow(desktop);
  });
  return telemetry;
}

/** Who is told of tool calls. */
export function toolHooks(rooms: {
  readonly clients: ConnectedClients;
  readonly mcpAudit: McpAudit;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry | null;
}): Pick<McpPorts, "audit" | "onCall" | "within"> {
  const { clients, mcpAudit, metrics, telemetry } = rooms;
  return {
    onCall: (call) => {
      telemetry?.begun(call);
      mcpAudit.begun(call);
    },
    audit: (call) => {
      clients.called(call);
      mcpAudit.ended(call);
      metrics.called(call);
      telemetry?.ended(call);
    },
    ...(telemetry === null ? {} : { within: (call, work) => telemetry.within(call, work) }),
  };
}
