/** A client of the setup page, as far as its light needs to know it. */
export interface KnownClient {
  readonly id: string;
  readonly name: string;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "");
}

/** What clients call themselves in MCP's `clientInfo`, where that is not their own name. */
const ALIASES = new Map([
  ["claudedesktop", ["claudeai"]],
  ["vscode", ["visualstudiocode"]],
]);

/**
 * Whether a client has connected, by the names MCP clients give: "claude-code", "Visual Studio Code 1.99". The generic
 * entry stands for any client.
 */
export function clientIsConnected(client: KnownClient, connected: readonly string[]): boolean {
  if (client.id === "generic") return connected.length > 0;
  const id = plain(client.id);
  const wanted = [id, plain(client.name), ...(ALIASES.get(id) ?? [])];
  return connected.some((name) => wanted.some((word) => plain(name).startsWith(word)));
}
