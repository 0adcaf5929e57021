import type { Clock } from "../../platform/clock.ts";

/** Sessions of one house; each costs a server object and, while a client listens, a socket. */
export const MAX_SESSIONS = 200;
/** So that one credential cannot take all of them. */
export const MAX_SESSIONS_A_PRINCIPAL = 50;
/** A session that nobody used for so long is ended; one with an open stream is in use. */
export const IDLE_MS = 30 * 60_000;

interface Entry<T> {
  readonly principalId: string;
  readonly value: T;
  /** Requests and streams that are open now. */
  open: number;
  usedAtMs: number;
  cancelExpiry: () => void;
}

/** The sessions of 2025-era clients: bound to the principal that opened them, bounded, and ended when idle. */
export class Sessions<T> {
  readonly #clock: Clock;
  readonly #end: (value: T) => void;
  readonly #entries = new Map<string, Entry<T>>();

  /** `end` is called once for each session that ends. */
  constructor(clock: Clock, end: (value: T) => void) {
    this.#clock = clock;
    this.#end = end;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Makes room for one more session of a principal; false where every other one is in use. */
  makeRoom(principalId: string): boolean {
    const own = [...this.#entries.values()].filter((entry) => entry.principalId === principalId).length;
    if (own >= MAX_SESSIONS_A_PRINCIPAL) return this.#endIdlest(principalId);
    return this.#entries.size < MAX_SESSIONS || this.#endIdlest(principalId) || this.#endIdlest(null);
  }

  add(id: string, principalId: string, value: T): void {
    const entry: Entry<T> = {
      principalId,
      value,
      open: 0,
      usedAtMs: this.#clock.nowMs(),
      cancelExpiry: () => {},
    };
    this.#entries.set(id, entry);
    this.#expireLater(id, entry, IDLE_MS);
  }

  /** null for an unknown id and, so that ids cannot be probed, for another principal's. */
  get(id: string, principalId: string): T | null {
    const entry = this.#entries.get(id);
    return entry === undefined || entry.principalId !== principalId ? null : entry.value;
  }

  /** Says that a request or stream of a session is open; call the returned function when it ends. */
  use(id: string): () => void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return () => {};
    entry.open++;
    entry.usedAtMs = this.#clock.nowMs();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      entry.open--;
      entry.usedAtMs = this.#clock.nowMs();
    };
  }

  end(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.cancelExpiry();
    this.#end(entry.value);
  }

  close(): void {
    for (const id of [...this.#entries.keys()]) this.end(id);
  }

  /** Of one principal, or of all. */
  #endIdlest(principalId: string | null): boolean {
    let idlest: { id: string; usedAtMs: number } | null = null;
    for (const [id, entry] of this.#entries) {
      if (entry.open > 0 || (principalId !== null && entry.principalId !== principalId)) continue;
      if (idlest === null || entry.usedAtMs < idlest.usedAtMs) idlest = { id, usedAtMs: entry.usedAtMs };
    }
    if (idlest === null) return false;
    this.end(idlest.id);
    return true;
  }

  #expireLater(id: string, entry: Entry<T>, delayMs: number): void {
    entry.cancelExpiry = this.#clock.after(delayMs, () => {
      const idleMs = this.#clock.nowMs() - entry.usedAtMs;
      if (entry.open === 0 && idleMs >= IDLE_MS) this.end(id);
      else this.#expireLater(id, entry, entry.open > 0 ? IDLE_MS : IDLE_MS - idleMs);
    });
  }
}
