import type { AuditEntry } from "../audit/audit-event.ts";
import { addressKey } from "../auth/address.ts";
import type { Clock } from "../desktop/clock.ts";
import type { ErrorAnswer } from "./error.ts";

/** The same refusal of the same address is one event in so long, which says how many there were since the one before. */
const WINDOW_MS = 60_000;
/** Addresses and codes watched at a time; the oldest is forgotten, and told of anew. */
const MAX_WINDOWS = 1000;

const TYPES = new Map<ErrorAnswer["code"], AuditEntry["type"]>([
  ["bad_host", "authz.denied"],
  ["bad_origin", "authz.denied"],
  ["cross_site", "authz.denied"],
  ["rate_limited", "rate_limit.triggered"],
]);

/** Records what the face itself refuses before anybody's permission counts: foreign pages and floods. */
export class RefusalAudit {
  readonly #record: (entry: AuditEntry) => void;
  readonly #clock: Clock;
  readonly #windows = new Map<string, { readonly atMs: number; missed: number }>();

  constructor(record: (entry: AuditEntry) => void, clock: Clock) {
    this.#record = record;
    this.#clock = clock;
  }

  /** `entry`: who and what, as far as it is known. */
  refused(code: ErrorAnswer["code"], address: string, entry: Pick<AuditEntry, "actor" | "request">): void {
    const type = TYPES.get(code);
    if (type === undefined) return;
    const missed = this.#meet(`${code}\n${addressKey(address)}`);
    if (missed !== null) this.#record({ type, errorCode: code, ...entry, counts: { since_last: missed } });
  }

  /** How many were not told of since the last that was; null where this one is not told of either. */
  #meet(key: string): number | null {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.get(key);
    if (window !== undefined && nowMs - window.atMs < WINDOW_MS) {
      window.missed++;
      return null;
    }
    this.#windows.delete(key);
    this.#windows.set(key, { atMs: nowMs, missed: 0 });
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= MAX_WINDOWS) break;
      this.#windows.delete(oldest);
    }
    return window?.missed ?? 0;
  }
}
