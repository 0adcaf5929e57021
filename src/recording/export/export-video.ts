import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { RefusedError } from "../../desktop/error.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { matroskaFrameHead, matroskaHead } from "../../protocols/recording/matroska.ts";
import type { ExportFrame } from "./export-frames.ts";

export type VideoFormat = "mp4" | "webm";

/**
 * Both can be written to a pipe: fragments instead of an index at the end. No frames that refer forwards, which would
 * begin the video later than 0.
 */
const ENCODERS: Readonly<Record<VideoFormat, readonly string[]>> = {
  mp4: [
    ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-bf", "0", "-pix_fmt", "yuv420p"],
    ...["-movflags", "frag_keyframe+empty_moov+default_base_moof", "-f", "mp4"],
  ],
  webm: [
    ...["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1"],
    ...["-crf", "32", "-b:v", "0", "-pix_fmt", "yuv420p", "-f", "webm"],
  ],
};

/** What of ffmpeg's complaints is kept for the error. */
const MOST_WORDS = 400;

/**
 * The frames as a video, by the ffmpeg of this computer, while it is made. Rejects with RefusedError not_supported where
 * there is none or it fails, and ends it when nobody reads on.
 */
export async function* exportVideo(
  frames: AsyncIterable<ExportFrame & Size>,
  format: VideoFormat,
  ffmpeg = "ffmpeg",
): AsyncGenerator<Uint8Array> {
  const child = spawn(
    ffmpeg,
    [
      ...["-hide_banner", "-loglevel", "error", "-nostdin", "-f", "matroska", "-i", "pipe:0"],
      // yuv420p halves both sides; an odd one gets a line of black.
      ...["-an", "-fps_mode", "vfr", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"],
      ...["-force_key_frames", "expr:gte(t,n_forced*5)", ...ENCODERS[format], "pipe:1"],
    ],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const { stdin, stdout, stderr } = child;
  let words = "";
  stderr.on("data", (chunk) => {
    words = `${words}${chunk}`.slice(-MOST_WORDS);
  });
  // A broken pipe is ffmpeg's end, which its exit tells.
  stdin.on("error", () => {});
  const ended = endOf(child);
  // Handled below; until then it must not count as unheard.
  ended.catch(() => {});
  let fault: unknown = null;
  const fed = feed(frames, stdin).catch((error: unknown) => {
    fault = error;
    child.kill("SIGKILL");
  });
  try {
    for await (const chunk of stdout) yield chunk;
    const code = await ended;
    await fed;
    if (fault !== null) throw fault;
    if (code !== 0) {
      throw new RefusedError(
        "not_supported",
        `ffmpeg ended with ${code}: ${words.trim().replaceAll("\n", " ")}`,
      );
    }
  } finally {
    child.kill("SIGKILL");
    stdin.destroy();
  }
}

async function endOf(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve, reject) => {
    child.once("close", (code) => resolve(code));
    child.once("error", (cause) =>
      reject(
        new RefusedError(
          "not_supported",
          "video needs the program ffmpeg, which could not be started: install it, or export gif or html",
          { cause },
        ),
      ),
    );
  });
}

async function feed(frames: AsyncIterable<ExportFrame & Size>, stdin: Writable): Promise<void> {
  let last: (ExportFrame & Size) | null = null;
  for await (const frame of frames) {
    if (stdin.destroyed) return;
    const { width, height } = frame;
    if (last === null) stdin.write(matroskaHead({ width, height, codec: "V_UNCOMPRESSED" }));
    await put(stdin, frame.atMs, frame.rgba);
    last = frame;
  }
  // A video ends at its last picture: this one holds it for as long as it stood.
  if (last !== null) await put(stdin, last.atMs + last.durationMs, last.rgba);
  stdin.end();
}

async function put(stdin: Writable, atMs: number, rgba: Uint8Array): Promise<void> {
  if (stdin.destroyed) return;
  stdin.write(matroskaFrameHead(atMs, rgba.length));
  if (!stdin.write(rgba)) await Promise.race([once(stdin, "drain"), once(stdin, "close")]);
}
