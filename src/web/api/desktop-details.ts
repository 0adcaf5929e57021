import type { DesktopState } from "../../desktop/connections/reconnecting-link.ts";
import { shownName } from "../../desktop/control/action.ts";
import type { Holder } from "../../desktop/control/arbiter.ts";
import { receivedPercent } from "../../desktop/picture/no-picture.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordingsFace } from "../../recording/library/recording-types.ts";
import type { ConnectedClients } from "../http/connected-clients.ts";
import type { AppPorts, WebDesktop, WebDesktops } from "../http/ports.ts";
import type { DesktopInfo, HolderInfo } from "./api.ts";

const RECENT_MS = 60_000;

/** What is known beside the desktops themselves; absent: nothing is told. */
export type KnownOfDesktops = Pick<AppPorts, "identitiesOf"> & Pick<WebDesktops, "lastConnected">;

/** Describes desktops in the shapes of the web API. */
export class DesktopDescriber {
  readonly #clock: Clock;
  readonly #clients: ConnectedClients;
  readonly #recordings: Pick<RecordingsFace, "runningOn"> | null;
  readonly #known: KnownOfDesktops;

  constructor(
    clock: Clock,
    clients: ConnectedClients,
    recordings: Pick<RecordingsFace, "runningOn"> | null = null,
    known: KnownOfDesktops = {},
  ) {
    this.#known = known;
    this.#clock = clock;
    this.#clients = clients;
    this.#recordings = recordings;
  }

  info(desktop: WebDesktop): DesktopInfo {
    const { connection, state, size } = desktop;
    return {
      id: desktop.id,
      name: desktop.name,
      protocol: connection.protocol,
      host: connection.host,
      port: connection.port,
      link: state.kind === "live" ? state.description : "",
      is_exact: desktop.isExact,
      has_sound: desktop.sound?.().isOffered ?? false,
      has_files: desktop.files !== undefined && connection.protocol === "rdp" && connection.files === "on",
      state: this.#state(state),
      width: size.width,
      height: size.height,
      displays: desktop.screens.map((screen, index) => ({
        monitor_index: index,
        bounds: { ...screen.rect },
        is_primary: index === 0,
      })),
      mode: desktop.mode,
      is_stopped: desktop.isStopped,
      holder: this.holder(desktop.holder),
      generation: desktop.generation,
      viewers: desktop.viewers,
      agents: this.agents(desktop),
      last_connected: this.#known.lastConnected?.(desktop.id) ?? null,
      identities: (this.#known.identitiesOf?.(connection) ?? []).map(({ sha256, isConfigured, isNew }) => ({
        ...{ sha256, is_configured: isConfigured, is_new: isNew },
      })),
      recording_id: this.#recordings?.runningOn(desktop.id)?.id ?? null,
    };
  }

  /** In wall time, for people. */
  holder(holder: Holder | null): HolderInfo | null {
    if (holder === null) return null;
    const { actor, sinceMs, untilMs } = holder;
    return {
      kind: actor.kind,
      id: actor.id,
      name: shownName(actor),
      since: this.#wallTime(sinceMs),
      until: untilMs === null ? null : this.#wallTime(untilMs),
    };
  }

  /** Who called a tool on it or acted within the last minute. */
  agents(desktop: WebDesktop): string[] {
    const since = this.#clock.date().getTime() - RECENT_MS;
    const names = new Set(this.#clients.agentsOn(desktop.id));
    for (const { actor, at } of desktop.actions) {
      if (actor.kind === "agent" && Date.parse(at) >= since) names.add(shownName(actor));
    }
    return [...names];
  }

  #state(state: DesktopState): DesktopInfo["state"] {
    const hasError = state.kind === "reconnecting" || state.kind === "failed";
    return {
      kind: state.kind,
      text: this.#words(state),
      received_percent:
        state.kind === "connecting" && state.received !== undefined ? Math.round(state.received * 100) : null,
      since: this.#wallTime("sinceMs" in state ? state.sinceMs : this.#clock.nowMs()),
      code: hasError ? state.error.code : null,
      retry_at: state.kind === "reconnecting" ? this.#wallTime(state.nextAtMs) : null,
    };
  }

  #words(state: DesktopState): string {
    switch (state.kind) {
      case "connecting":
        if (state.received === undefined) return "Connecting…";
        return `Connecting: ${receivedPercent(state.received)} of the first picture is there`;
      case "live":
        return "Live";
      case "stalled":
        return `Stalled, last picture ${seconds(this.#clock.nowMs() - state.sinceMs)} s ago`;
      case "reconnecting": {
        const waitMs = state.nextAtMs - this.#clock.nowMs();
        const when = waitMs > 0 ? `in ${seconds(waitMs)} s` : "now";
        return `Reconnecting ${when}: ${state.error.message}`;
      }
      case "failed":
        return `Failed: ${state.error.message}`;
      case "closed":
        return "Closed";
    }
  }

  #wallTime(atMs: number): string {
    return new Date(this.#clock.date().getTime() + atMs - this.#clock.nowMs()).toISOString();
  }
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000));
}
