import type { Remover } from "../../compositor/scene.ts";
import type { Point, Rect } from "../../framebuffer/rect.ts";
import type { AnchorPlace, AnchorSearch } from "./anchor.ts";

/** The anchors of one owner. */
export interface OwnAnchors {
  /**
   * Remembers a rectangle as it looks now; an anchor of the same id is replaced. Throws RefusedError
   * invalid_parameters for what is outside or too large, too_many beyond the limits, target_down without a picture.
   */
  add(rect: Rect, id?: string): AnchorPlace;
  /**
   * The same of something whose place others tell from then on, by the returned function: null and why while it is not
   * seen. `isOfOverlays`: it goes with the last overlay that goes with it. `ended`: told when it is not wanted any more.
   * Throws RefusedError too_many.
   */
  follow(
    rect: Rect,
    how: { readonly id: string; readonly isOfOverlays: boolean; readonly ended: () => void },
  ): (rect: Rect | null, why: string | null) => void;
  /** Ends one that is only there for its overlays, where there are none. */
  release(id: string): void;
  /** Throws RefusedError not_found. */
  get(id: string): AnchorPlace;
  /** Looks for an anchor now, wherever it was. Throws RefusedError not_found, target_down. */
  find(id: string, search?: AnchorSearch): AnchorPlace;
  /** See Anchor.scroll. Throws RefusedError not_found. */
  scrollOf(id: string): Point | null;
  /** The same of all that are in view in an area; null where there are none, or they do not agree. */
  scrollIn(area: Rect): Point | null;
  /**
   * null where there is none. Overlays that went with it stay where they are, but those that are hidden because it is
   * nowhere on the screen: nothing would ever show them again, so they are removed, and their ids returned.
   */
  remove(id: string, by?: Remover | null): readonly string[] | null;
}
