/** Where a request stands in a trace of its caller's: ids in lower-case hex. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the caller keeps its trace. */
  readonly isSampled: boolean;
}

/** version "-" trace-id "-" parent-id "-" trace-flags; later versions may go on after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What a `traceparent` says, W3C Trace Context section 3.2; null for none, and for one that is not valid. */
export function traceContext(traceparent: unknown): TraceContext | null {
  if (typeof traceparent !== "string" || traceparent.length > 256) return null;
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId)
    ? null
    : { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
