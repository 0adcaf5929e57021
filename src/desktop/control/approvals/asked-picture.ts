import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { type Rect, rectOfSize, type Size } from "../../../framebuffer/rect.ts";
import { encodePng } from "../../../imaging/png.ts";
import { scalePicture } from "../../../imaging/scale.ts";
import { FramePicture } from "../../picture/frame-picture.ts";

/** Up to this size a picture is kept pixel for pixel; a larger one is scaled down, so that its memory is bounded. */
const MOST: Size = Object.freeze({ width: 640, height: 400 });

/**
 * What a question shows, as PNG, encoded once.
 *
 * INVARIANT: the pixels are taken before this returns, so that who binds in the same turn binds to what is shown.
 */
export function askedPicture(frame: Framebuffer, area: Rect): Promise<Uint8Array> {
  const picture = encode(frame, area);
  // Who asks for it hears why there is none.
  picture.catch(() => undefined);
  return picture;
}

async function encode(frame: Framebuffer, area: Rect): Promise<Uint8Array> {
  const live = new FramePicture(frame);
  const share = Math.min(1, MOST.width / area.width, MOST.height / area.height);
  if (share === 1) return encodePng(live, area);
  const size = {
    width: Math.max(1, Math.round(area.width * share)),
    height: Math.max(1, Math.round(area.height * share)),
  };
  return encodePng(await scalePicture(live, area, size), rectOfSize(size));
}
