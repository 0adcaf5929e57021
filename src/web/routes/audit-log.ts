import type { FastifyInstance } from "fastify";
import type { AuditLog, AuditQuery } from "../../audit/read-back.ts";
import { RefusedError } from "../../desktop/error.ts";
import { type AuditPageInfo, auditQuerySchema } from "../api/audit-api.ts";
import { parse } from "../http/parse.ts";
import type { ReadingAudit } from "../http/reading-audit.ts";

/** The audit log, read back by administrators, from its end. `log`: null where it is kept in no file here. */
export function auditLogRoutes(
  app: FastifyInstance,
  log: Pick<AuditLog, "read"> | null,
  reading: ReadingAudit,
): void {
  app.get(
    "/api/v1/audit",
    { config: { access: "admin" } },
    async (request, reply): Promise<AuditPageInfo> => {
      const { types, from, until, limit, ...asked } = parse(auditQuerySchema, request.query);
      if (log === null) {
        throw new RefusedError(
          "not_supported",
          "the audit log is kept in no file here: read it where audit.sink sends it, or set audit.sink to file",
        );
      }
      const query: AuditQuery = {
        ...asked,
        most: limit,
        ...(types === undefined ? {} : { types: types.split(",") }),
        ...(from === undefined ? {} : { from: new Date(from) }),
        ...(until === undefined ? {} : { until: new Date(until) }),
      };
      const page = await log.read(query);
      reading.read("audit.viewed", request);
      reply.header("cache-control", "no-store");
      return {
        events: page.events.map(({ event, seq, isIntact }) => ({ ...event, seq, is_intact: isIntact })),
        next: page.next,
        looked_back_to: page.lookedBackTo,
        chain: { lines: page.lines, changed: page.changedLines, missing: page.missingLines },
      };
    },
  );
}
