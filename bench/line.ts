import { type Goal, judge } from "./goal.ts";
import type { Times } from "./stopwatch.ts";

/** One row of the result: ours beside a peer of the same run. Amounts are medians unless the metric says otherwise. */
export interface Line {
  /** Of the goals in docs/performance.md: "P6"; "-" where it has none. */
  readonly id: string;
  readonly metric: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: string;
  readonly theirs: number;
  readonly ratio: string;
  /** "" where there is none. */
  readonly goal: string;
  /** null where there is no goal. */
  readonly isMet: boolean | null;
}

export interface Pair {
  readonly id: string;
  readonly metric: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: string;
  readonly theirs: number;
  readonly goal: Goal;
}

/** A row judged by its goal. */
export function judged({ goal, ...pair }: Pair): Line {
  return { ...pair, ...judge(goal, pair.ours, pair.theirs, pair.unit) };
}

/** Pairs the medians of what was measured together; throws where a name was not measured. */
export function line(
  times: ReadonlyMap<string, Times>,
  metric: string,
  peer: string,
  aim: { readonly id: string; readonly goal: Goal } | null = null,
): Line {
  const ours = times.get(metric);
  const theirs = times.get(peer);
  if (ours === undefined || theirs === undefined) throw new Error(`${metric} or ${peer} was not measured`);
  const pair = { id: aim?.id ?? "-", metric, unit: "ms", ours: ours.p50, peer, theirs: theirs.p50 };
  if (aim !== null) return judged({ ...pair, goal: aim.goal });
  return { ...pair, ratio: `${(ours.p50 / theirs.p50).toFixed(2)}x`, goal: "", isMet: null };
}

const HEAD = ["", "metric", "ours", "peer of the same run", "peer's", "ratio", "goal", "met"];
/** Columns of words; numbers stand to the right. */
const WORDS: ReadonlySet<number> = new Set([0, 1, 3, 6, 7]);

/** A table for people. */
export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ id, metric, unit, ours, peer, theirs, ratio, goal, isMet }) => [
    id,
    metric,
    `${amount(ours)} ${unit}`,
    peer,
    `${amount(theirs)} ${unit}`,
    ratio,
    goal,
    isMet === null ? "" : isMet ? "yes" : "NO",
  ]);
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    WORDS.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return all.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

function amount(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
