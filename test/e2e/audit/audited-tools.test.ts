import t from "tap";
import * as z from "zod";
import { TOOL_EVENTS } from "../../../scripts/docs-audit-events.ts";
import { BROWSER_TOOLS } from "../../../src/mcp/tools/browser/list.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { ANSWERS, FakeProvider } from "../../analysis/providers.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { openBridgeSite } from "../browser/bridge-site.ts";
import { pairingLink } from "../browser/bridged-browser.ts";
import { PersonBrowser } from "../browser/person-browser.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { AuditTail } from "./audit-tail.ts";

// Every tool is called on a running server, and what the audit log tells of it is what docs/audit-events.md says.

const listSchema = z.array(z.looseObject({ id: z.string(), name: z.string() }));
const ofAll = ["mcp.tool_call", "mcp.tool_result"];

type Args = Record<string, unknown>;
type Known = Readonly<Record<string, string>>;
/** What a tool is called with, by what the calls before it gave. */
type Play = Args | ((known: Known) => Args);

const box = { x: 20, y: 20, width: 60, height: 40 };

/** In this order: later ones need what earlier ones made. */
const PLAYS: Readonly<Record<string, Play>> = {
  take_screenshot: {},
  zoom: { region: box },
  list_screenshots: {},
  compare_screenshots: ({ screenshot_id }) => ({ screenshot_id }),
  annotate_screenshot: ({ screenshot_id }) => ({
    screenshot_id,
    annotations: [{ type: "rect", ...box, color: "#FF0000", stroke_width: 4 }],
  }),
  ocr_screenshot: ({ screenshot_id }) => ({ screenshot_id, region: box }),
  auto_redact_pii: ({ screenshot_id }) => ({ screenshot_id }),
  analyze_screenshot: { prompt: "What is there?", region: box },
  read_text: {},
  find_text: { text: "demo" },
  get_elements: {},
  cursor_position: {},
  get_display_info: {},
  wait: { duration_ms: 10 },
  wait_for: { condition: "stable", timeout_ms: 5000 },
  click_at: { x: 600, y: 700 },
  click_text: ({ text }) => ({ text, match: "words" }),
  click_element: ({ element_id }) => ({ element_id }),
  move_mouse: { x: 610, y: 710 },
  scroll: { x: 600, y: 700, dy: 1 },
  drag: {
    path: [
      { x: 600, y: 700 },
      { x: 640, y: 720 },
    ],
  },
  mouse_down: { x: 600, y: 700 },
  mouse_up: { x: 600, y: 700 },
  press_keys: { keys: "shift" },
  type_text: { text: "a" },
  paste_text: { text: "b" },
  batch_actions: { actions: [{ tool: "click_at", arguments: { x: 600, y: 700 } }] },
  computer: { name: "left_click", input: { coordinate: [600, 700] }, type: "tool_use" },
  reset_input: {},
  set_clipboard: { text: "c" },
  get_clipboard: {},
  subscribe_events: { events: ["screen_change"] },
  poll_events: ({ subscription_id }) => ({ subscription_id, wait_ms: 0 }),
  unsubscribe_events: ({ subscription_id }) => ({ subscription_id }),
  set_screenshot_frequency: { mode: "manual" },
  request_human: { reason: "log in", kind: "login" },
  batch_overlay: { overlays: [box] },
  draw_overlay: box,
  remove_overlay: ({ overlay_id }) => ({ overlay_id }),
  clear_overlays: {},
  add_anchor: { anchor_id: "one", x: 0, y: 0, width: 200, height: 60 },
  re_anchor_element: { anchor_id: "one" },
  remove_anchor: { anchor_id: "one" },
  start_recording: {},
  list_recordings: {},
  search_recording: ({ recording_id }) => ({ recording_id, query: "click" }),
  get_frame_at: ({ recording_id }) => ({ recording_id, at_ms: 1e12 }),
  stop_recording: ({ recording_id }) => ({ recording_id }),
  list_connections: {},
  set_active_connection: ({ desktop }) => ({ connection_id: desktop }),
  test_connection: ({ desktop }) => ({ connection_id: desktop }),
  add_connection: ({ port }) => ({
    ...{ name: "another", protocol: "vnc", host: "127.0.0.1" },
    port: Number(port),
  }),
  remove_connection: ({ another }) => ({ connection_id: another }),
  set_mode: { mode: "assist" },
  session_stop: {},
  session_resume: {},
  browser_create_tab: ({ site }) => ({ url: site }),
  browser_get_tabs: {},
  browser_get_accessibility_tree: ({ tab_id }) => ({ tab_id }),
  browser_type: ({ tab_id, field }) => ({ tab_id, ref: field, text: "Ada" }),
  browser_click: ({ tab_id, button }) => ({ tab_id, ref: button }),
  browser_scroll: ({ tab_id }) => ({ tab_id, pixels: 10 }),
  browser_execute_js: ({ tab_id }) => ({ tab_id, code: "1 + 1" }),
  browser_inject_script: ({ tab_id, site }) => ({ tab_id, script_url: `${site}script.js` }),
  browser_close_tab: ({ tab_id }) => ({ tab_id }),
};

