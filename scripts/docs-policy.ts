import { ACTION_CLASSES, type ActionClass, stricterWord } from "../src/desktop/control/action-class.ts";
import { policyOf } from "../src/desktop/control/modes.ts";
import { MODES, NAMES, wordFor } from "../src/desktop/control/policy.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { GENERATED, table } from "./markdown.ts";

/** What each tool that acts on a desktop is to the policy; `each`: every action in it is judged by itself. */
export const TOOL_ACTION_CLASSES: Readonly<Record<string, readonly ActionClass[] | "each" | "letting go">> = {
  click_at: ["pointer"],
  click_text: ["pointer"],
  click_element: ["pointer"],
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
  const words = (actionClass: ActionClass): string[] =>
    MODES.map((mode) => wordFor(policyOf(mode), actionClass));
  const classes = ACTION_CLASSES.map((actionClass) => [NAMES[actionClass], ...words(actionClass)]);
  const tools = TOOLS.map(({ name, effect }) => {
    const known = TOOL_ACTION_CLASSES[name];
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
      ...MODES.map((mode) =>
        known.map((actionClass) => wordFor(policyOf(mode), actionClass)).reduce(stricterWord),
      ),
    ];
  });
  return [
    "# Policy: what agents may do",
    GENERATED,
    "Every input of an agent is judged by one pure function (`src/desktop/control/policy.ts`). **allow**: done at once. **ask**: a",
    "human decides, silence is no. **deny**: refused with `permission_denied`. What holds is the strictest of: the desktop's",
    "mode, which people set; the mode the agent chose for itself on that desktop; the `clipboard` keys of the configuration;",
    "and `require_user_confirmation` of the call, which always asks.",
    "",
    table(["", ...MODES], classes),
    "",
    "The column *custom* is custom mode without rules. Its rules name a verdict for each class of actions (`pointer`, `keys`, `text`,",
    "`write_clipboard`, `read_clipboard`, `resize`; what is not named is asked) and `areas` of the desktop where pointing is",
    "stricter. They come as `metadata` of `set_mode`, as `metadata` of `POST /api/v1/desktops/:id/mode`, or as `custom_rules`",
    "in the configuration; administrators edit them on the rules page of a desktop, which also says what they would decide for",
    "an example (`GET|PUT /api/v1/desktops/:id/rules`, `POST …/rules/try`). Rules that people put in force are kept in",
    "`rules.json` in the data directory and hold again after a restart, until an administrator sets another mode of that desktop or",
    "removes it. A server that is started in passive mode stays passive, and kept rules wait. A file that cannot be read keeps",
    "the server from starting: without it, what people denied might be allowed.",
    "",
    "An agent lowers its own freedom at once, and only its own. Whatever weakens any one verdict, an area's included, is",
    "raising: a human does it, in the web app. When people set a desktop's mode, what agents chose on it before is void.",
    "",
    "| who | passive, assist, composing | custom | autopilot | rules |",
    "| --- | --- | --- | --- | --- |",
    "| admin | yes | yes | yes | yes |",
    "| operator | where it loosens no rules of an administrator | those rules, or asking about everything | no | no |",
    "| approver, viewer | no | no | no | no |",
    "",
    "An administrator's rules, and those of the configuration, stay limits until an administrator sets other rules, assist,",
    "composing or autopilot; passive is a pause. Changes of rules are audited (`rules.changed`) with the modes before and after.",
    "",
    "An action is judged by every key it sends and by its whole way: keys held during a click, the Ctrl+A and Delete that clear a",
    "field and the chord that pastes are `keys`; a chord that writes a character is `text` as well; line breaks and tabs of a",
    "text are `text`. While an agent keeps a key down, what it types and does with the pointer is `keys` too: text typed under",
    "Ctrl is a command. An area counts for a drag where its line, a pixel to each side included, touches it, and for every move",
    "with a button down.",
    "",
    "People are bound by their role, not by the mode. Letting go of everything (`reset_input`) is never refused by a mode.",
    "",
    "## Tools",
    table(["tool", "effect", ...MODES], tools),
    "",
    "## Secrets",
    "A text that names stored secrets (`{{secret:NAME}}`, `{{totp:NAME}}`) is `text` to the policy. Who may have one typed, and where, is the secret's own rule, asked after the",
    "mode and before a human; what must be seen on the screen is looked for after the human's yes ([secrets.md](operations/secrets.md)).",
    "",
    "## Approvals",
    "An approval is good once, for the call that asked, with exactly its arguments and the keys and buttons that are",
    "held meanwhile, which its words name, until it expires (`approvals.expiry_ms`).",
    "A yes counts only from whom its picture was shown to for `approvals.arming_ms` (its words, where it has no picture, and in an",
    "MCP client's form); an earlier one is refused as `too_early`, and a client's form is put again. A no counts at once.",
    "It is bound to the pixels that its card shows: around all points of a pointing action, around the caret or the last click for",
    "keys and text. The card shows those pixels as they were when it was bound (`GET /api/v1/approvals/:id/picture.png`), never a",
    "live picture; one larger than 640x400 is scaled down. The moment a bound pixel changes the approval is `stale`, before and",
    "after the yes, and changing back does not revive it. Right before anything is sent the target is asked for the bound area as",
    "it is then; what differs is refused with `stale_screen`. Between the keys of an action it may change a quarter of the",
    "picture itself, beyond that the rest is not typed. Left out are small things that change by themselves: a caret at",
    "the target, up to 32x32 pixels and a sixteenth of the picture elsewhere. Where a target sends approximations, blocks of 8x8",
    "pixels are compared with tolerance, and the card says so. Clipboard and size are bound to their arguments alone.",
    "",
    "A human may change the text or the place before saying yes, and the agent is told so in `edited`; may take over; or may",
    "allow it for ten minutes. That is exactly the same action by the same agent: the same chord, button, number of clicks, keys held,",
    "direction and distance of the wheel, text of one line with the same speed; where it has a place, within the part that the card shows,",
    "while its pixels stay as they are but for what the allowed actions do themselves, at most a quarter of them. A text with line",
    "breaks, other control characters or a stored secret is allowed once only. The button names it; the viewer and the approvals page list what is",
    "allowed, with one click to take it back (`GET /api/v1/grants`, `DELETE /api/v1/grants/:id`). It ends with the time, the mode, the",
    "rules, a stop or a changed picture; given, used, revoked and ended are audited.",
    "",
    "At most 5 questions of one agent wait on all desktops together. A card takes a yes half a second after it came at the earliest.",
    "What agents say and call themselves is shown without characters that reorder or hide words; such characters in a text to type",
    "are shown by their code. Agents ask for desktops by plain TCP only, and the card names all that will be sent but secrets.",
    "",
    "Who decides: people at the viewer or over REST, with a role that may approve, and whoever was sent a link to one question where",
    "the operator configured that ([push.md](operations/push.md)). MCP elicitation is answered by the agent's own",
    "client, so it counts only for tokens made with `token create ROLE --elicit`. Its message has the address of the question's",
    "card, `/approvals?card=ID`, which shows the pixels that a yes is bound to; it holds no secret and asks for sign-in. A client",
    "that declares URL mode is sent there, and a yes is given there alone. No agent decides, resumes or raises.",
    "",
    "### Four eyes",
    "With `approvals.four_eyes` the owner of an agent does not approve it: neither over REST nor in the web app, once, with a change or",
    "for a while, nor a desktop that it proposes; they may say no, and do it themselves. Its own client is not asked (but for the address of the",
    "card). A mode is a yes to all that it allows: what the owner's choice of mode or rules lets it do is asked of others, until one of them chooses",
    "that mode; after a restart, rules that were kept count as the configuration's. Guests count as who invited them. The owner is the person behind a",
    "token (`token create agent --owner PERSON`, `owner` over REST, where it is whoever makes the token unless another is named) or who signed in for an",
    "access token, and is compared with the person who answers, whatever credential they use. An agent whose owner nobody knows (the server's own",
    "`agent-token`, the snippets of `/setup`, `--stdio`, tokens made by the command without `--owner`) is approved by nobody. It binds people to what",
    "they signed in as, so it needs an [OpenID provider](operations/sign-in.md) with public subjects or a token for each person: whoever may make tokens, or use a shell under the server's user, can make",
    "one that names somebody else, and the audit log has that it was made.",
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
