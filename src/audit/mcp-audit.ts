import type { AuditEntry } from "./audit-event.ts";

/** What the audit needs to know of one tool call as it begins; ToolCallBegun of the MCP face is one. */
interface BegunCall {
  /** Tells which end belongs to which beginning. */
  readonly callId: string;
  readonly tool: string;
  readonly principal: { readonly id: string; readonly name: string; readonly role: string };
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

/** A flood of calls beyond the limit is one event in so long, which says how many there were in the one before. */
const LIMIT_WINDOW_MS = 60_000;
/** Principals and desktops watched at a time; the oldest is forgotten, and told of anew. */
const MAX_WINDOWS = 1000;

interface Clock {
  nowMs(): number;
}

/** A picture that left the house by another way than a tool; PictureGiven is one. */
interface GivenPicture extends Pick<BegunCall, "principal"> {
  readonly desktopId: string;
  /** The method of MCP. */
  readonly via: string;
}

/** What is told of each tool call, and of pictures that no tool gave. */
export interface McpAudit {
  begun(call: BegunCall): void;
  ended(call: EndedCall): void;
  pictured(picture: GivenPicture): void;
}

/**
 * Records each tool call twice, as it begins and as it ends: one without an end was cut off. Beside it what it was
 * besides: pictures that left the house, a limit that was met.
 */
export function auditMcp(
  record: (entry: AuditEntry) => void,
  transport: "stdio" | "http",
  clock: Clock,
): McpAudit {
  const limits = new LimitWindows(clock);
  const actorOf = ({ id, name, role }: BegunCall["principal"]) => ({ id, name, kind: "agent", role });
  const toldOf = ({ callId, tool, principal, desktopId }: BegunCall) => ({
    actor: actorOf(principal),
    action: tool,
    mcp: { transport, tool },
    request: { method: "tools/call", path: transport === "http" ? "/mcp" : "stdio", id: callId },
    ...(desktopId === null ? {} : { resource: { kind: "desktop", id: desktopId } }),
  });
  return {
    pictured: ({ principal, desktopId, via }) =>
      record({
        type: "screenshot.taken",
        actor: actorOf(principal),
        action: via,
        resource: { kind: "desktop", id: desktopId },
        mcp: { transport, tool: via },
        counts: { images: 1 },
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

/** Who met a limit lately. */
class LimitWindows {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { readonly atMs: number; missed: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many were not told of since the last that was; null where this one is not told of either. */
  meet(key: string): number | null {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.get(key);
    if (window !== undefined && nowMs - window.atMs < LIMIT_WINDOW_MS) {
      window.missed++;
      return null;
    }
    this.#windows.delete(key);
    this.#windows.set(key, { atMs: nowMs, missed: 0 });
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= MAX_WINDOWS) break;
      this.#windows.delete(oldest);
    }
    return window?.missed ?? 0;
  }
}
