import type { FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../../auth/authenticator.ts";
import { RefusedError } from "../../desktop/error.ts";
import { whenGone } from "../../platform/when-gone.ts";
import { credentialOf } from "./access.ts";

/** Stops a wait for a picture or a turn when the caller went away, before now or later. */
export function abortedBy(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenGone(reply.raw, () => controller.abort(new RefusedError("cancelled", "the caller went away")));
  return controller.signal;
}

/** Cuts what may last, to the caller or from them, once their credential counts no more. */
export function cutWhenVoid(
  { authenticator }: { readonly authenticator: Pick<Authenticator, "whenVoid"> },
  request: FastifyRequest,
  { raw }: FastifyReply,
): void {
  whenGone(
    raw,
    authenticator.whenVoid(credentialOf(request), () => raw.destroy()),
  );
}