/** Whoever calls is told no, and that is told: the others are done. */
const REFUSED: Readonly<Record<string, string>> = {
  // Only a person takes a stop back.
  session_resume: "permission_denied",
};

t.test("each tool has its events", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  t.strictSame(
    Object.keys(PLAYS).toSorted(),
    [...TOOLS, ...BROWSER_TOOLS].map(({ name }) => name).toSorted(),
    "every tool is called",
  );
  const model = await FakeProvider.open(t, { body: ANSWERS.ollama });
  const site = await openBridgeSite(t);
  const appliance = await Appliance.start(t, {
    mode: "autopilot",
    env: {
      OC_APPROVAL_ARMING_MS: "0",
      OC_BROWSER_SCRIPTS: "allow",
      OC_ANALYSIS_OLLAMA_MODEL: "a-model",
      OC_ANALYSIS_OLLAMA_ENDPOINT: model.url,
    },
  });
  const browser = await PersonBrowser.open(t);
  await browser.pair(await pairingLink(appliance));
  await browser.letOpenTabs();
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const rest = async (path: string) => listSchema.parse(await (await appliance.fetch(path)).json());
  const known: Record<string, string> = {
    desktop: (await rest("/api/v1/desktops"))[0]?.id ?? "",
    port: String(await freePort()),
    site: `${site.url}/`,
  };
  const meSchema = z.looseObject({ id: z.string() });
  const agentId = meSchema.parse(await (await appliance.fetch("/api/v1/me")).json()).id;
  const tail = new AuditTail(appliance.dataDir);
  for (const [name, play] of Object.entries(PLAYS)) {
    const extra = TOOL_EVENTS[name] ?? [];
    tail.mark();
    const work = agent.call(name, typeof play === "function" ? play(known) : play);
    const answer = await work.catch((error: { code?: string }): Args => {
      if (error.code === undefined || error.code !== REFUSED[name]) throw error;
      return {};
    });
    learn(known, name, answer);
    const expected = [...ofAll, ...extra];
    const { told, missing } = await tail.since(expected);
    t.same(missing, [], `${name} has its events`);
    const others = told
      .filter(({ actor, mcp }) => mcp?.tool === name || actor?.user_id === agentId)
      .map(({ event_type }) => event_type)
      .filter((type) => !expected.includes(type));
    t.same([...new Set(others)], [], `${name} has no others`);
    if (name === "add_connection") {
      known["another"] = (await rest("/api/v1/desktops")).find((one) => one.name === "another")?.id ?? "";
    }
    if (name === "browser_get_accessibility_tree") {
      const tree = String(answer["tree"]);
      const refOf = (words: string): string =>
        /\[ref=(e\d+)\]/.exec(tree.split("\n").find((line) => line.includes(words)) ?? "")?.[1] ?? "";
      known["field"] = refOf('textbox "Name"');
      known["button"] = refOf('button "Save"');
    }
  }
});

const textsSchema = z.object({ text: z.string() });
const elementsSchema = z.object({
  elements: z.array(z.looseObject({ id: z.string(), kind: z.string() })).min(1),
});

/** Keeps the ids of an answer, and what is there to be clicked. */
function learn(known: Record<string, string>, name: string, answer: Args): void {
  for (const [key, value] of Object.entries(answer)) {
    if (key.endsWith("_id") && typeof value === "string") known[key] = value;
  }
  if (name === "read_text") {
    known["text"] = textsSchema.parse(answer).text.match(/[A-Za-z]{5,}/)?.[0] ?? "";
  }
  if (name === "get_elements") {
    // The clock of the demo is in a row, which looks otherwise a minute later.
    const { elements } = elementsSchema.parse(answer);
    known["element_id"] = elements.find(({ kind }) => kind === "button")?.id ?? "";
  }
}
