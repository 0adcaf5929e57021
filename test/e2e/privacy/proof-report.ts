import type { CoverMeter } from "./cover-meter.ts";
import type { Leak } from "./sight.ts";

interface Delays {
  /** From the target's change until a viewer sees it, in ms: the middle one of all cells, and of the slowest 5 % the fastest. */
  readonly delayP50: number | null;
  readonly delayP95: number | null;
}

/** One scene, of all rounds. */
export interface SceneReport extends Delays {
  readonly name: string;
  readonly frames: number;
  readonly leaks: number;
  /** Frames of the target itself in which a planted text stood: without them nothing was proven. */
  readonly truths: number;
  /** Clean cells that were covered longer than 500 ms, of all; null where none was looked at. */
  readonly lateShare: number | null;
}

export interface ProofReport extends Delays {
  readonly frames: Readonly<Record<string, number>>;
  readonly total: number;
  readonly leaks: readonly Leak[];
  readonly scenes: readonly SceneReport[];
  /** As of a scene: of all but the clean film. */
  readonly lateShare: number | null;
  /** Frames that tesseract's program read, those in which it read a planted text, and of the target's own those in which it read one. */
  readonly read: { readonly frames: number; readonly leaks: readonly string[]; readonly truths: number };
  /** What of the clean film's place was covered from a viewer, now and for long, and how many updates of it came a second. */
  readonly film: {
    readonly coveredShare: number | null;
    readonly lateShare: number | null;
    readonly picturesPerSecond: number;
  };
}

/** What a scene has shown so far. */
export class SceneTally {
  readonly name: string;
  frames = 0;
  leaks = 0;
  truths = 0;
  readonly #delays: number[] = [];
  #cleanCells = 0;
  #lateCells = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Counts what a meter measures from now on until what this gives is called. */
  measure(meter: CoverMeter): () => void {
    const { cleanCells, lateCells } = meter;
    const delays = meter.delays.length;
    return () => {
      this.#cleanCells += meter.cleanCells - cleanCells;
      this.#lateCells += meter.lateCells - lateCells;
      for (const delay of meter.delays.slice(delays)) this.#delays.push(delay);
    };
  }

  get report(): SceneReport {
    const { name, frames, leaks, truths } = this;
    const lateShare = this.#cleanCells === 0 ? null : this.#lateCells / this.#cleanCells;
    return { name, frames, leaks, truths, lateShare, ...delaysOf(this.#delays) };
  }
}

export function delaysOf(delays: readonly number[]): Delays {
  const sorted = [...delays].sort((a, b) => a - b);
  const at = (share: number): number | null => sorted[Math.floor(sorted.length * share)] ?? null;
  return { delayP50: at(0.5), delayP95: at(0.95) };
}
