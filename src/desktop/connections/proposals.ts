import { BlockList, isIP } from "node:net";
import type { Clock } from "../../platform/clock.ts";
import type { Actor } from "../control/action.ts";
import { connectionDetails, connectionUrl } from "../control/action-details.ts";
import { NOTHING_HELD } from "../control/action-summary.ts";
import { type Approval, Approvals, type ApprovalTimes } from "../control/approvals/approvals.ts";
import type { DesktopEvent } from "../events/desktop-event.ts";
import { Listeners } from "../listeners.ts";
import type { Connection } from "./connection.ts";
import { isLoopback } from "./target-guard.ts";

/** A network and ports that agents may add desktops of unasked. */
export interface AllowedTargets {
  readonly network: string;
  readonly prefix: number;
  readonly fromPort: number;
  readonly toPort: number;
}

const ALLOWED =
  /^(?:\[([0-9a-f:.]+)\](?:\/(\d{1,3}))?|([0-9.]+)(?:\/(\d{1,2}))?)(?::(\d{1,5})(?:-(\d{1,5}))?)?$/i;

/** Reads "10.0.0.0/8:5900", "[fd00::]/8:5900-5999" or "192.168.1.5"; null for anything else. */
export function allowedTargets(text: string): AllowedTargets | null {
  const match = ALLOWED.exec(text.trim());
  if (match === null) return null;
  const [, six, sixPrefix, four, fourPrefix, from, to] = match;
  const network = six ?? four ?? "";
  const family = isIP(network);
  if (family === 0 || (six === undefined) !== (family === 4)) return null;
  const most = family === 6 ? 128 : 32;
  const prefix = Number(sixPrefix ?? fourPrefix ?? most);
  const fromPort = Number(from ?? 1);
  const toPort = Number(to ?? from ?? 65_535);
  if (prefix > most || fromPort < 1 || toPort > 65_535 || fromPort > toPort) return null;
  return { network, prefix, fromPort, toPort };
}

/** True where every address lies in a network that allows the port. */
export function isAllowed(
  allowed: readonly AllowedTargets[],
  addresses: readonly string[],
  port: number,
): boolean {
  const lists = allowed
    .filter(({ fromPort, toPort }) => port >= fromPort && port <= toPort)
    .map(({ network, prefix }) => {
      const list = new BlockList();
      list.addSubnet(network, prefix, isIP(network) === 6 ? "ipv6" : "ipv4");
      return list;
    });
  return (
    addresses.length > 0 &&
    addresses.every((address) =>
      lists.some((list) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")),
    )
  );
}

/** Approvals about desktops that are not there yet: agents propose them, people add them. */
export class Proposals {
  readonly approvals: Approvals;
  readonly #listeners: Listeners<DesktopEvent>;

  /** `everywhere`: all open questions of the house. */
  constructor(
    clock: Clock,
    times: ApprovalTimes,
    everywhere: () => readonly Approval[],
    onBug: (error: unknown) => void,
  ) {
    this.#listeners = new Listeners(onBug);
    const tell = (approval: Approval): void => this.#listeners.tell({ type: "approval", approval });
    this.approvals = new Approvals(clock, times, tell, everywhere);
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when a human said yes; throws RefusedError otherwise. `address`: where the host's name leads now. */
  async ask(connection: Connection, address: string, actor: Actor, signal: AbortSignal): Promise<void> {
    const { name, protocol, host, port } = connection;
    const where = host === address ? "" : ` (${address})`;
    const warning = isLoopback(address) ? ", on this very machine" : "";
    await this.approvals.ask(
      {
        desktopId: "",
        action: {
          kind: "add_connection",
          name,
          protocol,
          host,
          port,
          details: connectionDetails(connection, address),
        },
        summary: `Add the desktop ${connectionUrl(connection)}${where}${warning}`,
        actor,
        intent: null,
        point: null,
        crop: null,
        bound: null,
        held: NOTHING_HELD,
        screenHash: null,
        isExact: true,
      },
      { signal, call: signal },
    );
  }
}
