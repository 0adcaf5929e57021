import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { Audience } from "../view.ts";

/** Says which part of the picture is hidden from which audience; the masks of a desktop (Masks) are one. */
export interface MaskSource {
  /** The same object while it is the same. */
  hiddenFrom(audience: Audience): Region;
  /** The real picture changed there. Called before anybody is shown anything of it, so that what is followed is found first. */
  follow(real: Framebuffer, damage: Region, copies: readonly CopyMove[]): void;
  /** The real picture has another size or other monitors. */
  layOut(bounds: Rect, screens: readonly Screen[]): void;
}

/** Nothing is kept from anybody. */
export const NOTHING_HIDDEN: MaskSource = Object.freeze({
  hiddenFrom: () => Region.empty,
  follow: () => {},
  layOut: () => {},
});
