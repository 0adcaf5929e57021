/** Time as the heart sees it; tests hand in one they move themselves. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  nowMs(): number;
  /** Wall time, for people and logs. */
  date(): Date;
  /** Calls back once after `delayMs`; the returned function cancels. `isIdle`: a process need not live until then. */
  after(delayMs: number, call: () => void, options?: { readonly isIdle?: boolean }): () => void;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  date: () => new Date(),
  after(delayMs, call, { isIdle = false } = {}) {
    const timer = setTimeout(call, delayMs);
    if (isIdle) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`; rejects with the signal's reason when it aborts first. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
