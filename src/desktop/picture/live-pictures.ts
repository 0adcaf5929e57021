import type { Scene } from "../../compositor/scene.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import { LivePicture, type LivePorts } from "../../imaging/live-picture.ts";
import type { Clock } from "../../platform/clock.ts";
import type { AudienceDisplay } from "./audience-display.ts";

/** Sizes and layers kept at a time. */
const MAX_KEPT = 4;

/** A picture that was not asked for in so long is dropped: its smaller frame and its strips take memory. */
const IDLE_MS = 60_000;

/** What stays unchanged for so long after it was asked for is compressed harder, once. */
const SETTLE_MS = 2000;

interface Kept {
  readonly picture: LivePicture;
  readonly withOverlays: boolean;
  cancelTimers(): void;
}

/** The pictures of one desktop that are asked for again and again: the whole of it at a few sizes. */
export class LivePictures {
  readonly #clock: Clock;
  readonly #ports: LivePorts;
  readonly #kept = new Map<string, Kept>();
  /** Grows with everything that makes a picture different. */
  #moment = 0;

  constructor(clock: Clock, ports: LivePorts, scene: Pick<Scene, "on">) {
    this.#clock = clock;
    this.#ports = ports;
    scene.on(({ damage }) => {
      this.#moment++;
      for (const { picture, withOverlays } of this.#kept.values())
        if (withOverlays) picture.invalidate(damage);
    });
  }

  invalidate(damage: Region): void {
    this.#moment++;
    for (const { picture } of this.#kept.values()) picture.invalidate(damage);
  }

  /** Forgets all: the desktop has another size, or is gone. */
  clear(): void {
    this.#moment++;
    for (const kept of this.#kept.values()) kept.cancelTimers();
    this.#kept.clear();
  }

  /** The picture of a size, made where it is not kept. */
  of(shown: AudienceDisplay, from: Size, size: Size, withOverlays: boolean): LivePicture {
    const key = `${shown.name} ${withOverlays} ${from.width}x${from.height} ${size.width}x${size.height}`;
    const known = this.#kept.get(key);
    known?.cancelTimers();
    this.#kept.delete(key);
    const picture = known?.picture ?? new LivePicture(from, size, this.#ports);
    const cancelTimers = this.#watch(key, picture, () => shown.picture(withOverlays));
    this.#kept.set(key, { picture, withOverlays, cancelTimers });
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT) break;
      kept.cancelTimers();
      this.#kept.delete(oldest);
    }
    return picture;
  }

  #watch(key: string, picture: LivePicture, source: () => Picture): () => void {
    const cancelIdle = this.#clock.after(IDLE_MS, () => this.#kept.delete(key));
    const moment = this.#moment;
    const isOver = (): boolean => this.#moment !== moment || this.#kept.get(key)?.picture !== picture;
    const cancelSettle = this.#clock.after(SETTLE_MS, () => {
      if (isOver()) return;
      // What fails here fails again, and is told, when the picture is asked for.
      picture.settle(source(), isOver).catch(() => undefined);
    });
    return () => {
      cancelIdle();
      cancelSettle();
    };
  }
}
