import type { Deflate } from "../../protocols/platform.ts";
import type { PngStrip, StripPixels } from "../encoding/encoding-messages.ts";
import type { EncodingPool } from "../encoding/encoding-pool.ts";
import { PictureStrips } from "../picture-strips.ts";
import { pngStripFormat } from "./png-strip-format.ts";

/** The PNG of a picture that changes in places: RGB, 8 bits a channel. */
export class PngStrips extends PictureStrips<StripPixels, PngStrip> {
  /** `pool`: threads that take part; default none. */
  constructor(deflate: Deflate, pool: EncodingPool | null = null) {
    super((size) => pngStripFormat(size, deflate, pool));
  }
}
