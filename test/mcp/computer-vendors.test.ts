import t from "tap";
import { ANTHROPIC_ACTIONS } from "../../src/mcp/computer/anthropic.ts";
import { GEMINI_ACTIONS } from "../../src/mcp/computer/gemini.ts";
import { OPENAI_ACTIONS } from "../../src/mcp/computer/openai.ts";
import { FakeClock } from "../fake-clock.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";
import { Declarations } from "./vendor-types.ts";

const anthropic = new Declarations("@anthropic-ai/sdk/resources/beta/messages/messages.d.ts");
const openai = new Declarations("openai/resources/responses/responses.d.ts");
const gemini = new Declarations("@google/genai/dist/genai.d.ts");

/** Waits pass at once; what nobody waits for never comes. */
class HastyClock extends FakeClock {
  override after(_delayMs: number, call: () => void, { isIdle = false } = {}): () => void {
    if (isIdle) return () => undefined;
    const timer = setImmediate(call);
    return () => clearImmediate(timer);
  }
}

function computerCalls() {
  const house = fakeHouse({ clock: new HastyClock() });
  const call = callsTo(house);
  return {
    house,
    desktop: house.desktops.get("one"),
    computer: (args: unknown) => call("computer", args),
  };
}

const INTERFACE_OF = new Map(anthropic.union("BetaComputerMemberInput").map((name) => [snake(name), name]));

/** "BetaComputerLeftClickDragInput" is left_click_drag's. */
function snake(name: string): string {
  return name
    .replace(/^BetaComputer|Input$/g, "")
    .replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`);
}

t.test("every member of Anthropic's newest toolset is known, and nothing else", async (t) => {
  t.same([...ANTHROPIC_ACTIONS].sort(), [...anthropic.union("BetaComputerMemberName")].sort());
  t.same([...INTERFACE_OF.keys()].sort(), [...ANTHROPIC_ACTIONS].sort());
  const toolsets = anthropic.names.filter((name) => /^Beta(Tool)?Computer(Use|Toolset)\d{8}$/.test(name));
  t.same(
    toolsets.sort(),
    [
      "BetaComputerToolset20260801",
      "BetaToolComputerUse20241022",
      "BetaToolComputerUse20250124",
      "BetaToolComputerUse20251124",
    ],
    "a newer toolset is to be read by somebody",
  );
});

t.test("every object that Anthropic's types allow is done, in each form it may come in", async (t) => {
  for (const name of ANTHROPIC_ACTIONS) {
    for (const input of anthropic.samples(INTERFACE_OF.get(name) ?? "")) {
      const forms = [
        { action: name, ...input },
        { name, input },
        {
          type: "tool_use",
          id: "toolu_1",
          name,
          toolset_name: "computer",
          input,
          caller: { type: "direct" },
        },
      ];
      for (const form of forms) {
        const { computer } = computerCalls();
        const { structured, text } = await computer(form);
        t.match(structured, { success: true, vendor: "anthropic", done: [{ action: name }] }, text);
      }
    }
  }
});

t.test("every object that OpenAI's types allow is done, alone, in a list and in its item", async (t) => {
  const members = openai.union("ComputerAction");
  t.same(
    members.map((member) => openai.literal(member, "type")).sort(),
    [...OPENAI_ACTIONS].sort(),
    "every action is known, and nothing else",
  );
  t.same(openai.union("ComputerActionList"), ["Array<ComputerAction>"]);
  for (const member of members) {
    for (const action of openai.samples(member)) {
      const name = openai.literal(member, "type");
      const forms = [
        action,
        { actions: [action, { type: "wait" }] },
        { type: "computer_call", id: "1", call_id: "2", status: "completed", actions: [action] },
        {
          type: "computer_call",
          id: "1",
          call_id: "2",
          status: "completed",
          pending_safety_checks: [],
          action,
        },
      ];
      for (const form of forms) {
        const { computer } = computerCalls();
        const { structured, text } = await computer(form);
        t.match(structured, { success: true, vendor: "openai", done: [{ action: name }] }, text);
      }
    }
  }
});

const AT = { y: 300, x: 500 };

/** Gemini's npm types name no actions; these are the documentation's (ai.google.dev, November 2026). */
const GEMINI: Readonly<Record<string, Record<string, unknown>>> = {
  ...{ click: AT, double_click: AT, triple_click: AT, middle_click: AT, right_click: AT },
  ...{ mouse_down: AT, mouse_up: AT, move: AT, long_press: { ...AT, seconds: 1 } },
  type: { text: "hello", press_enter: true },
  drag_and_drop: { start_y: 1, start_x: 2, end_y: 300, end_x: 400 },
  ...{ wait: { seconds: 2 }, press_key: { key: "enter" }, key_down: { key: "shift" } },
  ...{ key_up: { key: "shift" }, hotkey: { keys: ["control", "c"] }, take_screenshot: {} },
  scroll: { ...AT, direction: "down", magnitude_in_pixels: 300 },
  ...{ go_back: {}, go_forward: {}, wait_5_seconds: {}, click_at: AT, hover_at: AT },
  type_text_at: { ...AT, text: "hello", press_enter: false, clear_before_typing: false },
  key_combination: { keys: "Control+A" },
  scroll_document: { direction: "down" },
  scroll_at: { ...AT, direction: "left", magnitude: 400 },
};

const GEMINI_REFUSED = ["open_web_browser", "navigate", "search", "open_app", "list_apps"];

t.test("every action of Gemini's is done, in each form it may come in", async (t) => {
  t.same([...Object.keys(GEMINI), ...GEMINI_REFUSED].sort(), [...GEMINI_ACTIONS].sort());
  for (const [name, given] of Object.entries(GEMINI)) {
    const args = { ...given, intent: "because" };
    const forms = [
      { name, args },
      { name, args: given, id: "1" },
      { type: "function_call", id: "1", name, arguments: args },
    ];
    for (const form of forms) {
      const { computer } = computerCalls();
      const { structured, text } = await computer(form);
      t.match(structured, { success: true, vendor: "gemini", done: [{ action: name }] }, text);
    }
  }
});

t.test(
  "what Gemini may ask of a browser or a telephone is refused by name, with a way round it",
  async (t) => {
    for (const name of GEMINI_REFUSED) {
      const { error } = await computerCalls().computer({ name, args: { url: "https://example.com" } });
      t.match(error, { code: "not_supported", message: new RegExp(`^${name} is not supported, because`) });
    }
  },
);

t.test("Gemini's environments are those that the tool was made for", async (t) => {
  t.same(gemini.values("Environment"), [
    "ENVIRONMENT_UNSPECIFIED",
    "ENVIRONMENT_BROWSER",
    "ENVIRONMENT_MOBILE",
    "ENVIRONMENT_DESKTOP",
  ]);
  t.notOk(
    gemini.names.some((name) => /TypeTextAt|ClickAt|PressKey/.test(name)),
    "the types name no actions yet: compare the list with them when they do",
  );
});

t.test("an unknown action is refused with its name and those there are", async (t) => {
  const { computer } = computerCalls();
  t.match((await computer({ action: "teleport" })).error, {
    code: "invalid_parameters",
    message: /"teleport".*left_click/,
  });
  t.match((await computer({ type: "teleport" })).error, { message: /"teleport".*double_click/ });
  t.match((await computer({ name: "teleport", args: {} })).error, { message: /"teleport".*hotkey/ });
  t.match((await computer({ action: "constructor" })).error, { code: "invalid_parameters" });
  t.match((await computer({ name: "__proto__", args: {} })).error, { code: "invalid_parameters" });
});
