import t from "tap";
import { auditTableFaults, FACES } from "../scripts/docs-audit-events.ts";

// That the tables are true is for test/e2e/audit/, which calls every route and tool.

t.test("every route and acting tool has its events in the table", async (t) => {
  t.same(auditTableFaults(), []);
});

t.test("a new one without events is found, and one that is no more", async (t) => {
  const tool = { name: "new_tool", effect: "input" } as const;
  t.same(
    auditTableFaults({
      ...FACES,
      routes: [...FACES.routes, "POST /new", "GET /new"],
      tools: [...FACES.tools, tool],
    }),
    ["POST /new has no event", "the tool new_tool acts and has no event of its own"],
  );
  t.same(auditTableFaults({ ...FACES, resources: [...FACES.resources, "new://{id}"] }), [
    "new://{id} has no event",
  ]);
  const without = FACES.routes.filter((route) => route !== "POST /api/v1/tokens");
  t.same(auditTableFaults({ ...FACES, routes: without }), ["POST /api/v1/tokens is no more"]);
});
