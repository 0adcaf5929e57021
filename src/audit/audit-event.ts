import * as z from "zod";
import type { TraceContext } from "../platform/trace-context.ts";

/** What can be audited in this version; a new kind is one more line here. */
export const AUDIT_TYPES = [
  "auth.login",
  "auth.logout",
  "auth.failed",
  "auth.locked",
  "auth.jwt_validated",
  "authz.denied",
  "rate_limit.triggered",
  "http.request",
  "http.response",
  "connection.added",
  "connection.changed",
  "connection.removed",
  "connection.tested",
  "keep_awake.started",
  "keep_awake.ended",
  "change.requested",
  "change.refused",
  "change.failed",
  "token.shown",
  "target.identity_forgotten",
  "session.opened",
  "session.lost",
  "session.closed",
  "session.reconnect_requested",
  "viewer.joined",
  "viewer.left",
  "overlay.created",
  "overlay.removed",
  "screenshot.taken",
  "screenshot.analyzed",
  "files.viewed",
  "files.sent",
  "files.taken",
  "recording.started",
  "recording.kept",
  "recording.stopped",
  "recording.failed",
  "recording.removed",
  "recording.viewed",
  "recording.exported",
  "recording.archived",
  "recording.archive_failed",
  "mcp.tool_call",
  "mcp.tool_result",
  "input.performed",
  "input.taken_over",
  "input.given_back",
  "approval.requested",
  "approval.viewed",
  "approval.granted",
  "approval.denied",
  "approval.expired",
  "approval.cancelled",
  "approval.stale",
  "request.asked",
  "request.taken",
  "request.returned",
  "request.extended",
  "request.done",
  "request.declined",
  "request.expired",
  "request.cancelled",
  "push.subscribed",
  "push.unsubscribed",
  "push.sent",
  "push.lost",
  "grant.given",
  "grant.used",
  "grant.revoked",
  "grant.ended",
  "mode.changed",
  "rules.changed",
  "mask.added",
  "mask.removed",
  "desktop.stopped",
  "desktop.resumed",
  "secret.added",
  "secret.changed",
  "secret.removed",
  "secret.used",
  "token.issued",
  "token.revoked",
  "ticket.issued",
  "browser.pairing_made",
  "browser.paired",
  "browser.unpaired",
  "browser.connected",
  "browser.disconnected",
  "browser.denied",
  "browser.acted",
  "backup.created",
  "backup.restored",
  "audit.started",
  "audit.gap",
  "audit.break",
  "audit.checkpoint",
  "audit.pruned",
  "audit.exported",
  "audit.viewed",
  "audit.stopped",
] as const;
export type AuditType = (typeof AUDIT_TYPES)[number];

/** Which HTTP requests have events of their own, beside those of what they do. */
export const AUDIT_REQUESTS = ["off", "changes", "all"] as const;
export type AuditRequests = (typeof AUDIT_REQUESTS)[number];

const SEVERITIES = ["info", "notice", "warning", "error"] as const;
type Severity = (typeof SEVERITIES)[number];

const text = z.string().max(512);

