import type { Picture } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { nodeDeflate } from "../../platform/node-zlib.ts";
import { encodingPool } from "../encoding/encoding-pool.ts";
import { cropOf } from "../pixels.ts";
import { StripSet } from "../strip-set.ts";
import { pngStripFormat } from "./png-strip-format.ts";

/**
 * The PNG of one rectangle, once: RGB, 8 bits a channel, exact. The pixels are taken before this returns; a large one is
 * compressed by the threads of the pool. Throws a RangeError for a rectangle that is empty or leaves the picture.
 */
export async function encodePng(picture: Picture, rect: Rect): Promise<Buffer> {
  const crop = cropOf(picture, rect);
  return await new StripSet(crop, pngStripFormat(crop, nodeDeflate, encodingPool)).encodeNow(crop);
}
