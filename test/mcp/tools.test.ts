import t from "tap";
import { EFFECTS } from "../../src/mcp/tool.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { selectTools } from "../../src/mcp/toolsets.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

const PROMISED = [
  ...["draw_overlay", "remove_overlay", "clear_overlays", "batch_overlay", "take_screenshot", "click_at"],
  ...[
    "type_text",
    "get_clipboard",
    "set_clipboard",
    "get_display_info",
    "add_connection",
    "list_connections",
  ],
  ...["test_connection", "remove_connection", "set_active_connection"],
  ...["move_mouse", "mouse_down", "mouse_up", "drag", "scroll", "press_keys", "cursor_position", "zoom"],
  ...["wait", "wait_for", "batch_actions", "paste_text", "reset_input", "session_stop", "session_resume"],
  ...["computer", "list_screenshots", "set_mode", "add_anchor", "re_anchor_element"],
  ...["subscribe_events", "unsubscribe_events", "poll_events", "set_screenshot_frequency"],
  ...["compare_screenshots", "annotate_screenshot"],
  ...["start_recording", "stop_recording", "list_recordings", "get_frame_at", "search_recording"],
];

t.test("every promised tool is there once", async (t) => {
  t.same(TOOLS.map(({ name }) => name).sort(), PROMISED.sort());
});

t.test("every tool says what it is, in snake_case, with closed schemas", async (t) => {
  for (const tool of TOOLS) {
    t.match(tool.name, /^[a-z]+(_[a-z]+)*$/);
    t.ok(tool.title.length > 3 && tool.description.length > 60, `${tool.name} is described`);
    t.equal(tool.inputSchema.type, "object");
    t.equal(tool.inputSchema["additionalProperties"], false, `${tool.name} refuses unknown fields`);
    t.equal(tool.outputSchema.type, "object");
    t.ok(tool.outputSchema["anyOf"], `${tool.name} has results and errors`);
    t.notOk("$schema" in tool.outputSchema || "$schema" in tool.inputSchema, "no dialect is named");
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      const names = Object.keys(Object(schema["properties"]));
      t.same(
        names.filter((name) => !/^[a-z]+(_[a-z0-9]+)*$/.test(name)),
        [],
      );
    }
  }
});

t.test("the hints of a tool agree with its effect", async (t) => {
  for (const { name, effect, hints } of TOOLS) {
    t.ok(EFFECTS.includes(effect));
    t.equal(hints.readOnlyHint, effect === "read", `${name}: read-only means effect read`);
    if (effect === "read") t.notOk(hints.destructiveHint, `${name}: what only reads destroys nothing`);
    if (effect === "overlay") t.notOk(hints.openWorldHint, `${name}: overlays stay in the house`);
  }
  const byName = new Map(TOOLS.map((tool) => [tool.name, tool.hints]));
  t.equal(byName.get("click_at")?.destructiveHint, true);
  t.equal(byName.get("remove_connection")?.destructiveHint, true);
  t.equal(byName.get("draw_overlay")?.destructiveHint, false);
});

t.test("an unknown field is refused with its name, in every tool", async (t) => {
  const call = callsTo(fakeHouse());
  for (const { name } of TOOLS) {
    const { isError, text, error } = await call(name, { colour_of_magic: 1 });
    t.ok(isError);
    t.match(text, /^invalid_parameters: .*unknown field "colour_of_magic"/);
    t.match(error, { code: "invalid_parameters", retry_after_ms: null });
  }
});

t.test("faults name the field, what was got and what was expected, never a text", async (t) => {
  const call = callsTo(fakeHouse());
  const said = async (name: string, args: unknown): Promise<string> => (await call(name, args)).text;
  t.match(await said("click_at", { x: 70_000, y: 1 }), /x: .*65535.*got 70000/);
  t.match(await said("click_at", { x: 1.5, y: 1 }), /x: .*int.*got 1.5/);
  t.match(await said("click_at", { x: -1, y: 1 }), /x: .*got -1/);
  t.match(await said("click_at", { x: "1", y: 1 }), /x: .*number.*got a text of 1 characters/);
  t.match(await said("click_at", { x: 1 }), /expected both x and y/);
  t.match(await said("click_at", { x: 1, y: 1, button: "wheel" }), /button: .*"left"/);
  t.match(await said("type_text", {}), /text: required but absent/);
  t.match(await said("draw_overlay", { x: 1, y: 1, width: 5, height: Number.POSITIVE_INFINITY }), /height/);
  t.match(await said("draw_overlay", []), /arguments: .*object.*got a list/);
  t.match(
    await said("batch_overlay", { overlays: [{ x: 1, y: 1, width: 5, height: 5, z: 1 }] }),
    /unknown field "z" in overlays.0/,
  );
  const secret = "s3cret-".repeat(2000);
  const { text } = await call("type_text", { text: secret });
  t.match(text, /text: .*10000.*got a text of 14000 characters/);
  t.notMatch(text, /s3cret/);
});

t.test("hostile arguments are refused, not met with a crash", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  for (const args of [null, 5, "x", [], JSON.parse('{"__proto__": {"x": 1}}'), { constructor: 1 }]) {
    const { text } = await call("click_at", args);
    t.match(text, /^invalid_parameters|^Clicked/);
  }
  t.same(house.logged, []);
});

t.test("toolsets narrow the list by effect", async (t) => {
  const names = (url: string | undefined): string[] =>
    (selectTools(TOOLS, url).tools ?? []).map(({ name }) => name);
  t.equal(names(undefined).length, TOOLS.length);
  t.equal(names("/mcp").length, TOOLS.length);
  t.equal(names("/mcp?toolsets=").length, TOOLS.length);
  t.ok(names("/mcp?toolsets=read").includes("take_screenshot"));
  t.notOk(names("/mcp?toolsets=read,overlay").includes("click_at"));
  t.ok(names("/mcp?toolsets=read,overlay").includes("draw_overlay"));
  t.match(selectTools(TOOLS, "/mcp?toolsets=reed").fault, /"reed".*expected read, overlay, input, admin/);
});
