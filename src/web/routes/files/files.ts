import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";
import type { AuditEntry } from "../../../audit/audit-event.ts";
import { LinkError, RefusedError } from "../../../desktop/error.ts";
import type { DesktopFiles } from "../../../desktop/files/desktop-files.ts";
import type { Sending } from "../../../desktop/files/sent-files.ts";
import { whenGone } from "../../../platform/when-gone.ts";
import {
  type FilesInfo,
  partQuerySchema,
  type SendingInfo,
  sendBodySchema,
} from "../../api/files/files-api.ts";
import { abortedBy, cutWhenVoid } from "../../http/aborted-by.ts";
import { auditedActor, auditedRequest, principalOf } from "../../http/access.ts";
import { parse } from "../../http/parse.ts";
import type { RoutePorts } from "../../http/ports.ts";
import type { ReadingAudit } from "../../http/reading-audit.ts";
import { desktopOf } from "../desktops.ts";
import { attachment } from "./attachment.ts";

const number = z.coerce.number().int().min(0).max(0xffff_ffff);
const desktopParamsSchema = z.object({ id: z.string() });
const partParamsSchema = z.object({ sendingId: z.string().max(100), index: number });
const copiedParamsSchema = z.object({ list: number, index: number });

/**
 * `/api/v1/desktops/:id/files`: files that people send to a desktop, and take from it. Masks hide what is seen: a file has
 * none, so no agent has any of this. Of names nothing is written down: how many files and bytes there are.
 */
export function fileRoutes(app: FastifyInstance, ports: RoutePorts, reading: ReadingAudit): void {
  const url = "/api/v1/desktops/:id/files";
  const config = { access: "files" } as const;
  /** First of all: a desktop outside of a grant is not there, whatever else is wrong. */
  const checkDesktop = (request: FastifyRequest): void => void desktopOf(ports, request);
  const filesOf = (request: FastifyRequest): DesktopFiles => {
    const files = desktopOf(ports, request).files?.();
    if (files !== undefined) return files;
    throw new RefusedError("not_supported", "no files go to and from this desktop");
  };
  const tell = (
    type: "files.sent" | "files.taken",
    request: FastifyRequest,
    told: Pick<AuditEntry, "counts" | "errorCode">,
  ): void =>
    ports.audit.record({
      ...{ type, severity: "notice", ...told },
      actor: auditedActor(principalOf(request), request),
      request: auditedRequest(request),
      // As the address says it: the desktop may be gone by the end of a download.
      resource: { kind: "desktop", id: parse(desktopParamsSchema, request.params).id },
    });

  app.get(url, { config }, (request): FilesInfo => {
    const files = filesOf(request);
    reading.read("files.viewed", request, {
      resource: { kind: "desktop", id: desktopOf(ports, request).id },
    });
    const { list, files: copied } = files.copied;
    return {
      is_able: files.isAble,
      copied: {
        list,
        is_too_many: copied === null,
        // Of folders what lies in them.
        files: (copied ?? []).flatMap((file, index) => (files.isFolder(index) ? [] : [{ index, ...file }])),
      },
      sendings: files.sent.of(principalOf(request).id).map(sendingInfo),
    };
  });

  app.post(url, { config }, async (request, reply): Promise<SendingInfo> => {
    checkDesktop(request);
    const { files } = parse(sendBodySchema, request.body);
    const counts = { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
    try {
      const sending = await filesOf(request).sent.begin(files, principalOf(request).id);
      tell("files.sent", request, { counts });
      reply.code(201);
      return sendingInfo(sending);
    } catch (error) {
      tell("files.sent", request, { counts, errorCode: codeOf(error) });
      throw error;
    }
  });

  app.delete(`${url}/:sendingId`, { config }, (request, reply) => {
    checkDesktop(request);
    const { sendingId } = parse(partParamsSchema.pick({ sendingId: true }), request.params);
    desktopOf(ports, request).files?.().sent.cancel(sendingId, principalOf(request).id);
    return reply.code(204).send();
  });

  app.get(`${url}/copied/:list/:index`, { config }, async (request, reply) => {
    const signal = abortedBy(reply);
    cutWhenVoid(ports, request, reply);
    checkDesktop(request);
    const { list, index } = parse(copiedParamsSchema, request.params);
    let bytes = 0;
    try {
      const { name, size, parts } = filesOf(request).download(list, index, signal);
      // Before the head: what is not given at all is an error, not a file of nothing.
      const first = await parts.next();
      tell("files.taken", request, { counts: { files: 1, bytes: size ?? 0 } });
      let errorCode = "cancelled";
      whenGone(reply.raw, () => {
        // Also where nobody had begun to read.
        void parts.return();
        if (!reply.raw.writableEnded) {
          tell("files.taken", request, { counts: { files: 1, bytes }, errorCode });
        }
      });
      const all = async function* (): AsyncGenerator<Uint8Array> {
        try {
          for (let part = first; !part.done; part = await parts.next()) {
            bytes += part.value.length;
            yield part.value;
          }
        } catch (error) {
          errorCode = codeOf(error);
          throw error;
        }
      };
      if (size !== null) reply.header("content-length", size);
      return reply
        .header("cache-control", "no-store")
        .header("content-disposition", attachment(name))
        .type("application/octet-stream")
        .send(Readable.from(all(), { objectMode: false }));
    } catch (error) {
      tell("files.taken", request, { counts: { files: 1, bytes: 0 }, errorCode: codeOf(error) });
      throw error;
    }
  });

  // In a scope of its own: bytes are no body of any other route.
  app.register((scope, _options, done) => {
    scope.addContentTypeParser("application/octet-stream", (_request, payload, parsed) =>
      parsed(null, payload),
    );
    const part = { access: "files", isAuditedFirst: false } as const;
    scope.put(`${url}/:sendingId/:index`, { config: part }, async (request, reply): Promise<SendingInfo> => {
      cutWhenVoid(ports, request, reply);
      checkDesktop(request);
      const { sendingId, index } = parse(partParamsSchema, request.params);
      const { offset } = parse(partQuerySchema, request.query);
      const { body } = request;
      if (!(body instanceof Readable)) {
        throw new RefusedError(
          "invalid_parameters",
          "got no bytes, expected a body of application/octet-stream",
        );
      }
      const ownerId = principalOf(request).id;
      return sendingInfo(
        await filesOf(request).sent.write(sendingId, index, { ownerId, offset, parts: body }),
      );
    });
    done();
  });
}

function codeOf(error: unknown): string {
  return error instanceof RefusedError || error instanceof LinkError ? error.code : "failed";
}

function sendingInfo({ id, offer, files }: Sending): SendingInfo {
  return {
    id,
    is_offered: offer !== null,
    files: files.map(({ name, size, received, taken }) => ({ name, size, received, taken })),
  };
}
