import { randomUUID } from "node:crypto";
import t from "tap";
import { type AuditEntry, auditEvent, auditEventSchema } from "../../src/audit/audit-event.ts";
import { auditMcp, type McpAudit } from "../../src/audit/mcp-audit.ts";

const CALL = {
  callId: "c1",
  tool: "take_screenshot",
  code: null,
  durationMs: 3,
  images: 0,
  principal: { id: "a", name: "agent", role: "agent", ip: "192.0.2.7" },
  transport: "http",
  desktopId: "d1",
} as const;

let nowMs = 0;

function recorder(): {
  readonly told: AuditEntry[];
  readonly audit: McpAudit["ended"];
  readonly begun: McpAudit["begun"];
  readonly pictured: McpAudit["pictured"];
  readonly analyzed: McpAudit["analyzed"];
} {
  const told: AuditEntry[] = [];
  const clock = { nowMs: () => nowMs };
  const { begun, ended, pictured, analyzed } = auditMcp((entry) => told.push(entry), clock);
  return { told, begun, pictured, analyzed, audit: ended };
}

t.test("a call is told as it begins and as it ends, by one id, and nothing of what it asked", async (t) => {
  const { told, begun, audit } = recorder();
  begun(CALL);
  const [{ type = "", ...beginning } = {}] = told;
  t.equal(type, "mcp.tool_call");
  audit({ ...CALL, code: "stopped" });
  t.match(told[1], { type: "mcp.tool_result", errorCode: "stopped", durationMs: 3, ...beginning });
  const stamp = { id: randomUUID(), at: new Date(0), version: "1" };
  for (const entry of told) {
    t.match(auditEventSchema.parse(auditEvent(entry, stamp)), { request: { request_id: "c1" } });
  }
});

t.test("every end is one event, with who, what, where and how it ended", async (t) => {
  const { told, audit } = recorder();
  audit(CALL);
  audit({ ...CALL, tool: "list_connections", desktopId: null, code: "permission_denied" });
  t.match(told, [
    {
      type: "mcp.tool_result",
      actor: { id: "a", kind: "agent", role: "agent", ip: "192.0.2.7" },
      action: "take_screenshot",
      resource: { kind: "desktop", id: "d1" },
      errorCode: null,
      mcp: { transport: "http", tool: "take_screenshot" },
    },
    { type: "mcp.tool_result", errorCode: "permission_denied" },
  ]);
  t.equal(told.length, 2);
  t.notOk(told[1] !== undefined && "resource" in told[1]);
});

t.test("pictures that left the house are an event of their own, whatever tool gave them", async (t) => {
  const { told, audit, pictured } = recorder();
  audit({ ...CALL, images: 1 });
  audit({ ...CALL, tool: "click_at", images: 2 });
  pictured({
    principal: CALL.principal,
    transport: "stdio",
    resource: { kind: "desktop", id: "d1" },
    via: "prompts/get",
  });
  t.match(
    told.filter(({ type }) => type === "screenshot.taken"),
    [
      { counts: { images: 1 } },
      { action: "click_at", counts: { images: 2 } },
      { action: "prompts/get", actor: { id: "a" }, resource: { id: "d1" }, counts: { images: 1 } },
    ],
  );
});

t.test(
  "a picture that goes to a provider is an event of its own, without what is asked about it",
  async (t) => {
    const { told, analyzed } = recorder();
    analyzed({ principal: CALL.principal, desktopId: "d1", provider: "claude", bytes: 1234 });
    t.same(told, [
      {
        type: "screenshot.analyzed",
        severity: "notice",
        actor: { id: "a", name: "agent", kind: "agent", role: "agent", ip: "192.0.2.7" },
        action: "claude",
        resource: { kind: "desktop", id: "d1" },
        counts: { bytes: 1234 },
      },
    ]);
  },
);

t.test(
  "a limit that is met is one event a minute for each caller, however many calls there are",
  async (t) => {
    const { told, audit } = recorder();
    const limited = { ...CALL, code: "rate_limited" };
    const events = (): AuditEntry[] => told.filter(({ type }) => type === "rate_limit.triggered");
    for (let i = 0; i < 500; i++) audit(limited);
    t.match(events(), [{ errorCode: "rate_limited", action: "take_screenshot", counts: { since_last: 0 } }]);
    audit({ ...limited, principal: { ...CALL.principal, id: "b" } });
    t.equal(events().length, 2, "another caller is another event");
    nowMs += 60_000;
    audit(limited);
    t.match(events()[2], { counts: { since_last: 499 } });
    t.equal(events().length, 3);
  },
);
