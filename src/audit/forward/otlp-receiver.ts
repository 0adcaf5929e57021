import { hostname } from "node:os";
import * as z from "zod";
import { type AuditEvent, auditEventSchema } from "../audit-event.ts";
import { post, type SendGuarded } from "./http-receiver.ts";
import type { SentLine } from "./log-reader.ts";
import type { Receiver } from "./receiver.ts";

/** Severity numbers of the OpenTelemetry log data model. */
const SEVERITY = { info: 9, notice: 10, warning: 13, error: 17 } as const;

const answerSchema = z.object({
  partialSuccess: z.object({ rejectedLogRecords: z.coerce.number().nonnegative().default(0) }).optional(),
});

/** OTLP 1.x logs as JSON over HTTP. */
export class OtlpReceiver implements Receiver {
  readonly name = "otlp";
  readonly #endpoint: string;
  readonly #apiKey: string | null;
  readonly #version: string;
  readonly #send: SendGuarded;

  /** `endpoint`: with or without the path /v1/logs. */
  constructor(endpoint: string, apiKey: string | null, version: string, send: SendGuarded) {
    const url = new URL(endpoint);
    if (url.pathname === "/") url.pathname = "/v1/logs";
    this.#endpoint = url.href;
    this.#apiKey = apiKey;
    this.#version = version;
    this.#send = send;
  }

  async send(lines: readonly SentLine[]): Promise<{ readonly refused: number }> {
    const body = JSON.stringify(exportRequest(lines, this.#version));
    const text = await post(this.#send, this.#endpoint, "application/json", body, this.#apiKey);
    return { refused: refusedOf(text) };
  }
}

/** ExportLogsServiceRequest; times are nanoseconds as decimal strings, as OTLP's JSON has 64-bit numbers. */
export function exportRequest(lines: readonly SentLine[], version: string) {
  return {
    resourceLogs: [
      {
        resource: {
          attributes: [
            textAttribute("service.name", "overlay-companion"),
            textAttribute("service.version", version),
            textAttribute("host.name", hostname()),
          ],
        },
        scopeLogs: [{ scope: { name: "overlay-companion.audit" }, logRecords: lines.map(recordOf) }],
      },
    ],
  };
}

function recordOf({ text }: SentLine) {
  const event = auditEventSchema.safeParse(JSON.parse(text));
  if (!event.success) return { severityNumber: SEVERITY.info, body: { stringValue: text } };
  const { timestamp, severity, event_type } = event.data;
  return {
    timeUnixNano: `${Date.parse(timestamp)}000000`,
    severityNumber: SEVERITY[severity],
    severityText: severity,
    eventName: event_type,
    body: { stringValue: text },
    attributes: attributesOf(event.data),
  };
}

/** What a person filters by; all of the event is the body. */
function attributesOf({ event_id, actor, resource, outcome, error_code, action, chain }: AuditEvent) {
  const told = {
    "event.id": event_id,
    "audit.outcome": outcome,
    "user.id": actor?.user_id,
    "user.name": actor?.name,
    "client.address": actor?.ip,
    "audit.action": action,
    "audit.resource.kind": resource?.kind,
    "audit.resource.id": resource?.id,
    "error.type": error_code,
    "audit.seq": chain === undefined ? undefined : String(chain.seq),
  };
  return Object.entries(told).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [textAttribute(key, value)],
  );
}

function textAttribute(key: string, stringValue: string) {
  return { key, value: { stringValue } };
}

function refusedOf(text: string): number {
  try {
    const answer = answerSchema.safeParse(JSON.parse(text));
    return answer.success ? (answer.data.partialSuccess?.rejectedLogRecords ?? 0) : 0;
  } catch {
    // Many collectors answer nothing at all.
    return 0;
  }
}
