import t from "tap";
import { Analysts } from "../../../src/analysis/analysts.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { ANSWERS, FakeProvider } from "../../analysis/providers.ts";
import { serveHouse } from "../../mcp/fake-house.ts";
import { SAVED_TEXT } from "../../mcp/saved-text.ts";
import { FakeRecordings } from "../../web/fake-recordings.ts";
import { ERAS } from "../harness/era-clients.ts";

const HERE = { x: 10, y: 10 };

/**
 * Good calls, at least one of every tool; the clients check each answer against the tool's output schema. "@id" is the id
 * of that name in the last answer that had one.
 */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["take_screenshot", {}],
  ["take_screenshot", { if_changed_since: 7, monitor_index: 1 }],
  ["take_screenshot", { inline_base64: true, include_overlays: true }],
  ["zoom", { region: { ...HERE, width: 20, height: 20 } }],
  ["compare_screenshots", { screenshot_id: "@screenshot_id" }],
  [
    "annotate_screenshot",
    { screenshot_id: "@screenshot_id", annotations: [{ type: "rect", ...HERE, width: 5, height: 5 }] },
  ],
  ["list_screenshots", {}],
  ["ocr_screenshot", {}],
  ["auto_redact_pii", { screenshot_id: "@screenshot_id" }],
  ["analyze_screenshot", {}],
  ["read_text", {}],
  ["find_text", { text: "saev", match: "fuzzy" }],
  ["click_text", { text: "Save" }],
  ["get_elements", { kinds: ["button"] }],
  ["click_element", { element_id: "1" }],
  ["wait_for", { condition: "text", text: "Save", timeout_ms: 0 }],
  ["click_at", { ...HERE, hold_keys: ["ctrl"] }],
  ["type_text", { text: "hello" }],
  ["press_keys", { keys: "ctrl+a" }],
  ["scroll", { ...HERE, dy: 2 }],
  ["move_mouse", HERE],
  ["drag", { path: [HERE, { x: 20, y: 20 }] }],
  ["mouse_down", HERE],
  ["mouse_up", {}],
  ["paste_text", { text: "pasted" }],
  ["wait", { duration_ms: 1 }],
  ["wait_for", { condition: "change", timeout_ms: 0 }],
  ["batch_actions", { actions: [{ tool: "click_at", arguments: HERE }] }],
  ["computer", { action: "left_click", coordinate: [1, 1] }],
  ["cursor_position", {}],
  ["reset_input", {}],
  ["subscribe_events", { events: ["screen_change"] }],
  ["poll_events", { subscription_id: "@subscription_id" }],
  ["unsubscribe_events", { subscription_id: "@subscription_id" }],
  ["set_screenshot_frequency", { mode: "manual" }],
  ["add_anchor", { x: 300, y: 218, width: 90, height: 40 }],
  ["re_anchor_element", { anchor_id: "@anchor_id" }],
  ["remove_anchor", { anchor_id: "@anchor_id" }],
  ["draw_overlay", { x: 1, y: 1, width: 10, height: 10, label: "here", color: "#f80" }],
  ["batch_overlay", { overlays: [{ x: 1, y: 1, width: 10, height: 10 }], one_at_a_time: true }],
  ["remove_overlay", { overlay_id: "gone" }],
  ["clear_overlays", {}],
  ["get_clipboard", {}],
  ["set_clipboard", { text: "copied" }],
  ["get_display_info", { connection_id: "two" }],
  ["start_recording", {}],
  ["list_recordings", {}],
  ["get_frame_at", { recording_id: "@recording_id", at_ms: 1000 }],
  ["search_recording", { recording_id: "@recording_id", query: "click" }],
  ["stop_recording", { recording_id: "@recording_id" }],
  ["list_connections", {}],
  ["set_active_connection", { connection_id: "two" }],
  ["test_connection", { connection_id: "two" }],
  ["add_connection", { name: "third", host: "10.0.0.3", protocol: "vnc" }],
  ["remove_connection", { connection_id: "one" }],
  ["request_human", { reason: "log in", kind: "login" }],
  ["set_mode", { mode: "assist" }],
  ["session_resume", {}],
  ["session_stop", {}],
];

/** A line that is read in every picture. */
const READER = {
  read: () => Promise.resolve([{ text: "Save", rect: rect(1, 1, 9, 9), confidence: 90, words: [] }]),
};

/** One refused call of every kind. */
const REFUSED: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["click_at", { x: 5000, y: 1 }, "out_of_bounds"],
  ["click_at", { x: 1, y: 1, force: true }, "invalid_parameters"],
  ["take_screenshot", { connection_id: "no such" }, "not_found"],
  ["draw_overlay", { x: 1, y: 1, width: 1, height: 1, color: "blurple" }, "invalid_parameters"],
];

function withIds(args: Record<string, unknown>, ids: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const known = (value: unknown): unknown =>
    typeof value === "string" && value.startsWith("@") ? ids.get(value.slice(1)) : value;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, known(value)]));
}

function noteIds(result: unknown, ids: Map<string, unknown>): void {
  for (const [name, value] of Object.entries(Object(Object(result).structuredContent))) {
    if (name.endsWith("_id")) ids.set(name, value);
  }
}

async function main(): Promise<void> {
  for (const { era, connect, clientName } of ERAS) {
    await t.test(`a client of ${era} uses every tool, and its schemas hold`, async (t) => {
      const { url: endpoint } = await FakeProvider.open(t, { body: ANSWERS.ollama });
      const providers = { ollama: { model: "a-model", apiKey: null, endpoint } };
      const house = await serveHouse({
        ...{ recordings: new FakeRecordings(), reader: READER, texts: SAVED_TEXT },
        analysts: new Analysts({ providers, preferred: null, timeoutMs: 30_000 }),
      });
      t.teardown(() => house.close());
      const client = await connect(house.url, "admin");
      t.match(client.server, {
        name: "overlay-companion-mcp",
        version: "2026.11.21",
        description: /desktop/,
      });
      t.match(client.instructions, /take_screenshot/);
      t.same(
        client.tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      );
      t.match(client.tools[0], {
        annotations: { readOnlyHint: true, title: "Take screenshot" },
        outputSchema: {},
      });
      const ids = new Map<string, unknown>();
      for (const [name, args] of CALLS) {
        const result = await client.call(name, withIds(args, ids));
        t.match(result, { content: [{ type: "text" }], structuredContent: {} }, name);
        noteIds(result, ids);
        t.notMatch(result, { isError: true }, name);
      }
      t.match(await client.call("take_screenshot", {}), {
        content: [{ type: "text" }, { type: "image", mimeType: "image/png", data: /^iVBOR/ }],
      });
      for (const [name, args, code] of REFUSED) {
        t.match(
          await client.call(name, args),
          {
            isError: true,
            content: [{ type: "text", text: new RegExp(`^${code}: `) }],
            structuredContent: { error: { code, message: String, hint: String } },
          },
          `${name} is refused`,
        );
      }
      const called = new Set(CALLS.map(([name]) => name));
      t.same([...called].sort(), client.tools.map(({ name }) => name).sort(), "every tool, and no other");
      await t.rejects(client.call("no_such_tool", {}), /no_such_tool/);
      t.match(house.clients, [{ name: clientName, principal: { id: "admin" } }]);
      t.equal(house.clients.length, 1);
      t.match(house.records.at(0), { tool: "take_screenshot", clientName });
      t.same(house.logged, []);
      await client.close();
    });
  }
}

await main();
