import type { FastifyInstance, FastifyRequest } from "fastify";
import { PictureScheduler } from "../../desktop/picture/picture-scheduler.ts";
import { whenGone } from "../../platform/when-gone.ts";
import { abortedBy } from "./aborted-by.ts";

/** Larger bodies are read in turns; what people's pages send and most calls of agents are smaller. */
const LARGE_BYTES = 32 * 1024;

/** Of one principal, or of an address where nobody has signed in. */
const MOST_AT_ONCE = 4;

/**
 * Has a few large bodies of each caller read at a time: hundreds that are sent at once would all be in memory until the
 * last one is read. The others stay with who sends them. After who calls is known, and before anything is read.
 */
export function readBodiesInTurns(app: FastifyInstance): void {
  const turns = new PictureScheduler({ mostAtOnce: MOST_AT_ONCE, mostWaiting: Number.POSITIVE_INFINITY });
  const begun = new WeakMap<FastifyRequest, () => void>();
  app.addHook("preParsing", async (request, reply, payload) => {
    if (isLargeBody(request)) {
      const caller = request.credential?.principal.id ?? `address ${request.ip}`;
      const leave = await turns.enter(caller, abortedBy(reply));
      begun.set(request, leave);
      whenGone(reply.raw, leave);
    }
    return payload;
  });
  app.addHook("preValidation", async (request) => begun.get(request)?.());
}

/** Also where it does not say how large it is. */
export function isLargeBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > LARGE_BYTES;
}
