import type { ClientInfo } from "../../api/api.ts";

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

/** A client that has not called for so long is not said to be there. */
const HERE_MS = 120_000;

/** Where a client is: `seenAt` null where it never connected, wall time else. */
export interface ClientStatus {
  readonly isHere: boolean;
  readonly seenAt: string | null;
}

/**
 * Whether a client has connected, and whether it called lately, by the names MCP clients give: "claude-code", "Visual
 * Studio Code 1.99". The generic entry stands for any client.
 */
export function clientStatus(
  client: KnownClient,
  connected: readonly ClientInfo[],
  nowMs: number,
): ClientStatus {
  const id = plain(client.id);
  const wanted = [id, plain(client.name), ...(ALIASES.get(id) ?? [])];
  const seenAt = connected
    .filter(({ name }) => client.id === "generic" || wanted.some((word) => plain(name).startsWith(word)))
    .map(({ seen_at }) => seen_at)
    .reduce<string | null>((last, at) => (last === null || at > last ? at : last), null);
  return { isHere: seenAt !== null && nowMs - Date.parse(seenAt) < HERE_MS, seenAt };
}
