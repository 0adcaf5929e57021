/** What is promised, one id each, and the tests that prove it. */
export interface Requirement {
  readonly id: string;
  readonly title: string;
  /** The release that keeps the whole promise; parts of it may be there before. */
  readonly milestone: Milestone;
  /** "file :: test name", the name as it stands in the file (of a template, its fixed part). */
  readonly proofs: readonly string[];
}

export type Milestone = "main" | "vnc" | "pixels" | "agent" | "rdp" | "recording" | "later";

/** A requirement of one of these without a proof fails the check. */
export const MILESTONES_REACHED: readonly Milestone[] = ["main"];

const promise = (id: string, title: string, milestone: Milestone, ...proofs: string[]): Requirement => ({
  id,
  title,
  milestone,
  proofs,
});

const OVERLAY_TOOLS = "test/mcp/overlay-tools.test.ts ::";
const INPUT_TOOLS = "test/mcp/input-tools.test.ts ::";
const SCREENSHOT = "test/mcp/take-screenshot.test.ts ::";
const CONNECTION_TOOLS = "test/mcp/connection-tools.test.ts ::";
const TARGETS = "test/e2e/vnc-targets.test.ts ::";
const BAD_INPUT = "test/e2e/bad-input.test.ts ::";
const PAGE = "test/e2e/viewer-page.test.ts ::";
const SOCKETS = "test/web/sockets.test.ts ::";
const HEART = "test/desktop/desktop.test.ts ::";

