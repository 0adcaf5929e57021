import t from "tap";
import { openHouse } from "../fake-house.ts";

const HTTP = /^http\./;

for (const [auditRequests, expected] of [
  ["off", []],
  [
    "changes",
    ["http.request POST /api/v1/desktops/:id/mode", "http.response POST /api/v1/desktops/:id/mode"],
  ],
  [
    "all",
    [
      "http.request GET /api/v1/desktops",
      "http.response GET /api/v1/desktops",
      "http.request POST /mcp",
      "http.response POST /mcp",
      "http.request POST /api/v1/desktops/:id/mode",
      "http.response POST /api/v1/desktops/:id/mode",
    ],
  ],
] as const) {
  t.test(`audit.requests: ${auditRequests}`, async (t) => {
    const { app, audited, bearer } = await openHouse(t, { auditRequests });
    const headers = bearer("admin");
    await app.inject({ url: "/api/v1/desktops", headers });
    await app.inject({ method: "POST", url: "/mcp", headers, payload: {} });
    await app.inject({
      method: "POST",
      url: "/api/v1/desktops/d1/mode",
      headers,
      payload: { mode: "passive" },
    });
    const told = audited.filter(({ type }) => HTTP.test(type));
    t.same(
      told.map(({ type, request }) => `${type} ${request?.method} ${request?.path}`),
      expected,
    );
    for (const { actor, request } of told) {
      t.match(actor, { name: "the admin", kind: "human", ip: "127.0.0.1" });
      t.match(request?.id, /./);
    }
  });
}

t.test("an answer is told with its error, its status and its time, also where nobody is known", async (t) => {
  const { app, audited, bearer } = await openHouse(t, { auditRequests: "all" });
  await app.inject({ method: "POST", url: "/api/v1/desktops/d1/stop", headers: bearer("viewer") });
  await app.inject({ method: "POST", url: "/api/v1/desktops/d1/stop?token=secret" });
  await app.inject({ url: "/health", headers: { host: "evil.example" } });
  const told = audited.filter(({ type }) => HTTP.test(type));
  t.match(told, [
    { type: "http.request", actor: { role: "viewer" } },
    { type: "http.response", errorCode: "permission_denied", counts: { status: 403 }, durationMs: Number },
    { type: "http.request", actor: { kind: "unknown", id: "" } },
    { type: "http.response", errorCode: "unauthenticated", counts: { status: 401 } },
    { type: "http.request", request: { path: "/health" } },
    { type: "http.response", errorCode: "bad_host" },
  ]);
  t.equal(told[0]?.request?.id, told[1]?.request?.id, "they belong together");
  t.notMatch(JSON.stringify(audited), /secret/);
});
