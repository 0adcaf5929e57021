/** Milliseconds of each run, sorted. */
export interface Times {
  readonly p50: number;
  readonly p95: number;
  readonly runs: number;
}

export interface Measure {
  readonly name: string;
  run(): Promise<unknown>;
}

/** What the engine compiles while it runs for the first time does not count. */
const WARM_UPS = 5;

/**
 * Times several things in turn, one run of each at a time: what else the machine does falls on all alike, so that
 * their ratio means something. The first runs of each are not counted. The short form runs each once: it shows that all
 * of them work, and nothing about time.
 */
export async function measure(
  things: readonly Measure[],
  fullRuns: number,
  isShort: boolean,
): Promise<Map<string, Times>> {
  const runs = isShort ? 1 : fullRuns;
  const warmUps = isShort ? 0 : WARM_UPS;
  const times = new Map(things.map(({ name }) => [name, [] as number[]]));
  for (let run = -warmUps; run < runs; run++) {
    for (const { name, run: go } of things) {
      const startedAt = performance.now();
      await go();
      if (run >= 0) times.get(name)?.push(performance.now() - startedAt);
    }
  }
  return new Map([...times].map(([name, list]) => [name, summary(list)]));
}

/** Percentiles of a list of any order. */
export function summary(list: readonly number[]): Times {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), runs: sorted.length };
}
