import { createHash } from "node:crypto";
import * as z from "zod";
import { FORGOTTEN_AFTER_MS, LONGEST_WAIT_MS, type SharedFailures, waitAfter } from "../../auth/lockout.ts";
import { ExpiringDocuments } from "../../cluster/shared/expiring-documents.ts";
import type { SharedPorts } from "../../cluster/shared/shared-documents.ts";

const LOCKOUTS = "/overlay-companion/lockouts/";
/** What is counted meanwhile is written together, so that no flood of guesses is one of writes. */
const ROUND_MS = 1000;
/** The others wait for their turn, those with the most failures first. */
const MOST_IN_A_ROUND = 50;
/** Of addresses that all nodes know, and of those that wait to be written; what is more is counted by its node alone. */
const MOST_ADDRESSES = 10_000;

const SCHEMA = z.strictObject({
  failures: z.int().min(0),
  /** How often they were cleared. */
  era: z.int().min(0),
});
type Counted = z.infer<typeof SCHEMA>;

/** What was counted here and is not written yet. */
interface Due {
  /** Those of before count no more. */
  isCleared: boolean;
  failures: number;
  /** As far as this node knows, those of the other nodes as well. */
  total: number;
}

interface SharedLockoutsOptions extends SharedPorts {
  /** Failures could not be shared; told once until they are. */
  onFault(error: unknown): void;
}

/**
 * Wrong guesses that all nodes of a fleet count together, by hashes of addresses. Each node goes on by what it knows where the
 * store does not answer, and adds what it counted once it does.
 */
export class SharedLockouts {
  readonly #options: SharedLockoutsOptions;
  readonly #counted: ExpiringDocuments<Counted>;
  readonly #due = new Map<string, Due>();
  #nextRoundMs = 0;
  #isWaiting = false;
  #isFaulty = false;
  #isClosed = false;
  #cancel: () => void = () => undefined;

  constructor(options: SharedLockoutsOptions) {
    const { store, clock, sealer, onFailed } = options;
    this.#options = options;
    this.#counted = new ExpiringDocuments<Counted>({
      ...{ store, clock, sealer, onFailed, prefix: LOCKOUTS, purpose: "fleet/lockout", schema: SCHEMA },
      lifetimeMs: FORGOTTEN_AFTER_MS + LONGEST_WAIT_MS,
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#counted.open();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#counted.close();
  }

  /** Those of one place where credentials are guessed, such as "sign-in". */
  of(place: string): SharedFailures {
    const idOf = (address: string): string =>
      `${place}/${createHash("sha256").update(address).digest("hex")}`;
    return {
      get: (address) => this.#get(idOf(address)),
      add: (address, total) => this.#add(idOf(address), total),
      clear: (address) => this.#clear(idOf(address)),
    };
  }

  #get(id: string): ReturnType<SharedFailures["get"]> {
    const toldAtMs = this.#counted.toldAtMs(id);
    const counted = this.#counted.documents.get(id) ?? null;
    if (toldAtMs === null || counted === null) return null;
    const { failures: count, era } = counted;
    if (this.#due.get(id)?.isCleared === true) return { count: 0, toldAtMs, era: era + 1 };
    return this.#isOver(count, toldAtMs) ? null : { count, toldAtMs, era };
  }

  #isOver(failures: number, toldAtMs: number): boolean {
    return this.#options.clock.nowMs() - toldAtMs - waitAfter(failures) >= FORGOTTEN_AFTER_MS;
  }

  #add(id: string, total: number): void {
    const due = this.#due.get(id);
    if (due !== undefined) {
      due.failures += 1;
      due.total = total;
    } else {
      this.#makeRoom();
      this.#due.set(id, { isCleared: false, failures: 1, total });
    }
    this.#schedule();
  }

  #clear(id: string): void {
    const shared = this.#counted.documents.get(id)?.failures ?? 0;
    if (shared === 0 && !this.#due.has(id)) return;
    this.#due.set(id, { isCleared: true, failures: 0, total: 0 });
    this.#schedule();
  }

  /** Of a flood of addresses those that came first count here alone. */
  #makeRoom(): void {
    if (this.#due.size < MOST_ADDRESSES) return;
    for (const oldest of this.#due.keys()) {
      this.#due.delete(oldest);
      return;
    }
  }

  #schedule(): void {
    if (this.#isWaiting || this.#isClosed || this.#due.size === 0) return;
    this.#isWaiting = true;
    const { clock } = this.#options;
    const waitMs = Math.max(0, this.#nextRoundMs - clock.nowMs());
    this.#cancel = clock.after(waitMs, () => void this.#round(), { isIdle: true });
  }

  async #round(): Promise<void> {
    this.#nextRoundMs = this.#options.clock.nowMs() + ROUND_MS;
    const due = [...this.#due].sort(([, a], [, b]) => b.total - a.total).slice(0, MOST_IN_A_ROUND);
    for (const [id, one] of due) {
      if (this.#isClosed) return;
      const isKnown = this.#counted.toldAtMs(id) !== null;
      // Full of addresses, or of another key: it counts here alone.
      const isShared = isKnown
        ? this.#counted.documents.get(id) !== undefined
        : this.#counted.size < MOST_ADDRESSES;
      if (!isShared) this.#due.delete(id);
      else if (!(await this.#write(id, one))) break;
    }
    this.#isWaiting = false;
    this.#schedule();
  }

  /** Never rejects; false where the store does not take it. */
  async #write(id: string, due: Due): Promise<boolean> {
    const { isCleared, failures } = due;
    try {
      await this.#counted.documents.change(id, (now) => {
        const toldAtMs = this.#counted.toldAtMs(id);
        const isOver = now !== null && toldAtMs !== null && this.#isOver(now.failures, toldAtMs);
        const before = now === null || isCleared || isOver ? 0 : now.failures;
        if (failures === 0 && before === (now?.failures ?? 0)) return now;
        return { failures: before + failures, era: (now?.era ?? 0) + (isCleared ? 1 : 0) };
      });
    } catch (error) {
      if (!this.#isFaulty) this.#options.onFault(error);
      this.#isFaulty = true;
      return false;
    }
    this.#isFaulty = false;
    // Another stands there where it was cleared meanwhile.
    if (this.#due.get(id) !== due) return true;
    due.failures -= failures;
    due.isCleared = false;
    if (due.failures === 0) this.#due.delete(id);
    return true;
  }
}
