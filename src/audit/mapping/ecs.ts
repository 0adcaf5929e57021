import type { AuditEvent } from "../audit-event.ts";
import { kindOf } from "./kinds.ts";

const CATEGORY = {
  authentication: "authentication",
  account: "iam",
  iam: "iam",
  network: "network",
  api: "api",
  configuration: "configuration",
} as const;

const TYPE = {
  create: "creation",
  read: "access",
  update: "change",
  delete: "deletion",
  start: "start",
  end: "end",
  deny: "denied",
  fail: "error",
  other: "info",
} as const;

/** An event of the audit log in Elastic's Common Schema, 8.11; what that has no field for is in `oc`. */
export function ecsOf(event: AuditEvent) {
  const { actor, resource, request, mcp, chain, meta } = event;
  const { noun, verb } = kindOf(event.event_type);
  const ip = actor?.ip ?? null;
  return {
    "@timestamp": event.timestamp,
    ecs: { version: "8.11.0" },
    message: `${event.event_type}${actor === null ? "" : ` by ${actor.name}`}: ${event.outcome}`,
    log: { level: event.severity },
    event: {
      id: event.event_id,
      kind: "event",
      category: [CATEGORY[noun]],
      // A wrong password is a logon that failed, and no error of ours.
      type: [noun === "authentication" && verb === "fail" ? "start" : TYPE[verb]],
      action: event.event_type,
      outcome: event.outcome,
      module: "overlay_companion",
      dataset: "overlay_companion.audit",
      ...(event.latency_ms === null ? {} : { duration: Math.round(event.latency_ms * 1e6) }),
      ...(chain === undefined ? {} : { sequence: chain.seq }),
    },
    service: {
      ...{ name: "overlay-companion", type: "overlay-companion", version: meta.version },
      ...(meta.deployment === undefined ? {} : { environment: meta.deployment }),
    },
    ...(meta.tenant === undefined ? {} : { organization: { id: meta.tenant } }),
    ...(meta.trace_id === undefined ? {} : { trace: { id: meta.trace_id }, span: { id: meta.span_id } }),
    ...(actor === null ? {} : { user: { id: actor.user_id, name: actor.name, roles: actor.roles } }),
    ...(ip === null ? {} : { source: { ip } }),
    ...(request === null
      ? {}
      : {
          http: { request: { id: request.request_id, method: request.method } },
          url: { path: request.path },
        }),
    ...(event.error_code === null ? {} : { error: { code: event.error_code } }),
    related: {
      ...(actor === null
        ? {}
        : { user: [...new Set([actor.user_id, actor.name].filter((text) => text !== ""))] }),
      ...(ip === null ? {} : { ip: [ip] }),
    },
    oc: {
      action: event.action,
      actor_kind: actor?.kind ?? null,
      resource,
      mcp,
      ...(event.security === undefined ? {} : { security: event.security }),
      intent: event.intent,
      counts: event.counts,
      ...(chain === undefined ? {} : { chain }),
    },
  };
}
