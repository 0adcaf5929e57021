import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";

const AGAIN_AFTER_MS = 250;

interface PreparedPorts {
  readonly clock: Clock;
  /** Resolves when all of a desktop is known that others wrote before this was called; undefined: nothing needs to be. */
  prepare(id: string): Promise<void> | undefined;
  /** One is ready, or may be tried again. */
  changed(): void;
}

/**
 * Desktops that this node was given and may open, since all is known that must be before. INVARIANT: what others wrote under an
 * older fence is known, for it is read after the assignment was seen that ended that fence.
 */
export class Prepared {
  readonly #ports: PreparedPorts;
  readonly #closed: AbortSignal;
  /** Under which fence each is ready; null: not yet. */
  readonly #fences = new Map<string, bigint | null>();

  constructor(ports: PreparedPorts, closed: AbortSignal) {
    this.#ports = ports;
    this.#closed = closed;
  }

  /** Whether one may be opened now, once; where not, it is prepared, and `changed` is called. */
  take(id: string, fence: bigint): boolean {
    const ready = this.#fences.get(id);
    if (ready === fence) return this.#fences.delete(id);
    if (ready !== null) void this.#prepare(id, fence);
    return false;
  }

  async #prepare(id: string, fence: bigint): Promise<void> {
    this.#fences.set(id, null);
    try {
      await this.#ports.prepare(id);
      this.#fences.set(id, fence);
    } catch (error) {
      this.#fences.delete(id);
      if (!(error instanceof StoreError)) throw error;
      await delay(this.#ports.clock, AGAIN_AFTER_MS, this.#closed).catch(() => undefined);
    }
    this.#ports.changed();
  }
}
