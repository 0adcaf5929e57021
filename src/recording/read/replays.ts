import { randomBytes } from "node:crypto";
import type { Connection, ConnectionInput } from "../../desktop/connections/connection.ts";
import type { Actor } from "../../desktop/control/action.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { DesktopsEvent } from "../../desktop/desktops.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Link } from "../../desktop/link.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordingSummary } from "../format/summary.ts";
import { PlayerLink } from "./player-link.ts";
import type { RecordingReader } from "./reader.ts";

export interface ReplaysPorts {
  readonly clock: Clock;
  get(recordingId: string): Promise<RecordingSummary>;
  open(recordingId: string): Promise<RecordingReader>;
  /** Opens a desktop that is not stored. `isForPeople`: agents see nothing of it. */
  show(input: ConnectionInput, by: Actor | null, isForPeople: boolean): Desktop;
  on(listener: (event: DesktopsEvent) => void): () => void;
}

/** Recordings that are shown as desktops. */
export class Replays {
  #ports: ReplaysPorts | null = null;
  readonly #players = new Map<string, PlayerLink>();
  /** Recordings by desktop. */
  readonly #shown = new Map<string, string>();

  /** Before any is opened: the appliance has to stand first. */
  attach(ports: ReplaysPorts): void {
    this.#ports = ports;
    ports.on(({ type, desktop }) => {
      if (type !== "removed") return;
      this.#players.delete(desktop.id);
      this.#shown.delete(desktop.id);
    });
  }

  /** The link of a connection whose protocol is replay. Throws RefusedError invalid_parameters for another. */
  link({ id, replay }: Connection): Link {
    const ports = this.#attached();
    if (replay === undefined) {
      throw new RefusedError("invalid_parameters", "got a replay without a recording, expected its id");
    }
    const before = this.#players.get(id);
    const startMs = before?.state.positionMs ?? replay.startMs;
    const player = new PlayerLink(() => ports.open(replay.recordingId), startMs, ports.clock);
    // A test of the connection opens a link beside the one that is shown: what is played stays that one's.
    if (before === undefined || !before.isOpen) {
      this.#players.set(id, player);
      this.#shown.set(id, replay.recordingId);
    }
    return player;
  }

  /**
   * Shows a recording as a desktop of its own, standing still at a moment; remove it like any other. Throws RefusedError
   * not_found, too_many.
   */
  async open(recordingId: string, startMs = 0, by: Actor | null = null): Promise<Desktop> {
    const ports = this.#attached();
    const { title, counts } = await ports.get(recordingId);
    const input = {
      id: `replay-${randomBytes(4).toString("hex")}`,
      name: `${title} (replay)`,
      protocol: "replay",
      replay: { recordingId, startMs },
    } as const;
    return ports.show(input, by, (counts.agentMasks ?? 0) > 0);
  }

  /** The desktops that show a recording. */
  desktopsOf(recordingId: string): readonly string[] {
    return [...this.#shown].filter(([, id]) => id === recordingId).map(([desktopId]) => desktopId);
  }

  /** Plays, pauses and seeks the replay on a desktop. Throws RefusedError not_found where it shows none. */
  player(desktopId: string): PlayerLink {
    const player = this.#players.get(desktopId);
    if (player === undefined)
      throw new RefusedError("not_found", "this desktop is no replay: open one first");
    return player;
  }

  #attached(): ReplaysPorts {
    if (this.#ports === null) throw new RefusedError("not_supported", "recordings are not open yet");
    return this.#ports;
  }
}
