import { readFileSync } from "node:fs";
import type { AuditEntry } from "../audit/audit-event.ts";
import { Forwarder } from "../audit/forward/forwarder.ts";
import { HttpReceiver, type SendGuarded } from "../audit/forward/http-receiver.ts";
import { OtlpReceiver } from "../audit/forward/otlp-receiver.ts";
import type { Receiver } from "../audit/forward/receiver.ts";
import { SyslogReceiver } from "../audit/forward/syslog-receiver.ts";
import { type Config, ConfigError } from "../config/config-schema.ts";
import { guardTarget, type TargetReach } from "../desktop/connections/target-guard.ts";
import { guardedRequest } from "../desktop/links/guarded-request.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { VERSION } from "../platform/version.ts";
import { ownListenersOf } from "./open-links.ts";
import { pushReach } from "./open-push.ts";

const MIB = 2 ** 20;
/** RFC 6587 names none for TCP; 6514 is RFC 5425's. */
const SYSLOG_PORT = { "tcp:": 514, "tls:": 6514 } as const;

/** What sends the audit log to receivers of the configuration. Throws ConfigError for what cannot be. */
export function makeForwarders(
  config: Config,
  log: Logger,
  clock: Clock,
  record: (entry: AuditEntry) => void,
): readonly Forwarder[] {
  const receivers = makeReceivers(config, clock);
  if (receivers.length > 0 && config.audit.sink !== "file") {
    throw new ConfigError(
      `audit.sink: got ${config.audit.sink} with an endpoint that the log is sent to: expected file, where it waits for them`,
    );
  }
  return receivers.map(
    (receiver) =>
      new Forwarder({
        dir: config.data_dir,
        receiver,
        clock,
        delivery: config.audit.delivery,
        spoolBytes: config.audit.spool_mb * MIB,
        record,
        onChange: (isWorking, err) => {
          if (isWorking) log.info({ receiver: receiver.name }, "Audit receiver works again");
          else log.error({ receiver: receiver.name, err }, "Audit receiver failed");
        },
      }),
  );
}

/** Those that are configured. */
export function makeReceivers(config: Config, clock: Clock): readonly Receiver[] {
  const { http, otlp, syslog } = config.audit;
  // Not to where no desktop may be: the operator's rules of targets hold for what is sent there too.
  const reach = pushReach(config, ownListenersOf(config));
  const send: SendGuarded = (request) => guardedRequest(request, reach);
  const receivers: Receiver[] = [];
  if (http.endpoint !== undefined)
    receivers.push(
      new HttpReceiver({ endpoint: http.endpoint, apiKey: http.api_key ?? null, format: http.format, send }),
    );
  if (otlp.endpoint !== undefined)
    receivers.push(new OtlpReceiver(otlp.endpoint, otlp.api_key ?? null, VERSION, send));
  if (syslog.endpoint !== undefined) receivers.push(syslogOf(syslog.endpoint, syslog.ca, clock, reach));
  return receivers;
}

function syslogOf(endpoint: string, caFile: string | undefined, clock: Clock, reach: TargetReach): Receiver {
  const { protocol, hostname, port } = new URL(endpoint);
  const isTls = protocol === "tls:";
  const ca = isTls && caFile !== undefined ? readCa(caFile, "audit.syslog.ca") : undefined;
  return new SyslogReceiver({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? SYSLOG_PORT[isTls ? "tls:" : "tcp:"] : Number(port),
    clock,
    judge: (host, port) => guardTarget({ protocol: "https", host, port }, reach),
    tls: isTls ? { ca } : null,
  });
}

/** `key`: of the configuration, for the error. */
export function readCa(file: string, key: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new ConfigError(`${key}: cannot read the file ${file}: check that it exists and may be read`, {
      cause,
    });
  }
}
