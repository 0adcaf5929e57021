import { readFileSync, writeFileSync } from "node:fs";
import t from "tap";
import {
  AUDIT_TYPES,
  type AuditEntry,
  type AuditEvent,
  auditEvent,
  auditEventSchema,
} from "../../../src/audit/audit-event.ts";
import { ecsOf } from "../../../src/audit/mapping/ecs.ts";
import { ocsfOf } from "../../../src/audit/mapping/ocsf.ts";

const ANN = { id: "u1", name: "Ann", kind: "human", role: "admin", ip: "192.0.2.7" } as const;
const AGENT = { id: "a1", name: "Claude", kind: "agent", role: "agent" } as const;
const REQUEST = { method: "POST", path: "/api/v1/session", id: "req-1" } as const;
const DESKTOP = { kind: "desktop", id: "d1" } as const;

const ENTRIES: readonly AuditEntry[] = [
  { type: "auth.login", actor: ANN, request: REQUEST },
  {
    type: "auth.failed",
    actor: { id: "", name: "", kind: "unknown", ip: "192.0.2.9" },
    request: REQUEST,
    errorCode: "unauthenticated",
  },
  { type: "auth.logout", actor: ANN, request: { ...REQUEST, method: "DELETE" } },
  { type: "authz.denied", actor: ANN, action: "admin", errorCode: "permission_denied", request: REQUEST },
  {
    type: "token.issued",
    severity: "notice",
    action: "agent",
    resource: { kind: "token", id: "t1", owner: "u1" },
  },
  { type: "token.revoked", severity: "notice", action: "agent", resource: { kind: "token", id: "t1" } },
  { type: "session.opened", resource: DESKTOP },
  { type: "session.lost", resource: DESKTOP, errorCode: "target_closed" },
  {
    type: "mcp.tool_call",
    actor: AGENT,
    action: "click_at",
    resource: DESKTOP,
    mcp: { transport: "http", tool: "click_at" },
    intent: "close the dialog",
  },
  {
    type: "mcp.tool_result",
    actor: AGENT,
    action: "click_at",
    resource: DESKTOP,
    mcp: { transport: "http", tool: "click_at" },
    durationMs: 41.25,
    errorCode: "rate_limited",
  },
  { type: "input.performed", actor: AGENT, action: "type", resource: DESKTOP, counts: { characters: 12 } },
  { type: "approval.granted", severity: "notice", actor: ANN, action: "click", resource: DESKTOP },
  { type: "overlay.created", actor: AGENT, resource: DESKTOP },
  { type: "screenshot.taken", actor: AGENT, resource: DESKTOP, durationMs: 20 },
  { type: "recording.removed", severity: "warning", actor: ANN, resource: { kind: "recording", id: "r1" } },
  { type: "audit.gap", severity: "error", counts: { events: 7 } },
];

function eventOf(entry: AuditEntry, nth: number): AuditEvent {
  const id = `0e9a2d3c-5c0f-4f57-9f0a-${String(nth).padStart(12, "0")}`;
  const event = auditEvent(entry, { id, at: new Date("2026-11-26T08:00:00.123Z"), version: "2026.11.26" });
  return { ...event, chain: { seq: nth + 1, prev: "p", mac: "m" } };
}

t.test("events in the words of others are what was looked through and kept", async (t) => {
  for (const [name, map] of [
    ["ecs", ecsOf],
    ["ocsf", ocsfOf],
  ] as const) {
    const mapped = ENTRIES.map((entry, nth) => map(eventOf(entry, nth)));
    const file = new URL(`golden/${name}.json`, import.meta.url);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${JSON.stringify(mapped, null, 2)}\n`);
    t.strictSame(JSON.parse(JSON.stringify(mapped)), JSON.parse(readFileSync(file, "utf8")), name);
  }
});

t.test("whose event it is, and its trace, have their words in both", async (t) => {
  const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true };
  const labels = { version: "1", deployment: "production", tenant: "acme" };
  const request = { method: "POST", path: "/x", id: "r1", trace };
  const stamp = { id: "0e9a2d3c-5c0f-4f57-9f0a-000000000001", at: new Date(0), ...labels };
  const security = { issuer: "https://id.example", audience: "oc", rolesChecked: ["admin"] };
  const event = auditEvent({ type: "auth.login", request, security }, stamp);
  const told = { oidc_issuer: "https://id.example", audience: "oc", rbac_roles_checked: ["admin"] };
  t.ok(auditEventSchema.safeParse(event).success);
  t.match(ecsOf(event), { oc: { security: told } });
  t.match(ocsfOf(event), { unmapped: { security: told } });
  t.match(ecsOf(event), {
    service: { environment: "production" },
    organization: { id: "acme" },
    trace: { id: trace.traceId },
    span: { id: trace.spanId },
  });
  t.match(ocsfOf(event), {
    metadata: { tenant_uid: "acme", correlation_uid: trace.traceId, labels: ["deployment:production"] },
  });
});

t.test("every kind of event has its words in both", async (t) => {
  for (const [nth, type] of AUDIT_TYPES.entries()) {
    const event = eventOf({ type, actor: ANN, resource: DESKTOP }, nth);
    const ecs = ecsOf(event);
    t.equal(ecs.event.action, type);
    t.match(ecs.event.category[0], /^(authentication|iam|network|api|configuration)$/);
    const ocsf = ocsfOf(event);
    t.equal(ocsf.type_uid, ocsf.class_uid * 100 + ocsf.activity_id, type);
    t.equal(Math.floor(ocsf.class_uid / 1000), ocsf.category_uid);
    t.equal(ocsf.metadata.event_code, type);
  }
});
