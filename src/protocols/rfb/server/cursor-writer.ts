import type { Cursor } from "../../../framebuffer/cursor.ts";
import { BYTES_PER_PIXEL } from "../../../framebuffer/framebuffer.ts";
import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import { pixelWriterFor } from "../encodings/pixel-writer.ts";
import { ENCODING } from "../numbers.ts";
import type { UpdateWriter } from "./update-writer.ts";
import type { CursorKind } from "./viewer-settings.ts";

const HIDDEN: Cursor = { width: 0, height: 0, hotspotX: 0, hotspotY: 0, rgba: new Uint8Array(0) };

/** Classic cursors have a mask of one bit: pixels of at least this alpha are drawn. */
const OPAQUE_FROM = 128;

/** Adds the cursor's rectangle in the form the viewer takes; null hides it. x and y of the header: the hotspot. */
export function putCursor(
  update: UpdateWriter,
  cursor: Cursor | null,
  kind: Exclude<CursorKind, null>,
  format: PixelFormat,
): void {
  const shown = cursor ?? HIDDEN;
  const rect = { x: shown.hotspotX, y: shown.hotspotY, width: shown.width, height: shown.height };
  if (kind === "withAlpha") putWithAlpha(update.begin(rect, ENCODING.cursorWithAlpha), shown);
  else if (kind === "vmware") putVmware(update.begin(rect, ENCODING.vmwareCursor), shown);
  else putMasked(update.begin(rect, ENCODING.cursor), shown, format);
}

/** CursorWithAlpha, rfbproto: S32 encoding of what follows (Raw), pixels R, G, B, A with premultiplied alpha. */
function putWithAlpha(to: ByteWriter, { rgba }: Cursor): void {
  const premultiplied = new Uint8Array(rgba.length);
  for (let i = 0; i + 3 < rgba.length; i += 4) {
    const alpha = rgba[i + 3] ?? 0;
    for (let c = 0; c < 3; c++) premultiplied[i + c] = Math.round(((rgba[i + c] ?? 0) * alpha) / 255);
    premultiplied[i + 3] = alpha;
  }
  to.i32(ENCODING.raw).put(premultiplied);
}

/** VMware cursor, rfbproto: U8 type (1: with alpha), pad 1, pixels R, G, B, A with straight alpha (as noVNC reads). */
function putVmware(to: ByteWriter, { rgba }: Cursor): void {
  to.u8(1).pad(1).put(rgba);
}

/** Cursor, RFC 6143 section 7.8.1: pixels in the viewer's format, then a bit mask, rows padded to bytes. */
function putMasked(to: ByteWriter, { width, height, rgba }: Cursor, format: PixelFormat): void {
  const { plain } = pixelWriterFor(format);
  const count = width * height;
  const values = new Uint32Array(count);
  if (count > 0)
    plain.load({ bytes: rgba, offset: 0, strideBytes: width * BYTES_PER_PIXEL }, 0, 0, width, height, values);
  const pixels = new Uint8Array(count * plain.sizeBytes);
  plain.putAll(values, count, pixels, 0);
  to.put(pixels);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += 8) {
      let bits = 0;
      for (let bit = 0; bit < 8 && x + bit < width; bit++) {
        if ((rgba[(y * width + x + bit) * BYTES_PER_PIXEL + 3] ?? 0) >= OPAQUE_FROM) bits |= 0x80 >> bit;
      }
      to.u8(bits);
    }
  }
}
