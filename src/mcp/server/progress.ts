import type { Clock } from "../../platform/clock.ts";

/** How often a client that wants to know is told that its call is still under way. */
const EVERY_MS = 5_000;

/** What a request must offer, as the SDK's does. */
export interface ToldRequest {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  notify(notification: {
    method: "notifications/progress";
    params: { progressToken: string | number; progress: number; message: string };
  }): Promise<void>;
}

/**
 * Tells a client that asked for progress, until the returned function is called: a call that waits for a human may take
 * longer than a client does by itself.
 */
export function tellProgress(request: ToldRequest, clock: Clock, tool: string): () => void {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let seconds = 0;
  const later = (): (() => void) =>
    clock.after(EVERY_MS, () => {
      seconds += EVERY_MS / 1000;
      const params = { progressToken, progress: seconds, message: `${tool} is under way for ${seconds} s` };
      // A client that is gone is noticed elsewhere.
      request.notify({ method: "notifications/progress", params }).catch(() => {});
      cancel = later();
    });
  let cancel = later();
  return () => cancel();
}
