import { spawnSync } from "node:child_process";
import type { Page } from "playwright-core";
import { z } from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";

const MOST_BYTES = 2 ** 30;
/** noVNC 1.7 asks WebCodecs whether it can by a picture of its own, of this size. */
const TRIED_SIZE = "16x16";

/**
 * In the page, before its own scripts: keeps what decoders of WebCodecs are given, with the time, and where pictures of a
 * size are drawn. A film that begins anew begins with a key picture, and has no other.
 */
export const KEEP_STREAMS = `window.filmChunks = [];
  window.filmPlaces = {};
  const streamOf = new WeakMap();
  let streams = 0;
  const decode = VideoDecoder.prototype.decode;
  VideoDecoder.prototype.decode = function (chunk) {
    if (chunk.type === "key") streamOf.set(this, streams++);
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    window.filmChunks.push({ stream: streamOf.get(this), atMs: performance.now(), bytes });
    return decode.call(this, chunk);
  };
  const drawImage = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (image, ...at) {
    if (image instanceof VideoFrame) {
      const [, , width, height, x, y] = at;
      window.filmPlaces[width + "x" + height] = { x, y, width, height };
    }
    return drawImage.call(this, image, ...at);
  };`;

const chunksSchema = z.array(z.object({ stream: z.int(), atMs: z.number(), base64: z.base64() }));

/** A key picture and those after it, in order. */
export interface FilmStream {
  readonly place: Rect;
  readonly pictures: readonly { readonly atMs: number; readonly rgba: Uint8Array }[];
}

/** All that the page's decoders were given so far, decoded by ffmpeg. */
export async function filmStreams(page: Page): Promise<FilmStream[]> {
  const places = z
    .record(z.string(), z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }))
    .parse(await page.evaluate("window.filmPlaces"));
  const chunks = chunksSchema.parse(
    await page.evaluate(`window.filmChunks.map(({ stream, atMs, bytes }) => {
      let text = "";
      for (const byte of bytes) text += String.fromCharCode(byte);
      return { stream, atMs, base64: btoa(text) };
    })`),
  );
  const streams = new Map<number, { atMs: number; bytes: Buffer }[]>();
  for (const { stream, atMs, base64 } of chunks) {
    const of = streams.get(stream) ?? [];
    streams.set(stream, of);
    of.push({ atMs, bytes: Buffer.from(base64, "base64") });
  }
  return [...streams.values()].flatMap((of) => decoded(of, places) ?? []);
}

function decoded(
  chunks: readonly { readonly atMs: number; readonly bytes: Buffer }[],
  places: Readonly<Record<string, Rect>>,
): FilmStream | null {
  const input = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const read = ["-hide_banner", "-loglevel", "info", "-f", "h264", "-i", "pipe:0"];
  const write = ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"];
  const { stdout, stderr } = spawnSync("ffmpeg", [...read, ...write], { input, maxBuffer: MOST_BYTES });
  const size = /Video: h264.*?, (\d+x\d+)/.exec(stderr.toString())?.[1] ?? "";
  if (size === TRIED_SIZE) return null;
  const place = places[size];
  if (place === undefined)
    throw new Error(`a film of "${size}" was drawn nowhere; drawn were ${Object.keys(places).join(", ")}`);
  const length = place.width * place.height * 4;
  if (stdout.length !== length * chunks.length)
    throw new Error(`${chunks.length} pictures came, ffmpeg decodes ${stdout.length / length}`);
  const pictures = chunks.map(({ atMs }, nth) => ({
    atMs,
    rgba: stdout.subarray(nth * length, (nth + 1) * length),
  }));
  return { place, pictures };
}
