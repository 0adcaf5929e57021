import { RefusedError } from "../../desktop/error.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { pictureOf } from "../../imaging/pixels.ts";
import { encodePng } from "../../imaging/png/png.ts";
import type { RecordingReader } from "../read/reader.ts";
import { ExportDecor } from "./export-decor.ts";
import {
  boundsOf,
  changedParts,
  type ExportFrame,
  type ExportRange,
  exportFrames,
  pixelsOf,
} from "./export-frames.ts";
import { germanWords } from "./export-german.ts";
import { GIF_END, gifFrame, gifHead } from "./export-gif.ts";
import { exportHtml, exportParts } from "./export-html.ts";
import { replayMoments } from "./export-moments.ts";
import { indexPixels } from "./export-palette.ts";
import { exportTranscript, trackSpans } from "./export-transcript.ts";
import { exportVideo } from "./export-video.ts";

export const EXPORT_FORMATS = ["png", "ndjson", "txt", "html", "gif", "mp4", "webm", "frames"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const TYPES = {
  png: "image/png",
  ndjson: "application/x-ndjson",
  txt: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
  gif: "image/gif",
  mp4: "video/mp4",
  webm: "video/webm",
  /** For a browser that makes a video of it. */
  frames: "application/x-ndjson",
} as const satisfies Record<ExportFormat, string>;

/** Default pictures a second; a recording has at most ten. */
const RATES = {
  png: 1,
  ndjson: 1,
  txt: 1,
  html: 10,
  gif: 5,
  mp4: 10,
  webm: 10,
  frames: 10,
} as const satisfies Record<ExportFormat, number>;

/** A GIF keeps every picture whole: longer ones outgrow every mail box. */
const MOST_GIF_MS = 60_000;

export interface ExportRequest {
  readonly format: ExportFormat;
  /** Of the recording; default its beginning. A picture (png) is of this moment. */
  readonly fromMs?: number | undefined;
  /** Default its end. */
  readonly toMs?: number | undefined;
  /** 1 to 30. */
  readonly framesPerSecond?: number | undefined;
  /** Default true: overlays are painted as they were shown. */
  readonly hasOverlays?: boolean;
  /** Default true: the pointer is painted where it was. */
  readonly hasPointer?: boolean;
}

/** A file that is made while it is read. */
export interface ExportedFile {
  /** "Build VM 2026-11-21 05-10.html" */
  readonly name: string;
  readonly type: string;
  readonly parts: AsyncIterable<Uint8Array>;
}

/**
 * A recording, or a range of it, as a file. Throws RefusedError invalid_parameters for a range that is none or too long
 * for the format; reading may reject with RecordingError, RefusedError not_supported (no ffmpeg), the signal's reason.
 */
export function exportRecording(
  reader: RecordingReader,
  request: ExportRequest,
  signal: AbortSignal,
): ExportedFile {
  const { format } = request;
  const { durationMs, title, startedAt } = reader.summary;
  const fromMs = Math.min(request.fromMs ?? 0, durationMs);
  const toMs = Math.min(request.toMs ?? durationMs, durationMs);
  if (toMs < fromMs) {
    throw new RefusedError(
      "invalid_parameters",
      `got a range from ${fromMs} to ${toMs} ms, expected from before to`,
    );
  }
  if (format === "gif" && toMs - fromMs > MOST_GIF_MS) {
    throw new RefusedError(
      "invalid_parameters",
      `got ${Math.round((toMs - fromMs) / 1000)} s for a gif, expected at most ${MOST_GIF_MS / 1000}: choose a range, or mp4, webm or html`,
    );
  }
  const { framesPerSecond = RATES[format], hasOverlays = true, hasPointer = true } = request;
  const range = { fromMs, toMs, framesPerSecond, decor: { hasOverlays, hasPointer } };
  const day = startedAt.slice(0, 16).replace("T", " ").replace(":", "-");
  const plain = title.replace(/[^\p{L}\p{N} ._-]/gu, "").trim();
  return {
    name: `${plain === "" ? "recording" : plain} ${day}.${format}`,
    type: TYPES[format],
    parts: partsOf(reader, format, range, signal),
  };
}

function partsOf(
  reader: RecordingReader,
  format: ExportFormat,
  range: ExportRange,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const { fromMs, toMs } = range;
  switch (format) {
    case "png":
      return exportPng(reader, range);
    case "ndjson":
      return exportTracks(reader, fromMs, toMs, signal);
    case "txt":
      return exportTranscript(reader, fromMs, toMs, signal);
    case "html":
      return exportReplay(reader, range, signal);
    case "gif":
      return exportGif(exportFrames(reader, range, signal));
    case "frames":
      return exportParts(exportFrames(reader, range, signal));
    case "mp4":
    case "webm":
      return exportVideo(exportFrames(reader, range, signal), format);
  }
}

async function* exportPng(
  reader: RecordingReader,
  { fromMs, decor }: ExportRange,
): AsyncGenerator<Uint8Array> {
  const frame = await reader.frameAt(fromMs);
  const { width, height } = frame;
  const rgba = await new ExportDecor(reader, decor).paint(frame, fromMs);
  yield await encodePng(pictureOf({ width, height, rgba }), { x: 0, y: 0, width, height });
}

/** A line that says which recording, then everything beside the pixels, in order. */
async function* exportTracks(
  reader: RecordingReader,
  fromMs: number,
  toMs: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield line({ type: "recording", ...reader.summary });
  for await (const entries of trackSpans(reader, fromMs, toMs, signal))
    yield Buffer.concat(entries.map(line));
}

async function* exportReplay(
  reader: RecordingReader,
  range: ExportRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { fromMs, toMs } = range;
  const { title, startedAt } = reader.summary;
  const entries = await reader.events(fromMs, toMs);
  const german = replayMoments(entries, range, await germanWords(entries));
  const facts = {
    title,
    durationMs: toMs - fromMs,
    startedAt: new Date(Date.parse(startedAt) + fromMs).toISOString(),
    moments: replayMoments(entries, range),
    german: german.map(({ words, detail }) => [words, detail] as const),
  };
  yield* exportHtml(exportFrames(reader, range, signal), facts);
}

async function* exportGif(frames: AsyncIterable<ExportFrame & Size>): AsyncGenerator<Uint8Array> {
  let before: Uint8Array | null = null;
  for await (const frame of frames) {
    const { width, height, rgba } = frame;
    if (before === null) yield gifHead(frame);
    // One rectangle around all that changed: a frame of a GIF cannot take no time at all.
    const rect =
      before === null ? { x: 0, y: 0, width, height } : boundsOf(changedParts(before, rgba, frame));
    before = rgba;
    yield gifFrame(rect, indexPixels(pixelsOf(rgba, frame, rect)), frame.durationMs);
  }
  yield GIF_END;
}

function line(entry: object): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`, "utf8");
}
