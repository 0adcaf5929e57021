import type { JpegCodec } from "../../protocols/platform.ts";
import type { JpegStrip, StripPixels } from "../encoding/encoding-messages.ts";
import type { EncodingPool } from "../encoding/encoding-pool.ts";
import { PictureStrips } from "../picture-strips.ts";
import { checkQuality } from "../pixels.ts";
import { jpegStripFormat } from "./jpeg-strip-format.ts";

/** The JPEG, of one quality, of a picture that changes in places; pixel by pixel what one encode of all of it gives. */
export class JpegStrips extends PictureStrips<StripPixels, JpegStrip> {
  /** Quality 1 to 100, else a RangeError. `pool`: threads that take part; default none. */
  constructor(codec: JpegCodec, quality: number, pool: EncodingPool | null = null) {
    checkQuality(quality);
    super((size) => jpegStripFormat(size, codec, quality, pool));
  }
}
