import * as z from "zod";
import { type HumanRequest, LONGEST_ANSWER, LONGEST_REASON, REQUEST_KINDS } from "./human-request.ts";

/** Of an answer: its UTF-8, in base64, with what sealing adds. */
const LONGEST_SEALED = 4 * LONGEST_ANSWER * 2;

const text = z.string().max(512);

const actorSchema = z.strictObject({
  kind: z.enum(["human", "agent", "extension", "replay"]),
  id: text,
  name: text,
  ip: text.exactOptional(),
});

/** A request as it is written down. */
export const storedRequestSchema = z.strictObject({
  id: z.string().min(1).max(100),
  actor: actorSchema,
  kind: z.enum(REQUEST_KINDS),
  reason: z.string().max(LONGEST_REASON),
  wants_private: z.boolean(),
  /** null: nobody was at it. */
  taken_by: actorSchema.nullable(),
  is_private: z.boolean(),
  asked_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** Absent: it is not over. */
  ended: z
    .strictObject({
      state: z.enum(["done", "declined", "expired", "cancelled"]),
      at: z.iso.datetime(),
      by: actorSchema.nullable(),
      /** It may be a code: sealed where not all of the request is; null: nothing was written. */
      answer: z.string().max(LONGEST_SEALED).nullable(),
    })
    .exactOptional(),
});
export type StoredRequest = z.infer<typeof storedRequestSchema>;

/** `answer`: what the person wrote, opened. */
export function readRequest(desktopId: string, stored: StoredRequest, answer: string | null): HumanRequest {
  const { id, actor, kind, reason, wants_private, taken_by, is_private, asked_at, expires_at, ended } =
    stored;
  return {
    ...{ id, desktopId, actor, kind, reason, wantsPrivate: wants_private },
    ...{ state: ended?.state ?? (taken_by === null ? "open" : "taken"), takenBy: taken_by },
    ...{ isPrivate: is_private && taken_by !== null, askedAt: asked_at, expiresAt: expires_at },
    ...{ answer, endedBy: ended?.by ?? null, endedAt: ended?.at ?? null },
  };
}

/** `answer`: as it is written down. */
export function writeRequest(request: HumanRequest, answer: string | null): StoredRequest {
  const { id, actor, kind, reason, wantsPrivate, takenBy, isPrivate, askedAt, expiresAt } = request;
  const { state, endedBy, endedAt } = request;
  const by = endedBy === null ? null : writeActor(endedBy);
  return {
    ...{ id, actor: writeActor(actor), kind, reason, wants_private: wantsPrivate },
    ...{ taken_by: takenBy === null ? null : writeActor(takenBy), is_private: isPrivate },
    ...{ asked_at: askedAt, expires_at: expiresAt },
    ...(endedAt !== null && state !== "open" && state !== "taken"
      ? { ended: { state, at: endedAt, by, answer } }
      : {}),
  };
}

/** Without what somebody may decide: who comes back is judged anew. */
function writeActor({ kind, id, name, ip }: HumanRequest["actor"]): z.infer<typeof actorSchema> {
  return { kind, id: id.slice(0, 512), name: name.slice(0, 512), ...(ip === undefined ? {} : { ip }) };
}
