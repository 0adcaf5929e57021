import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { RgbaImage } from "../../platform.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";

/**
 * Paints a whole JPEG image of the rectangle's size. Its header is compared with the rectangle before anything is
 * decoded: an image may claim 65535x65535. Throws RfbError `bad_data` that begins with `name`.
 */
export function paintJpeg(
  name: string,
  jpeg: Uint8Array,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
): void {
  const { width, height } = attempt(name, () => state.jpeg.size(jpeg));
  if (width !== rect.width || height !== rect.height) {
    throw badData(`${name} of ${width}x${height}, expected ${rect.width}x${rect.height} as the rectangle`);
  }
  paintImage(
    name,
    attempt(name, () => state.jpeg.decode(jpeg)),
    to,
    rect,
  );
}

function paintImage(name: string, { rgba }: RgbaImage, to: Framebuffer, rect: Rect): void {
  if (rgba.length < areaOfRect(rect) * BYTES_PER_PIXEL) {
    throw badData(`${name} of ${rgba.length} bytes, expected ${areaOfRect(rect)} pixels`);
  }
  const rowBytes = rect.width * BYTES_PER_PIXEL;
  for (let row = 0; row < rect.height; row++) {
    const pixels = rgba.subarray(row * rowBytes, (row + 1) * rowBytes);
    to.bytes.set(pixels, ((rect.y + row) * to.width + rect.x) * BYTES_PER_PIXEL);
  }
}

function attempt<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw badData(`${name} is damaged`, cause);
  }
}
