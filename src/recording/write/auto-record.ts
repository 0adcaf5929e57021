import type { Desktop, DesktopEvent } from "../../desktop/desktop.ts";
import type { Desktops } from "../../desktop/desktops.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordingReason } from "../format/summary.ts";
import type { RecordingOwner, RecordingParts } from "../library/recording-types.ts";

/** When recordings begin by themselves: never, with every desktop, or when an agent does something. */
export const RECORDING_POLICIES = ["manual", "always", "on_agent_activity"] as const;
export type RecordingPolicy = (typeof RECORDING_POLICIES)[number];

/** A recording of agents' work ends so long after the last of it. */
const AGENT_IDLE_MS = 60_000;

export interface AutoRecordPorts {
  start(desktopId: string, reason: RecordingReason, owner?: RecordingOwner): void;
  stop(desktopId: string): void;
  /** null: desktops are nowhere else. */
  readonly parts: Pick<RecordingParts, "interrupted"> | null;
}

/** Begins and ends recordings as the policy says, and goes on with what another node recorded of a desktop. */
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
    if (this.#policy === "manual" && this.#ports.parts === null) return;
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
    this.#offs.set(
      id,
      desktop.on((event) => {
        if (event.type === "state") this.#look(desktop);
        if (this.#policy === "on_agent_activity" && isAgents(event)) this.#agentWorks(id);
      }),
    );
    this.#look(desktop);
  }

  /** What has to be recorded of a desktop that is live, whoever does something there. */
  #look({ id, state }: Desktop): void {
    if (state.kind !== "live") return;
    if (this.#policy === "always") {
      this.#ports.start(id, "always");
      return;
    }
    const before = this.#ports.parts?.interrupted(id) ?? null;
    if (before?.reason === "manual") this.#ports.start(id, "manual", before.owner);
    else if (before?.reason === "agent_activity" && this.#policy === "on_agent_activity")
      this.#agentWorks(id);
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
