import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Step } from "./frame-seeker.ts";
import type { RecordedFrame } from "./reader.ts";

/** A step's picture, lent to whoever asked: see FrameSeeker.lend. */
export function frameOf({ frame, head }: Step): RecordedFrame {
  return {
    width: frame.width,
    height: frame.height,
    atMs: head.atMs,
    generation: head.generation,
    isExact: !head.isPartial,
    rgba: ownBytes(frame),
  };
}

/** Of pixels that were painted here: their memory is nobody else's. */
function ownBytes({ bytes }: Framebuffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : Uint8Array.from(bytes);
}
