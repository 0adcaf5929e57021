import t from "tap";
import { INSTRUCTIONS, SHARED_FIELDS } from "../../src/mcp/server/instructions.ts";
import { listedTool } from "../../src/mcp/server/listing.ts";
import { servedTools, type Tool } from "../../src/mcp/tool/tool.ts";
import { EFFECTS, selectTools, toolsetsOfUrl } from "../../src/mcp/tool/toolsets.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { takeScreenshot } from "../../src/mcp/tools/take-screenshot.ts";
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
  ...["computer", "list_screenshots", "set_mode", "add_anchor", "re_anchor_element", "remove_anchor"],
  ...["subscribe_events", "unsubscribe_events", "poll_events", "set_screenshot_frequency"],
  ...[
    "compare_screenshots",
    "annotate_screenshot",
    "ocr_screenshot",
    "auto_redact_pii",
    "analyze_screenshot",
    "read_text",
    "find_text",
    "click_text",
  ],
  ...["get_elements", "click_element", "request_human"],
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
  t.match(await said("click_at", { x: 1, y: 1, clicks: 1.5 }), /clicks: .*int.*got 1.5/);
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

t.test("toolsets narrow the list by effect, or to the core", async (t) => {
  const names = (url: string | undefined): string[] =>
    selectTools(TOOLS, toolsetsOfUrl(url).toolsets).map(({ name }) => name);
  t.equal(names(undefined).length, TOOLS.length);
  t.equal(names("/mcp").length, TOOLS.length);
  t.equal(names("/mcp?toolsets=").length, TOOLS.length);
  t.ok(names("/mcp?toolsets=read").includes("take_screenshot"));
  t.notOk(names("/mcp?toolsets=read,overlay").includes("click_at"));
  t.ok(names("/mcp?toolsets=read,overlay").includes("draw_overlay"));
  t.ok(names("/mcp?toolsets=core,admin").includes("set_mode"));
  t.equal(names("/mcp?toolsets=core").length, 16, "every name of the core is a tool");
  t.match(toolsetsOfUrl("/mcp?toolsets=reed").fault, /"reed".*expected core, read, overlay, input, admin/);
});

/** What a client hands its model of a tool, in bytes. */
function sizeForModel(tools: readonly Tool[]): number {
  const told = tools
    .map(listedTool)
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return Buffer.byteLength(JSON.stringify(told));
}

t.test("the list of tools takes little of a model's context, and of the wire", async (t) => {
  // What needs a part that must be configured is told only to those who configured it, and counted by itself.
  const tools = servedTools(TOOLS, {});
  t.ok(sizeForModel(tools) <= 32 * 1024, `all tools: ${sizeForModel(tools)} bytes`);
  const core = selectTools(TOOLS, ["core"]);
  t.ok(sizeForModel(core) <= 14 * 1024, `core: ${sizeForModel(core)} bytes`);
  const whole = Buffer.byteLength(JSON.stringify({ tools: tools.map(listedTool) }));
  t.ok(whole <= 80 * 1024, `the whole answer: ${whole} bytes`);
  const more = sizeForModel(TOOLS) - sizeForModel(tools);
  t.ok(more > 0 && more <= 1536, `what must be configured: ${more} bytes`);
  t.ok(INSTRUCTIONS.length <= 2048, `instructions: ${INSTRUCTIONS.length} characters`);
  t.equal(listedTool(takeScreenshot), listedTool(takeScreenshot), "it is made once");
});

t.test("what the list leaves out is told elsewhere: shared fields in the instructions", async (t) => {
  for (const [name, { description }] of Object.entries(SHARED_FIELDS)) {
    t.ok(INSTRUCTIONS.includes(`${name}: ${description}`), name);
  }
  const listed = JSON.stringify(TOOLS.map(listedTool));
  for (const { description } of Object.values(SHARED_FIELDS)) t.notOk(listed.includes(String(description)));
});

t.test(
  "the list names every field of a tool but those that say nothing, and all that are required",
  async (t) => {
    const propertiesOf = (schema: Record<string, unknown>): string[] =>
      Object.keys(Object(schema["properties"]));
    const never = [
      "action_timing_hint",
      "effect_timeout_ms",
      "window_title",
      "case_sensitive",
      "id",
      "call_id",
      "status",
      "toolset_name",
      "caller",
      "security",
    ];
    never.push("http_headers", "http_username", "http_password", "encodings");
    for (const tool of TOOLS) {
      const { inputSchema, outputSchema } = listedTool(tool);
      const missing = propertiesOf(tool.inputSchema).filter(
        (name) => !propertiesOf(inputSchema).includes(name),
      );
      t.same(
        missing.filter((name) => !never.includes(name)),
        [],
        tool.name,
      );
      t.same(inputSchema["required"], tool.inputSchema["required"], `${tool.name} requires the same`);
      t.same(propertiesOf(outputSchema), propertiesOf(tool.outputSchema), `${tool.name} answers the same`);
      t.same(outputSchema["anyOf"], tool.outputSchema["anyOf"]);
    }
  },
);
