import type { AuditEvent } from "../audit-event.ts";
import { kindOf } from "./kinds.ts";

/** Classes of OCSF 1.3.0: category, class, and the numbers of their activities. */
const CLASSES = {
  authentication: { category: 3, uid: 3002, activities: { start: 1, fail: 1, deny: 1, end: 2 } },
  account: { category: 3, uid: 3001, activities: { create: 1, delete: 6 } },
  network: { category: 4, uid: 4001, activities: { start: 1, end: 2, fail: 4, deny: 5 } },
  api: { category: 6, uid: 6003, activities: { create: 1, read: 2, update: 3, delete: 4 } },
} as const;
const OTHER = 99;

/** Informational, low, medium, high. */
const SEVERITY = { info: 1, notice: 2, warning: 3, error: 4 } as const;
/** Types of users: 1 a user, 3 a system's own, 99 other. */
const USER_TYPE: Readonly<Record<string, number>> = { human: 1, agent: 3 };

/** An event of the audit log in the Open Cybersecurity Schema Framework, 1.3.0; what it has no field for is in `unmapped`. */
export function ocsfOf(event: AuditEvent) {
  const { actor, resource, request, mcp, chain, meta } = event;
  const { noun, verb } = kindOf(event.event_type);
  const { category, uid, activities } = CLASSES[noun === "iam" || noun === "configuration" ? "api" : noun];
  const activity = new Map<string, number>(Object.entries(activities)).get(verb) ?? OTHER;
  const user =
    actor === null
      ? null
      : {
          uid: actor.user_id,
          name: actor.name,
          type_id: USER_TYPE[actor.kind] ?? OTHER,
          ...(actor.roles.length === 0 ? {} : { groups: actor.roles.map((name) => ({ name })) }),
        };
  const target = resource === null ? {} : { uid: resource.id, type: resource.kind };
  return {
    category_uid: category,
    class_uid: uid,
    activity_id: activity,
    ...(activity === OTHER ? { activity_name: event.event_type } : {}),
    type_uid: uid * 100 + activity,
    time: Date.parse(event.timestamp),
    severity_id: SEVERITY[event.severity],
    status_id: event.outcome === "success" ? 1 : 2,
    ...(event.error_code === null ? {} : { status_code: event.error_code }),
    message: event.event_type,
    ...(event.latency_ms === null ? {} : { duration: Math.round(event.latency_ms) }),
    metadata: {
      version: "1.3.0",
      uid: event.event_id,
      event_code: event.event_type,
      log_name: "audit",
      product: { name: "Overlay Companion", vendor_name: "Overlay Companion", version: meta.version },
      ...(meta.tenant === undefined ? {} : { tenant_uid: meta.tenant }),
      ...(meta.trace_id === undefined ? {} : { correlation_uid: meta.trace_id }),
      ...(meta.deployment === undefined ? {} : { labels: [`deployment:${meta.deployment}`] }),
      ...(chain === undefined ? {} : { sequence: chain.seq }),
    },
    ...(user === null ? {} : { actor: { user } }),
    // Of whom it tells: who signs in, or whose token it is.
    ...(noun === "authentication" ? { user: user ?? { type_id: 0 } } : {}),
    ...(noun === "account"
      ? { user: { uid: resource?.id ?? "", type: resource?.kind ?? "", type_id: OTHER } }
      : {}),
    ...(noun === "network" ? { dst_endpoint: target } : {}),
    src_endpoint: {
      ...(actor?.ip === null || actor === null ? {} : { ip: actor.ip }),
      svc_name: "overlay-companion",
    },
    api: {
      operation: mcp === null ? (event.action ?? event.event_type) : mcp.tool,
      service: { name: mcp === null ? "overlay-companion" : "mcp" },
      ...(request === null ? {} : { request: { uid: request.request_id } }),
    },
    ...(request === null
      ? {}
      : {
          http_request: { http_method: request.method, url: { path: request.path }, uid: request.request_id },
        }),
    ...(resource === null
      ? {}
      : {
          resources: [
            { ...target, ...(resource.owner === undefined ? {} : { owner: { uid: resource.owner } }) },
          ],
        }),
    unmapped: {
      ...(event.action === null ? {} : { action: event.action }),
      ...(mcp === null ? {} : { mcp_transport: mcp.transport }),
      ...(event.security === undefined ? {} : { security: event.security }),
      ...(event.intent === null ? {} : { intent: event.intent }),
      ...(event.counts === null ? {} : { counts: event.counts }),
      ...(chain === undefined ? {} : { chain }),
    },
  };
}
