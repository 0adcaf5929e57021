import type { ConfigInfo } from "./api.ts";

const SERVER_NAME = "overlay-companion";

/** What stands in a snippet where the reader may not see the token. */
export const TOKEN_BLANK = "YOUR_AGENT_TOKEN";

const DESCRIPTION =
  "See and use a remote desktop: screenshots, overlays, clicks and typing, with a human in the loop";

interface SnippetClient {
  readonly id: string;
  readonly name: string;
  /** Where the snippet goes. */
  readonly file: string;
  readonly language: "sh" | "json";
  readonly snippet: (endpoint: string, token: string) => string;
}

/** The client whose token the plain JSON carries. */
const ANY_CLIENT = "generic";

/** The clients that the setup page knows; the last one is for all others. */
const CLIENTS: readonly SnippetClient[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    file: "terminal",
    language: "sh",
    snippet: (endpoint, token) =>
      `claude mcp add --transport http ${SERVER_NAME} ${endpoint} --header "Authorization: Bearer ${token}"`,
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    file: "claude_desktop_config.json",
    language: "json",
    // It starts stdio servers only. The header goes through the environment because its spaces get lost in an
    // argument on Windows (mcp-remote's README).
    snippet: (endpoint, token) =>
      json({
        mcpServers: {
          [SERVER_NAME]: {
            command: "npx",
            args: [
              "-y",
              "mcp-remote",
              endpoint,
              ...allowHttp(endpoint),
              "--header",
              `Authorization:\${AUTH_HEADER}`,
            ],
            env: { AUTH_HEADER: `Bearer ${token}` },
          },
        },
      }),
  },
  {
    id: "cursor",
    name: "Cursor",
    file: "~/.cursor/mcp.json",
    language: "json",
    snippet: (endpoint, token) =>
      json({ mcpServers: { [SERVER_NAME]: { url: endpoint, ...bearer(token) } } }),
  },
  {
    id: "vscode",
    name: "VS Code",
    file: ".vscode/mcp.json",
    language: "json",
    snippet: (endpoint, token) =>
      json({ servers: { [SERVER_NAME]: { type: "http", url: endpoint, ...bearer(token) } } }),
  },
  {
    id: "cherry-studio",
    name: "Cherry Studio",
    file: "Settings, MCP Servers, Import from JSON",
    language: "json",
    snippet: (endpoint, token) =>
      json({
        mcpServers: {
          [SERVER_NAME]: {
            type: "streamableHttp",
            url: endpoint,
            description: DESCRIPTION,
            tags: ["remote-desktop", "screenshot", "overlay", "automation"],
            provider: "Overlay Companion",
            ...bearer(token),
          },
        },
      }),
  },
  {
    id: ANY_CLIENT,
    name: "Any other client",
    file: "mcp.json",
    language: "json",
    snippet: (endpoint, token) => json(mcpServers(endpoint, token)),
  },
];

/** The ids of the clients there are snippets for, with their names. */
export const SNIPPET_CLIENTS: readonly Pick<SnippetClient, "id" | "name">[] = CLIENTS;

/** `GET /config`: the endpoint, the plain JSON and a snippet for each client, with its token where `tokens` has one. */
export function configInfo(endpoint: string, tokens: ReadonlyMap<string, string>): ConfigInfo {
  const shown = (id: string): string => tokens.get(id) ?? TOKEN_BLANK;
  return {
    endpoint,
    transport: "streamable-http",
    ...mcpServers(endpoint, tokens.get(ANY_CLIENT) ?? [...tokens.values()][0] ?? TOKEN_BLANK),
    clients: CLIENTS.map(({ id, name, file, language, snippet }) => ({
      id,
      name,
      file,
      language,
      snippet: snippet(endpoint, shown(id)),
    })),
  };
}

/** `GET /config/stdio`: for clients that start the server themselves. */
export function stdioInfo(stdio: { readonly command: string; readonly args: readonly string[] }) {
  return { mcpServers: { [SERVER_NAME]: { command: stdio.command, args: [...stdio.args] } } };
}

function mcpServers(endpoint: string, token: string) {
  return {
    mcpServers: {
      [SERVER_NAME]: { type: "http", url: endpoint, ...bearer(token), description: DESCRIPTION },
    },
  };
}

function bearer(token: string) {
  return { headers: { Authorization: `Bearer ${token}` } };
}

/** mcp-remote refuses plain HTTP beyond localhost unless told so. */
function allowHttp(endpoint: string): readonly string[] {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "http:" && hostname !== "localhost" && hostname !== "127.0.0.1" ? ["--allow-http"] : [];
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
