/** What new users of the web app stumbled over, one row each, and the tests that hold what was mended. */
export interface UxFinding {
  readonly nth: number;
  /** What must not come back. */
  readonly words: string;
  /** What no test holds, and why; absent: nothing. */
  readonly untested?: string;
  /** "file :: test name", the name as it stands in the file (of a template, its fixed part). */
  readonly proofs: readonly string[];
}

const finding = (nth: number, words: string, ...proofs: string[]): UxFinding => ({ nth, words, proofs });

const partly = (nth: number, words: string, untested: string, ...proofs: string[]): UxFinding => ({
  nth,
  words,
  untested,
  proofs,
});

const SERIES = "test/e2e/web/approval-series.test.ts ::";
const STATES = "test/e2e/viewers/viewer-states.test.ts ::";
const KEYBOARD = "test/e2e/viewers/viewer-keyboard.test.ts ::";
const LIVE = "test/e2e/web/agent-live.test.ts ::";
const KEPT = "test/e2e/web/kept-and-told.test.ts ::";
const HOLDER = "test/e2e/web/holder.test.ts ::";
const LIST = "test/e2e/web/live-list.test.ts ::";
const DESKTOPS = "test/e2e/web/desktops-page.test.ts ::";
const STAGE = "test/e2e/recording/player-stage.test.ts ::";
const PLAYER = "test/e2e/recording/player-page.test.ts ::";
const ADDING = "test/e2e/web/vnc-add-page.test.ts ::";
const SIZE = "test/e2e/web/client-size.test.ts ::";

