import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { takePatch } from "../../src/framebuffer/patch.ts";
import { type Rect, rect } from "../../src/framebuffer/rect.ts";
import { findExact } from "../../src/framebuffer/search-exact.ts";
import { findTolerant } from "../../src/framebuffer/search-tolerant.ts";
import { addNoise } from "../../test/framebuffer/frames.ts";
import { judged, type Line } from "../line.ts";
import { measure } from "../stopwatch.ts";
import type { Scene } from "./scene.ts";

const RUNS = 15;
const TOLERANCE = 16;
const SIZES = [
  [64, 64],
  [128, 32],
  [300, 100],
] as const;
const SCRIPT = fileURLToPath(new URL("opencv.py", import.meta.url));

/** P10: looking for a patch in the whole frame, exactly and under noise, beside OpenCV's matchTemplate. */
export async function benchAnchor({ frame, name }: Scene, isShort: boolean): Promise<Line[]> {
  const noisy = new Framebuffer(frame.width, frame.height, { hasKernels: true });
  noisy.words.set(frame.words);
  addNoise(noisy, 6, 1);
  const lines: Line[] = [];
  const opencv = timesOfOpenCv(frame, SIZES.map(placeOf));
  for (const [i, size] of SIZES.entries()) {
    const place = placeOf(size);
    const patch = takePatch(frame, place);
    const label = `${size[0]}x${size[1]}, ${name}`;
    const exact = {
      name: `anchor, exact, ${label}`,
      run: async () => findExact(frame, patch, frame.rect, 2),
    };
    const tolerant = {
      name: `anchor, tolerant, ${label}`,
      run: async () => findTolerant(noisy, patch, noisy.rect, TOLERANCE),
    };
    for (const { places } of [await exact.run(), await tolerant.run()]) {
      if (places.length !== 1 || places[0]?.x !== place.x || places[0].y !== place.y) {
        throw new Error(
          `P10: the patch of ${label} was not found where it is, but at ${JSON.stringify(places)}`,
        );
      }
    }
    const times = await measure([exact, tolerant], RUNS, isShort);
    for (const [what, goal] of [
      [exact, 30],
      [tolerant, 8],
    ] as const) {
      const ours = times.get(what.name);
      const theirs = opencv?.[i];
      if (ours === undefined || theirs === undefined) continue;
      const pair = { id: "P10", metric: what.name, unit: "ms", ours: ours.p50 };
      lines.push(judged({ ...pair, peer: "OpenCV matchTemplate", theirs, goal: { atLeast: goal } }));
    }
  }
  return lines;
}

/** Where the text is, so that a patch looks like nothing else. */
function placeOf([width, height]: readonly [number, number]): Rect {
  return rect(301, 413, width, height);
}

/** Median milliseconds of each place; null, loudly, where this machine has no OpenCV. */
function timesOfOpenCv(frame: Framebuffer, places: readonly Rect[]): number[] | null {
  const folder = mkdtempSync(join(tmpdir(), "oc-bench-"));
  try {
    const file = join(folder, "frame.rgba");
    writeFileSync(file, frame.bytes);
    const numbers = places.flatMap(({ x, y, width, height }) => [x, y, width, height]);
    const args = [SCRIPT, file, frame.width, frame.height, ...numbers].map(String);
    const { status, stdout, stderr } = spawnSync("/usr/bin/python3", args, { encoding: "utf8" });
    if (status !== 0) {
      process.stderr.write(
        `SKIPPED P10: no OpenCV here (apt-get install python3-opencv): ${stderr.trim().split("\n").at(-1)}\n`,
      );
      return null;
    }
    return stdout.trim().split("\n").map(Number);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