/** In the order of the requirements. */
export const REQUIREMENTS: readonly Requirement[] = [
  promise(
    "T01",
    "draw_overlay",
    "main",
    `${OVERLAY_TOOLS} draw_overlay draws a yellow half-transparent box unless told otherwise`,
    `${OVERLAY_TOOLS} draw_overlay takes every field`,
    `${PAGE} an overlay drawn over MCP appears and lets a click through`,
  ),
  promise(
    "T02",
    "remove_overlay",
    "main",
    `${OVERLAY_TOOLS} remove_overlay and clear_overlays touch only the caller's own`,
  ),
  promise(
    "T03",
    "clear_overlays",
    "main",
    `${OVERLAY_TOOLS} remove_overlay and clear_overlays touch only the caller's own`,
  ),
  promise(
    "T04",
    "batch_overlay",
    "main",
    `${OVERLAY_TOOLS} batch_overlay draws all or none`,
    `${OVERLAY_TOOLS} batch_overlay one at a time keeps what came before a fault and names it`,
  ),
  promise(
    "T05",
    "take_screenshot",
    "main",
    `${TARGETS} the picture is the target's, pixel for pixel`,
    `${SCREENSHOT} take_screenshot gives an image block and says where it was taken`,
    `${SCREENSHOT} if_changed_since answers without an image while the generation is the same`,
  ),
  promise(
    "T06",
    "click_at",
    "main",
    `${TARGETS} a click lands on the pixel that was asked for`,
    `${INPUT_TOOLS} click_at clicks as an agent and reports the effect`,
    `${INPUT_TOOLS} click_at without coordinates clicks where the pointer is`,
  ),
  promise(
    "T07",
    "type_text",
    "main",
    `${TARGETS} 1,000 ASCII characters and äöüß€Ω arrive exactly, the first after a click too`,
    `${INPUT_TOOLS} type_text counts characters, not code units, and lists what no key makes`,
  ),
  promise("T08", "set_mode", "agent"),
  promise("T09", "set_screenshot_frequency", "agent"),
  promise("T10", "get_clipboard", "main", `${TARGETS} the clipboard goes both ways`),
  promise("T11", "set_clipboard", "main", `${TARGETS} the clipboard goes both ways`),
  promise("T12", "subscribe_events", "agent"),
  promise("T13", "unsubscribe_events", "agent"),
  promise("T14", "re_anchor_element", "pixels"),
  promise("T14b", "add_anchor", "pixels"),
  promise(
    "T15",
    "get_display_info",
    "main",
    `${CONNECTION_TOOLS} get_display_info lists the monitors, and invents no scale`,
  ),
  promise(
    "T16",
    "add_connection",
    "main",
    `${CONNECTION_TOOLS} an admin adds a connection, for an agent a human is asked`,
  ),
  promise(
    "T17",
    "list_connections",
    "main",
    `${CONNECTION_TOOLS} list_connections shows everything but secrets`,
  ),
  promise(
    "T18",
    "test_connection",
    "main",
    `${CONNECTION_TOOLS} test_connection says how far the handshake got`,
    `${BAD_INPUT} a target that cannot be used is a typed error each, with the handshake's steps`,
  ),
  promise(
    "T19",
    "remove_connection",
    "main",
    `${CONNECTION_TOOLS} remove_connection needs more than an agent's token`,
  ),
  promise(
    "T20",
    "set_active_connection",
    "main",
    `${CONNECTION_TOOLS} set_active_connection is each caller's own choice`,
  ),
  promise("T21", "ocr_screenshot", "later"),
  promise("T22", "annotate_screenshot", "later"),
  promise("T23", "analyze_screenshot", "later"),
  promise("T24", "auto_redact_pii", "later"),
  promise("T25", "list_screenshots", "later"),
  promise("T26", "tools for computer use beyond the specifications", "agent"),
  promise("T28", "recording tools", "recording"),
  promise("T27", "browser tools", "later"),
  promise("M1", "modes", "agent"),
  promise("M2", "human confirmation", "agent"),
  promise(
    "M3",
    "session stop",
    "main",
    `${HEART} stop releases what is held, ends what runs and waits, and only a human resumes`,
    `${PAGE} the stop chord stops agents from inside the desktop, and the bar resumes them`,
  ),
  promise("M4", "human override", "agent"),
  promise(
    "E1",
    "errors that can be told apart",
    "main",
    `${BAD_INPUT} bad arguments and unknown ids are refused by name`,
    `${BAD_INPUT} malformed JSON is answered, on every face`,
    "test/mcp/http.test.ts :: unknown methods, tools and cursors have their codes in both eras",
    "test/mcp/run-tool.test.ts :: too many calls are refused with the time to wait, and then go through",
  ),
  promise(
    "R1",
    "rate limits",
    "main",
    "test/mcp/rate-limit.test.ts :: screenshots: 10 at once, 10 a second, 60 in a burst, then 1 a second",
    "test/mcp/rate-limit.test.ts :: each class gets back what its rate says, and no more than its burst",
    "test/mcp/run-tool.test.ts :: a screenshot without an image does not count",
    "test/web/sign-in.test.ts :: ten failed sign-ins of an address in a quarter of an hour are enough",
    "test/web/routes.test.ts :: connection tests are limited to ten a minute for each address",
  ),
  promise("N1", "several monitors", "pixels"),
  promise(
    "V1",
    "overlay protocol on /ws/overlays",
    "main",
    `${SOCKETS} /ws/overlays tells all five messages of the protocol`,
  ),
  promise(
    "V2",
    "overlays let the human's clicks through",
    "main",
    `${PAGE} an overlay drawn over MCP appears and lets a click through`,
    `${PAGE} an overlay that takes clicks has a button that removes it`,
  ),
  promise("V3", "overlays and masks composited on the server", "recording"),
  promise("C1", "overlay kinds, colours, temporary and anchored overlays", "pixels"),
  promise("K1", "connections over VNC, KasmVNC and RDP", "rdp"),
  promise(
    "K2",
    "nothing installed on targets, reconnecting by themselves",
    "main",
    `${BAD_INPUT} a target that dies in the middle of a frame keeps its last whole picture`,
    `${HEART} a lost target: growing pauses, the last picture kept, no input meanwhile, live again`,
    `${PAGE} when the desktop goes, its last picture stays, greyed, with what to do`,
  ),
  promise("P1", "answers in under half a second", "later"),
  promise("S1", "screenshot scrubbing, clipboard by permission, retention", "pixels"),
  promise("S2", "web and network attacks closed", "later"),
  promise("S3", "authentication on every face, roles, OIDC, TLS", "later"),
  promise("A1", "audit events, sinks, redaction, export", "later"),
  promise("X1", "recording and replay", "recording"),
  promise("F1", "resources and prompts", "later"),
  promise("F2", "MCP over stdio, alone and beside a running server", "agent"),
  promise(
    "F3",
    "initialize and discover tell name, version and capabilities",
    "main",
    "test/e2e/mcp-clients.test.ts :: uses every tool, and its schemas hold",
  ),
  promise("B1", "browser bridge", "later"),
  promise("O1", "setup pages, container image, scanning in CI", "later"),
  promise(
    "O2",
    "versions by date",
    "main",
    "test/version.test.ts :: the version is a date, the same everywhere",
  ),
];
