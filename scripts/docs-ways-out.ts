import { RESOURCE_TEMPLATES } from "../src/mcp/resources/resources.ts";
import { BROWSER_TOOLS } from "../src/mcp/tools/browser/list.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { GENERATED, table } from "./markdown.ts";

/**
 * Whose picture a way is made of. agent, viewer, recording: of that audience. nobody: it is only kept. role: of agents for an agent's token, else of
 * viewers. recorded: of the recording, and to agents only where nothing was recorded that was hidden from them.
 */
type Shows = "agent" | "viewer" | "recording" | "role" | "recorded" | "nobody";

export interface Way {
  /** "GET /api/v1/…", "tool zoom", "resource screen://{id}", "prompt …", "stream …" or "file …". */
  readonly way: string;
  readonly shows: Shows;
  /** What of the screen it carries. */
  readonly carries: string;
  /** The test that looks for what is hidden behind the door that it goes through. */
  readonly test: string;
}

const E2E = "test/e2e/agents/masks.test.ts";
const SHOWN = "test/desktop/picture/audience-display.test.ts";
const LAYERS = "test/desktop/picture/layers.test.ts";
const TEXT = "test/e2e/recording/recorded-text.test.ts";
const MASKS = "test/desktop/masks/masks.test.ts";

const of = (shows: Shows, carries: string, test: string, ways: readonly string[]): Way[] =>
  ways.map((way) => ({ way, shows, carries, test }));
const tools = (names: string): string[] => names.split(" ").map((name) => `tool ${name}`);

/** Every way by which something of a screen leaves. */
export const WAYS_OUT: readonly Way[] = [
  ...of("agent", "pixels", E2E, [
    ...tools(
      "take_screenshot zoom annotate_screenshot auto_redact_pii compare_screenshots computer batch_actions",
    ),
    "resource screen://{id}",
    "resource screenshots://{id}",
  ]),
  ...of("agent", "pixels", SHOWN, [
    "prompt describe_ui",
    "prompt extract_code",
    "prompt generate_bug_report",
    "prompt accessibility_audit",
  ]),
  ...of("agent", "pixels, to the provider that the operator configured", E2E, tools("analyze_screenshot")),
  ...of("agent", "text", E2E, tools("read_text find_text click_text ocr_screenshot")),
  ...of("agent", "text", SHOWN, ["resource screenshots://{id}/ocr", "resource text://{connection}"]),
  ...of("agent", "elements with their labels", SHOWN, tools("get_elements click_element")),
  ...of("agent", "what became true on the screen", E2E, tools("wait_for")),
  ...of("agent", "where something stands", SHOWN, tools("add_anchor re_anchor_element")),
  ...of(
    "agent",
    "rectangles that an action changed, and a picture where asked for",
    MASKS,
    tools("click_at type_text press_keys scroll move_mouse drag mouse_down mouse_up paste_text wait"),
  ),
  ...of(
    "agent",
    "rectangles that changed, texts that came and went, places of hands",
    MASKS,
    tools("poll_events subscribe_events"),
  ),
  ...of("agent", "where the pointer is", "test/mcp/hidden-places.test.ts", tools("cursor_position")),
  ...of("role", "pixels", E2E, [
    "GET /api/v1/desktops/:id/screenshot.png",
    "GET /api/v1/desktops/:id/screenshot.jpg",
    "GET /api/v1/desktops/:id/screenshot.webp",
  ]),
  ...of("role", "pixels, moves, the pointer", "test/web/viewer/masked-viewers.test.ts", [
    "GET /ws/desktops/:id",
    "GET /websockify",
    "stream VNC listener",
  ]),
  ...of("viewer", "what it plays, which no mask hides: for people alone", "test/web/sound.test.ts", [
    "GET /ws/desktops/:id/sound",
  ]),
  ...of(
    "viewer",
    "files that were copied there, which no mask hides: for people alone",
    "test/web/files.test.ts",
    ["GET /api/v1/desktops/:id/files", "GET /api/v1/desktops/:id/files/copied/:list/:index"],
  ),
  ...of("viewer", "the place that an agent acted at", "test/web/action-pictures.test.ts", [
    "GET /api/v1/desktops/:id/actions/:actionId/before.png",
    "GET /api/v1/desktops/:id/actions/:actionId/after.png",
  ]),
  ...of("viewer", "the place that a question is about", SHOWN, [
    "GET /api/v1/approvals/:approvalId/picture.png",
    "GET /api/v1/approvals",
    "POST /api/v1/answers/open",
  ]),
  ...of("recorded", "pixels", E2E, [
    "tool get_frame_at",
    "stream replay",
    "GET /api/v1/recordings/:id/frame.png",
    "GET /api/v1/recordings/:id/frame.webp",
    "GET /api/v1/recordings/:id/chunks/:index",
    "GET /api/v1/recordings/:id/run",
    "GET /api/v1/recordings/:id/export.png",
    "GET /api/v1/recordings/:id/export.html",
    "GET /api/v1/recordings/:id/export.gif",
    "GET /api/v1/recordings/:id/export.mp4",
    "GET /api/v1/recordings/:id/export.webm",
    "GET /api/v1/recordings/:id/export.frames",
  ]),
  ...of("recording", "pixels, and what happened beside them", E2E, [
    "file recordings",
    "stream archive of recordings",
  ]),
  ...of("recording", "the text that it shows, and what happened beside it", TEXT, [
    "GET /api/v1/recordings/:id/search",
    "GET /api/v1/recordings/search",
    "GET /api/v1/recordings/:id/text",
    "GET /api/v1/recordings/:id/export.ndjson",
    "GET /api/v1/recordings/:id/export.txt",
    "file recording-words",
  ]),
  ...of("recorded", "the text that it shows, and what happened beside it", TEXT, ["tool search_recording"]),
  ...of("recording", "what happened beside the pixels", LAYERS, [
    "GET /api/v1/recordings/:id/timeline",
    "GET /api/v1/recordings/:id/pointer",
    "resource recordings://{id}",
  ]),
  ...of("nobody", "what masks follow, as it looks, sealed", "test/desktop/masks/masks-store.test.ts", [
    "file masks.json",
  ]),
];

