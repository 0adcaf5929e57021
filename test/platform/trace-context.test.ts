import t from "tap";
import { traceContext } from "../../src/platform/trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

t.test("a traceparent is read as W3C Trace Context says", async (t) => {
  const told = { traceId: TRACE, spanId: SPAN, isSampled: true };
  t.same(traceContext(`00-${TRACE}-${SPAN}-01`), told);
  t.same(traceContext(`00-${TRACE}-${SPAN}-00`), { ...told, isSampled: false }, "not sampled");
  t.same(traceContext(`00-${TRACE}-${SPAN}-03`), told, "with other flags");
  t.same(traceContext(`01-${TRACE}-${SPAN}-01-more`), told, "a later version");
  for (const wrong of [
    undefined,
    7,
    "",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `01-${TRACE}-${SPAN}-01-${"x".repeat(300)}`,
  ]) {
    t.equal(traceContext(wrong), null, String(wrong));
  }
});
