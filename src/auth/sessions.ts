import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import type { Principal } from "./principal.ts";

export interface SessionLimits {
  /** Without a request or an open socket. */
  readonly idleMs: number;
  /** From the sign-in, whatever happens. */
  readonly absoluteMs: number;
  /** Beyond it the session that was idle longest ends. */
  readonly maxSessions: number;
  /** The same among those of one principal: who signs in again and again ends nobody else's. */
  readonly maxOfPrincipal: number;
}

const SESSION_LIMITS: SessionLimits = {
  idleMs: 60 * 60_000,
  absoluteMs: 12 * 60 * 60_000,
  maxSessions: 1000,
  maxOfPrincipal: 100,
};

/** Why a session is over: unused for too long, as old as one may be, ended by somebody, or one of too many. */
export type SessionEnd = "idle" | "expired" | "ended" | "replaced";

/** Ends that are told of; of those before nothing is known any more. */
const MOST_ENDS = 1000;

interface Session {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  usedAtMs: number;
}

/** Browser sessions, kept in memory: a restart signs everybody out. */
export class Sessions {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  /** By hash of the identifier, least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** By hash of the identifier, the oldest first. */
  readonly #ends = new Map<string, SessionEnd>();
  #onEnded: () => void = () => undefined;

  constructor(clock: Clock, limits: SessionLimits = SESSION_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get lifetimeMs(): number {
    return this.#limits.absoluteMs;
  }

  /** Opens a session and gives its identifier: 256 random bits, for the cookie only. It lasts `mostMs` at most. */
  open(principal: Principal, mostMs = this.#limits.absoluteMs): string {
    const nowMs = this.#clock.nowMs();
    this.#makeRoom(nowMs);
    this.#makeOwnRoom(principal.id);
    const id = randomBytes(32).toString("base64url");
    this.#sessions.set(hash(id), {
      principal,
      expiresAtMs: nowMs + Math.min(mostMs, this.#limits.absoluteMs),
      usedAtMs: nowMs,
    });
    return id;
  }

  /** Who is signed in by it, and counts as a use; null when it ended. */
  find(id: string): Principal | null {
    const key = hash(id);
    const session = this.#sessions.get(key);
    if (session === undefined) return null;
    this.#sessions.delete(key);
    const nowMs = this.#clock.nowMs();
    const end = this.#endOf(session, nowMs);
    if (end !== null) {
      this.#note(key, end);
      return null;
    }
    session.usedAtMs = nowMs;
    this.#sessions.set(key, session);
    return session.principal;
  }

  /** Whose it is, why it is over, or "unknown": never opened here, of before the start, or long over. No use of it. */
  fate(id: string): Principal | SessionEnd | "unknown" {
    const key = hash(id);
    const session = this.#sessions.get(key);
    if (session === undefined) return this.#ends.get(key) ?? "unknown";
    return this.#endOf(session, this.#clock.nowMs()) ?? session.principal;
  }

  /** For who decides about a session without using it, and keeps nothing that a cookie could be made of. */
  handle(id: string): { isOpen(): boolean; end(): void } {
    const key = hash(id);
    return {
      isOpen: () => {
        const session = this.#sessions.get(key);
        return session !== undefined && this.#endOf(session, this.#clock.nowMs()) === null;
      },
      end: () => void this.#end(key),
    };
  }

  /** False where there was none. */
  end(id: string): boolean {
    return this.#end(hash(id));
  }

  /** Calls it after each session that was ended, not for those whose time is over. */
  whenEnded(call: () => void): void {
    this.#onEnded = call;
  }

  #end(key: string): boolean {
    const wasOpen = this.#sessions.delete(key);
    if (wasOpen) {
      this.#note(key, "ended");
      this.#onEnded();
    }
    return wasOpen;
  }

  #endOf(session: Session, nowMs: number): "idle" | "expired" | null {
    if (nowMs >= session.expiresAtMs) return "expired";
    return nowMs - session.usedAtMs >= this.#limits.idleMs ? "idle" : null;
  }

  #note(key: string, end: SessionEnd): void {
    this.#ends.set(key, end);
    for (const oldest of this.#ends.keys()) {
      if (this.#ends.size <= MOST_ENDS) return;
      this.#ends.delete(oldest);
    }
  }

  #drop(key: string, end: SessionEnd): void {
    this.#sessions.delete(key);
    this.#note(key, end);
  }

  #makeOwnRoom(principalId: string): void {
    const own = [...this.#sessions].filter(([, { principal }]) => principal.id === principalId);
    const excess = own.length - this.#limits.maxOfPrincipal + 1;
    for (const [key] of own.slice(0, Math.max(0, excess))) this.#drop(key, "replaced");
  }

  #makeRoom(nowMs: number): void {
    for (const [key, session] of this.#sessions) {
      const end = this.#endOf(session, nowMs);
      if (end === null && this.#sessions.size < this.#limits.maxSessions) return;
      this.#drop(key, end ?? "replaced");
    }
  }
}

function hash(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}
