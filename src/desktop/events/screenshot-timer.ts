import type { Clock } from "../../platform/clock.ts";
import { EventQueue } from "./event-queue.ts";
import type { SubscribedDesktop } from "./subscription.ts";

export const FREQUENCIES = ["manual", "periodic", "on_change"] as const;

/** When a subscriber wants to look at the screen again. */
export interface Frequency {
  readonly mode: (typeof FREQUENCIES)[number];
  readonly intervalMs: number;
  /** periodic: not where nothing changed since. */
  readonly onlyOnChange: boolean;
}

export interface ScreenshotTimerPorts {
  onDue(): void;
  /** Takes a picture; null where there is none; never rejects. null: no subscriber asked for pictures. */
  readonly capture: (() => Promise<Captured | null>) | null;
}

/** A picture that was taken. */
export interface Captured {
  readonly id: string;
  /** What it shows. */
  readonly generation: number;
}

/**
 * Tells a subscriber when to look at the screen again, with a picture of it where one was asked for: never more often
 * than the interval, and by listening to changes, not by polling.
 */
export class ScreenshotTimer {
  readonly queue = new EventQueue();
  readonly frequency: Frequency;
  readonly #desktop: SubscribedDesktop;
  readonly #clock: Clock;
  readonly #ports: ScreenshotTimerPorts;
  #closeWatch: () => void = () => {};
  #cancel: (() => void) | null = null;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #toldGeneration: number;
  #isCapturing = false;
  /** It was time to look again while a picture was taken. */
  #isOwed = false;
  #isClosed = false;

  /** Throws RefusedError target_down before the first picture. */
  constructor(desktop: SubscribedDesktop, frequency: Frequency, clock: Clock, ports: ScreenshotTimerPorts) {
    this.#desktop = desktop;
    this.frequency = frequency;
    this.#clock = clock;
    this.#ports = ports;
    this.#toldGeneration = desktop.generation;
    if (frequency.mode === "manual") return;
    const watcher = desktop.view("agent").watch(() => {
      watcher.take();
      if (frequency.mode === "on_change") this.#changed();
    });
    watcher.take();
    this.#closeWatch = () => watcher.close();
    if (frequency.mode === "periodic") this.#again();
  }

  close(): void {
    this.#isClosed = true;
    this.#closeWatch();
    this.#cancel?.();
    this.#cancel = null;
  }

  #again(): void {
    this.#cancel = this.#clock.after(this.frequency.intervalMs, () => {
      if (!this.frequency.onlyOnChange || this.#desktop.generation !== this.#toldGeneration) this.#tell();
      this.#again();
    });
  }

  #changed(): void {
    if (this.#cancel !== null) return;
    const waitMs = this.#toldAtMs + this.frequency.intervalMs - this.#clock.nowMs();
    if (waitMs <= 0) {
      this.#tell();
      return;
    }
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#cancel = null;
      this.#tell();
    });
  }

  #tell(): void {
    this.#toldAtMs = this.#clock.nowMs();
    this.#toldGeneration = this.#desktop.generation;
    const { capture } = this.#ports;
    if (capture === null) this.#add(this.#toldGeneration, null);
    // Where pictures take longer than the interval, the next one comes when it can.
    else if (this.#isCapturing) this.#isOwed = true;
    else void this.#capture(capture);
  }

  async #capture(capture: () => Promise<Captured | null>): Promise<void> {
    const toldGeneration = this.#toldGeneration;
    this.#isCapturing = true;
    const captured = await capture();
    this.#isCapturing = false;
    if (this.#isClosed) return;
    this.#add(captured?.generation ?? toldGeneration, captured?.id ?? null);
    const isOwed = this.#isOwed && !this.#isClosed;
    this.#isOwed = false;
    if (isOwed) this.#tell();
  }

  #add(generation: number, screenshotId: string | null): void {
    this.queue.add({ type: "screenshot_due", generation, screenshotId }, this.#clock.date().toISOString());
    this.#ports.onDue();
  }
}
