/** A signal that aborts when the first of several does, until it is let go. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** The others keep nothing of it from then on. */
  release(): void;
}

/**
 * As AbortSignal.any, for signals that live long: that one leaves some 60 bytes in each of them for good
 * (Node 20.20, 2026-11-21).
 */
export function joinSignals(signals: readonly AbortSignal[]): JoinedSignal {
  const own = new AbortController();
  const listeners = signals.map((signal) => {
    const onAbort = (): void => own.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    return () => signal.removeEventListener("abort", onAbort);
  });
  return {
    signal: own.signal,
    release: () => {
      for (const off of listeners) off();
    },
  };
}
