import type { ServerResponse } from "node:http";
import type { Authenticator, Credential } from "../../auth/authenticator.ts";
import type { Clock } from "../../platform/clock.ts";
import { whenGone } from "../../platform/when-gone.ts";

const CHECK_EVERY_MS = 1000;

/** Owns the answers that last, as MCP's do: cuts each within a second when its credential is void. */
export class StreamKeeper {
  readonly #authenticator: Pick<Authenticator, "isStillValid">;
  readonly #clock: Clock;
  readonly #open = new Map<ServerResponse, Credential>();
  #cancelCheck: (() => void) | null = null;

  constructor(authenticator: Pick<Authenticator, "isStillValid">, clock: Clock) {
    this.#authenticator = authenticator;
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Until the answer is over. What was asked for is cancelled with it: who answers hears that nobody listens. */
  add(response: ServerResponse, credential: Credential): void {
    this.#open.set(response, credential);
    whenGone(response, () => this.#open.delete(response));
    this.#scheduleCheck();
  }

  close(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = null;
  }

  #scheduleCheck(): void {
    if (this.#cancelCheck !== null || this.#open.size === 0) return;
    this.#cancelCheck = this.#clock.after(CHECK_EVERY_MS, () => {
      this.#cancelCheck = null;
      for (const [response, credential] of this.#open) {
        if (!this.#authenticator.isStillValid(credential)) response.destroy();
      }
      this.#scheduleCheck();
    });
  }
}
