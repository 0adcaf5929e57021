/** What is promised, one id each, and the tests that prove it. */
export interface Requirement {
  readonly id: string;
  readonly title: string;
  /** The release that keeps the whole promise; parts of it may be there before. */
  readonly milestone: Milestone;
  /** What is not there yet, where the milestone is `later`. */
  readonly missing?: string;
  /** "file :: test name", the name as it stands in the file (of a template, its fixed part). */
  readonly proofs: readonly string[];
}

export type Milestone = "main" | "vnc" | "pixels" | "agent" | "rdp" | "recording" | "later";

/** A requirement of one of these without a proof fails the check. */
export const MILESTONES_REACHED: readonly Milestone[] = [
  "main",
  "vnc",
  "pixels",
  "agent",
  "rdp",
  "recording",
];

const promise = (id: string, title: string, milestone: Milestone, ...proofs: string[]): Requirement => ({
  id,
  title,
  milestone,
  proofs,
});

/** Not reached as a whole: what is missing, and the tests of what is there. */
const later = (id: string, title: string, missing: string, ...proofs: string[]): Requirement => ({
  id,
  title,
  milestone: "later",
  missing,
  proofs,
});

const OVERLAY_TOOLS = "test/mcp/overlay-tools.test.ts ::";
const INPUT_TOOLS = "test/mcp/input-tools.test.ts ::";
const SCREENSHOT = "test/mcp/take-screenshot.test.ts ::";
const CONNECTION_TOOLS = "test/mcp/connection-tools.test.ts ::";
const TARGETS = "test/e2e/targets/vnc-targets.test.ts ::";
const BAD_INPUT = "test/e2e/hostile/bad-input.test.ts ::";
const PAGE = "test/e2e/viewers/viewer-scenario.ts ::";
const SOCKETS = "test/web/sockets.test.ts ::";
const AGENT_TOOLS = "test/mcp/agent-tools.test.ts ::";
const PLAYER = "test/e2e/recording/player-page.test.ts ::";
const CELLS =
  "test/e2e/agents/policy-cells.test.ts :: each tool in each mode does what the policy table says";
const APPROVALS = "test/desktop/control/approvals.test.ts ::";
const SHARED = "test/e2e/agents/shared-desktop.test.ts :: no action inside another's, no key left down";
const HEART = "test/desktop/desktop.test.ts ::";
const CLIPBOARD = "test/desktop/clipboard.test.ts ::";
const ANCHORS = "test/desktop/anchors/anchors.test.ts ::";
const ANCHOR_TOOLS = "test/mcp/anchor-tools.test.ts ::";
const SCENE = "test/compositor/scene.test.ts ::";
const SHAPES = "test/compositor/shapes/shapes.test.ts ::";
const MONITOR = "test/web/viewer/monitor-view.test.ts ::";
const RESOURCES = "test/mcp/resources.test.ts ::";
const PICTURES = "test/mcp/picture-tools.test.ts ::";

