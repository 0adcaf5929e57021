import t from "tap";
import type { AuditEntry } from "../../../src/audit/audit-event.ts";
import { RefusalAudit } from "../../../src/web/http/refusal-audit.ts";
import { FakeClock } from "../../fake-clock.ts";
import { openHouse } from "../fake-house.ts";

t.test(
  "a flood of the same refusal is one event a minute, and the next says how many there were",
  async (t) => {
    const clock = new FakeClock();
    const told: AuditEntry[] = [];
    const audit = new RefusalAudit((entry) => told.push(entry), clock);
    const refuse = (address: string): void => audit.refused("bad_origin", address, { actor: null });
    for (let n = 0; n < 50; n++) refuse("10.0.0.1");
    refuse("10.0.0.2");
    audit.refused("not_found", "10.0.0.1", { actor: null });
    t.equal(told.length, 2);
    clock.advance(60_000);
    refuse("10.0.0.1");
    t.match(told, [
      { type: "authz.denied", errorCode: "bad_origin", counts: { since_last: 0 } },
      { counts: { since_last: 0 } },
      { counts: { since_last: 49 } },
    ]);
  },
);

t.test("the table of addresses is bounded", async (t) => {
  let told = 0;
  const audit = new RefusalAudit(() => told++, new FakeClock());
  for (let n = 0; n < 3000; n++) audit.refused("bad_host", `10.0.${n >> 8}.${n & 255}`, {});
  audit.refused("bad_host", "10.0.0.0", {});
  t.equal(told, 3001, "the first was forgotten and is told anew");
});

t.test(
  "foreign pages, floods and lacking rights are audited with the address and the route's pattern",
  async (t) => {
    const { app, audited, bearer } = await openHouse(t);
    const headers = bearer("viewer");
    await app.inject({ url: "/api/v1/desktops/d1", headers: { ...headers, origin: "https://evil.example" } });
    for (let n = 0; n < 102; n++) await app.inject({ url: "/config", headers });
    await app.inject({ url: "/", headers: { ...headers, accept: "text/event-stream" } });
    t.match(audited, [
      {
        type: "authz.denied",
        errorCode: "bad_origin",
        actor: { kind: "unknown", ip: "127.0.0.1" },
        request: { method: "GET", path: "/api/v1/desktops/:id" },
      },
      {
        type: "rate_limit.triggered",
        errorCode: "rate_limited",
        actor: { name: "the viewer" },
        request: { path: "/config" },
      },
      { type: "authz.denied", errorCode: "permission_denied", action: "mcp", request: { path: "/" } },
    ]);
    t.equal(audited.length, 3);
  },
);
