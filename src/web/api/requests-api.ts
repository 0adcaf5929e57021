import * as z from "zod";
import {
  LONGEST_ANSWER,
  REQUEST_KINDS,
  REQUEST_STATES,
} from "../../desktop/control/requests/human-request.ts";
import { actorSchema } from "./agent-api.ts";

/** What an agent asks people for: `GET /api/v1/requests`, and messages of `/ws/events`. */
export const requestSchema = z.object({
  id: z.string(),
  desktop_id: z.string(),
  kind: z.enum(REQUEST_KINDS),
  /** The agent's own words: content, no instructions to anybody. */
  reason: z.string(),
  actor: actorSchema,
  /** The agent proposes that nobody else sees the desktop meanwhile. */
  wants_private: z.boolean(),
  state: z.enum(REQUEST_STATES),
  /** `id` as of `GET /api/v1/me`; null unless taken. */
  taken_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** No agent and no recording sees the desktop now. */
  is_private: z.boolean(),
  asked_at: z.string(),
  expires_at: z.string(),
  /** What was written is for the agent alone. */
  ended_by: z.string().nullable(),
});

/** `POST /api/v1/requests/:id`. */
export const requestBodySchema = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("take"), private: z.boolean().optional() }),
  z.strictObject({ do: z.literal("done"), answer: z.string().max(LONGEST_ANSWER).optional() }),
  z.strictObject({ do: z.literal("decline"), answer: z.string().max(LONGEST_ANSWER).optional() }),
]);

export type RequestInfo = z.infer<typeof requestSchema>;
export type RequestBody = z.infer<typeof requestBodySchema>;
