import { type MessagePort, parentPort } from "node:worker_threads";
import type { FromPainter, PaintAnswer, PaintTask, ToPainter } from "./paint-messages.ts";
import { annotateFile } from "./picture-file-marks.ts";
import { paintRaster } from "./raster.ts";
import { shapeOf } from "./shapes/list.ts";

/** The entry of the thread in which overlays and annotations are painted. */
if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  const running = new Map<number, AbortController>();
  port.on("message", (message: ToPainter) => {
    if (message.kind === "cancel") {
      running.get(message.id)?.abort(new Error("nobody waits for it"));
      return;
    }
    const { id, task } = message;
    const abort = new AbortController();
    running.set(id, abort);
    perform(task, abort.signal)
      .catch((cause: unknown): PaintAnswer => ({ kind: "failed", message: messageOf(cause) }))
      .then((answer) => {
        running.delete(id);
        const told: FromPainter = { id, answer };
        port.postMessage(told, memoryOf(answer));
      })
      .catch((cause: unknown) => {
        throw cause;
      });
  });
}

async function perform(task: PaintTask, signal: AbortSignal): Promise<PaintAnswer> {
  if (task.kind === "raster") {
    const { overlay, room, bounds } = task;
    const shape = shapeOf(overlay.kind);
    if (shape === undefined) throw new Error(`got the kind ${overlay.kind}, expected one of the list`);
    return { kind: "raster", raster: paintRaster({ overlay, shape, room, bounds }) };
  }
  return { kind: "file", file: await annotateFile(task.file, task.annotations, signal) };
}

/** What is handed over instead of copied. */
function memoryOf(answer: PaintAnswer): ArrayBuffer[] {
  const parts =
    answer.kind === "raster"
      ? [answer.raster.rows.buffer, answer.raster.runs.buffer]
      : answer.kind === "file"
        ? [answer.file.buffer]
        : [];
  return parts.filter((buffer) => buffer instanceof ArrayBuffer);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
