import type { Desktop } from "../../desktop/desktop.ts";
import type { Clock } from "../../platform/clock.ts";

/** How often a start that failed is tried again: as often as a recorder tries a disk that refused a write. */
const RETRY_MS = 5_000;

interface Missed {
  stopWatching(): void;
  cancelRetry(): void;
}

/** Desktops that should be recorded and could not: each is tried again until it is, or is forgotten. */
export class MissedStarts {
  readonly #clock: Pick<Clock, "after">;
  readonly #again: (desktop: Desktop) => void;
  readonly #missed = new Map<string, Missed>();

  /** `again`: begins to record a desktop, and adds it here where that fails. */
  constructor(clock: Pick<Clock, "after">, again: (desktop: Desktop) => void) {
    this.#clock = clock;
    this.#again = again;
  }

  has(desktopId: string): boolean {
    return this.#missed.has(desktopId);
  }

  /** `hold`: stops the agents of the desktop, now and whenever somebody resumes them; null: they go on. */
  add(desktop: Desktop, hold: (() => void) | null): void {
    this.forget(desktop.id);
    hold?.();
    const stopWatching = desktop.on((event) => {
      if (event.type === "stopped" && !event.isStopped) hold?.();
    });
    const cancelRetry = this.#clock.after(RETRY_MS, () => this.#again(desktop));
    this.#missed.set(desktop.id, { stopWatching, cancelRetry });
  }

  /** It is recorded now, or is gone. */
  forget(desktopId: string): void {
    const missed = this.#missed.get(desktopId);
    this.#missed.delete(desktopId);
    missed?.stopWatching();
    missed?.cancelRetry();
  }

  close(): void {
    for (const id of [...this.#missed.keys()]) this.forget(id);
  }
}
