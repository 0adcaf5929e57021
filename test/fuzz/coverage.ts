import { type Profiler, Session } from "node:inspector";

/** Sources whose blocks guide the hunt. */
const GUIDING = "/src/protocols/";

/**
 * Which blocks of the protocols' code ran, how often, in powers of four: V8's own precise coverage. Only functions
 * compiled after `start` have blocks, so the targets are imported after it.
 */
export class Coverage {
  readonly #session = new Session();

  static start(): Coverage {
    const coverage = new Coverage();
    coverage.#session.connect();
    coverage.#session.post("Profiler.enable");
    coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return coverage;
  }

  /** The blocks that ran since the last call. */
  take(): Set<string> {
    const blocks = new Set<string>();
    this.#session.post("Profiler.takePreciseCoverage", (error, result) => {
      if (error !== null) throw error;
      for (const script of result.result) if (script.url.includes(GUIDING)) addBlocks(script, blocks);
    });
    return blocks;
  }

  close(): void {
    this.#session.disconnect();
  }
}

function addBlocks({ scriptId, functions }: Profiler.ScriptCoverage, blocks: Set<string>): void {
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      if (count > 0)
        blocks.add(`${scriptId}:${startOffset}:${endOffset}:${Math.floor(Math.log2(count) / 2)}`);
    }
  }
}