/** In the order of the requirements. */
export const REQUIREMENTS: readonly Requirement[] = [
  later(
    "T01",
    "draw_overlay",
    "display_scale is always null",
    `${OVERLAY_TOOLS} draw_overlay draws a yellow half-transparent box unless told otherwise`,
    `${OVERLAY_TOOLS} draw_overlay takes every field`,
    `${OVERLAY_TOOLS} overlays lie on whole pixels, and are clamped wherever they begin`,
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
  later(
    "T05",
    "take_screenshot",
    "display_scale is always null",
    `${TARGETS} the picture is the target's, pixel for pixel`,
    `${SCREENSHOT} take_screenshot gives an image block and says where it was taken`,
    `${SCREENSHOT} if_changed_since answers without an image while the generation is the same`,
    "test/desktop/picture/snapshots.test.ts :: what is enlarged shows each pixel as a square, and is bounded",
    `${ANCHOR_TOOLS} anchors are each caller's own, and can be forgotten`,
  ),
  promise(
    "T06",
    "click_at",
    "agent",
    `${TARGETS} a click lands on the pixel that was asked for`,
    `${INPUT_TOOLS} click_at clicks as an agent and reports the effect`,
    `${INPUT_TOOLS} click_at without coordinates clicks where the pointer is`,
    `${INPUT_TOOLS} click_at takes what lies between pixels for the pixel next to it`,
  ),
  promise(
    "T07",
    "type_text",
    "main",
    `${TARGETS} 1,000 ASCII characters and äöüß€Ω arrive exactly, the first after a click too`,
    `${INPUT_TOOLS} type_text counts characters, not code units, and lists what no key makes`,
  ),
  promise(
    "T08",
    "set_mode",
    "agent",
    CELLS,
    "test/desktop/control/policy.test.ts :: an agent lowers only its own freedom, at once; raising it needs a human",
  ),
  promise(
    "T09",
    "set_screenshot_frequency",
    "agent",
    CELLS,
    `${AGENT_TOOLS} an agent is told to look as often as it asked, never more often than allowed`,
    `${AGENT_TOOLS} what is captured by itself is a screenshot of one's own, each time it is due`,
    "test/mcp/model/screenshot-store.test.ts :: what is taken by the clock is bounded, and is not what coordinates refer to",
  ),
  promise(
    "T10",
    "get_clipboard",
    "main",
    CELLS,
    `${TARGETS} the clipboard goes both ways`,
    `${CLIPBOARD} what is read is what was last copied there or put there, and which of both`,
  ),
  promise(
    "T11",
    "set_clipboard",
    "main",
    CELLS,
    `${TARGETS} the clipboard goes both ways`,
    `${CLIPBOARD} it is as the target can have it`,
  ),
  promise(
    "T12",
    "subscribe_events",
    "agent",
    CELLS,
    `${AGENT_TOOLS} events are seen by their subscriber: keys as numbers, changes as rectangles`,
    "test/mcp/resources.test.ts :: a 2026-era client that listens to a screen is told, and only of its own",
  ),
  promise("T13", "unsubscribe_events", "agent", CELLS),
  promise(
    "T14",
    "re_anchor_element",
    "agent",
    CELLS,
    `${ANCHOR_TOOLS} an element that was remembered is found again after the page moved`,
    `${ANCHOR_TOOLS} tolerance is of 255, or a share of it`,
    `${ANCHORS} an anchor follows a scrolled page to wherever it is, and is lost where it is not`,
    `${ANCHORS} confidence is 1 for the same pixels and less under noise`,
    `${ANCHORS} of two that look alike none is chosen, unless the target said where it moved`,
    `${ANCHORS} how far it was scrolled is known for as long as moves brought it`,
    "test/desktop/anchored-desktop.test.ts :: a live desktop's anchor and its overlay follow what the target scrolls",
  ),
  promise(
    "T14b",
    "add_anchor",
    "agent",
    CELLS,
    `${ANCHOR_TOOLS} an anchor of no name gets one; one that is not known is refused by name`,
    `${ANCHOR_TOOLS} anchors are each caller's own, and can be forgotten`,
    `${ANCHORS} each owner has anchors of its own`,
    `${ANCHORS} what cannot be remembered or is not known is refused with the way out`,
  ),
  later(
    "T15",
    "get_display_info",
    "scale_factor is always null, also where an RDP or KasmVNC host tells one",
    `${CONNECTION_TOOLS} get_display_info lists the monitors, and invents no scale`,
  ),
  promise(
    "T16",
    "add_connection",
    "main",
    `${CONNECTION_TOOLS} an admin adds a connection, for an agent a human is asked`,
    `${CONNECTION_TOOLS} add_connection says why what it added is not live, and what the host may not give`,
    "test/desktop/connections/connection-edit.test.ts :: an edited desktop connects anew with what was said, and is stored",
  ),
  promise(
    "T17",
    "list_connections",
    "agent",
    `${CONNECTION_TOOLS} list_connections shows everything but secrets`,
    "test/desktop/connections/connected-times.test.ts :: when a connection last succeeded is known after a restart",
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
  later("T21", "ocr_screenshot", "no OCR yet"),
  promise(
    "T22",
    "annotate_screenshot",
    "agent",
    CELLS,
    `${PICTURES} annotations are drawn in their order, on a copy with an id of its own`,
  ),
  later("T23", "analyze_screenshot", "no provider is asked yet"),
  later("T24", "auto_redact_pii", "no OCR to find anything by"),
  promise(
    "T25",
    "list_screenshots",
    "agent",
    CELLS,
    `${AGENT_TOOLS} screenshots are listed newest first, each to its own`,
  ),
  later(
    "T26",
    "tools for computer use beyond the specifications",
    "find_text and click_text are missing",
    CELLS,
    "test/e2e/agents/agent-tools.test.ts :: every tool does what it says",
    "test/e2e/agents/mcp-keyboards.test.ts :: what is typed arrives, whatever the target's keyboard has",
    "test/mcp/computer-vendors.test.ts :: every object that Anthropic's types allow is done, in each form it may come in",
    "test/mcp/computer-vendors.test.ts :: every object that OpenAI's types allow is done, alone, in a list and in its item",
    "test/mcp/computer-vendors.test.ts :: every action of Gemini's is done, in each form it may come in",
    `${AGENT_TOOLS} coordinates of an image lead to the pixels it shows, and both are echoed`,
  ),
  promise(
    "T28",
    "recording tools",
    "recording",
    CELLS,
    "test/mcp/recording-tools.test.ts :: an agent records, looks back, searches and stops",
    "test/mcp/recording-tools.test.ts :: an agent sees what it began, who controls desktops sees all",
    `${PLAYER} the canvas is what get_frame_at gives, at any time`,
    "test/recording/seal/verify.test.ts :: case 48: every single mutation of a sealed recording is found, with the place",
  ),
  later("T27", "browser tools", "there is no browser bridge yet"),
  promise(
    "M1",
    "modes",
    "agent",
    CELLS,
    "test/mcp/policy-table.test.ts :: every tool meets what the table of docs/policy.md says",
    "test/desktop/control/policy.test.ts :: weakening any one verdict of custom is raising, and so is freeing an area",
    "test/e2e/agents/policy-rules.test.ts :: what is saved is what agents meet",
    "test/e2e/agents/mcp-restart.test.ts :: the rules of a desktop hold after a restart, and a file of them that is broken is said",
  ),
  promise(
    "M2",
    "human confirmation",
    "agent",
    "test/e2e/agents/approvals.test.ts :: the card: approve, deny, edit, allow for a while and take over, with a real agent and a browser",
    `${APPROVALS} of 1,000 approvals with the screen changed somewhere on the way, none is injected stale`,
    "test/e2e/agents/approval-races.test.ts :: nothing is clicked that was not approved",
    `${APPROVALS} no agent decides, whoever it is and whatever it answers`,
    `${APPROVALS} a yes is good once: not twice, not after its time, not for a cancelled call`,
    "test/mcp/server/elicitation.test.ts :: what a 2026 client must bring back is bound to it, its arguments and one use",
    "test/mcp/edited-approval.test.ts :: what a human changed of a place is told, with the place where it was done",
    "test/e2e/agents/mcp-bad-input.test.ts :: case 50: only a human approves",
  ),
  promise(
    "M3",
    "session stop",
    "main",
    `${HEART} stop releases what is held, ends what runs and waits, and only a human resumes`,
    "test/mcp/server/http.test.ts :: what an agent left pressed is let go when its last session ends, not before",
    `${PAGE} the stop chord stops agents from inside the desktop, and the bar resumes them`,
  ),
  promise(
    "M4",
    "human override",
    "agent",
    SHARED,
    "test/desktop/control/arbiter.test.ts :: a person's hand ends what an agent does at once, lets go of its keys, and keeps the input",
    "test/e2e/agents/approvals.test.ts :: mouse and keys of a person at the viewer take the input from an agent at once",
  ),
  promise(
    "E1",
    "errors that can be told apart",
    "main",
    `${BAD_INPUT} bad arguments and unknown ids are refused by name`,
    `${BAD_INPUT} malformed JSON is answered, on every face`,
    "test/mcp/server/http.test.ts :: unknown methods, tools and cursors have their codes in both eras",
    "test/mcp/tool/run-tool.test.ts :: too many calls are refused with the time to wait, and then go through",
  ),
  later(
    "R1",
    "rate limits",
    "the tiers of sign-in and connection tests are proved, those of configuration and file routes are not",
    "test/desktop/control/agent-rates.test.ts :: screenshots: 10 at once, 10 a second, 60 in a burst, then 1 a second",
    "test/desktop/control/agent-rates.test.ts :: each class gets back what its rate says, and no more than its burst",
    "test/mcp/tool/run-tool.test.ts :: a screenshot without an image does not count",
    "test/web/sign-in.test.ts :: ten failed sign-ins of an address in a quarter of an hour are enough",
    "test/web/routes.test.ts :: connection tests are limited to ten a minute for each address",
    "test/e2e/agents/mcp-bad-input.test.ts :: case 47: a flood is told when to come back",
  ),
  later(
    "N1",
    "several monitors",
    "that several viewer windows keep in step is not proved",
    `${CONNECTION_TOOLS} get_display_info lists the monitors, and invents no scale`,
    `${OVERLAY_TOOLS} with monitor_index coordinates start at that monitor, and answers are desktop pixels`,
    `${SCREENSHOT} a region is clamped to its monitor, and the transform leads back`,
    `${SCENE} overlays are clamped to their monitor, whichever side they leave by`,
    `${SCENE} an overlay on a monitor that vanished goes with it`,
    `${MONITOR} a monitor is as large as itself and shows its own pixels`,
    `${MONITOR} it follows the layout, and ends when there is no such monitor any more`,
    `${SOCKETS} viewers are handed over with what their address asks for`,
  ),
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
  later(
    "V3",
    "overlays and masks composited on the server",
    "privacy masks are to come",
    "test/desktop/picture/snapshots.test.ts :: overlays are in a live picture of their own, kept up to date too",
    "test/e2e/viewers/vnc-port.test.ts :: an ordinary VNC viewer sees an agent's overlays composited",
  ),
  later(
    "C1",
    "overlay kinds, colours, temporary and anchored overlays",
    "there is no blur overlay",
    `${SHAPES} the list holds every kind, each found by its name`,
    `${SHAPES} each kind paints something, and within the room nothing outside its bounds`,
    `${SHAPES} a spotlight dims all but its region`,
    "test/compositor/colour.test.ts :: the 148 names of CSS mean what another implementation says",
    `${SCENE} a temporary overlay removes itself when its time is over`,
    `${ANCHORS} an overlay goes with its anchor, is hidden while that is gone, and comes back`,
    "test/desktop/anchored-desktop.test.ts :: a live desktop's anchor and its overlay follow what the target scrolls",
  ),
  promise(
    "K1",
    "connections over VNC, KasmVNC and RDP",
    "rdp",
    "test/desktop/connections/connection.test.ts :: stored connections come back, sealed on disk, 0600",
    `${CONNECTION_TOOLS} an admin adds a connection, for an agent a human is asked`,
    "test/e2e/targets/vnc-security.test.ts :: every security type of Xtigervnc gives a picture",
    "test/e2e/agents/transports.test.ts :: servers that connect to us: vncconfig and x11vnc",
    "test/e2e/targets/kasmvnc.test.ts :: an agent sees and works a KasmVNC desktop",
    "test/e2e/targets/rdp-appliance.test.ts :: : agents and viewers use an RDP desktop as any other",
    "test/e2e/targets/rdp-appliance.test.ts :: what is wrong with an RDP connection is said",
    "test/e2e/agents/rdp-cells.test.ts :: each tool in each mode does what the policy table says",
    "test/e2e/targets/rdp-spnego.test.ts :: lets us in by a second connection",
    "test/e2e/targets/rdp-screens.test.ts :: are there when the session begins",
  ),
  promise(
    "K2",
    "nothing installed on targets, reconnecting by themselves",
    "main",
    `${BAD_INPUT} a target that dies in the middle of a frame keeps its last whole picture`,
    `${HEART} a lost target: growing pauses, the last picture kept, no input meanwhile, live again`,
    `${PAGE} when the desktop goes, its last picture stays, greyed, with what to do`,
  ),
  later(
    "P1",
    "answers in under half a second",
    "the benchmark measures it; no test holds every answer to it",
  ),
  promise(
    "S1",
    "screenshot scrubbing, clipboard by permission, retention",
    "agent",
    `${PICTURES} scrubbed rectangles are black, also in a smaller picture and beyond their edges' blur`,
    "test/desktop/control/policy.test.ts :: the configuration makes the clipboard stricter in every mode, never freer",
    CELLS,
    "test/mcp/model/screenshot-store.test.ts :: when memory is full the oldest pictures go, their places stay",
    "test/mcp/model/screenshot-store.test.ts :: pictures are forgotten when their time is over, their places stay",
    "test/config/config-schema.test.ts :: how long and how much of screenshots is kept can be set",
    `${RESOURCES} how long screenshots are kept is as it was configured`,
    `${RESOURCES} settings and recent screenshots are read as JSON, without secrets`,
    "test/recording/write/recorder.test.ts :: recordings that are too old or too much go, the oldest first, and never one that runs",
  ),
  later(
    "S2",
    "web and network attacks closed",
    "the cases are spread over many tests, and no list shows that all are there",
  ),
  later("S3", "authentication on every face, roles, OIDC, TLS", "no OIDC"),
  later(
    "A1",
    "audit events, sinks, redaction, export",
    "sinks http and otlp, retention, export of a person's events, and a chain that shows cuts",
    "test/audit/mcp-audit.test.ts :: a call is told as it begins and as it ends, by one id, and nothing of what it asked",
    "test/audit/desktop-audit.test.ts :: what people and agents do on a desktop is recorded, without the words they typed",
    "test/audit/desktop-audit.test.ts :: who takes the input and who lets it go is recorded, an agent's turns are not",
    "test/audit/audit.test.ts :: after the file was removed or rotated away, lines go to a new one of that name",
    "test/web/http/written-first.test.ts :: nothing changes that cannot be written down first, and people may stop all the same",
    "test/web/http/written-first.test.ts :: tokens that are shown, pictures and sockets of people are told",
    "test/e2e/web/operation.test.ts :: while the audit's disk is full nothing changes but by people who stop, and then it goes on",
  ),
  promise(
    "X1",
    "recording and replay",
    "recording",
    "test/e2e/recording/recording.test.ts :: a recorded session replays as it was, in every pixel",
    "test/e2e/recording/recording.test.ts :: a recorder that is killed loses two seconds at most",
    `${PLAYER} a person records, rewinds what still runs, and replays it`,
    "test/e2e/recording/player-stage.test.ts :: the player does what people know from players",
    "test/e2e/recording/replay-page.test.ts :: a replay page plays offline, by hand and by keys",
    "test/e2e/recording/recordings-cli.test.ts :: recordings list, verify and export",
    "test/recording/read/player-link.test.ts :: a replay is a desktop: it stands still, seeks, and its screenshots are of that moment",
    "test/recording/write/recorder.test.ts :: always: every live desktop is recorded until it is removed",
    "test/recording/write/recorder.test.ts :: recordings that are too old or too much go, the oldest first, and never one that runs",
  ),
  later(
    "F1",
    "resources and prompts",
    "no OCR resource; settings.ai names no provider, for there is none yet",
    `${RESOURCES} settings and recent screenshots are read as JSON, without secrets`,
    `${RESOURCES} ids complete, one's own only`,
    `${RESOURCES} every picture that a resource or a prompt gives is told, and nothing else is`,
    "test/mcp/resources.test.ts :: prompts carry the image, of now or of a screenshot, and say what they do not know",
    "test/e2e/agents/conformance.test.ts :: the Inspector's command line lists and calls tools, and reads resources and prompts",
  ),
  promise(
    "F2",
    "MCP over stdio, alone and beside a running server",
    "agent",
    "test/mcp/stdio.test.ts :: what was piped in is answered before the end, in lines of JSON",
    "test/mcp/stdio.test.ts :: faulty lines are answered and the conversation goes on",
    "test/e2e/agents/approvals.test.ts :: --stdio beside a running server is that server's desktop, and keeps nothing of its own",
  ),
  promise(
    "F3",
    "initialize and discover tell name, version and capabilities",
    "main",
    "test/e2e/agents/mcp-clients.test.ts :: uses every tool, and its schemas hold",
    "test/e2e/agents/conformance.test.ts :: finds nothing unexpected",
  ),
  later("B1", "browser bridge", "there is no browser bridge yet"),
  later(
    "O1",
    "setup pages, container image, scanning in CI",
    "container image and scanning are not proved here",
  ),
  promise(
    "O2",
    "versions by date",
    "main",
    "test/platform/version.test.ts :: the version is a date, the same everywhere",
  ),
  later("T29", "read_text", "no OCR yet"),
  later("T30", "find_text, click_text", "no OCR yet"),
  later("T31", "get_elements, click_element", "elements are not found yet"),
  later("T32", "request_human", "agents cannot ask a person for help yet"),
  later("T33", "element_at, find_elements", "there is no browser bridge yet"),
  later("U1", "truth of what is told", "not proved as a whole"),
  later("U2", "economy of the list of tools", "not proved as a whole"),
  later("U3", "fairness", "not proved as a whole"),
  later("L1", "a live text of every desktop", "no OCR yet"),
  later("L2", "elements with stable ids", "elements are not found yet"),
  later("S4", "masks for each audience", "privacy masks are to come"),
  later("S5", "secrets by name", "agents type what they were told"),
  later("S6", "hand-over to a person", "a person takes over by hand only"),
  later("D1", "DOM and pixels joined", "there is no browser bridge yet"),
  later("W1", "the cockpit", "not proved as a whole"),
  later("O3", "operation for many", "no OIDC, no audit chain, no metrics, no service"),
  later("H1", "a fleet of nodes", "one process serves"),
];
