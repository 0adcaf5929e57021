import { type MessagePort, parentPort } from "node:worker_threads";
import { nodeDeflate } from "../../platform/node-zlib.ts";
import { compressJpegStrip } from "../jpeg/jpeg-strip-format.ts";
import { jpegTurbo } from "../jpeg/jpeg-turbo.ts";
import { compressPngStrip } from "../png/png-strip-format.ts";
import type {
  EncodedStrips,
  EncodingTask,
  FromEncoder,
  StripPixels,
  ToEncoder,
} from "./encoding-messages.ts";

/** The entry of a thread of the encoding pool. */
if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  const tell = (message: FromEncoder, memory: ArrayBuffer[] = []): void => port.postMessage(message, memory);
  port.on("message", ({ id, task }: ToEncoder) => {
    try {
      const encoded = perform(task);
      const memory = task.strips.map(({ rgba }) => rgba.buffer);
      tell({ kind: "done", id, encoded, memory }, [...memory, ...memoryOf(encoded)]);
    } catch (cause) {
      tell({ kind: "failed", id, message: cause instanceof Error ? cause.message : String(cause) });
    }
  });
  // Whoever comes first finds everything loaded and compiled.
  const pixel = (): StripPixels => ({ rgba: new Uint8Array(16 * 16 * 4), width: 16, rows: 16 });
  perform({ kind: "png", strips: [pixel()] });
  perform({ kind: "jpeg", quality: 80, strips: [pixel()] });
  tell({ kind: "ready" });
}

function perform(task: EncodingTask): EncodedStrips {
  if (task.kind === "png") {
    const strips = task.strips.map((pixels) => {
      const strip = compressPngStrip(pixels, nodeDeflate);
      return { ...strip, chunk: new Uint8Array(strip.chunk) };
    });
    return { kind: "png", strips };
  }
  const strips = task.strips.map((pixels) => {
    const strip = compressJpegStrip(pixels, jpegTurbo, task.quality);
    return { ...strip, head: new Uint8Array(strip.head) };
  });
  return { kind: "jpeg", strips };
}

/** What is handed over instead of copied. */
function memoryOf(encoded: EncodedStrips): ArrayBuffer[] {
  const parts =
    encoded.kind === "png"
      ? encoded.strips.map(({ chunk }) => chunk.buffer)
      : encoded.strips.map(({ data }) => data.buffer);
  return parts.filter((buffer) => buffer instanceof ArrayBuffer);
}
