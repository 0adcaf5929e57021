import * as z from "zod";
import { approvalSchema } from "./api.ts";

/** A code of a link, or the key it was exchanged for. */
const code = z.string().min(1).max(100);

/** `POST /api/v1/answers/open`: the ticket of a link, good once. */
export const openAnswerSchema = z.strictObject({ ticket: code });

/** Its answer: the one question that the link is for. */
export const openedAnswerSchema = z.object({
  /** Answers it, once. */
  key: z.string(),
  approval: approvalSchema,
  desktop_name: z.string().nullable(),
  /** PNG of the place that it is about, base64; null where there is none. */
  picture: z.string().nullable(),
});
export type OpenedAnswer = z.infer<typeof openedAnswerSchema>;

/** `POST /api/v1/answers` */
export const answerBodySchema = z.strictObject({ key: code, decision: z.enum(["approve", "deny"]) });
export type AnswerBody = z.input<typeof answerBodySchema>;
