import sharp from "sharp";
import type { Size } from "../../framebuffer/rect.ts";
import type { RgbaImage } from "../../protocols/platform.ts";

/** PNG's signature, and IHDR with its length: W3C PNG, sections 5.2 and 11.2.1. */
const BEGIN = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];

/** The size that a PNG's header says. Throws for what is no PNG. */
export function pngSize(png: Uint8Array): Size {
  if (png.length < BEGIN.length + 8 || BEGIN.some((byte, at) => png[at] !== byte)) {
    throw new Error(`got ${png.length} bytes that are no PNG`);
  }
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  return { width: view.getUint32(BEGIN.length), height: view.getUint32(BEGIN.length + 4) };
}

/**
 * The pixels of a PNG whose header said `size`, decoded in another thread. Rejects where it is damaged or of another size; no
 * memory is taken for more pixels than that.
 */
export async function decodePng(png: Uint8Array, size: Size): Promise<RgbaImage> {
  const { width, height } = size;
  const { data, info } = await sharp(png, { limitInputPixels: width * height, failOn: "error" })
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  if (info.width !== width || info.height !== height || info.channels !== 4) {
    throw new Error(`png decoded to ${info.width}x${info.height}, its header said ${width}x${height}`);
  }
  return { width, height, rgba: data };
}
