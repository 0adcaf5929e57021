import type { AuditEntry } from "./audit-event.ts";

/** What the audit needs to know of one tool call; ToolCallRecord of the MCP face is one. */
interface AuditedCall {
  readonly tool: string;
  /** Of the error, null where it was done. */
  readonly code: string | null;
  readonly durationMs: number;
  /** Pictures that were given out. */
  readonly images: number;
  readonly principal: { readonly id: string; readonly name: string; readonly role: string };
  /** null for tools that act on no desktop. */
  readonly desktopId: string | null;
}

/** A flood of calls beyond the limit is one event in so long, which says how many there were in the one before. */
const LIMIT_WINDOW_MS = 60_000;
/** Principals and desktops watched at a time; the oldest is forgotten, and told of anew. */
const MAX_WINDOWS = 1000;

interface Clock {
  nowMs(): number;
}

/** Records each tool call, and beside it what it was besides: pictures that left the house, a limit that was met. */
export function auditMcp(
  record: (entry: AuditEntry) => void,
  transport: "stdio" | "http",
  clock: Clock,
): (call: AuditedCall) => void {
  const limits = new LimitWindows(clock);
  return ({ tool, code, durationMs, images, principal, desktopId }) => {
    const told = {
      actor: { id: principal.id, name: principal.name, kind: "agent", role: principal.role },
      action: tool,
      mcp: { transport, tool },
      ...(desktopId === null ? {} : { resource: { kind: "desktop", id: desktopId } }),
    };
    record({ type: "mcp.tool_result", ...told, errorCode: code, durationMs });
    if (images > 0) record({ type: "screenshot.taken", ...told, counts: { images } });
    if (code !== "rate_limited") return;
    const missed = limits.meet(`${principal.id}\n${desktopId ?? ""}`);
    if (missed === null) return;
    record({ type: "rate_limit.triggered", ...told, errorCode: code, counts: { since_last: missed } });
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
