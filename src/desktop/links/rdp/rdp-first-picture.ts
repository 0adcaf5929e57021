import type { Clock } from "../../../platform/clock.ts";
import { LinkError } from "../../error.ts";

/** A host that has painted nothing for so long after its session began is asked for everything, again and again. */
const ASK_MS = 2000;
/**
 * One that never answers that is given up, for a new connection to find more: GNOME 43 paints only what changes, whatever
 * it is asked (2026-11-21).
 */
const GIVE_UP_MS = 15_000;

export interface FirstPicturePorts {
  /** Lets the host paint, and asks it to. */
  ask(): void;
  giveUp(error: LinkError): void;
}

/**
 * Waits for the first pixels of a session: GNOME 43 lost its first frame in some connections where nothing moved
 * (2026-11).
 */
export class FirstPicture {
  readonly #ports: FirstPicturePorts;
  readonly #clock: Clock;
  #hasCome = false;
  #cancel: (() => void) | null = null;

  constructor(ports: FirstPicturePorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** Before that a host is not told to be silent. */
  get hasCome(): boolean {
    return this.#hasCome;
  }

  /** The session has begun. */
  await(): void {
    const sinceMs = this.#clock.nowMs();
    const look = (): void => {
      if (this.#clock.nowMs() - sinceMs >= GIVE_UP_MS) {
        const words = "the target sent no picture within 15 s after its session began";
        this.#ports.giveUp(new LinkError("stalled", words));
        return;
      }
      this.#ports.ask();
      this.#cancel = this.#clock.after(ASK_MS, look);
    };
    this.#cancel = this.#clock.after(ASK_MS, look);
  }

  /** Pixels came; true where they are the first. */
  came(): boolean {
    if (this.#hasCome) return false;
    this.#hasCome = true;
    this.stop();
    return true;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
