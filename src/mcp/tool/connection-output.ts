import * as z from "zod";
import type { Protocol } from "../../desktop/connections/connection.ts";
import { receivedPercent } from "../../desktop/picture/no-picture.ts";
import type { McpDesktop, McpDesktops } from "./ports.ts";

/** What is good to know about a protocol before choosing it. */
export const PROTOCOL_NOTES: Readonly<Record<Protocol, string>> = {
  vnc: "Any VNC server: TigerVNC, x11vnc, TightVNC, macOS screen sharing with a VNC password. Port 5900 + display number. Exact pixels; one picture for all monitors unless the server announces them.",
  kasmvnc:
    "KasmVNC: user name and password of its web page; TLS, and without it only on this machine. Exact pixels and all monitors; the user needs the right to look, and the right to write for input. Port 6901, or 8443 + display number.",
  rdp: "Windows and Linux hosts by RDP: xrdp, FreeRDP's shadow server, Weston, GNOME Remote Desktop. User name and password; TLS or NLA. Exact pixels unless the graphics pipeline is asked for. Port 3389.",
  browser:
    "A Chromium that this server runs. Its newest page is the picture; input goes to that page. Exact pixels.",
  demo: "The desktop built into this server, to try things on. It needs no host.",
  replay: "A recording, shown as a desktop. It can be looked at; it takes no input.",
};

/** A connection as callers see it: never a secret. */
export const connectionOutput = z.object({
  id: z.string(),
  name: z.string(),
  protocol: z.string(),
  host: z.string(),
  port: z.int(),
  protocol_info: z.object({
    description: z.string(),
    link: z.string().nullable().describe("What was negotiated; null while not connected."),
    exact: z.boolean().describe("false: the target sends approximations of its pixels."),
  }),
  state: z.string().describe("connecting, live, stalled, reconnecting, failed or closed."),
  problem: z.string().nullable().describe("Why it is not live."),
  mode: z.string(),
  has_username: z.boolean(),
  has_password: z.boolean(),
  is_active: z.boolean().describe("The one that tools use when no connection_id is given."),
  created_at: z.string(),
  last_connected: z.string().nullable(),
});

export type ConnectionOutput = z.input<typeof connectionOutput>;

export function describeConnection(
  desktop: McpDesktop,
  desktops: McpDesktops,
  principalId: string,
): ConnectionOutput {
  const { connection, state } = desktop;
  return {
    id: desktop.id,
    name: desktop.name,
    protocol: connection.protocol,
    host: connection.host,
    port: connection.port,
    protocol_info: {
      description: PROTOCOL_NOTES[connection.protocol],
      link: state.kind === "live" ? state.description : null,
      exact: desktop.isExact,
    },
    state: state.kind,
    problem: problemOf(state),
    mode: desktop.mode,
    has_username: connection.username !== null && connection.username !== "",
    has_password: connection.password !== null && connection.password !== "",
    is_active: desktops.all.length > 0 && desktops.active(principalId).id === desktop.id,
    created_at: connection.createdAt,
    last_connected: desktops.lastConnected(desktop.id),
  };
}

/** One line for models without structured output. */
export function connectionText(c: ConnectionOutput): string {
  const where = c.host === "" ? c.protocol : `${c.protocol}://${c.host}:${c.port}`;
  const problem = c.problem === null ? "" : ` (${c.problem})`;
  return `${c.id}: ${c.name}, ${where}, ${c.state}${problem}${c.is_active ? ", active" : ""}`;
}

/** The field of tools that need to be told which connection. */
export const requiredConnectionId = z.string().min(1).max(200).describe("Of list_connections.");

/** Why a desktop is not live, in words; null where it is, or where nothing is known yet. */
function problemOf(state: McpDesktop["state"]): string | null {
  if (state.kind === "reconnecting" || state.kind === "failed") {
    return `${state.error.code}: ${state.error.message}`;
  }
  if (state.kind !== "connecting" || state.received === undefined) return null;
  return `connecting: ${receivedPercent(state.received)} of its first picture is there`;
}
