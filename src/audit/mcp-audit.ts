import type { TraceContext } from "../platform/trace-context.ts";
import type { AuditEntry } from "./audit-event.ts";
import { RepeatLimit } from "./repeat-limit.ts";

/** What the audit needs to know of one tool call as it begins; ToolCallBegun of the MCP face is one. */
interface BegunCall {
  /** Tells which end belongs to which beginning. */
  readonly callId: string;
  readonly tool: string;
  readonly principal: {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly ip?: string;
    readonly via?: string;
  };
  readonly transport: "http" | "stdio";
  readonly trace?: TraceContext | null;
  /** null for tools that act on no desktop. */
  readonly desktopId: string | null;
}

/** And how it ended; ToolCallRecord is one. */
interface EndedCall extends BegunCall {
  /** Of the error, null where it was done. */
  readonly code: string | null;
  readonly durationMs: number;
  /** Pictures that were given out. */
  readonly images: number;
}

interface Clock {
  nowMs(): number;
}

/** A picture or a recording that left the appliance by another way than a tool; PictureGiven is one. */
interface GivenPicture extends Pick<BegunCall, "principal" | "transport"> {
  readonly resource: { readonly kind: "desktop" | "recording"; readonly id: string };
  /** The method of MCP. */
  readonly via: string;
}

/** A picture on its way to a provider's model; PictureAnalyzed is one. */
interface AnalyzedPicture extends Pick<BegunCall, "principal"> {
  readonly desktopId: string;
  readonly provider: string;
  readonly bytes: number;
}

/** What is told of each tool call, and of pictures that no tool gave. */
export interface McpAudit {
  begun(call: BegunCall): void;
  ended(call: EndedCall): void;
  pictured(picture: GivenPicture): void;
  analyzed(picture: AnalyzedPicture): void;
}

/**
 * Records each tool call twice, as it begins and as it ends: one without an end was cut off. Beside it what it was
 * besides: pictures that left the appliance, a limit that was met.
 */
export function auditMcp(record: (entry: AuditEntry) => void, clock: Clock): McpAudit {
  const limits = new RepeatLimit(clock);
  const actorOf = ({ id, name, role, ip, via }: BegunCall["principal"]) => ({
    id,
    name,
    kind: "agent",
    role,
    ...(ip === undefined ? {} : { ip }),
    ...(via === undefined ? {} : { via }),
  });
  const toldOf = ({ callId, tool, principal, transport, trace = null, desktopId }: BegunCall) => ({
    actor: actorOf(principal),
    action: tool,
    mcp: { transport, tool },
    request: { method: "tools/call", path: transport === "http" ? "/mcp" : "stdio", id: callId, trace },
    ...(desktopId === null ? {} : { resource: { kind: "desktop", id: desktopId } }),
  });
  return {
    pictured: ({ principal, transport, resource, via }) =>
      record({
        ...(resource.kind === "desktop"
          ? { type: "screenshot.taken", counts: { images: 1 } }
          : { type: "recording.viewed" }),
        actor: actorOf(principal),
        action: via,
        resource,
        mcp: { transport, tool: via },
      }),
    analyzed: ({ principal, desktopId, provider, bytes }) =>
      record({
        type: "screenshot.analyzed",
        severity: "notice",
        actor: actorOf(principal),
        action: provider,
        resource: { kind: "desktop", id: desktopId },
        counts: { bytes },
      }),
    begun: (call) => record({ type: "mcp.tool_call", ...toldOf(call) }),
    ended(call) {
      const { code, durationMs, images, principal, desktopId } = call;
      const told = toldOf(call);
      record({ type: "mcp.tool_result", ...told, errorCode: code, durationMs });
      if (images > 0) record({ type: "screenshot.taken", ...told, counts: { images } });
      if (code !== "rate_limited") return;
      const missed = limits.meet(`${principal.id}\n${desktopId ?? ""}`);
      if (missed === null) return;
      record({ type: "rate_limit.triggered", ...told, errorCode: code, counts: { since_last: missed } });
    },
  };
}
