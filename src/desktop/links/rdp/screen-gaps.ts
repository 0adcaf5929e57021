import { rectOfSize, type Size } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { Screen } from "../../../framebuffer/screen.ts";

/**
 * What a picture shows where no screen is: black, for ever. RDP hosts with screens of several sizes never paint it, and
 * a desktop is not live before all of it was painted.
 */
export class ScreenGaps {
  #gaps = Region.empty;

  /** The picture has this size and these screens from here on. */
  set(size: Size, screens: readonly Screen[]): void {
    this.#gaps = Region.of(rectOfSize(size)).subtract(Region.from(screens.map(({ rect }) => rect)));
  }

  /** What was painted, and all that never will be. */
  withPainted(painted: Region): Region {
    return this.#gaps.isEmpty ? painted : painted.union(this.#gaps);
  }
}
