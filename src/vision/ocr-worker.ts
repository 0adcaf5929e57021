import { type MessagePort, parentPort } from "node:worker_threads";
import { decodePicture } from "../compositor/picture-file.ts";
import { equalRects, intersectRects, isEmptyRect, rectOfSize } from "../framebuffer/rect.ts";
import { Engine } from "./engine.ts";
import { VisionError } from "./error.ts";
import { greyOf } from "./grey-picture.ts";
import type { FromOcrThread, OcrLine, OcrTask, ToOcrThread } from "./ocr-messages.ts";
import { readLines } from "./read-lines.ts";

/** The entry of a thread of the OCR pool. */
if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  let engine: Promise<Engine> | null = null;
  const read = async ({ file, part, languages }: OcrTask): Promise<readonly OcrLine[]> => {
    engine ??= Engine.open();
    const opened = await engine;
    await opened.use(languages);
    const { rgba, ...size } = await decodePicture(file);
    const whole = rectOfSize(size);
    const area = part ?? whole;
    if (isEmptyRect(area) || !equalRects(intersectRects(area, whole), area)) {
      throw new VisionError("engine_failed", "got a part that the picture does not have");
    }
    return readLines(opened, greyOf(rgba, size.width, area), area);
  };
  port.on("message", ({ id, task }: ToOcrThread) => {
    const tell = (message: FromOcrThread): void => port.postMessage(message);
    read(task).then(
      (lines) => tell({ kind: "done", id, lines }),
      (cause: unknown) => tell({ kind: "failed", id, ...faultOf(cause) }),
    );
  });
}

/** Of what is no fault of ours or the picture's nothing is said outside but that it failed. */
function faultOf(cause: unknown): Pick<VisionError, "code" | "message"> {
  if (cause instanceof VisionError) return { code: cause.code, message: cause.message };
  return { code: "engine_failed", message: "the OCR engine failed on this picture" };
}
