import t, { type Test } from "tap";
import { Analysts } from "../../../src/analysis/analysts.ts";
import type { Principal, Role } from "../../../src/auth/principal.ts";
import { ListenBus } from "../../../src/mcp/server/listen-bus.ts";
import { createMcp } from "../../../src/mcp/server/server.ts";
import { DesktopsOfCaller } from "../../../src/mcp/tool/granted-desktops.ts";
import { openMcpState } from "../../../src/mcp/tool/mcp-state.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { FakeRecordings, recordingSummary } from "../../web/fake-recordings.ts";
import { type FakeHouse, fakeHouse, listen } from "../fake-house.ts";

const AT = { x: 10, y: 20 };
const BOX = { ...AT, width: 30, height: 20 };

/** Right arguments beside connection_id, so that a call gets as far as its desktop. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  click_at: AT,
  click_text: { text: "Save" },
  click_element: { element_id: "1" },
  move_mouse: AT,
  mouse_down: AT,
  mouse_up: AT,
  drag: { path: [AT, { x: 30, y: 40 }] },
  scroll: { ...AT, dy: 2 },
  press_keys: { keys: "ctrl+a" },
  type_text: { text: "x" },
  paste_text: { text: "x" },
  request_human: { reason: "log in", kind: "login" },
  set_clipboard: { text: "x" },
  batch_actions: { actions: [{ tool: "click_at", arguments: AT }] },
  computer: { action: "left_click", coordinate: [10, 20] },
  draw_overlay: BOX,
  batch_overlay: { overlays: [BOX] },
  remove_overlay: { overlay_id: "o1" },
  zoom: { region: BOX },
  find_text: { text: "Save" },
  add_anchor: BOX,
  re_anchor_element: { anchor_id: "a1" },
  remove_anchor: { anchor_id: "a1" },
  wait_for: { condition: "stable" },
  wait: { duration_ms: 0 },
  compare_screenshots: { screenshot_id: "s1" },
  set_mode: { mode: "passive" },
  subscribe_events: { events: ["screen_change"] },
  set_screenshot_frequency: { mode: "manual" },
};

/** Nobody is asked in this test: a desktop outside the grant is none before that. */
const ANALYSTS = new Analysts({
  providers: { ollama: { model: "none", apiKey: null, endpoint: "http://127.0.0.1:1" } },
  preferred: null,
  timeoutMs: 1000,
});

const takesDesktop = TOOLS.filter((tool) => "connection_id" in Object(tool.inputSchema["properties"]));

interface Served extends FakeHouse {
  /** A JSON-RPC call of a 2025-era client without a session. */
  ask(method: string, params: object): Promise<string>;
}

