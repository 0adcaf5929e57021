import { randomUUID } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";
import { Listeners } from "../listeners.ts";
import type { EventQueue } from "./event-queue.ts";
import { type Captured, type Frequency, ScreenshotTimer } from "./screenshot-timer.ts";
import { EventSubscription, type SubscribedDesktop, type SubscriptionOptions } from "./subscription.ts";

const MAX_A_PRINCIPAL = 20;
const MAX_ALL = 1000;
/** A subscription from which nothing is fetched for this long is closed: its subscriber is taken for gone. */
const IDLE_MS = 30 * 60_000;
/** The least time between two looks that a subscriber is told to take: what its screenshots may sustain (R1). */
export const LEAST_INTERVAL_MS = 1000;
/** Of those who listen to a screen and did not say how often. */
const DEFAULT_FREQUENCY: Frequency = { mode: "on_change", intervalMs: LEAST_INTERVAL_MS, onlyOnChange: true };

/** A screen that a principal should look at again. */
export interface ScreenDue {
  readonly principalId: string;
  readonly desktopId: string;
}

interface Entry {
  readonly id: string;
  readonly principalId: string;
  readonly desktopId: string;
  readonly source: EventSubscription | ScreenshotTimer;
  cancelExpiry: () => void;
}

/** Every subscription, each of its own principal; another's id is not found. */
export class EventSubscriptions {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** What people chose by set_screenshot_frequency, and how many open streams listen, by principal and desktop. */
  readonly #timers = new Map<string, { entry: Entry; isChosen: boolean; listeners: number }>();
  readonly #offs = new Map<string, () => void>();
  readonly #due: Listeners<ScreenDue>;
  readonly #capture: (principalId: string, desktopId: string) => Promise<Captured | null>;

  /** `capture` takes a picture of a desktop for a principal. */
  constructor(
    clock: Clock,
    onBug: (error: unknown) => void,
    capture: (principalId: string, desktopId: string) => Promise<Captured>,
  ) {
    this.#clock = clock;
    this.#capture = async (principalId, desktopId) => {
      try {
        return await capture(principalId, desktopId);
      } catch (error) {
        // The target is down, or the desktop gone: there is nothing to show.
        if (!(error instanceof RefusedError)) onBug(error);
        return null;
      }
    };
    this.#due = new Listeners(onBug);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Throws RefusedError too_many, target_down. */
  subscribe(
    principalId: string,
    desktop: SubscribedDesktop,
    options: Omit<SubscriptionOptions, "principalId">,
  ): string {
    this.#checkRoom(principalId);
    const subscription = new EventSubscription(desktop, { ...options, principalId }, this.#clock);
    return this.#add(principalId, desktop, subscription).id;
  }

  /** Throws RefusedError not_found. */
  unsubscribe(id: string, principalId: string): void {
    this.#close(this.#get(id, principalId));
  }

  /** The events of a subscription; throws RefusedError not_found. Counts as a sign of life. */
  queue(id: string, principalId: string): EventQueue {
    const entry = this.#get(id, principalId);
    this.#expireLater(entry);
    return entry.source.queue;
  }

  /** Replaces what the principal chose for the desktop before; the id of its events, null for manual. */
  setFrequency(principalId: string, desktop: SubscribedDesktop, frequency: Frequency): string | null {
    const listeners = this.#timers.get(keyOf(principalId, desktop.id))?.listeners ?? 0;
    this.#replaceTimer(principalId, desktop, frequency, true, listeners);
    return frequency.mode === "manual"
      ? null
      : (this.#timers.get(keyOf(principalId, desktop.id))?.entry.id ?? null);
  }

  /** A principal listens to a desktop's screen until the returned function is called. */
  listen(principalId: string, desktop: SubscribedDesktop): () => void {
    const key = keyOf(principalId, desktop.id);
    const known = this.#timers.get(key);
    if (known === undefined) this.#replaceTimer(principalId, desktop, DEFAULT_FREQUENCY, false, 1);
    else known.listeners++;
    let isListening = true;
    return () => {
      const timer = this.#timers.get(key);
      if (!isListening || timer === undefined) return;
      isListening = false;
      timer.listeners--;
      if (timer.listeners <= 0 && !timer.isChosen) this.#close(timer.entry);
    };
  }

  /** Told when a principal should look at a screen again. */
  onDue(listener: (due: ScreenDue) => void): () => void {
    return this.#due.add(listener);
  }

  close(): void {
    for (const entry of [...this.#entries.values()]) this.#close(entry);
    this.#due.clear();
  }

  #replaceTimer(
    principalId: string,
    desktop: SubscribedDesktop,
    frequency: Frequency,
    isChosen: boolean,
    listeners: number,
  ): void {
    const key = keyOf(principalId, desktop.id);
    const known = this.#timers.get(key);
    if (known === undefined) this.#checkRoom(principalId);
    const due = { principalId, desktopId: desktop.id };
    const timer = new ScreenshotTimer(desktop, frequency, this.#clock, {
      onDue: () => this.#due.tell(due),
      // Who only listens reads the screen when told.
      capture: isChosen ? () => this.#capture(principalId, desktop.id) : null,
    });
    if (known !== undefined) this.#close(known.entry);
    this.#timers.set(key, { entry: this.#add(principalId, desktop, timer), isChosen, listeners });
  }

  #get(id: string, principalId: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.principalId !== principalId) {
      throw new RefusedError(
        "not_found",
        "no such subscription: it was ended, nobody fetched its events for 30 minutes, or it is not yours",
      );
    }
    return entry;
  }

  #checkRoom(principalId: string): void {
    const own = [...this.#entries.values()].filter((entry) => entry.principalId === principalId).length;
    if (own < MAX_A_PRINCIPAL && this.#entries.size < MAX_ALL) return;
    throw new RefusedError("too_many", `got more than ${MAX_A_PRINCIPAL} subscriptions: end one first`);
  }

  #add(principalId: string, desktop: SubscribedDesktop, source: EventSubscription | ScreenshotTimer): Entry {
    const id = randomUUID();
    const off = desktop.on((event) => {
      if (event.type === "state" && event.state.kind === "closed") this.#close(entry);
    });
    const entry: Entry = { id, principalId, desktopId: desktop.id, source, cancelExpiry: () => {} };
    this.#entries.set(id, entry);
    this.#offs.set(id, off);
    this.#expireLater(entry);
    return entry;
  }

  #expireLater(entry: Entry): void {
    entry.cancelExpiry();
    entry.cancelExpiry = this.#clock.after(IDLE_MS, () => {
      const timer = this.#timers.get(keyOf(entry.principalId, entry.desktopId));
      if (timer?.entry === entry && timer.listeners > 0) this.#expireLater(entry);
      else this.#close(entry);
    });
  }

  #close(entry: Entry): void {
    entry.cancelExpiry();
    entry.source.close();
    this.#offs.get(entry.id)?.();
    this.#offs.delete(entry.id);
    this.#entries.delete(entry.id);
    const key = keyOf(entry.principalId, entry.desktopId);
    if (this.#timers.get(key)?.entry === entry) this.#timers.delete(key);
  }
}

function keyOf(principalId: string, desktopId: string): string {
  return `${principalId}\n${desktopId}`;
}
