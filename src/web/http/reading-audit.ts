import type { FastifyRequest } from "fastify";
import type { AuditEntry } from "../../audit/audit-event.ts";
import { RepeatLimit } from "../../audit/repeat-limit.ts";
import type { Clock } from "../../platform/clock.ts";
import { auditedActor, auditedRequest, principalOf } from "./access.ts";

/** Records what people look at: the first look of each at each thing, and then one a minute, with how many between. */
export class ReadingAudit {
  readonly #record: (entry: AuditEntry) => void;
  readonly #windows: RepeatLimit;

  constructor(record: (entry: AuditEntry) => void, clock: Clock) {
    this.#record = record;
    this.#windows = new RepeatLimit(clock);
  }

  read(
    type: AuditEntry["type"],
    request: FastifyRequest,
    looked: Pick<AuditEntry, "resource" | "action"> = {},
  ): void {
    const principal = principalOf(request);
    const { resource, action = "" } = looked;
    const missed = this.#windows.meet(
      [type, principal.id, request.ip, resource?.id ?? "", action].join("\n"),
    );
    if (missed === null) return;
    this.#record({
      type,
      actor: auditedActor(principal, request),
      request: auditedRequest(request),
      ...looked,
      counts: { since_last: missed },
    });
  }
}
