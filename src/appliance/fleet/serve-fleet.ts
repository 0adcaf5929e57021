import type { Server } from "node:http";
import type { Fleet, OwnDesktops } from "../../cluster/fleet/fleet.ts";
import type { Config } from "../../config/config-schema.ts";
import type { OwnListener } from "../../desktop/connections/target-guard.ts";
import { listenFault } from "../listen-fault.ts";
import { callsPlace } from "./open-calls.ts";

export interface FleetRooms {
  readonly desktops: OwnDesktops;
  /** Where this server is reached, unless its configuration says. */
  readonly url: string;
  readonly app: Server;
  /** Where this server listens, to be added to. */
  readonly own: OwnListener[];
}

/** See Fleet.serve; where it listens for calls is no target. Throws ConfigError. */
export async function serveFleet(
  fleet: Pick<Fleet, "serve" | "calls">,
  { address, calls }: Pick<Config["cluster"], "address" | "calls">,
  { desktops, url, app, own }: FleetRooms,
): Promise<void> {
  const { host, port } = callsPlace(calls ?? ":0");
  // Before any desktop can connect there.
  if (port !== 0) own.push({ port });
  try {
    await fleet.serve(desktops, address ?? url, app);
  } catch (error) {
    throw listenFault(error, { key: "cluster.calls", hostKey: "cluster.calls" }, host, port);
  }
  const found = fleet.calls?.port ?? port;
  if (port === 0 && found !== 0) own.push({ port: found });
}
