import type { Clock } from "../../platform/clock.ts";
import type { DesktopState } from "../connections/reconnecting-link.ts";
import { type LinkError, RefusedError } from "../error.ts";
import type { DesktopEvent } from "../events/desktop-event.ts";

interface Awaited {
  readonly state: DesktopState;
  on(listener: (event: DesktopEvent) => void): () => void;
}

interface Wait {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  noPicture(): RefusedError;
}

/** Resolves when a desktop has its first picture; rejects with the LinkError or RefusedError that says why not. */
export function awaitPicture(
  desktop: Awaited,
  hasPicture: () => boolean,
  { clock, timeoutMs, signal, noPicture }: Wait,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: LinkError | RefusedError): void => {
      off();
      cancel();
      signal?.removeEventListener("abort", onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const look = (): void => {
      const { state } = desktop;
      if (hasPicture()) settle();
      else if (state.kind === "failed") settle(state.error);
      else if (state.kind === "closed") settle(new RefusedError("not_found", "the desktop was removed"));
    };
    const onAbort = (): void => settle(new RefusedError("cancelled", "the call was cancelled"));
    const off = desktop.on(look);
    const cancel = clock.after(timeoutMs, () => settle(noPicture()));
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    else look();
  });
}
