import type { FastifyReply } from "fastify";
import { RefusedError } from "../../desktop/error.ts";

/** Stops a wait for a picture when the caller went away. */
export function abortedBy(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort(new RefusedError("cancelled", "the caller went away")));
  return controller.signal;
}
