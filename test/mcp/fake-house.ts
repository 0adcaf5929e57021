import { createServer } from "node:http";
import type { Principal } from "../../src/auth/principal.ts";
import { AgentRates } from "../../src/desktop/control/agent-rates.ts";
import type { Mcp } from "../../src/mcp/server/mcp.ts";
import { createMcp } from "../../src/mcp/server/server.ts";
import type {
  McpClientSeen,
  McpPorts,
  PictureAnalyzed,
  PictureGiven,
  ToolCallBegun,
  ToolCallRecord,
} from "../../src/mcp/tool/ports.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import type { RecordingsFace } from "../../src/recording/library/recording-types.ts";
import { FakeDesktops } from "./fake-desktop.ts";

export const AGENT: Principal = { id: "agent-1", name: "first agent", role: "agent" };
export const OTHER: Principal = { id: "agent-2", name: "second agent", role: "agent" };
export const ADMIN: Principal = { id: "admin", name: "admin", role: "admin" };
const VIEWER: Principal = { id: "viewer", name: "viewer", role: "viewer" };

/** What the house heard from the MCP face. */
export interface FakeHouse {
  readonly ports: McpPorts;
  readonly desktops: FakeDesktops;
  readonly records: ToolCallRecord[];
  /** That no tool gave. */
  readonly pictures: PictureGiven[];
  /** That went to a provider. */
  readonly analyses: PictureAnalyzed[];
  /** Of calls that began. */
  readonly begun: ToolCallBegun[];
  readonly clients: McpClientSeen[];
  readonly logged: object[];
}

export interface FakeHouseOptions {
  readonly clock?: Clock;
  readonly isRateLimited?: boolean;
  readonly recordings?: RecordingsFace;
  readonly screenshots?: McpPorts["screenshots"];
  readonly reader?: McpPorts["reader"];
  readonly texts?: McpPorts["texts"];
  readonly analysts?: McpPorts["analysts"];
}

export function fakeHouse(options: FakeHouseOptions = {}): FakeHouse {
  const desktops = new FakeDesktops(
    { id: "one", name: "Build VM", protocol: "vnc", host: "127.0.0.1", port: 5901, password: "hunter2!" },
    { id: "two", name: "Test VM", protocol: "vnc", host: "10.0.0.2" },
  );
  const records: ToolCallRecord[] = [];
  const begun: ToolCallBegun[] = [];
  const pictures: PictureGiven[] = [];
  const analyses: PictureAnalyzed[] = [];
  const clients: McpClientSeen[] = [];
  const logged: object[] = [];
  const log = (fields: object): void => {
    logged.push(fields);
  };
  return {
    desktops,
    records,
    begun,
    pictures,
    analyses,
    clients,
    logged,
    ports: {
      desktops,
      clock: options.clock ?? systemClock,
      log: { warn: log, error: log },
      version: "2026.11.21",
      audit: (record) => records.push(record),
      onCall: (call) => begun.push(call),
      onPicture: (picture) => pictures.push(picture),
      onAnalysis: (analysis) => analyses.push(analysis),
      onClient: (client) => clients.push(client),
      rates: new AgentRates(options.clock ?? systemClock, { isOn: options.isRateLimited ?? false }),
      ...(options.recordings === undefined ? {} : { recordings: options.recordings }),
      ...(options.reader === undefined ? {} : { reader: options.reader }),
      ...(options.analysts === undefined ? {} : { analysts: options.analysts }),
      ...(options.texts === undefined ? {} : { texts: options.texts }),
      ...(options.screenshots === undefined ? {} : { screenshots: options.screenshots }),
    },
  };
}

/** Serves an MCP face on a real port, with the principal that `Authorization: Bearer ID` names (else `other`). */
export async function listen(
  mcp: Mcp,
  host = "127.0.0.1",
  other: Principal = AGENT,
): Promise<{ readonly url: URL; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    const id = req.headers.authorization?.replace("Bearer ", "");
    const principal = [AGENT, OTHER, ADMIN, VIEWER].find((known) => known.id === id) ?? other;
    mcp.handle(req, res, undefined, principal).catch((error: unknown) => res.destroy(asError(error)));
  });
  // Where a machine is busy, a client would ask on a connection in the moment in which five silent seconds end it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: new URL(`http://${host}:${address.port}/mcp`),
    async close() {
      await mcp.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** The whole thing: a house, its MCP face and a port. */
export async function serveHouse(options: FakeHouseOptions = {}) {
  const house = fakeHouse(options);
  const mcp = createMcp(house.ports);
  return { ...house, mcp, ...(await listen(mcp)) };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
