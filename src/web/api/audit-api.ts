import * as z from "zod";
import { type AUDIT_TYPES, auditEventSchema } from "../../audit/audit-event.ts";
import { LONGEST_DESKTOP_ID } from "../../auth/principal.ts";

/** `GET /api/v1/audit` */
export const auditQuerySchema = z.strictObject({
  /** Types or groups of them, between commas: "approval.*,mode.changed". */
  types: z
    .string()
    .max(2000)
    .regex(/^[a-z_]+\.(?:[a-z_]+|\*)(?:,[a-z_]+\.(?:[a-z_]+|\*))*$/, 'expected types such as "approval.*"')
    .exactOptional(),
  /** Part of the name or the id of who did it. */
  actor: z.string().min(1).max(200).exactOptional(),
  /** The id of a desktop. */
  desktop: z.string().min(1).max(LONGEST_DESKTOP_ID).exactOptional(),
  from: z.iso.datetime().exactOptional(),
  until: z.iso.datetime().exactOptional(),
  /** `next` of the page before. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).exactOptional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const auditEventInfoSchema = z.object({
  ...auditEventSchema.omit({ chain: true }).shape,
  /** One of AUDIT_TYPES, or what another version called it. */
  event_type: z.string(),
  /** The number of its line. */
  seq: z.int(),
  /** False where the line is not as it was written. */
  is_intact: z.boolean(),
});

/** Its answer: the newest first. */
export const auditPageSchema = z.object({
  events: z.array(auditEventInfoSchema),
  /** `before` of the next page; null where there is none. A page may be empty and not the last. */
  next: z.int().nullable(),
  /** Up to when the log was looked through for this page; null where it has no line there. */
  looked_back_to: z.iso.datetime().nullable(),
  /** Of the lines that were looked through, found or not. `audit verify` checks all, and their order. */
  chain: z.object({ lines: z.int(), changed: z.int(), missing: z.int() }),
});
export type AuditPageInfo = z.infer<typeof auditPageSchema>;
export type AuditEventInfo = z.infer<typeof auditEventInfoSchema>;
export type AuditTypeName = (typeof AUDIT_TYPES)[number];
