import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SearchHitInfo } from "../../api/api.ts";
import { fetchHits } from "./recording-address.ts";

/** Who types is not asked about for every letter. */
const TYPING_MS = 250;

const NO_HITS: readonly SearchHitInfo[] = [];

/** The lines of text in a recording that have all words of a query, the oldest first; none while it is empty. */
export function useTextHits(recordingId: string, query: string): Signal<readonly SearchHitInfo[]> {
  const hits = useSignal(NO_HITS);
  const words = query.trim();
  useEffect(() => {
    if (words === "") {
      hits.value = NO_HITS;
      return undefined;
    }
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      fetchHits(recordingId, words, leaving.signal).then(
        (found) => {
          hits.value = found.filter(({ type }) => type === "text").sort((a, b) => a.at_ms - b.at_ms);
        },
        () => {
          // The list beside it is still searched; what cannot be read the player itself tells.
          if (!leaving.signal.aborted) hits.value = NO_HITS;
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [recordingId, words, hits]);
  return hits;
}
