/**
 * Work that yields between its steps, so that others have a turn there. Who begins it says whether it goes on at once
 * (`finish`) or over turns of the event loop.
 */
export type Steps<Result> = Generator<unknown, Result, undefined>;

/** Does all that is left of it, at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
