import t from "tap";
import type { AuditPage, AuditQuery, FoundEvent } from "../../src/audit/read-back.ts";
import { openHouse } from "./fake-house.ts";

const event = (id: string, over: Partial<FoundEvent["event"]> = {}): FoundEvent => ({
  event: {
    ...{ event_id: id, timestamp: "2026-11-20T10:00:00.000Z", event_type: "input.performed" },
    ...{ severity: "info", action: "click", resource: { kind: "desktop", id: "d1" }, request: null },
    actor: { user_id: "a", name: "claude-code", kind: "agent", roles: [], ip: "10.0.0.9" },
    ...{ outcome: "success", error_code: null, latency_ms: 41, mcp: null, intent: "open the menu" },
    ...{ counts: null, meta: { version: "1" } },
    ...over,
  },
  seq: 1,
  isIntact: true,
});

t.test("what was done before the start is told from the audit log, once read", async (t) => {
  const asked: AuditQuery[] = [];
  let isBroken = true;
  const page = (events: readonly FoundEvent[]): AuditPage => ({
    ...{ events, next: null, lookedBackTo: null, lines: 0, changedLines: 0, missingLines: 0 },
  });
  const { app, bearer, clock, log } = await openHouse(t, {
    auditLog: {
      read: async (query) => {
        if (isBroken) throw new Error("a disk that is gone");
        asked.push(query);
        return page([
          event("newest", { action: "type", error_code: "denied_by_human" }),
          { ...event("forged"), isIntact: false },
          event("oldest", { error_code: "failed" }),
        ]);
      },
    },
  });
  const started = clock.date();
  const list = async () =>
    (await app.inject({ url: "/api/v1/desktops/d1/actions", headers: bearer("viewer") })).json();
  t.same(await list(), [], "what happens now is told all the same");
  t.match(log(), /cannot be read from the audit log/);
  isBroken = false;
  clock.advance(60_000);
  const told = await list();
  t.match(told, [
    {
      id: "oldest",
      summary: "Click",
      intent: "open the menu",
      outcome: "failed",
      code: null,
      pictures: null,
    },
    { id: "newest", summary: "Type", outcome: "refused", code: "denied_by_human" },
  ]);
  t.equal(told.length, 2, "a line that was changed tells nothing");
  t.notMatch(JSON.stringify(told), /10\.0\.0\.9/, "nobody's address");
  await list();
  t.equal(asked.length, 1, "it changes no more");
  t.same(asked[0]?.until, started);
  t.match(asked[0], { types: ["input.performed"], desktop: "d1" });
});
