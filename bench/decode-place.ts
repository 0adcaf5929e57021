import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CrowdTarget } from "../test/e2e/targets/crowd-target.ts";
import type { Owner } from "../test/support/program.ts";
import type { PlaceCost } from "./decode-place-run.ts";
import type { Line } from "./line.ts";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("decode-place-run.ts", import.meta.url));

/** 1920x1088 in tiles of 16. */
const COLUMNS = 120;
const ROWS = 68;

/** What a heavy target costs everybody else: decoded in a thread of its own, beside decoded on the main thread. */
export async function benchDecodePlace(owner: Owner, isShort: boolean): Promise<Line[]> {
  const target = await CrowdTarget.start(owner, COLUMNS, ROWS);
  const [warm, pages, rounds] = isShort ? [3, 10, 1] : [60, 200, 3];
  const costs: Record<"main" | "worker", PlaceCost[]> = { main: [], worker: [] };
  for (let round = 0; round < rounds; round++) {
    for (const place of ["main", "worker"] as const) {
      const args = ["--import=tsx", SCRIPT, place, `${target.port}`, `${warm}`, `${pages}`];
      costs[place].push(JSON.parse((await run(process.execPath, args)).stdout));
    }
  }
  const compare = (metric: string, unit: string, of: (cost: PlaceCost) => number): Line => {
    const [ours, theirs] = [median(costs.worker.map(of)), median(costs.main.map(of))];
    const ratio = `${(ours / theirs).toFixed(2)}x`;
    return {
      id: "DECODE",
      metric,
      unit,
      ours,
      peer: "the main thread",
      theirs,
      ratio,
      goal: "",
      isMet: null,
    };
  };
  const what = `Hextile of single pixels, 1920x1088, ${pages} pages, decoded in a thread`;
  return [
    compare(`${what}: longest turn of the main loop`, "ms", ({ longestMs }) => longestMs),
    compare(`${what}: most work of the main thread in one turn`, "ms", ({ mostWorkMs }) => mostWorkMs),
    compare(`${what}: 99th percentile of its turns`, "ms", ({ highMs }) => highMs),
    compare(`${what}: usual turn of the main loop`, "ms", ({ usualMs }) => usualMs),
    compare(`${what}: CPU a page`, "ms", ({ cpuMs }) => cpuMs),
    compare(`${what}: pages a second`, "", ({ pagesPerSecond }) => pagesPerSecond),
    compare(`${what}: memory of the process`, "MB", ({ residentBytes }) => residentBytes / 1e6),
  ];
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
