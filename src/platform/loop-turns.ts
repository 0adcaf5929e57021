/** What work that is done in pieces may take of one turn of the event loop, all kinds together, in milliseconds. */
const TURN_MS = 8;

/** Kinds of such work, with what one of them may take of a turn. */
const MOST_MS = {
  /** Reading what targets send. */
  targets: 6,
  /** Encoding for viewers. */
  viewers: 3,
  /** All else: pictures, large bodies, text. What begins in a turn may be followed by one slice that waited. */
  slices: 5,
  /** Copying for recorders, whose time is kept in every turn: what waits for a later one may have changed by then. */
  copies: 2,
} as const;

export type WorkKind = keyof typeof MOST_MS;

const KINDS: readonly WorkKind[] = ["targets", "viewers", "slices", "copies"];

/** How long a slice holds the event loop before others get a turn; its last step may take half a millisecond more. */
const SLICE_MS = 2.5;

/** Turns in a row that are left to new connections: with as many between two slices hundreds are there within some slices. */
const MOST_ARRIVING = 32;

interface Line {
  readonly waiting: { readonly needMs: number; readonly call: () => void }[];
  usedMs: number;
  /** Of those who wait, how many may still go on in this turn. */
  left: number;
}

/**
 * Shares each turn of the event loop among all who have long work: of all kinds together no more is begun in a turn than
 * it has time for. Who finds its time used up waits for a later turn, in the order of asking; kinds take turns, so
 * that none waits longer because another has more to do.
 *
 * INVARIANT: what is first in a turn always fits, and each kind that waits is first in some turn: however long a piece
 * takes, it is done.
 */
export class LoopTurns {
  readonly #lines: Readonly<Record<WorkKind, Line>> = {
    targets: { waiting: [], usedMs: 0, left: 0 },
    viewers: { waiting: [], usedMs: 0, left: 0 },
    slices: { waiting: [], usedMs: 0, left: 0 },
    copies: { waiting: [], usedMs: 0, left: 0 },
  };
  #usedMs = 0;
  #number = 0;
  #isArmed = false;
  /** Where in KINDS the next turn begins. */
  #first = 0;
  #isArriving = false;
  #arriving = 0;

  /** Tells turns in which something was done apart. */
  get number(): number {
    return this.#number;
  }

  /** Whether others have slices to do: who begins now goes behind them. */
  get isShared(): boolean {
    return this.#lines.slices.waiting.length > 0;
  }

  /** True where so many milliseconds more of a kind fit into this turn. */
  hasTimeFor(kind: WorkKind, ms: number): boolean {
    if (this.#usedMs === 0) return true;
    const { usedMs } = this.#lines[kind];
    if (kind === "copies") return usedMs + ms <= MOST_MS.copies;
    const othersMs = this.#usedMs - this.#lines.copies.usedMs;
    return othersMs + ms <= TURN_MS - MOST_MS.copies && (usedMs === 0 || usedMs + ms <= MOST_MS[kind]);
  }

  /** Work took, or is about to take, so many milliseconds of this turn. */
  took(kind: WorkKind, ms: number): void {
    this.#lines[kind].usedMs += ms;
    this.#usedMs += ms;
    this.#arm();
  }

  /** Calls in a turn that has so much time. Who is called says what it took. */
  next(kind: WorkKind, needMs: number, call: () => void): void {
    this.#lines[kind].waiting.push({ needMs, call });
    this.#arm();
  }

  /** Gives everybody else a turn. One slice goes on in each: however many pictures are made at once, a turn holds one. */
  nextSlice(): Promise<void> {
    return new Promise((resolve) => {
      this.next("slices", SLICE_MS, () => {
        // It goes on after this returns: its time is kept for it.
        this.took("slices", SLICE_MS);
        resolve();
      });
    });
  }

  /**
   * For who begins something that takes some of a turn: null where this turn is free for it, which it is not for the next
   * one who asks; else what to wait for.
   */
  claim(): Promise<void> | null {
    const isFree = !this.isShared && this.#lines.slices.usedMs === 0;
    if (!isFree || !this.hasTimeFor("slices", SLICE_MS)) return this.nextSlice();
    this.took("slices", SLICE_MS);
    return null;
  }

  /**
   * A connection was accepted in this turn. libuv accepts one in each turn of the loop: behind hundreds that come at once
   * the next one, which may bring what cannot wait, would wait for as many slices.
   */
  arrived(): void {
    if (this.#isArriving) return;
    this.#isArriving = true;
    this.#arriving = (this.#arriving + 1) % (MOST_ARRIVING + 1);
    setImmediate(() => {
      this.#isArriving = false;
    });
  }

  /** Whether what waits for a turn leaves this one to those who connect. Asked in immediates. */
  get isForArrivals(): boolean {
    return this.#isArriving && this.#arriving > 0;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    // Within an immediate this is for the next turn.
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isArmed = false;
    this.#number++;
    this.#usedMs = 0;
    // Who is called and asks again stands last, for a later turn.
    for (const line of Object.values(this.#lines)) {
      line.usedMs = 0;
      line.left = line.waiting.length;
    }
    const { slices } = this.#lines;
    slices.left = this.isForArrivals ? 0 : Math.min(1, slices.left);
    const from = this.#first;
    for (let step = 0, inVain = 0; inVain < KINDS.length; step++) {
      const at = (from + step) % KINDS.length;
      const hadNone = this.#usedMs === 0;
      inVain = this.#callNext(at) ? 0 : inVain + 1;
      if (inVain === 0 && hadNone) this.#first = (at + 1) % KINDS.length;
    }
    if (KINDS.some((kind) => this.#lines[kind].waiting.length > 0)) this.#arm();
  }

  /** False where nobody of a kind waits that this turn has time for. */
  #callNext(at: number): boolean {
    const kind = KINDS[at];
    if (kind === undefined) return false;
    const line = this.#lines[kind];
    const [next] = line.waiting;
    if (next === undefined || line.left === 0 || !this.hasTimeFor(kind, next.needMs)) return false;
    line.left--;
    line.waiting.shift();
    next.call();
    return true;
  }
}

/** Of this thread's event loop. */
export const loopTurns = new LoopTurns();

/** Gives everybody else a turn of the event loop. Long work is done in slices with one of these between them. */
export function nextTurn(): Promise<void> {
  return loopTurns.nextSlice();
}

/** Long work that is done slice by slice: where `isOver` says so, `next` is waited for. */
export class Slice {
  readonly #turns: LoopTurns;
  readonly #nowMs: () => number;
  #sinceMs = 0;
  #isGiven = false;

  /**
   * `begin`: "claimed", the work's turn was claimed; "free", it begins at once unless others wait or the turn has no time;
   * "later", in a turn to come.
   */
  constructor(begin: "claimed" | "free" | "later", turns = loopTurns, nowMs = () => performance.now()) {
    this.#turns = turns;
    this.#nowMs = nowMs;
    const isFree = begin === "free" && !turns.isShared && turns.hasTimeFor("slices", SLICE_MS);
    if (isFree) turns.took("slices", SLICE_MS);
    if (isFree || begin === "claimed") this.#give();
  }

  get isOver(): boolean {
    return !this.#isGiven || this.heldMs >= SLICE_MS;
  }

  /** How long it lasts by now. */
  get heldMs(): number {
    return this.#nowMs() - this.#sinceMs;
  }

  async next(): Promise<void> {
    await this.#turns.nextSlice();
    this.#give();
  }

  #give(): void {
    this.#isGiven = true;
    this.#sinceMs = this.#nowMs();
  }
}
