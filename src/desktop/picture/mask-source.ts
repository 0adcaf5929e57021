import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import { type Audience, type Change, isViewer } from "../view.ts";

/** Says which part of the picture is hidden from which audience; the masks of a desktop (Masks) are one. */
export interface MaskSource {
  /** The same object while it is the same. */
  hiddenFrom(audience: Audience): Region;
  /**
   * Where this audience is shown what was read last, for the picture changes faster than it is read: nothing of it is taken
   * from the real one. Apart from what is hidden. The same object while it is the same.
   */
  heldFor(audience: Audience): Region;
  /** The picture that was read last, while what is held is to become what it shows; null: it stays as it is. */
  readonly lastRead: Framebuffer | null;
  /** The first of those viewers from whom the same masks hide as from this one; an audience of another kind itself. */
  kindOf(audience: Audience): Audience;
  /**
   * Names what text is looked for on this audience's behalf; empty for none. What is hidden from it then comes and goes with
   * every update, and it keeps a picture of its own also while nothing is.
   */
  readFor(audience: Audience): string;
  /**
   * The real picture changed there, by moves and by paint. Called before anybody is shown anything of it, so that what is
   * followed is found first, and what is to be read is covered.
   */
  follow(real: Framebuffer, damage: Region, change: Change): void;
  /** The target may have drawn its pointer there; null: nowhere. */
  pointerDrawn(area: Rect | null): void;
  /** The real picture has another size or other monitors. */
  layOut(bounds: Rect, screens: readonly Screen[]): void;
}

/** Nothing is kept from anybody. */
export const NOTHING_HIDDEN: MaskSource = Object.freeze({
  hiddenFrom: () => Region.empty,
  heldFor: () => Region.empty,
  lastRead: null,
  kindOf: (audience: Audience) => (isViewer(audience) ? "viewer" : audience),
  readFor: () => "",
  follow: () => {},
  pointerDrawn: () => {},
  layOut: () => {},
});