/** Everything else that answers, and carries nothing of what a screen shows. */
export const WITHOUT_SCREEN: ReadonlySet<string> = new Set([
  ...tools("list_screenshots set_screenshot_frequency unsubscribe_events reset_input remove_anchor"),
  ...tools("draw_overlay batch_overlay remove_overlay clear_overlays get_clipboard set_clipboard"),
  ...tools("get_display_info set_mode session_stop session_resume start_recording stop_recording"),
  ...tools("list_recordings list_connections set_active_connection test_connection add_connection"),
  ...tools("remove_connection request_human"),
  // Words of agents and people, and who is at it.
  ...["GET /api/v1/requests", "resource requests://{id}", "file requests.json"],
  "file recording-notes.json",
  // Which recordings are archived, the sizes of their files and their seals.
  "file recording-archive",
  // Pages of browsers that are paired, not of a desktop: the extension tells them of tabs that are shared, as text.
  ...tools("browser_get_tabs browser_get_accessibility_tree browser_click browser_type browser_scroll"),
  ...tools("browser_create_tab browser_close_tab browser_execute_js browser_inject_script"),
  ...["GET /ws/browser", "GET /api/v1/browsers", "file browsers.json"],
  // Of the TLS that a network is served by.
  ...["file network-cert.pem", "file network-key.pem"],
  "resource screenshots://recent",
  "resource settings://current",
  "GET /api/v1/recordings/:id/chunks",
  ...["GET /ws/events", "GET /ws/overlays", "GET /api/v1/desktops/:id/actions"],
  // Which node has which desktop, by name.
  ...["GET /api/v1/fleet", "GET /api/v1/fleet/open/:id"],
  ...["GET /api/v1/desktops", "GET /api/v1/desktops/:id", "GET /api/v1/desktops/:id/connection"],
  ...[
    "GET /api/v1/desktops/:id/rules",
    "GET /api/v1/desktops/:id/masks",
    "GET /api/v1/desktops/:id/overlays",
  ],
  ...["GET /api/v1/desktops/:id/replay", "GET /api/v1/recordings", "GET /api/v1/recordings/:id"],
  ...[
    "GET /api/v1/session/ways",
    "GET /api/v1/grants",
    "GET /api/v1/tokens",
    "GET /api/v1/secrets",
    "GET /api/v1/audit",
    "GET /api/v1/me",
    "GET /api/v1/push",
  ],
  ...["admin-token", "agent-token", "agent-tokens", "tokens.json", "tokens-used.json", "secret.key"].map(
    file,
  ),
  file("sessions"),
  // What people send to desktops, until it is there: nothing that a desktop showed.
  file("sending"),
  // What Chromium keeps of sites that a browser of ours signed in to.
  file("browser-profiles"),
  ...[
    "known-targets.json",
    "rules.json",
    "last-connected.json",
    "connections.json",
    "secrets.json",
    "push.json",
    "secrets-used.json",
    "secrets.lock",
  ].map(file),
  ...["vnc-rsa-key.pem", "network-key.pem", "network-cert.pem", "vnc-password", "recording-key.pem"].map(
    file,
  ),
  ...["audit.ndjson", "audit.lock", "audit.head", "audit.key"].map(file),
  ...["data-format.json", ".restoring", "control.address"].map(file),
  // The socket that MCP is spoken through: its tools and resources are the ways.
  file("control.sock"),
]);

