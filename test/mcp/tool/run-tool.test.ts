import t from "tap";
import { RefusedError } from "../../../src/desktop/error.ts";
import { HINTS } from "../../../src/mcp/tool/error.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { FakeClock } from "../../fake-clock.ts";
import { callsTo } from "../call.ts";
import { AGENT, fakeHouse } from "../fake-house.ts";

t.test("every call is audited without its arguments", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  await call("type_text", { text: "my secret" });
  await call("click_at", { x: 9999, y: 1 });
  await call("list_connections");
  await call("type_text", { text: 5 });
  t.match(house.records, [
    {
      tool: "type_text",
      outcome: "done",
      code: null,
      principal: AGENT,
      desktopId: "one",
      durationMs: Number,
    },
    { tool: "click_at", outcome: "refused", code: "out_of_bounds", desktopId: "one", clientName: "test" },
    { tool: "list_connections", outcome: "done", desktopId: null },
    { tool: "type_text", outcome: "refused", code: "invalid_parameters", desktopId: null },
  ]);
  t.notMatch(JSON.stringify([house.records, house.begun]), /secret/);
  t.same(
    house.begun,
    house.records.map(({ callId, tool, principal, transport, clientName, desktopId }) => {
      return { callId, tool, principal, transport, clientName, desktopId };
    }),
    "each began once, before it ended",
  );
  t.equal(new Set(house.begun.map(({ callId }) => callId)).size, 4);
});

t.test("a call is told before anything is done for it", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").onPerform = async () => {
    t.match(house.begun, [{ tool: "click_at", desktopId: "one" }]);
    t.same(house.records, []);
    return {};
  };
  t.notOk((await callsTo(house)("click_at", { x: 1, y: 1 })).isError);
  t.equal(house.records.length, 1);
});

t.test("a bug is logged and shown as nothing but that", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").onPerform = async () => {
    throw new TypeError("cannot read properties of undefined (reading 'shoes')");
  };
  const { isError, text, error } = await callsTo(house)("click_at", { x: 1, y: 1 });
  t.ok(isError);
  t.match(error, { code: "internal_error" });
  t.notMatch(text, /shoes|TypeError|at /);
  t.match(house.logged, [{ tool: "click_at", err: /shoes/ }]);
  t.match(house.records[0], { outcome: "failed", code: "internal_error" });
});

t.test("a result that breaks its schema is a bug of ours, not of the caller", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").onPerform = async () => ({ position: { x: 1.5, y: 2 } });
  const { error } = await callsTo(house)("click_at", { x: 1, y: 1 });
  t.match(error, { code: "internal_error" });
});

t.test("too many calls are refused with the time to wait, and then go through", async (t) => {
  const clock = new FakeClock();
  const call = callsTo(fakeHouse({ clock, isRateLimited: true }));
  for (let i = 0; i < 20; i++) t.notOk((await call("get_display_info")).isError);
  const { isError, text, error } = await call("get_display_info");
  t.ok(isError);
  t.match(error, { code: "rate_limited", retry_after_ms: 100 });
  t.match(text, /^rate_limited: too many calls.*10 a second. wait for retry_after_ms/);
  t.notOk((await call("get_display_info", { connection_id: "two" })).isError, "another desktop has its own");
  clock.advance(100);
  t.notOk((await call("get_display_info")).isError);
});

t.test("a screenshot without an image does not count", async (t) => {
  const house = fakeHouse({ clock: new FakeClock(), isRateLimited: true });
  const call = callsTo(house);
  t.notOk((await call("zoom", { region: { x: 0, y: 0, width: 9, height: 9 } })).isError);
  const seen = { region: { x: 0, y: 0, width: 9, height: 9 }, if_changed_since: 7 };
  for (let i = 0; i < 50; i++) {
    t.match((await call("take_screenshot", seen)).structured, { unchanged: true });
  }
  for (let i = 0; i < 9; i++) t.notOk((await call("take_screenshot")).isError);
  t.match((await call("take_screenshot")).error, { code: "rate_limited" });
});

t.test("refused arguments cost nothing, and autopilot may do more", async (t) => {
  const house = fakeHouse({ clock: new FakeClock(), isRateLimited: true });
  const call = callsTo(house);
  house.desktops.get("one").mode = "assist";
  for (let i = 0; i < 30; i++) await call("click_at", { x: -1 });
  const goesThrough = async (): Promise<number> => {
    for (let done = 0; ; done++) if ((await call("click_at", { x: 1, y: 1 })).isError) return done;
  };
  const inAssist = await goesThrough();
  house.desktops.get("one").mode = "autopilot";
  const inAutopilot = await goesThrough();
  t.equal(inAssist, 10);
  t.equal(inAutopilot, 40);
});

t.test(
  "what changes something is done only once it is written down, looking and stopping always",
  async (t) => {
    const house = fakeHouse();
    const secured = async (): Promise<void> => {
      throw new RefusedError("audit_down", "the audit log cannot be written");
    };
    const call = callsTo({ ...house, ports: { ...house.ports, secured } });
    const desktop = house.desktops.get("one");
    for (const [tool, args] of [
      ["click_at", { x: 1, y: 1 }],
      ["set_mode", { mode: "passive" }],
      ["draw_overlay", { x: 1, y: 1, width: 5, height: 5 }],
    ] as const) {
      t.match(await call(tool, args), { isError: true, error: { code: "audit_down" } }, tool);
    }
    t.same(desktop.scene.overlays, []);
    t.match(
      house.records.map(({ code }) => code),
      ["audit_down", "audit_down", "audit_down"],
      "that it was refused is told where that can be told",
    );
    t.notOk((await call("get_display_info")).isError);
    t.notOk((await call("session_stop")).isError);
    t.equal(desktop.isStopped, true);
  },
);

t.test("where there is too much of something, the hint names each tool that makes room", (t) => {
  for (const tool of ["clear_overlays", "remove_anchor", "unsubscribe_events", "remove_connection"]) {
    t.match(HINTS.too_many, tool);
    t.ok(
      TOOLS.some(({ name }) => name === tool),
      tool,
    );
  }
  t.end();
});
