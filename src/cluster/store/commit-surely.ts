import type { Clock } from "../../platform/clock.ts";
import { delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import type { Change, ClusterStore, Outcome } from "./store.ts";

const AGAIN_AFTER_MS = 50;

/**
 * Commits, and where no answer came commits the very same again until one does: every change is bound to a revision, so that it is
 * done once at most, and what was under way all the while can no longer be done after a later try was told no. Values must be
 * unique to who writes them (an id and a number): that is how a commit that was done before its repetition is known.
 *
 * `isDone: false` then means: it was not done, or it was and all of it was overwritten since; `found` is right in both. One
 * exception is left: of a key that is created, deleted by others and created by the late first try: never give such a key the same
 * name twice. Throws StoreError; `outcome_unknown` where it stays unknown for `withinMs`.
 */
export async function commitSurely(
  store: Pick<ClusterStore, "commit">,
  changes: readonly Change[],
  { clock, withinMs }: { readonly clock: Clock; readonly withinMs: number },
): Promise<Outcome> {
  const untilMs = clock.nowMs() + withinMs;
  let isUnknown = false;
  for (;;) {
    try {
      const outcome = await store.commit(changes);
      return isUnknown && !outcome.isDone ? judged(changes, outcome) : outcome;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "outcome_unknown") isUnknown = true;
      else if (error.code !== "unavailable") throw isUnknown ? unknown(error) : error;
      if (clock.nowMs() >= untilMs) throw isUnknown ? unknown(error) : error;
    }
    await delay(clock, AGAIN_AFTER_MS);
  }
}

function unknown(cause: StoreError): StoreError {
  return cause.code === "outcome_unknown"
    ? cause
    : new StoreError("outcome_unknown", `an earlier try was not answered, and then: ${cause.message}`, cause);
}

/** Whether the one that was not answered was done after all. */
function judged(changes: readonly Change[], outcome: Outcome & { readonly isDone: false }): Outcome {
  const writes = changes.filter((change) => change.kind !== "expect");
  for (const [index, change] of changes.entries()) {
    const found = outcome.found[index] ?? null;
    if (!("value" in change) || found?.value !== change.value) continue;
    if (change.kind === "create" || found.revision > change.revision) {
      return { isDone: true, revision: found.revision };
    }
  }
  // Nothing but deletions: who deleted them is all the same.
  const isGone = changes.every(({ kind }, index) => kind === "expect" || outcome.found[index] === null);
  return writes.length > 0 && writes.every(({ kind }) => kind === "delete") && isGone
    ? { isDone: true, revision: outcome.revision }
    : outcome;
}
