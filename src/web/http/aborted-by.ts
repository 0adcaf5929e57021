import type { FastifyReply } from "fastify";
import { RefusedError } from "../../desktop/error.ts";
import { whenGone } from "../../platform/when-gone.ts";

/** Stops a wait for a picture or a turn when the caller went away, before now or later. */
export function abortedBy(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenGone(reply.raw, () => controller.abort(new RefusedError("cancelled", "the caller went away")));
  return controller.signal;
}
