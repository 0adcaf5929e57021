import type { Clock } from "../../platform/clock.ts";
import type { Actor } from "../control/action.ts";
import { connectionDetails, connectionUrl } from "../control/action-details.ts";
import { NOTHING_HELD } from "../control/action-summary.ts";
import { type Approval, Approvals, type ApprovalTerms } from "../control/approvals/approvals.ts";
import type { DesktopEvent } from "../events/desktop-event.ts";
import { Listeners } from "../listeners.ts";
import type { Connection } from "./connection.ts";
import { isLoopback } from "./target-guard.ts";

/** Approvals about desktops that are not there yet: agents propose them, people add them. */
export class Proposals {
  readonly approvals: Approvals;
  readonly #listeners: Listeners<DesktopEvent>;

  /** `everywhere`: all open questions of the appliance. */
  constructor(
    clock: Clock,
    terms: ApprovalTerms,
    everywhere: () => readonly Approval[],
    onBug: (error: unknown) => void,
  ) {
    this.#listeners = new Listeners(onBug);
    const tell = (approval: Approval): void => this.#listeners.tell({ type: "approval", approval });
    this.approvals = new Approvals(clock, terms, tell, everywhere);
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
