import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import type { Principal } from "./principal.ts";
import type { KeptSession } from "./stored-session.ts";

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

/** Where open sessions outlast the process, SessionFile, or are those of several nodes. */
export interface SessionKeeper {
  /** Least recently used first. Never rejects. */
  read(): Promise<readonly KeptSession[]>;
  /** Some were opened, proven or ended, the `changed`; none: it is time to write down when each was used. */
  write(open: () => readonly KeptSession[], changed: ReadonlySet<string>): void;
  /** One was used just now. */
  used?(session: KeptSession): void;
  /** From now on calls `told` where another node opened one, used or ended it (null). */
  follow?(told: (key: string, session: KeptSession | null) => void): void;
  /** Ends those of other nodes whose proof is so, here at once; gives whose they were. */
  endElsewhere?(isMeant: (proof: unknown) => boolean): Promise<readonly Principal[]>;
  /** Resolves when what was written is kept, or could not be. */
  flush(): Promise<void>;
}

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

/** Browser sessions: in memory and, with a keeper, kept over a restart or for all nodes of a fleet. */
export class Sessions {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #keeper: SessionKeeper | null;
  /** Keys of those that were opened, proven or ended since the last write. */
  #changed = new Set<string>();
  #writtenAtMs: number;
  /** By hash of the identifier, least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** By hash of the identifier, the oldest first. */
  readonly #ends = new Map<string, SessionEnd>();
  /** Of before the restart, with a proof that nobody judged yet: they open nothing. */
  readonly #returned = new Map<string, Session>();
  #onEnded: () => void = () => undefined;

  constructor(clock: Clock, limits: SessionLimits = SESSION_LIMITS, keeper: SessionKeeper | null = null) {
    this.#clock = clock;
    this.#limits = limits;
    this.#keeper = keeper;
    this.#writtenAtMs = clock.nowMs();
  }

  /** With those that were open when the process before ended, or are so at other nodes. */
  static async open(
    clock: Clock,
    keeper: SessionKeeper,
    limits: SessionLimits = SESSION_LIMITS,
  ): Promise<Sessions> {
    const sessions = new Sessions(clock, limits, keeper);
    const latestMs = clock.nowMs() + limits.absoluteMs;
    for (const { key, expiresAtMs, ...kept } of await keeper.read()) {
      // A clock that was set back makes none last longer than a new one.
      const session: Session = { ...kept, expiresAtMs: Math.min(expiresAtMs, latestMs) };
      (kept.proof === null ? sessions.#sessions : sessions.#returned).set(key, session);
    }
    keeper.follow?.((key, session) => sessions.#told(key, session));
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
    await this.#keeper?.flush();
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
    const key = hash(id);
    this.#sessions.set(key, {
      principal,
      expiresAtMs: nowMs + Math.min(mostMs, this.#limits.absoluteMs),
      usedAtMs: nowMs,
      proof: null,
    });
    this.#write(key);
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
    this.#keeper?.used?.({ key, ...session });
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

  /** Ends those that other nodes of a fleet opened with such a proof; gives whose they were. */
  async endElsewhere(isMeant: (proof: unknown) => boolean): Promise<readonly Principal[]> {
    return (await this.#keeper?.endElsewhere?.(isMeant)) ?? [];
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
        this.#write(key);
      },
    };
  }

  #write(key?: string): void {
    if (key !== undefined) this.#changed.add(key);
    this.#writtenAtMs = this.#clock.nowMs();
    const open = () => [...this.#sessions].map(([at, session]): KeptSession => ({ key: at, ...session }));
    const changed = this.#changed;
    this.#changed = new Set();
    this.#keeper?.write(open, changed);
  }

  /** Of another node. */
  #told(key: string, kept: KeptSession | null): void {
    const known = this.#sessions.get(key);
    if (kept === null) {
      if (known === undefined) return;
      this.#sessions.delete(key);
      this.#note(key, "ended");
      this.#onEnded();
    } else if (known === undefined) {
      // One of before the restart, which is judged first.
      if (kept.proof !== null) return;
      const { key: _key, ...session } = kept;
      const latestMs = this.#clock.nowMs() + this.#limits.absoluteMs;
      this.#sessions.set(key, { ...session, expiresAtMs: Math.min(session.expiresAtMs, latestMs) });
    } else {
      known.usedAtMs = Math.max(known.usedAtMs, kept.usedAtMs);
    }
  }

  #end(key: string): boolean {
    const wasOpen = this.#sessions.delete(key);
    if (wasOpen) {
      this.#write(key);
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

  /** Written down by who makes room for one that is opened. */
  #drop(key: string, end: SessionEnd): void {
    this.#sessions.delete(key);
    this.#changed.add(key);
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