function file(name: string): string {
  return `file ${name}`;
}

const WORDS: Readonly<Record<Shows, string>> = {
  agent: "agent",
  nobody: "nobody: kept by the server for itself",
  viewer: "viewer, by the role",
  recording: "recording",
  role: "agent for an agent's token, else viewer, by the role",
  recorded: "recording; agents only where nothing was recorded that was hidden from them",
};

/** Answers in which every word is ours or the caller's own; all others fence what they say. Each with why. */
export const OWN_WORDS: ReadonlyMap<string, string> = new Map([
  ...why("pixels, places and numbers", [
    ...tools("take_screenshot zoom compare_screenshots annotate_screenshot auto_redact_pii computer"),
    ...tools("click_at type_text press_keys scroll move_mouse drag mouse_down mouse_up paste_text wait"),
    ...tools(
      "cursor_position get_display_info reset_input add_anchor re_anchor_element remove_anchor list_screenshots",
    ),
    ...["resource screen://{id}"],
  ]),
  ...why("each answer in it is fenced by itself", tools("batch_actions")),
  ...why("what the caller asked for, with its own words", [
    ...tools("draw_overlay batch_overlay remove_overlay clear_overlays set_clipboard set_mode"),
    ...tools("subscribe_events unsubscribe_events set_screenshot_frequency session_stop session_resume"),
    ...tools("start_recording stop_recording set_active_connection add_connection remove_connection"),
  ]),
  ...why("words of the person who was asked", [...tools("request_human"), "resource requests://{id}"]),
]);

/** Those whose answers are fenced. */
function foreignTools(): string[] {
  return [...TOOLS, ...BROWSER_TOOLS].filter(({ isForeign }) => isForeign).map(({ name }) => `\`${name}\``);
}

function why(reason: string, ways: readonly string[]): [string, string][] {
  return ways.map((way) => [way, reason]);
}

/** docs/ways-out.md: by which ways something of a screen leaves, as whom, and what proves that masks hold there. */
export function renderWaysOutDoc(): string {
  const rows = WAYS_OUT.map(({ way, shows, carries, test }) => [
    `\`${way}\``,
    carries,
    WORDS[shows],
    `\`${test}\``,
  ]);
  return [
    "# Ways out",
    GENERATED,
    "Every way by which something of a desktop's screen leaves the server, whose picture it is made of, and the test that",
    "looks for what is masked behind the door that it goes through; not every way is played in it by itself.",
    "`test/e2e/agents/canaries.test.ts` plants 200 secrets and goes every way but the few that it names. A route, tool,",
    "resource, prompt or file that is neither here nor known to carry nothing of a screen fails `test/ways-out.test.ts`. All",
    "get only pixels of their audience's picture (`src/desktop/picture/audience-display.ts`); `scripts/floors.ts` refuses code that reads others.",
    "",
    table(["way", "carries", "audience", "test of its door"], rows),
    "",
    "## Text of others",
    "",
    "Answers with text from a screen, a page, a clipboard or a title have the field `untrusted: true`, stand between",
    "`<untrusted>` and `</untrusted>`, and show characters that are invisible or reorder text by their code, as `⟨U+202E⟩`",
    "(`src/mcp/tool/text/foreign-text.ts`). What is neither of these nor known to hold none fails `test/mcp/foreign-text.test.ts`:",
    "",
    foreignTools().join(", "),
    "",
    `What agents read by address: ${RESOURCE_TEMPLATES.map(({ uriTemplate }) => `\`${uriTemplate}\``).join(", ")}.`,
  ].join("\n");
}
