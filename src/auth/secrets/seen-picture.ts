import { RefusedError } from "../../desktop/error.ts";
import { Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import { MAX_PATCH_PIXELS } from "../../framebuffer/kernels/picture-memory.ts";
import { type Patch, takePatch } from "../../framebuffer/patch.ts";
import { rectOfSize, type Size } from "../../framebuffer/rect.ts";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Signature, then the first chunk: length, "IHDR", width, height (PNG, third edition, 11.2.1). */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;

/**
 * A picture that must be seen, of a PNG in base64. Its size is read and judged before anything is decoded. Throws
 * RefusedError invalid_parameters for what is no PNG, is too large, or is all alike, which would be found anywhere.
 */
export async function readSeenPicture(base64: string): Promise<Patch> {
  const file = Buffer.from(base64, "base64");
  const { width, height } = sizeOf(file);
  // Loaded when it is needed, as all that paints: other commands read secrets too.
  const { decodePicture } = await import("../../compositor/picture-file.ts");
  const { rgba } = await decodePicture(file).catch((cause: unknown) => {
    throw refused("one that cannot be decoded", cause);
  });
  const frame = new Framebuffer(width, height);
  if (rgba.length !== frame.bytes.length) throw refused("one of another size than its header says");
  frame.bytes.set(rgba);
  frame.words.forEach((word, i) => {
    frame.words[i] = (word | OPAQUE) >>> 0;
  });
  const patch = takePatch(frame, rectOfSize(frame));
  if (patch.samples.length === 0) throw refused("one that is all alike");
  return patch;
}

function sizeOf(file: Buffer): Size {
  if (file.length < HEIGHT_AT + 4 || !file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw refused("something else");
  }
  const size = { width: file.readUInt32BE(WIDTH_AT), height: file.readUInt32BE(HEIGHT_AT) };
  if (size.width < 1 || size.height < 1 || size.width * size.height > MAX_PATCH_PIXELS) {
    throw refused(`one of ${size.width}x${size.height} pixels`);
  }
  return size;
}

function refused(got: string, cause?: unknown): RefusedError {
  return new RefusedError(
    "invalid_parameters",
    `seen.picture: got ${got}, expected a PNG of at most ${MAX_PATCH_PIXELS} pixels with something to recognise in it: cut it out of a screenshot of the desktop`,
    cause === undefined ? undefined : { cause },
  );
}
