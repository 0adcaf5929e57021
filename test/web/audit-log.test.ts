import t from "tap";
import { auditEvent } from "../../src/audit/audit-event.ts";
import type { AuditQuery } from "../../src/audit/read-back.ts";
import { errorSchema } from "../../src/web/api/api.ts";
import { auditPageSchema } from "../../src/web/api/audit-api.ts";
import { openHouse } from "./fake-house.ts";

t.test("administrators read the audit log, and that they did is in it", async (t) => {
  const asked: AuditQuery[] = [];
  const at = new Date("2026-11-25T12:00:00.000Z");
  const entry = { type: "mode.changed", resource: { kind: "desktop", id: "d1" } } as const;
  const event = auditEvent(entry, { id: "0e9a2d3c-5c0f-4f57-9f0a-111111111111", at, version: "1" });
  const { app, bearer, audited } = await openHouse(t, {
    auditLog: {
      async read(query) {
        asked.push(query);
        const events = [{ event, seq: 7, isIntact: true }];
        return { events, next: 7, lookedBackTo: event.timestamp, lines: 1, changedLines: 0, missingLines: 0 };
      },
    },
  });
  const from = "2026-11-24T00:00:00.000Z";
  const url = `/api/v1/audit?types=mode.changed,approval.*&actor=ann&desktop=d1&from=${from}&before=9&limit=3`;
  const answer = await app.inject({ url, headers: bearer("admin") });
  t.equal(answer.statusCode, 200);
  t.equal(answer.headers["cache-control"], "no-store");
  t.match(auditPageSchema.parse(answer.json()), {
    events: [{ event_type: "mode.changed", seq: 7, is_intact: true }],
    next: 7,
    looked_back_to: at.toISOString(),
    chain: { lines: 1, changed: 0, missing: 0 },
  });
  const types = ["mode.changed", "approval.*"];
  const query = { actor: "ann", desktop: "d1", from: new Date(from), before: 9, most: 3, types };
  t.strictSame(asked, [query]);
  t.match(audited, [{ type: "audit.viewed", actor: { role: "admin" }, request: { path: "/api/v1/audit" } }]);
  for (const role of ["operator", "approver", "viewer", "agent"] as const) {
    t.equal((await app.inject({ url, headers: bearer(role) })).statusCode, 403, role);
  }
});

t.test("what cannot be asked for is refused, with what was expected", async (t) => {
  const { app, bearer } = await openHouse(t);
  for (const query of [
    "types=all",
    "types=a.b,",
    "limit=0",
    "limit=201",
    "before=0",
    "from=today",
    "who=ann",
  ]) {
    const answer = await app.inject({ url: `/api/v1/audit?${query}`, headers: bearer("admin") });
    t.equal(answer.statusCode, 400, query);
  }
});

t.test("a log that is kept in no file here is said so", async (t) => {
  const { app, bearer } = await openHouse(t, { auditLog: null });
  const answer = await app.inject({ url: "/api/v1/audit", headers: bearer("admin") });
  t.match(errorSchema.parse(answer.json()), { error: { code: "not_supported", message: /kept in no file/ } });
});
