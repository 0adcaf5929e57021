/** A hand cannot tell more places of a timeline apart. */
const PLACES = 300;
const LEAST_STEP_MS = 250;

/**
 * How far thumbnails lie apart: doubling with the length, so that those of a recording that grows stay where they are.
 */
export function thumbnailStepMs(durationMs: number): number {
  let stepMs = LEAST_STEP_MS;
  while (stepMs * PLACES < durationMs) stepMs *= 2;
  return stepMs;
}

/** Of the numbers that are there, the one nearest to `wanted`; null where there is none. */
export function nearestOf(there: Iterable<number>, wanted: number): number | null {
  let nearest: number | null = null;
  for (const number of there) {
    if (nearest === null || Math.abs(number - wanted) < Math.abs(nearest - wanted)) nearest = number;
  }
  return nearest;
}