/** In the order of their weight. */
export const UX_FINDINGS: readonly UxFinding[] = [
  finding(
    1,
    "Arrow keys on the list of modes change what agents may do, unasked",
    `${SERIES} arrow keys on the modes change nothing; the dialog says what the mode allows`,
    `${STATES} after the escape chord letters are shortcuts, and no letter chooses a mode`,
  ),
  finding(
    2,
    "Questions in a row put Approve somewhere else each time, or hide the one that waits",
    `${SERIES} four presses at the same point approve four`,
    `${SERIES} a question that is chosen comes to the front, and none takes its place`,
  ),
  finding(
    3,
    "The keyboard cannot reach the question that waits",
    `${SERIES} from within the desktop, keys alone reach and answer one after the other`,
    "test/e2e/web/all-pages-wide.test.ts :: all pages are whole on a desk, in both themes, and each is of use by keys alone",
  ),
  finding(
    4,
    "What is allowed for ten minutes is not seen and not taken back",
    `${SERIES} what is allowed for a while is a chip, with the panel or without, and is taken back`,
  ),
  finding(
    5,
    "Touch brings no keyboard, composed text is lost, and the view neither zooms nor moves",
    `${KEYBOARD} what is typed and composed in the browser arrives exactly`,
    `${KEYBOARD} extra keys are pressed, and a modifier holds until the next key`,
    `${KEYBOARD} fingers act on the desktop, and zoom and move the view`,
  ),
  finding(
    6,
    "What an agent does is not seen on the picture",
    `${LIVE} its pointer, by its name`,
    `${LIVE} where it clicked, and that no motion is asked for where that is unwanted`,
    `${LIVE} how much it types, and nothing of what`,
    `${LIVE} what it looks at, on the picture and in the list`,
    `${LIST} before and after, with a ring where it clicked`,
    `${LIST} what is hidden later is taken out of the pictures too`,
    `${SERIES} a ring is on the live picture, at the very place, and the way of a drag`,
    "test/desktop/control/approvals.test.ts :: a card never shows one colour alone where there is more to see, and binds no more for it",
  ),
  finding(
    7,
    "A desktop can neither be renamed nor edited, and a wrong password means adding it again",
    "test/e2e/web/edit-desktop.test.ts :: a wrong password is replaced on the page",
    "test/e2e/web/password-card.test.ts :: a password is written where it failed",
  ),
  partly(
    8,
    "A restart of the server signs everybody out, nobody is told why, and the list of actions is gone",
    "questions that waited: they end with the call of the agent that asked, which ends with the server",
    "test/e2e/web/sign-in-restart.test.ts :: a sign-in outlasts the server, unless it was ended",
    `${KEPT} who is signed out reads why`,
    `${LIST} after a reload of the page`,
    `${LIST} after a restart of the server, from the audit log, in words alone`,
    "test/e2e/agents/hand-over-restart.test.ts :: what a person wrote is found after the server was killed",
  ),
  finding(
    9,
    "Of a certificate that changed, whichever comes next is trusted, and the first one is never shown",
    `${STATES} a certificate is shown when it is believed first, and from then on beside the facts`,
    `${STATES} a desktop that shows another certificate is trusted anew by a click`,
    "test/web/forget-identity.test.ts :: what a desktop showed is believed by its fingerprint, and no other",
  ),
  finding(10, "One agent has two names", `${LIVE} one agent has one name`),
  finding(
    11,
    "The input goes from one person to another without a word",
    `${HOLDER} only who holds it is asked to give it back`,
    `${HOLDER} who loses it is told who took it`,
    `${HOLDER} who wants it asks for it by name, and who holds it keeps it or gives it`,
    `${HOLDER} who is in the middle of something keeps it, and the other reads so`,
    `${HOLDER} given back it is free, and nobody has lost it`,
    "test/desktop/control/arbiter.test.ts :: a yes from the person who holds the input lends it; anybody else's does not",
    "test/web/client/shell/labels.test.ts :: a settled question says by whom",
  ),
  partly(
    12,
    "A desktop that moves is slower than in noVNC beside websockify",
    "the rates themselves: they are measured by the bench and told in docs/performance.md, for a time is no test",
    "test/e2e/harness/bench.test.ts :: every benchmark gives right results, whatever they take",
  ),
  finding(
    13,
    "The web app comes unpacked and is larger than its budget",
    `${SIZE} all of it`,
    `${SIZE} a viewer, up to its picture`,
  ),
  finding(
    14,
    "Stop goes away in full screen",
    `${KEYBOARD} Stop stays in full screen, where it was`,
    `${KEYBOARD} in full screen the bar leaves the panel's tabs alone`,
    `${STATES} Stop and all else of the bar is there`,
  ),
  finding(
    15,
    "A recording that is shown as a desktop claims to be live, and cannot be played or sought",
    `${PLAYER} a recording is looked at as a desktop, from the moment on that was shown`,
  ),
  partly(
    16,
    "An export says nothing of how far it is, and of a limit only when it was asked for",
    "how far one is that the browser saves: its own list of downloads shows that",
    `${PLAYER} an export that cannot be made says why`,
    `${PLAYER} the list verifies, exports and deletes`,
    "test/e2e/recording/recording-webcodecs.test.ts :: a browser makes a video of a recording by itself",
  ),
  finding(
    17,
    "Rules that were changed are left without a word",
    `${KEPT} rules that were changed are not left without a word`,
    "test/desktop/control/rules-store.test.ts :: rules that people put in force hold after a restart, and until another mode is set",
  ),
  finding(
    18,
    "Nothing that a person chose is kept over a reload",
    `${KEPT} a viewer is found as it was left, on the same desktop alone`,
    `${KEPT} what another version kept, or nobody wrote, does no harm`,
  ),
  partly(
    19,
    "Messages for people name bytes and protocols",
    "how long a port that says nothing is waited for: a slow server needs the time",
    "test/web/client/shell/labels.test.ts :: states are said in a few words",
    "test/protocols/rfb/client/hostile.test.ts :: case 1: what is no VNC server is told by its first bytes",
    "test/desktop/links/kasmvnc/kasm-link.test.ts :: what is no KasmVNC server is said so",
    `${ADDING} the add dialog says what it knows, of what is written in it`,
    `${KEPT} an address that is pasted anywhere in the form fills its fields`,
  ),
  finding(
    20,
    "Setup calls a client connected that has left",
    "test/e2e/viewers/viewer-page.test.ts :: a client that connects turns its light green, and one that has left is not called so",
  ),
  finding(
    21,
    "An edit opens out of view, and one that changes nothing is told as a change",
    `${SERIES} an edit opens in view with the focus in it, and counts once it changes something`,
    "test/desktop/control/approvals.test.ts :: an edit that changes nothing is none: the agent hears of no change",
  ),
  partly(
    22,
    "One key, icon or word has two meanings",
    "of icons only those of markers and of what a desktop tells of itself; P shows the panel of a desktop and steps back in a recording, as was agreed",
    `${STAGE} it is named, written about and marked afterwards`,
    `${DESKTOPS} desktops stand in the groups of their names, and are found by any word`,
    `${STATES} after the escape chord letters are shortcuts, and no letter chooses a mode`,
    "test/web/client/player/player-keys.test.ts :: keys do what they do in other players",
  ),
  finding(
    23,
    "A recording has no message at its end, no title, and no markers afterwards",
    `${STAGE} who stops a recording is led to it`,
    `${STAGE} it is named, written about and marked afterwards`,
    `${STAGE} what is idle is shown as such, and passed over`,
    `${PLAYER} actions are stepped through, each with its picture before and after`,
    "test/web/client/player/track-words.test.ts :: a question stands in the row of what came of it, and alone where nothing did",
  ),
  partly(
    24,
    "Small things: cut words, browser's own dialogs, small buttons, what a role cannot use is shown",
    "how much the layout of pages other than Setup shifts while what they show comes",
    "test/e2e/web/page-shifts.test.ts :: what comes late to Setup pushes nothing down that was seen",
    `${KEPT} what a role cannot use is not shown`,
    "test/e2e/web/large-text.test.ts :: all pages are whole where the browser's text is twice as large",
    "test/web/client/viewer/stage-plan.test.ts :: a crop beside the desktop shows the whole desktop",
    "test/e2e/web/all-pages.test.ts :: all pages are whole on a phone, in both themes",
    "test/e2e/web/all-pages-wide.test.ts :: all pages are whole on a desk, in both themes, and each is of use by keys alone",
    "test/e2e/viewers/viewer-scenario.ts :: an overlay drawn over MCP appears and lets a click through",
    "test/web/client/language/catalogue.test.ts :: what was stiff, or a second word for one thing, is not said",
    `${STATES} a page that reaches no server says so, and calls nothing live`,
    `${DESKTOPS} desktops stand in the groups of their names, and are found by any word`,
    `${PLAYER} deleting asks first`,
    "test/e2e/web/built-server.test.ts :: on a terminal the welcome comes before the log, and the reason of a failure after it",
  ),
];
