import type { Picture } from "../../framebuffer/picture.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { Audience, Snapshot, SnapshotRequest, View, Watcher, WatchOptions } from "../view.ts";
import type { Display } from "./display.ts";
import type { Snapshots } from "./snapshots.ts";

/** The pictures and changes of a desktop as one audience may see them. */
export class DesktopView implements View {
  readonly audience: Audience;
  readonly #display: Display;
  readonly #snapshots: Snapshots;

  readonly #checkSeen: () => void;
  readonly #refresh: () => Promise<void>;

  /**
   * `refresh`: what snapshots wait for. `checkSeen` throws while this
   * audience sees nothing: who watches on has a picture of one colour, who asks for one is told why there is none.
   */
  constructor(
    audience: Audience,
    display: Display,
    snapshots: Snapshots,
    { refresh, checkSeen }: { refresh(): Promise<void>; checkSeen(): void },
  ) {
    this.audience = audience;
    this.#display = display;
    this.#snapshots = snapshots;
    this.#refresh = refresh;
    this.#checkSeen = checkSeen;
    checkSeen();
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

  get kind(): Audience {
    return this.#display.kindOf(this.audience);
  }

  get hidden(): Region {
    return this.#display.shownTo(this.audience).hidden;
  }

  async snapshot(request: SnapshotRequest = {}): Promise<Snapshot> {
    await this.#refresh();
    this.#checkSeen();
    const snapshot = await this.#snapshots.take(this.audience, request);
    this.#checkSeen();
    return snapshot;
  }

  picture(withOverlays: boolean): Picture {
    return this.#display.shownTo(this.audience).picture(withOverlays);
  }

  watch(onDamage: () => void, options: WatchOptions = {}): Watcher {
    return this.#display.watch(this.audience, options, onDamage);
  }
}
