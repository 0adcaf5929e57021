import type { AuditEntry } from "../../audit/audit-event.ts";
import { RepeatLimit } from "../../audit/repeat-limit.ts";
import { addressKey } from "../../auth/address.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ErrorAnswer } from "./error.ts";

const TYPES = new Map<ErrorAnswer["code"], AuditEntry["type"]>([
  ["bad_host", "authz.denied"],
  ["bad_origin", "authz.denied"],
  ["cross_site", "authz.denied"],
  ["rate_limited", "rate_limit.triggered"],
  ["locked_out", "auth.locked"],
  ["audit_down", "change.refused"],
]);

/** Records what the face itself refuses before anybody's permission counts: foreign pages and floods. */
export class RefusalAudit {
  readonly #record: (entry: AuditEntry) => void;
  readonly #windows: RepeatLimit;

  constructor(record: (entry: AuditEntry) => void, clock: Clock) {
    this.#record = record;
    this.#windows = new RepeatLimit(clock);
  }

  /** `entry`: who and what, as far as it is known. */
  refused(code: ErrorAnswer["code"], address: string, entry: Pick<AuditEntry, "actor" | "request">): void {
    const type = TYPES.get(code);
    if (type === undefined) return;
    const missed = this.#windows.meet(`${code}\n${addressKey(address)}`);
    if (missed !== null) this.#record({ type, errorCode: code, ...entry, counts: { since_last: missed } });
  }
}