async function serve(t: Test, role: Role, desktops: readonly string[]): Promise<Served> {
  const recordings = new FakeRecordings();
  const principal: Principal = { id: "bound", name: "bound", role, desktops };
  recordings.keep(recordingSummary({ id: "r1", desktopId: "one", startedById: principal.id }));
  recordings.keep(
    recordingSummary({ id: "r2", desktopId: "two", title: "Test VM", startedById: principal.id }),
  );
  const house = fakeHouse({ recordings, analysts: ANALYSTS });
  const served = await listen(createMcp(house.ports), "127.0.0.1", principal);
  t.teardown(() => served.close());
  return {
    ...house,
    async ask(method, params) {
      const answer = await fetch(served.url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return await answer.text();
    },
  };
}

for (const role of ["agent", "operator"] as const) {
  t.test(`${role}: every tool answers a desktop outside the grant as one that is not there`, async (t) => {
    const { ask, desktops } = await serve(t, role, ["two"]);
    for (const { name } of takesDesktop) {
      const call = (connection_id: string) =>
        ask("tools/call", { name, arguments: { ...ARGUMENTS[name], connection_id } });
      const outside = await call("one");
      t.match(outside, /not_found|permission_denied/, name);
      t.equal(outside, await call("nine"), name);
    }
    const [one] = desktops.all;
    t.strictSame(one?.performed, []);
    t.strictSame(one?.snapshots, []);
    t.strictSame(one?.overlays, []);
    t.equal(desktops.all.length, 2);
  });
}

t.test("without a desktop named, tools use the first of the grant", async (t) => {
  const { ask, desktops } = await serve(t, "agent", ["two"]);
  await ask("tools/call", { name: "click_at", arguments: AT });
  t.equal(desktops.get("one").performed.length, 0);
  t.equal(desktops.get("two").performed.length, 1);
  const none = await serve(t, "agent", ["nine"]);
  t.match(await none.ask("tools/call", { name: "click_at", arguments: AT }), /not_found/);
  for (const { performed } of none.desktops.all) t.strictSame(performed, []);
});

t.test("lists, resources, recordings, completions and prompts hold what the grant holds", async (t) => {
  const { ask } = await serve(t, "operator", ["two"]);
  const lists = [
    await ask("tools/call", { name: "list_connections", arguments: {} }),
    await ask("resources/list", {}),
    await ask("resources/read", { uri: "settings://current" }),
    await ask("completion/complete", {
      ref: { type: "ref/resource", uri: "screen://{id}" },
      argument: { name: "id", value: "" },
    }),
  ];
  for (const list of lists) {
    t.match(list, /two/);
    t.notMatch(list, /"one"|\\"one\\"|\/\/one|Build VM/);
  }
  const recorded = await ask("tools/call", { name: "list_recordings", arguments: {} });
  t.match(recorded, /recordings:\/\/r2/);
  t.notMatch(recorded, /recordings:\/\/r1/);
  for (const [method, outside, unknown] of [
    ["resources/read", { uri: "screen://one" }, { uri: "screen://nine" }],
    ["resources/read", { uri: "text://one" }, { uri: "text://nine" }],
    ["resources/read", { uri: "recordings://r1" }, { uri: "recordings://r9" }],
    [
      "prompts/get",
      { name: "describe_ui", arguments: { connection_id: "one" } },
      { name: "describe_ui", arguments: { connection_id: "nine" } },
    ],
    [
      "tools/call",
      { name: "get_frame_at", arguments: { recording_id: "r1", at_ms: 0 } },
      { name: "get_frame_at", arguments: { recording_id: "r9", at_ms: 0 } },
    ],
    [
      "tools/call",
      { name: "search_recording", arguments: { recording_id: "r1", query: "x" } },
      { name: "search_recording", arguments: { recording_id: "r9", query: "x" } },
    ],
    [
      "tools/call",
      { name: "stop_recording", arguments: { recording_id: "r1" } },
      { name: "stop_recording", arguments: { recording_id: "r9" } },
    ],
  ] as const) {
    const said = (await ask(method, outside)).replaceAll("one", "nine").replaceAll("r1", "r9");
    t.match(said, /not_found|not found/i, said.slice(0, 300));
    t.equal(said, await ask(method, unknown), JSON.stringify(outside));
  }
});

t.test("nobody who is let to certain desktops adds or removes one, not by a proposal either", async (t) => {
  const input = { name: "x", protocol: "vnc", host: "127.0.0.1" };
  for (const role of ["agent", "operator"] as const) {
    const { ask, desktops } = await serve(t, role, ["two"]);
    t.match(await ask("tools/call", { name: "add_connection", arguments: input }), /permission_denied/);
    t.match(
      await ask("tools/call", { name: "remove_connection", arguments: { connection_id: "two" } }),
      /permission_denied/,
    );
    t.equal(desktops.all.length, 2);
  }
});

t.test("a stream of changes listens to the desktops of its caller alone", async (t) => {
  const { ports } = fakeHouse();
  const desk = openMcpState(ports);
  const bus = new ListenBus(desk, (principal) => new DesktopsOfCaller(ports.desktops, principal));
  const principal: Principal = { id: "bound", name: "bound", role: "agent", desktops: ["two"] };
  const wanted = { resourceSubscriptions: ["screen://one", "screen://two", "screen://nine"] };
  const stop = bus.run(principal, { params: { notifications: wanted } }, () => bus.subscribe(() => {}));
  t.equal(desk.events.size, 1, "one screen of the three");
  stop();
  t.equal(desk.events.size, 0);
});
