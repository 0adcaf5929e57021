import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type * as z from "zod";
import { RefusedError } from "../../../desktop/error.ts";
import { frameLine, pictureLine } from "../../../desktop/picture/picture-scheduler.ts";
import type { Picture } from "../../../framebuffer/picture.ts";
import { intersectRects, isEmptyRect, type Rect, rectOfSize, type Size } from "../../../framebuffer/rect.ts";
import { pictureOf } from "../../../imaging/pixels.ts";
import { encodePng } from "../../../imaging/png/png.ts";
import { scalePicture } from "../../../imaging/scale/scale.ts";
import { encodeWebp } from "../../../imaging/webp/webp.ts";
import {
  EXPORT_FORMATS,
  type ExportedFile,
  type ExportRequest,
  exportRecording,
} from "../../../recording/export/export-recording.ts";
import type { RecordingReader } from "../../../recording/library/recording-types.ts";
import { asRefused, refusalOf } from "../../../recording/library/refused.ts";
import { exportQuerySchema, frameQuerySchema } from "../../api/recordings-api.ts";
import { abortedBy, cutWhenVoid } from "../../http/aborted-by.ts";
import { auditedActor, auditedRequest, principalOf } from "../../http/access.ts";
import { parse } from "../../http/parse.ts";
import type { AppPorts } from "../../http/ports.ts";
import type { RateLimits } from "../../http/rate-limits.ts";
import { attachment } from "../files/attachment.ts";
import { type RecordingRouteParts, partOf as readPart, recordingIdOf } from "./recordings.ts";

type FrameQuery = z.infer<typeof frameQuerySchema>;

const FORMATS = {
  png: "image/png",
  /** For thumbnails: small and not exact. */
  webp: "image/webp",
} as const;

const THUMBNAIL_QUALITY = 75;

/** Each decodes and encodes as fast as it is read: more at once would take the computer from the desktops. */
const MOST_EXPORTS = 3;

/** Pictures of recordings, and recordings as files. */
export function recordingPictureRoutes(
  app: FastifyInstance,
  house: RecordingRouteParts & Pick<AppPorts, "authenticator"> & { readonly limits: RateLimits },
): void {
  const { recordingsOf, audit, reading, limits } = house;
  const url = "/api/v1/recordings/:id";
  const control = { config: { access: "control" } } as const;
  for (const format of ["png", "webp"] as const) {
    app.get(`${url}/frame.${format}`, control, async (request, reply) => {
      const query = parse(frameQuerySchema, request.query);
      const callerId = principalOf(request).id;
      const signal = abortedBy(reply);
      // It waits here as what is least urgent, and with one of the few places no longer: others wait for that.
      const { atMs, bytes } = await frameLine.run(
        callerId,
        signal,
        async () => {
          const frame = await asRefused(() =>
            recordingsOf(request).use(recordingIdOf(request), (reader) => reader.frameAt(query.at_ms ?? 0)),
          );
          reading.read("recording.viewed", request, readPart(request, "frame"));
          const part = partOf(query, frame);
          const make = (): Promise<Buffer> => encodeFrame(pictureOf(frame), part, query.max_width, format);
          return { atMs: frame.atMs, bytes: await pictureLine.run(callerId, signal, make) };
        },
        "glance",
      );
      return reply.header("x-oc-at-ms", atMs).type(FORMATS[format]).send(bytes);
    });
  }
  let exporting = 0;
  for (const format of EXPORT_FORMATS) {
    app.get(`${url}/export.${format}`, control, async (request, reply) => {
      limits.take("files", request.ip);
      if (exporting >= MOST_EXPORTS) {
        throw new RefusedError("rate_limited", `${exporting} exports are being made, expected fewer`, {
          retryAfterMs: 10_000,
        });
      }
      const { from_ms, to_ms, fps, overlays, pointer } = parse(exportQuerySchema, request.query);
      const wanted = {
        format,
        ...{ hasOverlays: overlays !== "0", hasPointer: pointer !== "0" },
        fromMs: from_ms,
        toMs: to_ms,
        framesPerSecond: fps,
      };
      const controller = new AbortController();
      // Who went away while the token was looked up: nothing would tell of it any more.
      if (reply.raw.destroyed) throw new RefusedError("cancelled", "the caller went away");
      // Counted and watched before anything is waited for: who goes away meanwhile leaves no place taken.
      exporting += 1;
      cutWhenVoid(house, request, reply);
      reply.raw.once("close", () => {
        exporting -= 1;
        controller.abort(new RefusedError("cancelled", "the caller went away"));
      });
      // The name is known at once, the rest is made while it is read.
      const { file, parts } = await beginExport(
        recordingsOf(request),
        recordingIdOf(request),
        wanted,
        controller.signal,
      );
      audit.record({
        type: "recording.exported",
        severity: "notice",
        actor: auditedActor(principalOf(request), request),
        action: format,
        request: auditedRequest(request),
        resource: { kind: "recording", id: recordingIdOf(request) },
      });
      // What nobody reads to its end is ended here; its fault is nobody's any more.
      controller.signal.addEventListener("abort", () => void parts.return(undefined).catch(() => {}));
      // The first part before the head: what cannot be made at all is an error, not a file of nothing.
      const first = await parts.next();
      const rest = async function* (): AsyncGenerator<Uint8Array> {
        if (!first.done) yield first.value;
        yield* parts;
      };
      return reply
        .type(file.type)
        .header("content-disposition", attachment(file.name))
        .send(Readable.from(rest(), { objectMode: false }));
    });
  }
}

