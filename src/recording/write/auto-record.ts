import type { Desktop, DesktopEvent } from "../../desktop/desktop.ts";
import type { Desktops } from "../../desktop/desktops.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordingReason } from "../format/summary.ts";

/** When recordings begin by themselves: never, with every desktop, or when an agent does something. */
export const RECORDING_POLICIES = ["manual", "always", "on_agent_activity"] as const;
export type RecordingPolicy = (typeof RECORDING_POLICIES)[number];

/** A recording of agents' work ends so long after the last of it. */
const AGENT_IDLE_MS = 60_000;

export interface AutoRecordPorts {
  start(desktopId: string, reason: RecordingReason): void;
  stop(desktopId: string): void;
}

/** Begins and ends recordings as the policy says. */
export class AutoRecord {
  readonly #policy: RecordingPolicy;
  readonly #clock: Clock;
  readonly #desktops: Pick<Desktops, "all" | "on">;
  readonly #ports: AutoRecordPorts;
  readonly #offs = new Map<string, () => void>();
  readonly #cancelIdle = new Map<string, () => void>();
  #offDesktops: (() => void) | null = null;

  constructor(
    policy: RecordingPolicy,
    clock: Clock,
    desktops: Pick<Desktops, "all" | "on">,
    ports: AutoRecordPorts,
  ) {
    this.#policy = policy;
    this.#clock = clock;
    this.#desktops = desktops;
    this.#ports = ports;
  }

  /** Follows the desktops of now and those added later. */
  begin(): void {
    if (this.#policy === "manual") return;
    for (const desktop of this.#desktops.all) this.#follow(desktop);
    this.#offDesktops = this.#desktops.on(({ type, desktop }) => {
      if (type === "added") this.#follow(desktop);
      else if (type === "removed") this.#leave(desktop.id);
    });
  }

  close(): void {
    this.#offDesktops?.();
    for (const id of [...this.#offs.keys()]) this.#leave(id);
  }

  #follow(desktop: Desktop): void {
    if (desktop.connection.protocol === "replay") return;
    const { id } = desktop;
    if (this.#policy === "always") {
      const begin = (): void => {
        if (desktop.state.kind === "live") this.#ports.start(id, "always");
      };
      this.#offs.set(
        id,
        desktop.on(({ type }) => (type === "state" ? begin() : undefined)),
      );
      begin();
      return;
    }
    this.#offs.set(
      id,
      desktop.on((event) => {
        if (isAgents(event)) this.#agentWorks(id);
      }),
    );
  }

  #agentWorks(id: string): void {
    this.#ports.start(id, "agent_activity");
    this.#cancelIdle.get(id)?.();
    this.#cancelIdle.set(
      id,
      this.#clock.after(AGENT_IDLE_MS, () => {
        this.#cancelIdle.delete(id);
        this.#ports.stop(id);
      }),
    );
  }

  #leave(id: string): void {
    this.#offs.get(id)?.();
    this.#offs.delete(id);
    this.#cancelIdle.get(id)?.();
    this.#cancelIdle.delete(id);
  }
}

/** An agent asks, has the input, or did something: the first of them comes before anything is sent. */
function isAgents(event: DesktopEvent): boolean {
  switch (event.type) {
    case "approval":
      return event.approval.actor.kind === "agent";
    case "holder":
      return event.holder?.actor.kind === "agent";
    case "action":
      return event.record.actor.kind === "agent";
    default:
      return false;
  }
}
