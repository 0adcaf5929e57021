/** Distances that people count in: seconds, then minutes, then hours. */
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800].map(
  (seconds) => seconds * 1000,
);
const DAY_MS = 86_400_000;

/** The times that stand above a timeline: 0 and round ones after it, at most so many. */
export function rulerTimes(durationMs: number, most: number): readonly number[] {
  const leastMs = durationMs / Math.max(1, most);
  const stepMs = STEPS_MS.find((step) => step >= leastMs) ?? DAY_MS * Math.ceil(leastMs / DAY_MS);
  const times: number[] = [];
  for (let ms = 0; ms < durationMs && times.length < most; ms += stepMs) times.push(ms);
  return times;
}
