import type { Clock } from "../../platform/clock.ts";

const PATIENCE_MS = 30_000;

export interface WatchdogPorts {
  readonly clock: Clock;
  /** True while the viewer owes us something: bytes to read, an update to confirm. */
  isOwing(): boolean;
  /** The viewer owed something for PATIENCE_MS and took none of it. */
  lost(): void;
}

/** Notices a viewer that takes nothing any more. Costs one timer, and only while something is owed. */
export class ViewerWatchdog {
  readonly #ports: WatchdogPorts;
  #progressAtMs = 0;
  #cancel: (() => void) | null = null;

  constructor(ports: WatchdogPorts) {
    this.#ports = ports;
  }

  /** Something was sent. */
  watch(): void {
    if (this.#cancel !== null) return;
    this.#progressAtMs = this.#ports.clock.nowMs();
    this.#arm(PATIENCE_MS);
  }

  /** The viewer took something. */
  progress(): void {
    this.#progressAtMs = this.#ports.clock.nowMs();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #arm(delayMs: number): void {
    this.#cancel = this.#ports.clock.after(delayMs, () => this.#check());
  }

  #check(): void {
    this.#cancel = null;
    if (!this.#ports.isOwing()) return;
    const leftMs = this.#progressAtMs + PATIENCE_MS - this.#ports.clock.nowMs();
    if (leftMs <= 0) this.#ports.lost();
    else this.#arm(leftMs);
  }
}
