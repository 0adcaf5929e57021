import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import type { Principal } from "./principal.ts";
import type { KeptSession, SessionFile } from "./session-file.ts";

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

/** How often uses are written down at most; who opens or ends a session is not waited for. */
const WRITTEN_EVERY_MS = 60_000;

interface Session {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  usedAtMs: number;
  /** See KeptSession. */
  proof: unknown;
}

/** Decides about a session without using it, and holds nothing that a cookie could be made of. */
export interface SessionHandle {
  isOpen(): boolean;
  end(): void;
  /** What is to be told of it after a restart; JSON. */
  prove(proof: unknown): void;
}

/** One of before the restart, which somebody has to vouch for. */
export interface ReturnedSession {
  readonly key: string;
  readonly principal: Principal;
  readonly proof: unknown;
  readonly handle: SessionHandle;
}

/** Browser sessions: in memory and, with a file, kept over a restart. */
export class Sessions {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #file: SessionFile | null;
  #writtenAtMs: number;
  /** By hash of the identifier, least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** By hash of the identifier, the oldest first. */
  readonly #ends = new Map<string, SessionEnd>();
  /** Of before the restart, with a proof that nobody judged yet: they open nothing. */
  readonly #returned = new Map<string, Session>();
  #onEnded: () => void = () => undefined;

  constructor(clock: Clock, limits: SessionLimits = SESSION_LIMITS, file: SessionFile | null = null) {
    this.#clock = clock;
    this.#limits = limits;
    this.#file = file;
    this.#writtenAtMs = clock.nowMs();
  }

  /** With those that were open when the process before ended. */
  static async open(
    clock: Clock,
    file: SessionFile,
    limits: SessionLimits = SESSION_LIMITS,
  ): Promise<Sessions> {
    const sessions = new Sessions(clock, limits, file);
    const latestMs = clock.nowMs() + limits.absoluteMs;
    for (const { key, expiresAtMs, ...kept } of await file.read()) {
      // A clock that was set back makes none last longer than a new one.
      const session: Session = { ...kept, expiresAtMs: Math.min(expiresAtMs, latestMs) };
      (kept.proof === null ? sessions.#sessions : sessions.#returned).set(key, session);
    }
    return sessions;
  }

  /**
   * Gives those of before the restart that were opened with a proof, once, to who can judge it; `judge` says whether one
   * counts. They open nothing until then.
   */
  takeBack(judge: (session: ReturnedSession) => boolean): void {
    const returned = [...this.#returned];
    this.#returned.clear();
    for (const [key, session] of returned) {
      const { principal, proof } = session;
      this.#sessions.set(key, session);
      if (!judge({ key, principal, proof, handle: this.#handle(key) })) this.#end(key);
    }
    if (returned.length > 0) this.#write();
  }

  /** Resolves when what was opened and ended so far is on the disk, or could not be. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Writes down when each was used last, and waits for it. */
  async close(): Promise<void> {
    this.#write();
    await this.flush();
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
      proof: null,
    });
    this.#write();
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
    if (nowMs - this.#writtenAtMs >= WRITTEN_EVERY_MS) this.#write();
    return session.principal;
  }

  /** Whose it is, why it is over, or "unknown": never opened here, over before the start, or long over. No use of it. */
  fate(id: string): Principal | SessionEnd | "unknown" {
    const key = hash(id);
    const session = this.#sessions.get(key);
    if (session === undefined) return this.#ends.get(key) ?? "unknown";
    return this.#endOf(session, this.#clock.nowMs()) ?? session.principal;
  }

  handle(id: string): SessionHandle {
    return this.#handle(hash(id));
  }

  /** False where there was none. */
  end(id: string): boolean {
    return this.#end(hash(id));
  }

  /** Calls it after each session that was ended, not for those whose time is over. */
  whenEnded(call: () => void): void {
    this.#onEnded = call;
  }

  #handle(key: string): SessionHandle {
    return {
      isOpen: () => {
        const session = this.#sessions.get(key);
        return session !== undefined && this.#endOf(session, this.#clock.nowMs()) === null;
      },
      end: () => void this.#end(key),
      prove: (proof) => {
        const session = this.#sessions.get(key);
        if (session === undefined) return;
        session.proof = proof;
        this.#write();
      },
    };
  }

  #write(): void {
    this.#writtenAtMs = this.#clock.nowMs();
    this.#file?.write(() => [...this.#sessions].map(([key, session]): KeptSession => ({ key, ...session })));
  }

  #end(key: string): boolean {
    const wasOpen = this.#sessions.delete(key);
    if (wasOpen) {
      this.#write();
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
