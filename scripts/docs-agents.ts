import type { ConfigInfo } from "../src/web/api/api.ts";
import { configInfo, stdioInfo, TOKEN_BLANK } from "../src/web/api/client-snippets.ts";
import { GENERATED } from "./markdown.ts";

/** As a server that was just started says it: the pages of the guide show what the page "Set up" does. */
const ENDPOINT = "http://127.0.0.1:3000/mcp";
const COMMAND = { command: "node", args: ["/path/to/overlay-companion/dist/main.js", "--stdio"] };

/** What the snippet leaves open, by the client's id in `web/api/client-snippets.ts`. */
const NOTES: Readonly<Record<string, readonly string[]>> = {
  "claude-code": [
    "`--scope user` makes it known in every project. `claude mcp list` says whether it is reached, `/mcp` in a session lists the tools.",
    "With an OpenID provider leave `--header` away: Claude Code signs in by itself, in the browser.",
    "It asks before each tool it does not know. What is allowed there and what a person approves here are two questions; the second one is this server's.",
  ],
  "claude-desktop": [
    "Settings, Developer, **Edit Config** opens the file. It starts programs only, so `mcp-remote` (from npm, needs Node) speaks HTTP for it. Restart Claude Desktop afterwards.",
    "Without `mcp-remote`: let it start this server's `--stdio`, which joins the server that runs, or starts one:",
  ],
  cursor: [
    "The file in your home folder is for all projects, `.cursor/mcp.json` in a project for that one. Cursor, Settings, **MCP** shows a green light and the tools.",
    "Cursor limits how many tools all servers have together: `?toolsets=core` at the end of the address leaves the sixteen that most work needs.",
  ],
  vscode: [
    "In the workspace; **MCP: Open User Configuration** in the command palette opens the one of all workspaces. **MCP: List Servers** starts it and shows its log. It is used in agent mode.",
    'Keep the token out of the repository: VS Code\'s `inputs` ask for it, with `"type": "promptString", "password": true`, and the header names the input by its id.',
  ],
  "cherry-studio": ["Paste it there, then switch the server on in the assistant that shall use it."],
  generic: [
    "`mcp.json`, `settings.json` or whatever the client calls it: most take the address and a header in this form. Where only an address can be given, the client has to sign in by itself" +
      " ([sign-in.md](../../operations/sign-in.md#mcp-clients-that-sign-in-by-themselves)); where only a program can be started, it is `--stdio`:",
  ],
};

/** Clients that start programs. */
const STARTS_PROGRAMS: ReadonlySet<string> = new Set(["claude-desktop", "generic"]);

/** docs/guides/agents/ID.md, a page for each client that the page "Set up" knows. */
export function renderAgentPages(): Readonly<Record<string, () => string>> {
  const { clients } = configInfo(ENDPOINT, new Map());
  return Object.fromEntries(
    clients.map((client) => [`docs/guides/agents/${client.id}.md`, () => renderPage(client)]),
  );
}

function renderPage({ id, name, file, language, snippet }: ConfigInfo["clients"][number]): string {
  const notes = NOTES[id];
  if (notes === undefined) throw new Error(`scripts/docs-agents.ts says nothing of ${id}`);
  const stdio = STARTS_PROGRAMS.has(id) ? [fenced("json", JSON.stringify(stdioInfo(COMMAND), null, 2))] : [];
  return [
    `# ${name}`,
    GENERATED.trim(),
    `The page **Set up** (\`/setup\`) has this with your address and a token of its own in it. By hand: \`npm start -- token create agent --name "${name}"\` prints a token once; put it in place of \`${TOKEN_BLANK}\`.`,
    language === "sh" ? "In a terminal:" : `In \`${file}\`:`,
    fenced(language, snippet),
    ...notes,
    ...stdio,
    "The light beside the client on the page **Set up** turns green when it has really called. Then: [how agents look cheaply, point exactly and are approved](../agents.md).",
  ].join("\n\n");
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
