import { composePicture } from "../compositor/compose.ts";
import type { Picture } from "../framebuffer/picture.ts";
import type { Screen } from "../framebuffer/screen.ts";
import { RefusedError } from "./error.ts";
import type { Display } from "./picture/display.ts";
import { FramePicture } from "./picture/frame-picture.ts";
import type { Snapshots } from "./picture/snapshots.ts";
import type { Audience, Snapshot, SnapshotRequest, View, Watcher } from "./view.ts";

/** The door up, as one audience may use it. */
export class DesktopView implements View {
  readonly audience: Audience;
  readonly #display: Display;
  readonly #snapshots: Snapshots;

  #refresh: (() => Promise<void>) | null;

  /** `refresh`: what the first snapshot must wait for, null where the picture is up to date. */
  constructor(
    audience: Audience,
    display: Display,
    snapshots: Snapshots,
    refresh: (() => Promise<void>) | null,
  ) {
    this.audience = audience;
    this.#display = display;
    this.#snapshots = snapshots;
    this.#refresh = refresh;
  }

  get width(): number {
    return this.#display.size.width;
  }

  get height(): number {
    return this.#display.size.height;
  }

  get generation(): number {
    return this.#display.generation;
  }

  get screens(): readonly Screen[] {
    return this.#display.screens;
  }

  async snapshot(request: SnapshotRequest = {}): Promise<Snapshot> {
    const refresh = this.#refresh;
    this.#refresh = null;
    await refresh?.();
    return this.#snapshots.take(request);
  }

  picture(withOverlays: boolean): Picture {
    const { frame, scene } = this.#display;
    if (frame === null) throw new RefusedError("target_down", "there is no picture yet");
    return withOverlays ? composePicture(frame, scene) : new FramePicture(frame);
  }

  watch(onDamage: () => void, options: { readonly withOverlays?: boolean } = {}): Watcher {
    return this.#display.watchers.add(this.#display.bounds, options.withOverlays ?? false, onDamage);
  }
}
