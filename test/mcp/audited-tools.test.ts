import t from "tap";
import { type AuditEntry, auditEvent, auditEventSchema } from "../../src/audit/audit-event.ts";
import { auditMcp } from "../../src/audit/mcp-audit.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { FakeClock } from "../fake-clock.ts";
import { callsTo } from "./call.ts";
import { AGENT, fakeHouse } from "./fake-house.ts";

/** A house whose calls are told to the audit as the appliance does it. */
function auditedHouse(secured: () => Promise<void>) {
  const house = fakeHouse();
  const told: AuditEntry[] = [];
  const audit = auditMcp((entry) => told.push(entry), new FakeClock());
  const ports = {
    ...house.ports,
    onCall: audit.begun,
    audit: audit.ended,
    onPicture: audit.pictured,
    secured,
  };
  return { told, call: callsTo({ ...house, ports }) };
}

for (const { name, effect } of TOOLS) {
  t.test(`${name}: a call has an event as it begins and one as it ends`, async (t) => {
    let toldBefore: number | null = null;
    const { told, call } = auditedHouse(async () => {
      toldBefore ??= told.length;
    });
    // Whoever has gone is told of all the same, and nothing waits.
    await call(name, {}, { signal: AbortSignal.abort() });
    const [begun, ended] = told;
    const common = {
      action: name,
      mcp: { tool: name, transport: "http" },
      actor: { id: AGENT.id, kind: "agent" },
    };
    t.match(begun, { type: "mcp.tool_call", ...common });
    t.match(ended, { type: "mcp.tool_result", ...common, request: { id: begun?.request?.id ?? "none" } });
    for (const entry of told) {
      const event = auditEvent(entry, { id: crypto.randomUUID(), at: new Date(0), version: "1" });
      t.ok(auditEventSchema.safeParse(event).success, `${entry.type} is an event of the schema`);
    }
    // Of one whose arguments were right, the beginning was written before anything was done.
    if (toldBefore !== null) t.equal(toldBefore, 1, effect);
  });
}

t.test("a call that cannot be written down is refused, and the refusal is told", async (t) => {
  const { told, call } = auditedHouse(() =>
    Promise.reject(new RefusedError("audit_down", "the audit log cannot be written")),
  );
  const answer = await call("click_at", { x: 5, y: 5 });
  t.match(answer.error, { code: "audit_down" });
  t.match(told, [{ type: "mcp.tool_call" }, { type: "mcp.tool_result", errorCode: "audit_down" }]);
});