async function encodeFrame(
  whole: Picture,
  part: Rect,
  mostWidth: number | undefined,
  format: keyof typeof FORMATS,
): Promise<Buffer> {
  const to = shrunk(part, mostWidth);
  const isScaled = to.width !== part.width;
  const picture = isScaled ? await scalePicture(whole, part, to) : whole;
  const rect = isScaled ? rectOfSize(to) : part;
  return format === "png" ? encodePng(picture, rect) : encodeWebp(picture, rect, THUMBNAIL_QUALITY);
}

interface BegunExport {
  readonly file: ExportedFile;
  /** Closes the recording when it ends, however it ends. */
  readonly parts: AsyncGenerator<Uint8Array>;
}

/** With a reader of its own: it is read for minutes. Throws RefusedError. */
async function beginExport(
  recordings: ReturnType<RecordingRouteParts["recordingsOf"]>,
  id: string,
  wanted: ExportRequest,
  signal: AbortSignal,
): Promise<BegunExport> {
  const reader = await asRefused(() => recordings.open(id));
  try {
    signal.throwIfAborted();
    const file = exportRecording(reader, wanted, signal);
    const parts = readThrough(file.parts, reader);
    return { file, parts };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function* readThrough(
  parts: AsyncIterable<Uint8Array>,
  reader: RecordingReader,
): AsyncGenerator<Uint8Array> {
  try {
    yield* parts;
  } catch (error) {
    throw refusalOf(error);
  } finally {
    await reader.close();
  }
}

/** All four or none; clipped to the picture. Throws RefusedError invalid_parameters, out_of_bounds. */
function partOf({ x, y, width, height }: FrameQuery, frame: Size): Rect {
  const all = { x: 0, y: 0, width: frame.width, height: frame.height };
  if (x === undefined && y === undefined && width === undefined && height === undefined) return all;
  if (x === undefined || y === undefined || width === undefined || height === undefined) {
    throw new RefusedError(
      "invalid_parameters",
      "x, y, width and height come together: expected all four or none",
    );
  }
  const part = intersectRects({ x, y, width, height }, all);
  if (isEmptyRect(part)) {
    throw new RefusedError(
      "out_of_bounds",
      `the part lies outside of the picture of ${frame.width}x${frame.height} pixels`,
    );
  }
  return part;
}

function shrunk({ width, height }: Size, most: number | undefined): Size {
  if (most === undefined || most >= width) return { width, height };
  return { width: most, height: Math.max(1, Math.round((height * most) / width)) };
}
