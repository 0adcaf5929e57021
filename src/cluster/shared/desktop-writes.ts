import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";

const AGAIN_AFTER_MS = 1000;

interface DesktopWritesPorts<T> {
  readonly clock: Clock;
  /** Keeps what is true of a desktop now, under the fence of who has it. */
  write(desktopId: string, state: T): Promise<void>;
  /** Something is not kept; told once until it is. */
  onFault(error: unknown): void;
}

/**
 * What is true of the desktops that this node has, written one after the other for each, the newest alone, and again until
 * it is kept. INVARIANT: nothing is written of a desktop that was let go of since it was set.
 */
export class DesktopWrites<T> {
  readonly #ports: DesktopWritesPorts<T>;
  /** What is not kept yet. */
  readonly #states = new Map<string, { readonly state: T }>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #faulty = new Set<string>();
  #isClosed = false;

  constructor(ports: DesktopWritesPorts<T>) {
    this.#ports = ports;
  }

  set(desktopId: string, state: T): void {
    this.#states.set(desktopId, { state });
    this.#run(desktopId);
  }

  /** Resolves when what was set so far is kept. Rejects with why it is not, as yet. */
  async settled(desktopId: string): Promise<void> {
    await this.#running.get(desktopId);
  }

  /** Resolves when all that is under way was kept, or was not. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** This node has it no more: what is not kept of it is for the next one to find out. */
  forget(desktopId: string): void {
    this.#states.delete(desktopId);
    this.#faulty.delete(desktopId);
  }

  close(): void {
    this.#isClosed = true;
  }

  #run(desktopId: string): void {
    const before = this.#running.get(desktopId) ?? Promise.resolve();
    const kept = before.catch(() => undefined).then(() => this.#write(desktopId));
    this.#running.set(desktopId, kept);
    kept
      .finally(() => {
        if (this.#running.get(desktopId) === kept) this.#running.delete(desktopId);
      })
      .then(
        () => this.#faulty.delete(desktopId),
        (error: unknown) => this.#failed(desktopId, error),
      );
  }

  async #write(desktopId: string): Promise<void> {
    const waiting = this.#states.get(desktopId);
    if (waiting === undefined) return;
    await this.#ports.write(desktopId, waiting.state);
    if (this.#states.get(desktopId) === waiting) this.#states.delete(desktopId);
  }

  #failed(desktopId: string, error: unknown): void {
    if (!this.#faulty.has(desktopId)) this.#ports.onFault(error);
    if (!this.#states.has(desktopId)) return;
    this.#faulty.add(desktopId);
    // What no other try would mend.
    if (!(error instanceof RefusedError) || error.code !== "not_held") return;
    const again = (): void => {
      if (this.#isClosed || this.#running.has(desktopId) || !this.#states.has(desktopId)) return;
      this.#run(desktopId);
    };
    this.#ports.clock.after(AGAIN_AFTER_MS, again, { isIdle: true });
  }
}
