import { policyOf } from "../src/desktop/modes.ts";
import { MODES, NAMES, wordFor } from "../src/desktop/policy.ts";
import { SUBJECTS, type Subject, stricterWord } from "../src/desktop/subject.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { GENERATED, table } from "./markdown.ts";

/** What each tool that acts on a desktop is to the policy; `each`: every action in it is judged by itself. */
export const TOOL_SUBJECTS: Readonly<Record<string, readonly Subject[] | "each" | "letting go">> = {
  click_at: ["pointer"],
  move_mouse: ["pointer"],
  mouse_down: ["pointer"],
  mouse_up: ["pointer"],
  drag: ["pointer"],
  scroll: ["pointer"],
  press_keys: ["keys"],
  type_text: ["text"],
  paste_text: ["write_clipboard", "keys"],
  set_clipboard: ["write_clipboard"],
  get_clipboard: ["read_clipboard"],
  batch_actions: "each",
  computer: "each",
  reset_input: "letting go",
};

/** docs/policy.md: what each mode lets agents do, from the decision function itself. */
export function renderPolicyDoc(): string {
  const words = (subject: Subject): string[] => MODES.map((mode) => wordFor(policyOf(mode), subject));
  const subjects = SUBJECTS.map((subject) => [NAMES[subject], ...words(subject)]);
  const tools = TOOLS.map(({ name, effect }) => {
    const known = TOOL_SUBJECTS[name];
    if (known === undefined) {
      if (effect === "input")
        throw new Error(`scripts/docs-policy.ts does not say what ${name} is to the policy`);
      return [`\`${name}\``, effect, ...MODES.map(() => (effect === "admin" ? "by role" : "allow"))];
    }
    if (known === "each") return [`\`${name}\``, effect, ...MODES.map(() => "each action")];
    if (known === "letting go") return [`\`${name}\``, effect, ...MODES.map(() => "allow")];
    return [
      `\`${name}\``,
      effect,
      ...MODES.map((mode) => known.map((subject) => wordFor(policyOf(mode), subject)).reduce(stricterWord)),
    ];
  });
  return [
    "# Policy: what agents may do",
    GENERATED,
    "Every input of an agent is judged by one pure function (`src/desktop/policy.ts`). **allow**: done at once. **ask**: a",
    "human decides, silence is no. **deny**: refused with `permission_denied`. What holds is the strictest of: the desktop's",
    "mode, which people set; the mode the agent chose for itself on that desktop; the `clipboard` keys of the configuration;",
    "and `require_user_confirmation` of the call, which always asks.",
    "",
    table(["", ...MODES], subjects),
    "",
    "The column *custom* is custom mode without rules. Its rules name a verdict for each subject (`pointer`, `keys`, `text`,",
    "`write_clipboard`, `read_clipboard`, `resize`; what is not named is asked) and `areas` of the desktop where pointing is",
    "stricter. They come as `metadata` of `set_mode`, as `metadata` of `POST /api/v1/desktops/:id/mode`, or as `custom_rules`",
    "in the configuration; administrators edit them on the rules page of a desktop, which also says what they would decide for",
    "an example (`GET|PUT /api/v1/desktops/:id/rules`, `POST …/rules/try`). Rules that people put in force are kept in",
    "`rules.json` in the data directory and hold again after a restart, until somebody sets another mode of that desktop or",
    "removes it. A server that is started in passive mode stays passive, and kept rules wait. A file that cannot be read keeps",
    "the server from starting: without it, what people denied might be allowed.",
    "",
    "An agent lowers its own freedom at once, and only its own. Whatever weakens any one verdict, an area's included, is",
    "raising: a human does it, in the web app. When people set a desktop's mode, what agents chose on it before is void.",
    "People are bound by their role, not by the mode. Letting go of keys and buttons is never refused by a mode.",
    "",
    "## Tools",
    table(["tool", "effect", ...MODES], tools),
    "",
    "## Approvals",
    "An approval is good once, for the call that asked, with exactly its arguments, until it expires (`approvals.expiry_ms`).",
    "It is bound to the pixels that its card shows: around each end of a pointing action, around the caret or the last click for",
    "keys and text. Right before anything is sent the target is asked for its newest picture, and if anything there is",
    "different the action is refused with `stale_screen`. Left out are small things that change by themselves: a caret at",
    "the target, up to 32x32 pixels and a sixteenth of the picture elsewhere. Where a target sends approximations, blocks of 8x8",
    "pixels are compared with tolerance, and the card says so. Clipboard and size are bound to their arguments alone.",
    "",
    "A human may change the text or the place before saying yes, and the agent is told so in `edited`; may allow the same kind of action by the same agent in the",
    "same part of the desktop for ten minutes (until the mode changes or somebody stops); may take over.",
    "",
    "Who decides: people at the viewer or over REST, with a role that may approve. MCP elicitation is answered by the agent's own",
    "client, so it counts only for tokens made with `token create ROLE --elicit`. No agent decides, resumes or raises.",
    "",
    "## Who holds the input",
    "Using mouse buttons or keys in a viewer takes the input at once: what an agent does ends, what it held is let go, and its",
    "actions are refused with `human_in_control` until the person gives the input back or rests for `input.human_idle_ms`. What would",
    "be asked anyway is still asked, and a yes from the person who holds the input lends it for that action; who said *Take over* is",
    "asked nothing. Moving the",
    "mouse alone, a shared clipboard and a changed window size take nothing over. Agents' actions are whole and take turns by",
    "principal; one that keeps a key or button down keeps its turn for at most 10 s while others wait.",
  ].join("\n");
}
