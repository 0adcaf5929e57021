import type { Clock } from "../../../platform/clock.ts";
import type { RfbClient } from "../../../protocols/rfb/client/rfb-client.ts";

/** How long an unwatched desktop's next request waits. */
const UNWATCHED_MS = 500;

/**
 * When a VNC target is asked for changes. Watched: at once after each update, or by continuous updates where the
 * server also has fences. Unwatched: twice a second.
 */
export class UpdatePace {
  readonly #client: RfbClient;
  readonly #clock: Clock;
  #isWatched = false;
  #isContinuous = false;
  #isRequested = false;
  #cancel: (() => void) | null = null;
  #cancelRepeat: (() => void) | null = null;
  readonly #repeatMs: number | null;

  /** `repeatMs`: ask again when nothing came for so long; null: never. */
  constructor(client: RfbClient, clock: Clock, repeatMs: number | null = null) {
    this.#client = client;
    this.#clock = clock;
    this.#repeatMs = repeatMs;
  }

  /** The first request of a connection: everything. */
  start(): void {
    this.#isRequested = true;
    this.#client.requestUpdate(false);
    this.#repeat();
  }

  follow(isWatched: boolean): void {
    if (isWatched === this.#isWatched) return;
    this.#isWatched = isWatched;
    if (!this.#client.isReady) return;
    if (!isWatched && this.#isContinuous) {
      this.#isContinuous = false;
      this.#client.continuousUpdates(false);
    }
    if (!this.#isRequested) this.#next();
  }

  /** An update came: the request it answers is spent. */
  onUpdate(): void {
    this.#isRequested = false;
    this.#next();
    this.#repeat();
  }

  /** Continuous updates cover a fixed area, so a new size needs them enabled anew. */
  onResize(): void {
    if (this.#isContinuous) this.#client.continuousUpdates(true);
    this.#client.requestUpdate(false);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#cancelRepeat?.();
    this.#cancelRepeat = null;
  }

  /** Once for each update: a desktop that rests is left in peace. */
  #repeat(): void {
    this.#cancelRepeat?.();
    this.#cancelRepeat = null;
    if (this.#repeatMs === null) return;
    this.#cancelRepeat = this.#clock.after(this.#repeatMs, () => {
      this.#cancelRepeat = null;
      this.#client.requestUpdate(true);
    });
  }

  #next(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (!this.#isWatched) {
      this.#cancel = this.#clock.after(UNWATCHED_MS, () => this.#request());
      return;
    }
    const { hasFence, hasContinuousUpdates } = this.#client.features;
    if (hasFence && hasContinuousUpdates) {
      if (this.#isContinuous) return;
      this.#isContinuous = true;
      this.#client.continuousUpdates(true);
    }
    this.#request();
  }

  #request(): void {
    this.#cancel = null;
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#client.requestUpdate(true);
  }
}
