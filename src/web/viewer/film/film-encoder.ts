import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Size } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import { FilmError, FlvVideo } from "./flv-video.ts";

/** What brings it, on Debian and what is made of it. */
export const INSTALL_LINE = "apt-get install ffmpeg";

/** What gives no picture in so long hangs: the first one takes a tenth of a second, and much longer where the processor is busy. */
const MOST_MS = 15_000;

/**
 * noVNC 1.7.0 takes each slice for a picture, and one profile and level for all films on a page (2026-11): so one
 * slice, no pictures that refer forwards, and level 5.1 for every size. zerolatency alone would cut slices. ffmpeg 5.1
 * drops the first picture with `nobuffer`, and waits for twenty with another probe size. A key picture comes first,
 * and no other.
 */
const argumentsOf = ({ width, height }: Size): string[] => [
  ...["-hide_banner", "-loglevel", "quiet", "-nostdin", "-probesize", "32", "-analyzeduration", "0"],
  ...["-fpsprobesize", "0", "-f", "rawvideo", "-pixel_format", "rgba", "-video_size", `${width}x${height}`],
  ...["-framerate", "30", "-i", "pipe:0", "-an", "-fps_mode", "passthrough"],
  ...["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709"],
  ...["-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"],
  ...["-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-profile:v", "baseline"],
  ...["-level", "5.1", "-crf", "27", "-x264-params"],
  "sliced-threads=0:slices=1:threads=1:keyint=infinite:scenecut=0:repeat-headers=1",
  ...["-f", "flv", "-flvflags", "no_duration_filesize", "-flush_packets", "1", "pipe:1"],
];

interface FilmEncoderPorts {
  readonly clock: Clock;
  /** Its name in PATH, or its path: ffmpeg with libx264. */
  readonly program: string;
  /** The next of the pictures that were put, as NAL units of annex B of H.264; the first one is a key picture. */
  encoded(picture: Uint8Array): void;
  /** It ended, or what it writes is of no use; it is closed. */
  failed(error: Error): void;
}

/** One film's encoder, a process of its own. Pictures come out in the order in which they were put, each at once. */
export class FilmEncoder {
  readonly #ports: FilmEncoderPorts;
  readonly #child: ChildProcessByStdio<Writable, Readable, null> | null;
  #waiting = 0;
  #isClosed = false;
  #cancelWatch: (() => void) | null = null;

  /** Both sides even, as 4:2:0 needs them. */
  constructor(ports: FilmEncoderPorts, size: Size) {
    this.#ports = ports;
    const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" };
    const video = new FlvVideo((picture) => this.#onPicture(picture));
    try {
      this.#child = spawn(ports.program, argumentsOf(size), { env, stdio: ["pipe", "pipe", "ignore"] });
    } catch (cause) {
      this.#child = null;
      this.#fail(new FilmError("the encoder could not be started", { cause }));
      return;
    }
    const { stdin, stdout } = this.#child;
    this.#child.once("error", (cause) => {
      this.#fail(new FilmError("the encoder could not be started", { cause }));
    });
    this.#child.once("close", (status, signal) => {
      this.#fail(new FilmError(`the encoder ended with ${signal ?? `status ${status}`}`));
    });
    // A broken pipe is the process's end, which its status tells.
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => {
      if (this.#isClosed) return;
      try {
        video.push(chunk);
      } catch (error) {
        this.#fail(error instanceof Error ? error : new FilmError(String(error)));
      }
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Pictures that were put and have not come out: who puts more than a few lets them pile up in memory. */
  get waiting(): number {
    return this.#waiting;
  }

  /** RGBA without padding, of the film's size; nobody writes to it from now on. Never waits for the process. */
  put(rgba: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waiting++;
    this.#child?.stdin.write(rgba);
    this.#watch();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelWatch?.();
    this.#child?.stdin.destroy();
    this.#child?.stdout.destroy();
    this.#child?.kill("SIGKILL");
  }

  #onPicture(picture: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waiting--;
    this.#cancelWatch?.();
    this.#cancelWatch = null;
    if (this.#waiting > 0) this.#watch();
    this.#ports.encoded(picture);
  }

  #watch(): void {
    this.#cancelWatch ??= this.#ports.clock.after(MOST_MS, () => {
      this.#fail(new FilmError(`the encoder gave no picture in ${MOST_MS} ms`));
    });
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.close();
    this.#ports.failed(error);
  }
}

/** Encodes one picture. Rejects with FilmError where the program is not there, or is none that can. */
export async function tryFilmEncoder(program: string, clock: Clock): Promise<void> {
  const size = { width: 64, height: 64 };
  let close = (): void => {};
  try {
    await new Promise<void>((resolve, failed) => {
      const encoder = new FilmEncoder({ clock, program, encoded: () => resolve(), failed }, size);
      close = () => encoder.close();
      encoder.put(new Uint8Array(size.width * size.height * 4));
    });
  } finally {
    close();
  }
}