/** One line of the audit log: the model of the specification, section 12, plus an id and a severity. */
export const auditEventSchema = z.strictObject({
  event_id: z.uuid(),
  /** RFC 3339, UTC. */
  timestamp: z.iso.datetime(),
  event_type: z.enum(AUDIT_TYPES),
  severity: z.enum(SEVERITIES),
  actor: z
    .strictObject({ user_id: text, name: text, kind: text, roles: z.array(text), ip: text.nullable() })
    .nullable(),
  /** The kind of an action: click, type, tool name; never its content. */
  action: text.nullable(),
  /** `owner`: the id of whose it is, of tokens that name one. */
  resource: z.strictObject({ kind: text, id: text, owner: text.optional() }).nullable(),
  request: z
    .strictObject({ method: text, path: text, query_redacted: z.literal(true), request_id: text })
    .nullable(),
  outcome: z.enum(["success", "failure"]),
  error_code: text.nullable(),
  latency_ms: z.number().nullable(),
  mcp: z.strictObject({ server: z.literal("node"), transport: text, tool: text }).nullable(),
  /** What the decision rests on: who signed the token, for whom, and the roles that have the permission asked for. */
  security: z
    .strictObject({
      oidc_issuer: text.optional(),
      audience: text.optional(),
      rbac_roles_checked: z.array(text).optional(),
    })
    .optional(),
  /** Why an agent says it does it: its own words, which approvers see too. */
  intent: text.nullable(),
  /** Numbers only: how much, never what. */
  counts: z.record(text, z.number()).nullable(),
  /**
   * `deployment`, `tenant`: as configured. `node`, `fence`: of a fleet, which server wrote it, and under which revision it had
   * the desktop, of events about one. `via`: which node who did it was asked at. `trace_id`, `span_id`: of the caller's trace, where it told of one. */
  meta: z.strictObject({
    version: text,
    deployment: text.optional(),
    tenant: text.optional(),
    node: text.optional(),
    fence: text.optional(),
    via: text.optional(),
    trace_id: text.optional(),
    span_id: text.optional(),
  }),
  /** What binds a line to the one before (chain.ts); in files only. */
  chain: z
    .strictObject({
      seq: z.int().positive(),
      prev: text,
      half: text.optional(),
      signature: text.optional(),
      mac: text,
    })
    .optional(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;
export type UnchainedEvent = Omit<AuditEvent, "chain">;

/** What a room tells the audit; everything absent is null, no error code means success. */
export interface AuditEntry {
  readonly type: AuditType;
  readonly severity?: Severity;
  readonly actor?: {
    readonly id: string;
    readonly name: string;
    /** human, agent, extension or replay. */
    readonly kind: string;
    readonly role?: string;
    readonly ip?: string;
    /** The node of a fleet by which they come; absent: this one. */
    readonly via?: string;
  } | null;
  readonly action?: string;
  readonly resource?: { readonly kind: string; readonly id: string; readonly owner?: string };
  /** `path` is the route's pattern, never the URL. */
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly id: string;
    readonly trace?: TraceContext | null;
  };
  readonly errorCode?: string | null;
  readonly durationMs?: number;
  readonly mcp?: { readonly transport: string; readonly tool: string };
  readonly security?: {
    readonly issuer?: string;
    readonly audience?: string;
    readonly rolesChecked?: readonly string[];
  };
  readonly intent?: string | null;
  readonly counts?: Readonly<Record<string, number>>;
}

const LONGEST_FIELD = 512;

/** What the log needs to know of a fleet that this server is a node of. */
export interface AuditedFleet {
  readonly name: string;
  /** null for a desktop that is not open here. */
  fenceOf(desktopId: string): string | null;
}

/** What every event of one server says of it. */
export interface AuditLabels {
  readonly version: string;
  /** Which of an operator's installations it is: "production". */
  readonly deployment?: string | undefined;
  /** Whose it is, where one log holds those of several. */
  readonly tenant?: string | undefined;
  /** Which server of a fleet it is, and under what it has a desktop. */
  readonly fleet?: AuditedFleet | null | undefined;
  /** Takes out of each event what is configured to be left out. */
  readonly redact?: ((event: UnchainedEvent) => UnchainedEvent) | undefined;
}

/** Builds the line's object field by field, so that nothing unnamed here ever gets into the log. */
export function auditEvent(
  entry: AuditEntry,
  stamp: AuditLabels & { readonly id: string; readonly at: Date },
): UnchainedEvent {
  const errorCode = entry.errorCode ?? null;
  const { actor, request, resource, mcp } = entry;
  const event: UnchainedEvent = {
    event_id: stamp.id,
    timestamp: stamp.at.toISOString(),
    event_type: entry.type,
    severity: entry.severity ?? (errorCode === null ? "info" : "warning"),
    actor:
      actor === undefined || actor === null
        ? null
        : {
            user_id: cut(actor.id),
            name: cut(actor.name),
            kind: cut(actor.kind),
            roles: actor.role === undefined ? [] : [cut(actor.role)],
            ip: actor.ip === undefined ? null : cut(actor.ip),
          },
    action: entry.action === undefined ? null : cut(entry.action),
    resource:
      resource === undefined
        ? null
        : {
            kind: cut(resource.kind),
            id: cut(resource.id),
            ...(resource.owner === undefined ? {} : { owner: cut(resource.owner) }),
          },
    request:
      request === undefined
        ? null
        : {
            method: cut(request.method),
            path: cut(request.path),
            query_redacted: true,
            request_id: cut(request.id),
          },
    outcome: errorCode === null ? "success" : "failure",
    error_code: errorCode === null ? null : cut(errorCode),
    latency_ms: entry.durationMs === undefined ? null : Math.round(entry.durationMs * 10) / 10,
    mcp: mcp === undefined ? null : { server: "node", transport: cut(mcp.transport), tool: cut(mcp.tool) },
    ...(entry.security === undefined ? {} : { security: securityOf(entry.security) }),
    intent: entry.intent === undefined || entry.intent === null ? null : cut(entry.intent),
    counts: entry.counts === undefined ? null : { ...entry.counts },
    meta: {
      ...metaOf(stamp, request?.trace ?? null),
      ...fenceOf(stamp.fleet ?? null, resource),
      ...(typeof actor?.via === "string" ? { via: cut(actor.via) } : {}),
    },
  };
  return stamp.redact === undefined ? event : stamp.redact(event);
}

function securityOf({ issuer, audience, rolesChecked }: NonNullable<AuditEntry["security"]>) {
  return {
    ...(issuer === undefined ? {} : { oidc_issuer: cut(issuer) }),
    ...(audience === undefined ? {} : { audience: cut(audience) }),
    ...(rolesChecked === undefined ? {} : { rbac_roles_checked: rolesChecked.map(cut) }),
  };
}

function metaOf(
  { version, deployment, tenant }: AuditLabels,
  trace: TraceContext | null,
): AuditEvent["meta"] {
  return {
    version: cut(version),
    ...(deployment === undefined ? {} : { deployment: cut(deployment) }),
    ...(tenant === undefined ? {} : { tenant: cut(tenant) }),
    ...(trace === null ? {} : { trace_id: trace.traceId, span_id: trace.spanId }),
  };
}

function fenceOf(
  fleet: AuditedFleet | null,
  resource: AuditEntry["resource"],
): Pick<AuditEvent["meta"], "node" | "fence"> {
  if (fleet === null) return {};
  const isDesktop = resource?.kind === "desktop" || resource?.kind === "connection";
  const fence = isDesktop ? fleet.fenceOf(resource.id) : null;
  return { node: cut(fleet.name), ...(fence === null ? {} : { fence }) };
}

function cut(value: string): string {
  return value.length <= LONGEST_FIELD ? value : value.slice(0, LONGEST_FIELD);
}
