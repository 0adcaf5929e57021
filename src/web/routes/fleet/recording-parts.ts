import type { FastifyInstance } from "fastify";
import { isNodePrincipal } from "../../../auth/node-principal.ts";
import { RefusedError } from "../../../desktop/error.ts";
import { answerPart } from "../../../recording/join/answer-part.ts";
import { partAskSchema } from "../../../recording/join/part-asks.ts";
import type { RecordingsFace } from "../../../recording/library/recording-types.ts";
import { asRefused } from "../../../recording/library/refused.ts";
import { principalOf } from "../../http/access.ts";
import type { RecordingsOfCaller } from "../../http/granted-recordings.ts";
import { parse } from "../../http/parse.ts";
import { recordingIdOf } from "../recordings/recordings.ts";

/** What another node asks of a recording that is here, to play it as a part of a whole: see FarPart. */
export function recordingPartRoutes(
  app: FastifyInstance,
  recordings: RecordingsFace,
  partsOf: (request: Parameters<typeof principalOf>[0]) => Pick<RecordingsOfCaller, "usePart">,
): void {
  app.post(
    "/api/v1/fleet/recordings/:id",
    { config: { access: "control", isAuditedFirst: false } },
    async (request, reply) => {
      if (!isNodePrincipal(principalOf(request))) {
        throw new RefusedError(
          "not_supported",
          "got a call of a person or a program, expected one of a node: read /api/v1/recordings/ID instead",
        );
      }
      const ask = parse(partAskSchema, request.body);
      const answer = await asRefused(() =>
        partsOf(request).usePart(recordingIdOf(request), (reader) => answerPart(recordings, reader, ask)),
      );
      return reply.type("application/octet-stream").send(answer);
    },
  );
}
