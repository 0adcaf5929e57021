import { statSync } from "node:fs";
import { join } from "node:path";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { Program } from "../test/support/program.ts";
import { BY, RecordingDesk } from "../test/support/recording-desk.ts";
import { until } from "../test/support/until.ts";
import { cpuMs } from "./cpu.ts";

export const SCENES = ["idle", "typing", "scrolling", "dragging", "video"] as const;
export type Scene = (typeof SCENES)[number];

/** What a scene took, ours and that of ffmpeg beside it. */
export interface Taken {
  readonly scene: Scene;
  readonly id: string;
  readonly seconds: number;
  readonly bytes: number;
  /** Of them, for the first picture, which is whole. */
  readonly firstBytes: number;
  readonly frames: number;
  /** Of this process, with the desktop watched and with it recorded as well. */
  readonly watchedCpuMs: number;
  readonly recordedCpuMs: number;
  readonly peerBytes: number;
  readonly peerCpuMs: number;
}

/** Plays a scene on a display of its own; records it here and, at the same time, with ffmpeg. */
export async function takeScene(
  owner: Owner,
  folder: string,
  scene: Scene,
  seconds: number,
  watchedSeconds: number,
): Promise<{ readonly taken: Taken; readonly desk: RecordingDesk }> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  await display.openWindowManager();
  const page = "seq -w 1 2000 | tr '\\n' ' '; exec cat";
  const pageWindow = await display.openTerminal("page", "180x40+20+20", page);
  await play(display, scene, pageWindow);
  const desk = await RecordingDesk.open(owner, { port: display.vncPort }, join(folder, scene), {
    bytesPerMinute: 20_000_000,
  });
  const watcher = desk.desktop.view("viewer").watch(() => watcher.take());
  const watchedCpuMs = (await cpuWhile(watchedSeconds)) * (seconds / watchedSeconds);
  watcher.close();
  const { id } = await desk.recordings.start("d1", BY);
  const file = join(folder, `${scene}.mp4`);
  const ffmpeg = new Program(
    owner,
    "ffmpeg",
    [
      ...["-loglevel", "error", "-y", "-f", "x11grab", "-framerate", "10", "-video_size", "1920x1080"],
      ...["-i", display.name, "-c:v", "libx264", "-preset", "ultrafast", "-t", `${seconds}`, file],
    ],
    { env: display.env },
  );
  const peer = watchCpu(ffmpeg);
  const recordedCpuMs = await cpuWhile(seconds);
  const { bytes, counts } = await desk.recordings.stop(id);
  const reader = await desk.recordings.open(id);
  const [first] = await reader.chunks(0, 0);
  await reader.close();
  await until("ffmpeg's end", () => !ffmpeg.isRunning, 60_000);
  return {
    desk,
    taken: {
      ...{
        scene,
        id,
        seconds,
        bytes,
        firstBytes: first?.sizeBytes ?? 0,
        frames: counts.frames,
        watchedCpuMs,
        recordedCpuMs,
      },
      peerBytes: statSync(file).size,
      peerCpuMs: peer(),
    },
  };
}

async function play(display: XDisplay, scene: Scene, page: string): Promise<void> {
  const loop = (body: string): string => `i=0; while :; do i=$((i+1)); ${body}; done`;
  switch (scene) {
    case "idle":
      return;
    case "typing":
      await display.openTerminal("text", "100x30+400+300", loop("printf 'word%s ' $i; sleep 0.12"));
      return;
    case "scrolling":
      await display.openTerminal(
        "text",
        "150x50+300+100",
        loop("echo line $i of $(date +%N) and the rest of it; sleep 0.02"),
      );
      return;
    case "dragging":
      display.program(
        "sh",
        "-c",
        loop(`xdotool windowmove ${page} $((i % 60 * 9)) $((i % 40 * 7)); sleep 0.03`),
      );
      return;
    case "video":
      display.program(
        ...([
          "ffplay",
          "-loglevel",
          "error",
          "-noborder",
          "-left",
          "500",
          "-top",
          "300",
          "-f",
          "lavfi",
        ] as const),
        "testsrc2=size=1280x720:rate=25,noise=alls=20:allf=t",
      );
      await until("the video", async () => {
        const tree = await display.command("xwininfo", "-root", "-tree");
        return tree.includes("1280x720");
      });
  }
}

/** CPU of this process, all its threads, while so many seconds pass. */
async function cpuWhile(seconds: number): Promise<number> {
  const before = process.cpuUsage();
  const endMs = performance.now() + seconds * 1000;
  await until("the time to pass", () => performance.now() >= endMs, seconds * 2000 + 5000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Looks at a program's CPU time while it runs; gives the last that was seen. */
function watchCpu(program: Program): () => number {
  let seen = 0;
  const timer = setInterval(() => {
    if (program.isRunning) seen = Math.max(seen, cpuMs(program.pid));
  }, 200);
  return () => {
    clearInterval(timer);
    return seen;
  };
}
