import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import { badData } from "./bad-data.ts";
import { SCRATCH_LIMIT_BYTES } from "./decoder-state.ts";
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
  if (rect.x === 0 && width === to.width) {
    decodeInPlace(name, jpeg, to, rect, state);
    return;
  }
  const sizeBytes = areaOfRect(rect) * BYTES_PER_PIXEL;
  const memory = sizeBytes <= SCRATCH_LIMIT_BYTES ? state.scratch(sizeBytes) : undefined;
  const { rgba } = attempt(name, () => state.jpeg.decode(jpeg, memory));
  checkWhole(name, rgba, rect);
  const rowBytes = width * BYTES_PER_PIXEL;
  let at = (rect.y * to.width + rect.x) * BYTES_PER_PIXEL;
  for (let start = 0; start < sizeBytes; start += rowBytes, at += to.strideBytes) {
    to.bytes.set(rgba.subarray(start, start + rowBytes), at);
  }
}

/** Whole rows of the picture lie one behind the other, as the decoder writes them. */
function decodeInPlace(
  name: string,
  jpeg: Uint8Array,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
): void {
  const start = rect.y * to.strideBytes;
  const place = to.bytes.subarray(start, start + rect.height * to.strideBytes);
  const { rgba } = attempt(name, () => state.jpeg.decode(jpeg, place));
  checkWhole(name, rgba, rect);
  const isThere = rgba.buffer === place.buffer && rgba.byteOffset === place.byteOffset;
  if (!isThere) place.set(rgba.subarray(0, place.length));
}

function checkWhole(name: string, rgba: Uint8Array, rect: Rect): void {
  const sizeBytes = areaOfRect(rect) * BYTES_PER_PIXEL;
  if (rgba.length < sizeBytes) {
    throw badData(`${name} of ${rgba.length} bytes, expected ${sizeBytes}`);
  }
}

function attempt<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw badData(`${name} is damaged`, cause);
  }
}
