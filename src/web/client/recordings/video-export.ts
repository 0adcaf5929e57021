import type { Size } from "../../../framebuffer/rect.ts";
import { matroskaFrameHead, matroskaHead } from "../../../protocols/recording/matroska.ts";
import { t } from "../language/language.ts";
import { get } from "../player/recording-address.ts";
import { saveFile } from "../shell/save-file.ts";

/** One line of `export.frames`: what differs from the picture before, at a time of the export. */
interface FrameLine extends Size {
  readonly at: number;
  readonly duration: number;
  readonly key: boolean;
  readonly parts: readonly (readonly [number, number, string])[];
}

/** VP9 keeps text sharp; VP8 is what every browser with an encoder has. */
const CODECS = [
  { name: "vp09.00.50.08", codec: "V_VP9" },
  { name: "vp8", codec: "V_VP8" },
] as const;
const BITS_PER_SECOND = 8_000_000;
/** A player seeks to the picture before that is whole. */
const KEY_MS = 5000;
/** Pictures given to the encoder and not done yet: each is as large as the screen. */
const MOST_QUEUED = 4;

/** Whether this browser encodes video; browsers do on pages that came over TLS or from this computer. */
export function canExportVideo(): boolean {
  return "VideoEncoder" in globalThis;
}

/**
 * Makes a WebM of the pictures at `address` (`export.frames` of a range) and lets the browser save it. `told`: how much
 * is done, 0 to 1. Rejects with ApiError, or Error where no codec takes pictures of that size.
 */
export async function exportVideo(
  address: string,
  { durationMs, name }: { readonly durationMs: number; readonly name: string },
  told: (share: number) => void,
): Promise<void> {
  const response = await get(address, new AbortController().signal);
  if (!response.body) throw new Error(t`the pictures came without a body`);
  const film = new Film();
  for await (const line of linesOf(response.body)) {
    const frame: FrameLine = JSON.parse(line);
    await film.add(frame);
    told(Math.min(1, (frame.at + frame.duration) / Math.max(1, durationMs)));
  }
  saveFile(await film.end(), `${name}.webm`);
}

/** Pictures being made into a video. */
class Film {
  readonly #canvas = new OffscreenCanvas(1, 1);
  readonly #pen = this.#canvas.getContext("2d", { alpha: false });
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  #encoder: VideoEncoder | null = null;
  #fault: unknown = null;
  readonly #faults = new EventTarget();
  #endMs = 0;
  #keyAtMs = Number.NEGATIVE_INFINITY;

  async add(frame: FrameLine): Promise<void> {
    const encoder = this.#encoder ?? (await this.#begin(frame));
    const images = await Promise.all(frame.parts.map(([, , png]) => imageOf(png)));
    for (const [i, image] of images.entries()) {
      const [x, y] = frame.parts[i] ?? [0, 0];
      this.#pen?.drawImage(image, x, y);
      image.close();
    }
    this.#put(encoder, frame.at);
    this.#endMs = frame.at + frame.duration;
    while (encoder.encodeQueueSize > MOST_QUEUED && this.#fault === null) {
      await Promise.race([once(encoder, "dequeue"), once(this.#faults, "error")]);
    }
    if (this.#fault !== null) throw this.#fault;
  }

  /** The file; rejects where there was no picture or the encoder failed. */
  async end(): Promise<Blob> {
    const encoder = this.#encoder;
    if (encoder === null) throw new Error(t`there is no picture in this range`);
    if (this.#fault !== null) throw this.#fault;
    // A video ends at its last picture: this one holds it for as long as it stood.
    this.#put(encoder, this.#endMs);
    await encoder.flush();
    encoder.close();
    if (this.#fault !== null) throw this.#fault;
    return new Blob(this.#parts, { type: "video/webm" });
  }

  /** Both sides are even, as video has them: an odd one gets a line of black. */
  async #begin({ width: oddWidth, height: oddHeight }: Size): Promise<VideoEncoder> {
    const width = oddWidth + (oddWidth % 2);
    const height = oddHeight + (oddHeight % 2);
    Object.assign(this.#canvas, { width, height });
    for (const { name, codec } of CODECS) {
      const config = {
        ...{ codec: name, width, height, bitrate: BITS_PER_SECOND },
        latencyMode: "quality",
      } as const;
      const { supported = false } = await VideoEncoder.isConfigSupported(config);
      if (!supported) continue;
      const encoder = new VideoEncoder({
        output: (chunk) => this.#take(chunk),
        error: (error) => {
          this.#fault = error;
          this.#faults.dispatchEvent(new Event("error"));
        },
      });
      encoder.configure(config);
      this.#parts.push(matroskaHead({ width, height, codec }));
      this.#encoder = encoder;
      return encoder;
    }
    throw new Error(t`this browser encodes no video of ${width} × ${height} pixels`);
  }

  #put(encoder: VideoEncoder, atMs: number): void {
    const keyFrame = atMs - this.#keyAtMs >= KEY_MS;
    if (keyFrame) this.#keyAtMs = atMs;
    const picture = new VideoFrame(this.#canvas, { timestamp: atMs * 1000 });
    encoder.encode(picture, { keyFrame });
    picture.close();
  }

  #take(chunk: EncodedVideoChunk): void {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    this.#parts.push(matroskaFrameHead(chunk.timestamp / 1000, bytes.length, chunk.type === "key"), bytes);
  }
}

async function imageOf(base64: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return await createImageBitmap(new Blob([bytes], { type: "image/png" }));
}

async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function once(target: EventTarget, type: string): Promise<void> {
  return new Promise((done) => {
    target.addEventListener(type, () => done(), { once: true });
  });
}
