import t from "tap";
import { auditEvent, auditEventSchema } from "../../src/audit/audit-event.ts";
import { REDACT_FIELDS, redactor } from "../../src/audit/redact.ts";
import { loadConfig } from "../../src/config/load-config.ts";

const SECRET = "canary";
const id = "0e9a2d3c-5c0f-4f57-9f0a-111111111111";
const entry = {
  type: "mcp.tool_call",
  actor: { id: "t1", name: `${SECRET}-name`, kind: "agent", role: "agent", ip: `${SECRET}-ip` },
  resource: { kind: "desktop", id: `${SECRET}-id`, owner: `${SECRET}-owner` },
  request: { method: "POST", path: `/${SECRET}-path`, id: "r1" },
  intent: `${SECRET}-intent`,
  counts: { [`${SECRET}-counts`]: 1 },
} as const;
const stamp = { id, at: new Date(0), version: "1" };

t.test("each field that is named is left out, alone, and the event stays one of the model", async (t) => {
  const whole = JSON.stringify(auditEvent(entry, stamp));
  for (const field of REDACT_FIELDS) {
    const event = auditEvent(entry, { ...stamp, redact: redactor([field]) });
    t.ok(auditEventSchema.safeParse(event).success, `${field}: of the model`);
    const word = `${SECRET}-${field.split(".").at(-1)}`;
    t.notOk(JSON.stringify(event).includes(word), `${field} is left out`);
    const others = [...whole.matchAll(/canary-\w+/g)]
      .map(([found]) => found)
      .filter((found) => found !== word);
    for (const other of others)
      t.ok(JSON.stringify(event).includes(other), `${other} stays without ${field}`);
  }
  const none = auditEvent(entry, { ...stamp, redact: redactor(REDACT_FIELDS) });
  t.notOk(JSON.stringify(none).includes(SECRET));
  t.equal(none.actor?.user_id, "t1", "whose it is stays");
});

t.test("an event without what is left out is not changed", async (t) => {
  const bare = { type: "audit.started" } as const;
  t.same(auditEvent(bare, { ...stamp, redact: redactor(REDACT_FIELDS) }), auditEvent(bare, stamp));
});

t.test("the variable takes words, and the JSON that specifications write", async (t) => {
  const read = (AUDIT_REDACT_FIELDS: string) =>
    loadConfig({
      env: { AUDIT_REDACT_FIELDS },
      flags: {},
      file: undefined,
      connect: [],
      isDemo: true,
      isStdio: false,
    }).audit.redact_fields;
  t.same(read("actor.ip, intent"), ["actor.ip", "intent"]);
  const usual = ["request.query", "request.headers.authorization", "mcp.tool_result.content"];
  t.same(read(JSON.stringify(usual)), usual);
  t.throws(() => read("actor.id"), /actor\.ip/, "a path that is none says which there are");
  t.throws(() => read('["actor.ip'), /redact_fields/, "half a list");
});
