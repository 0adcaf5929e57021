import type { Clock } from "../platform/clock.ts";

/** For what is told by nobody: another process that changes the tokens, and time. With what it takes to close, below a second. */
const CHECK_EVERY_MS = 500;

/** Tells who keeps a connection open that its credential counts no more: revoked here or elsewhere, signed out, too old. */
export class CredentialWatch<Credential> {
  readonly #isStillValid: (credential: Credential) => boolean;
  readonly #clock: Clock;
  readonly #watched = new Set<{ readonly credential: Credential; readonly onVoid: () => void }>();
  #cancelCheck: (() => void) | null = null;

  constructor(isStillValid: (credential: Credential) => boolean, clock: Clock) {
    this.#isStillValid = isStillValid;
    this.#clock = clock;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Calls `onVoid` once, within a second of the credential's end; the returned function stops watching. */
  add(credential: Credential, onVoid: () => void): () => void {
    const entry = { credential, onVoid };
    this.#watched.add(entry);
    this.#schedule();
    return () => {
      this.#watched.delete(entry);
      if (this.#watched.size > 0) return;
      this.#cancelCheck?.();
      this.#cancelCheck = null;
    };
  }

  /** Looks at all now: who knows that something ended need not wait for the timer. */
  check(): void {
    for (const entry of this.#watched) {
      if (this.#isStillValid(entry.credential)) continue;
      this.#watched.delete(entry);
      entry.onVoid();
    }
  }

  /** One timer for all: another process may change the tokens, and sessions end by time. */
  #schedule(): void {
    if (this.#cancelCheck !== null || this.#watched.size === 0) return;
    this.#cancelCheck = this.#clock.after(CHECK_EVERY_MS, () => {
      this.#cancelCheck = null;
      this.check();
      this.#schedule();
    });
  }
}
