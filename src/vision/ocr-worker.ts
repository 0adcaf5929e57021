import { type MessagePort, parentPort } from "node:worker_threads";
import { decodePicture } from "../compositor/picture-file.ts";
import { equalRects, intersectRects, isEmptyRect, rectOfSize } from "../framebuffer/rect.ts";
import type { boxOfRect } from "./cut/box.ts";
import type { LineInk } from "./cut/cut-line.ts";
import { cutPicture } from "./cut/cut-lines.ts";
import { Engine } from "./engine.ts";
import { VisionError } from "./error.ts";
import { CellReader } from "./glyphs/cell-reader.ts";
import type { EngineChoice, OcrEngine } from "./ocr-engine.ts";
import type { FromOcrThread, LineWords, OcrTask, PictureTask, ToOcrThread } from "./ocr-messages.ts";
import { readByEngine, readLines } from "./read-line.ts";
import { inReadingOrder } from "./reading-order.ts";
import { TesseractProgram } from "./tesseract-program.ts";

/** The entry of a thread of the OCR pool. */
if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  let engine: Promise<OcrEngine> | null = null;
  const read = async (task: OcrTask, choice: EngineChoice): Promise<LineWords> => {
    engine ??= openEngine(choice);
    const opened = await engine;
    await opened.use(task.languages);
    // Who keeps a text knows the letters of its terminals, and asks only for what it does not know.
    if (task.kind === "lines") return await readByEngine(opened, task.lines);
    return await readLines(opened, await CellReader.open(), await linesOf(task));
  };
  port.on("message", ({ id, task, engine: choice }: ToOcrThread) => {
    const tell = (message: FromOcrThread): void => port.postMessage(message);
    read(task, choice).then(
      (lines) => tell({ kind: "done", id, lines }),
      (cause: unknown) => tell({ kind: "failed", id, ...faultOf(cause) }),
    );
  });
}

async function openEngine(choice: EngineChoice): Promise<OcrEngine> {
  return choice.kind === "embedded" ? await Engine.open() : new TesseractProgram(choice.program);
}

/** The lines of a part of a picture, in reading order. */
async function linesOf({ file, part }: PictureTask): Promise<readonly LineInk[]> {
  const { rgba, ...size } = await decodePicture(file);
  const whole = rectOfSize(size);
  const area = part ?? whole;
  if (isEmptyRect(area) || !equalRects(intersectRects(area, whole), area)) {
    throw new VisionError("engine_failed", "got a part that the picture does not have");
  }
  const words = new Uint32Array(area.width * area.height);
  const bytes = new Uint8Array(words.buffer);
  for (let y = 0; y < area.height; y++) {
    const from = ((area.y + y) * size.width + area.x) * 4;
    bytes.set(rgba.subarray(from, from + area.width * 4), y * area.width * 4);
  }
  const moved = ({ left, top, right, bottom }: ReturnType<typeof boxOfRect>) => ({
    left: left + area.x,
    top: top + area.y,
    right: right + area.x,
    bottom: bottom + area.y,
  });
  return inReadingOrder(cutPicture({ width: area.width, height: area.height, words })).map((line) => ({
    ...moved(line),
    ink: line.ink,
    inkBox: moved(line.inkBox),
  }));
}

/** Of what is no fault of ours or the picture's nothing is said outside but that it failed. */
function faultOf(cause: unknown): Pick<VisionError, "code" | "message"> {
  if (cause instanceof VisionError) return { code: cause.code, message: cause.message };
  return { code: "engine_failed", message: "the OCR engine failed on this picture" };
}
