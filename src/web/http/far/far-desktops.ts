import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { carriedPrincipal } from "../../../auth/carried-principal.ts";
import { reaches, reachOf } from "../../../auth/granted-desktops.ts";
import { may } from "../../../auth/principal.ts";
import type { CallAnswer } from "../../../cluster/calls/node-calls.ts";
import type { NodeRecord } from "../../../cluster/nodes/records.ts";
import { ASKED_WITHIN_MS, whoHas } from "../../../desktop/far/who-has.ts";
import { readAnswer } from "../../../platform/read-answer.ts";
import { whenGone } from "../../../platform/when-gone.ts";
import { isRecordedHere } from "../../../recording/library/refused.ts";
import { openSchema } from "../../api/fleet-api.ts";
import { farNodeOf, farOwner } from "../../cascade/far-owner.ts";
import type { DesktopOwner } from "../../cascade/far-viewers.ts";
import { credentialOf, principalOf } from "../access.ts";
import { DesktopsOfCaller } from "../granted-desktops.ts";
import type { AppPorts } from "../ports.ts";
import { FarEvents } from "./far-events.ts";
import { isOpenAt } from "./open-asks.ts";

/** What another node needs of a request: who calls it is told apart, and for whom it came is none of its business. */
const CARRIED_HEADERS = [
  ...["accept", "accept-encoding", "accept-language", "content-type", "content-length", "user-agent"],
  ...["if-none-match", "if-modified-since", "if-range", "range", "traceparent", "tracestate"],
];
const UPGRADE_HEADERS = [
  ...["connection", "upgrade", "sec-websocket-key", "sec-websocket-version"],
  ...["sec-websocket-protocol", "sec-websocket-extensions"],
];
/** Of an answer, what is about the connection it came by. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "strict-transport-security"]);

/** Of what one node tells for a list of all. */
const MOST_GATHERED_BYTES = 4 * 1024 * 1024;

const paramsSchema = z.object({ id: z.string() });
const querySchema = z.object({ desktop: z.string() });
/** Where people answer what is asked somewhere, by its id alone. */
const ANSWERED = /^\/api\/v1\/(?:approvals\/:approvalId(?:\/picture\.png)?|grants\/:grantId|requests\/:id)$/;
const answeredSchema = z.union([
  z.object({ approvalId: z.string() }).transform(({ approvalId }) => approvalId),
  z.object({ grantId: z.string() }).transform(({ grantId }) => grantId),
  z.object({ id: z.string() }).transform(({ id }) => id),
]);

/** A recording is read where it was made; what shows it as a desktop shows it there. */
const OF_RECORDING = /^\/api\/v1\/recordings\/:id(?!\/replay$)(?:\/|$)/;
/** What is asked of one that runs: that is its last part, wherever the part is that is named. */
const OF_RUNNING = /\/(?:stop|bookmarks)$/;
const recordedSchema = z.looseObject({ id: z.string() });
/** Where so many recordings are is remembered. */
const MOST_REMEMBERED = 1000;

type FarPorts = Pick<AppPorts, "fleet" | "authenticator" | "clock" | "desktops" | "recordings">;

/**
 * Requests about desktops of other nodes: they are carried there as they are, on behalf of the principal that was found here, and
 * answered by the very same routes. What came from another node is never carried on.
 */
export class FarDesktops {
  readonly #ports: FarPorts;
  /** Ids of nodes by those of recordings, the last asked for last. */
  readonly #recordedAt = new Map<string, string>();

  constructor(ports: FarPorts) {
    this.#ports = ports;
  }

  /** Whether it was answered by the node that has the desktop, or where it is asked. Throws RefusedError node_unreachable, too_many. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const id = desktopIdOf(request);
    const node = id === null ? await this.#nodeByAsking(request) : this.#nodeOf(request, id);
    if (node === null) return false;
    await this.#carry(node, request, reply);
    return true;
  }

  /** Where viewers of a desktop are served by this node, with a picture that it has of its owner; null: it is no other node's. */
  ownerOf(request: FastifyRequest, id: string): DesktopOwner | null {
    const node = this.#nodeOf(request, id);
    const { calls } = this.#ports.fleet ?? {};
    return node === null || calls === undefined || calls === null
      ? null
      : farOwner(calls, node, this.#ports.clock);
  }

  /** What the other nodes answer to the same GET, put together; nothing of one that does not in time, or not so. */
  async gather<T>(request: FastifyRequest, list: z.ZodType<T[]>): Promise<T[]> {
    if (credentialOf(request).kind === "carried") return [];
    const { calls } = this.#ports.fleet ?? {};
    const parts = (calls?.others ?? []).map((node) =>
      this.#ask(node, request, request.url, list).catch((error: unknown) => {
        request.log.warn({ err: error, node: node.name }, "A node did not tell what it has");
        return [];
      }),
    );
    return (await Promise.all(parts)).flat();
  }

  /** Puts the events of other nodes into a stream of this one's; null: there are none. */
  events(request: FastifyRequest, send: (json: string) => void): FarEvents | null {
    const { fleet, clock } = this.#ports;
    if (fleet === undefined || fleet.calls === null || credentialOf(request).kind === "carried") return null;
    const principal = principalOf(request);
    return new FarEvents({
      ...{ fleet, clock, caller: this.#caller(request), log: request.log, send },
      reaches: reachOf(principal),
    });
  }

  /** GET of a path, on behalf of who asks here. Rejects where it is not answered in time, or not so. `missing`: for 404. */
  async #ask<T>(
    node: NodeRecord,
    request: FastifyRequest,
    path: string,
    schema: z.ZodType<T>,
    missing?: T,
  ): Promise<T> {
    const { fleet, clock } = this.#ports;
    const limit = new AbortController();
    const cancel = clock.after(ASKED_WITHIN_MS, () => limit.abort());
    try {
      const answer = await fleet?.calls?.call(node, {
        ...{ method: "GET", path, caller: this.#caller(request), signal: limit.signal },
      });
      if (answer === undefined) throw new Error("this server is alone");
      const body = await readAnswer(answer.response, MOST_GATHERED_BYTES);
      if (answer.response.statusCode === 404 && missing !== undefined) return missing;
      return schema.parse(JSON.parse(body.toString("utf8")));
    } finally {
      cancel();
    }
  }

  #caller(request: FastifyRequest): unknown {
    return carriedPrincipal({ ...principalOf(request), ip: request.ip }, this.#ports.clock);
  }

  #nodeOf(request: FastifyRequest, id: string): NodeRecord | null {
    if (request.credential === null || request.credential.kind === "carried") return null;
    if (!reaches(principalOf(request), id)) return null;
    return farNodeOf(this.#ports.fleet ?? null, id);
  }

  /** The node that has what a request names by an id that tells no desktop; null: this one, or none. Throws as `#whoHas`. */
  async #nodeByAsking(request: FastifyRequest): Promise<NodeRecord | null> {
    const others = this.#ports.fleet?.calls?.others ?? [];
    if (others.length === 0 || request.credential === null || request.credential.kind === "carried")
      return null;
    const { url = "" } = request.routeOptions;
    if (ANSWERED.test(url)) return await this.#answeringNode(request);
    if (!OF_RECORDING.test(url)) return null;
    const last = OF_RUNNING.test(url) ? this.#lastPartOf(request) : null;
    if (last === null) return await this.#recordingNode(request, others);
    return others.find(({ name }) => name === last.node) ?? null;
  }

  async #answeringNode(request: FastifyRequest): Promise<NodeRecord | null> {
    const id = answeredSchema.safeParse(request.params).data;
    const own = new DesktopsOfCaller(this.#ports.desktops, principalOf(request));
    if (id === undefined || isOpenAt(own, id)) return null;
    const path = `/api/v1/fleet/open/${encodeURIComponent(id)}`;
    return await this.#whoHas(
      request,
      async (node) => (await this.#ask(node, request, path, openSchema)).is_open,
    );
  }

  #lastPartOf(request: FastifyRequest): { readonly node: string } | null {
    const id = paramsSchema.safeParse(request.params).data?.id;
    if (id === undefined || !may(principalOf(request), "control")) return null;
    return this.#ports.recordings?.wholes.lastOf(id) ?? null;
  }

  async #recordingNode(request: FastifyRequest, others: readonly NodeRecord[]): Promise<NodeRecord | null> {
    const id = paramsSchema.safeParse(request.params).data?.id;
    if (id === undefined || !may(principalOf(request), "control")) return null;
    const { recordings } = this.#ports;
    if (recordings !== undefined && (await isRecordedHere(recordings, id))) return null;
    const known = this.#recordedAt.get(id);
    const path = `/api/v1/recordings/${encodeURIComponent(id)}`;
    const node =
      others.find((one) => one.id === known) ??
      (await this.#whoHas(request, async (one) => {
        const found = await this.#ask(one, request, path, recordedSchema.nullable(), null);
        return found?.id === id;
      }));
    this.#recordedAt.delete(id);
    if (node === null) return null;
    this.#recordedAt.set(id, node.id);
    for (const first of this.#recordedAt.keys()) {
      if (this.#recordedAt.size > MOST_REMEMBERED) this.#recordedAt.delete(first);
    }
    return node;
  }

  /** As `whoHas`, of all other nodes. */
  async #whoHas(
    request: FastifyRequest,
    has: (node: NodeRecord) => Promise<boolean>,
  ): Promise<NodeRecord | null> {
    return await whoHas(this.#ports.fleet?.calls?.others ?? [], has, ({ name }, err) =>
      request.log.warn({ err, node: name }, "A node did not tell what it has"),
    );
  }

  async #carry(node: NodeRecord, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { fleet, authenticator } = this.#ports;
    const { raw } = request;
    const ended = new AbortController();
    // Of an upgrade the answer has no connection that tells.
    if (request.ws) raw.socket.once("close", () => ended.abort());
    else whenGone(reply.raw, () => ended.abort());
    const hasBody =
      raw.headers["content-length"] !== undefined || raw.headers["transfer-encoding"] !== undefined;
    // INVARIANT: whoever has an owner elsewhere found it by these calls.
    const answer = await fleet?.calls?.call(node, {
      method: request.method,
      path: request.url,
      headers: headersOf(raw.headers, request.ws),
      caller: this.#caller(request),
      body: hasBody ? raw : null,
      signal: ended.signal,
    });
    if (answer === undefined) return;
    reply.hijack();
    const end = (): void => void (request.ws ? raw.socket : reply.raw).destroy();
    const unwatch = authenticator.whenVoid(credentialOf(request), end);
    ended.signal.addEventListener("abort", unwatch, { once: true });
    if (answer.socket === null) giveBack(answer, reply);
    else join(answer.response, answer.socket, answer.head, raw.socket);
  }
}

/** The desktop that a request is about; null: about none, or its caller's choice, or it is a viewer's, who is served here. */
function desktopIdOf({ routeOptions: { url = "" }, params, query }: FastifyRequest): string | null {
  if (url === "/ws/desktops/:id") return null;
  if (/^\/(?:api\/v1|ws)\/desktops\/:id(?:\/|$)/.test(url)) {
    return paramsSchema.safeParse(params).data?.id ?? null;
  }
  return url === "/ws/overlays" ? (querySchema.safeParse(query).data?.desktop ?? null) : null;
}

function headersOf(headers: IncomingHttpHeaders, isUpgrade: boolean): OutgoingHttpHeaders {
  const names = isUpgrade ? [...CARRIED_HEADERS, ...UPGRADE_HEADERS] : CARRIED_HEADERS;
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

function giveBack({ response }: CallAnswer, reply: FastifyReply): void {
  const headers = { ...response.headers, ...reply.getHeaders() };
  reply.raw.writeHead(
    response.statusCode ?? 502,
    Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name))),
  );
  // Either end's loss ends the other: half an answer is never shown as a whole one.
  pipeline(response, reply.raw, () => undefined);
}

/** From here on the bytes of both WebSockets go through as they are. */
function join(
  response: IncomingMessage,
  far: Duplex,
  head: Buffer,
  near: Duplex & { setTimeout(ms: number): unknown },
): void {
  const { rawHeaders, statusCode, statusMessage } = response;
  const lines = rawHeaders.flatMap((name, nth) =>
    nth % 2 === 0 ? [`${name}: ${rawHeaders[nth + 1] ?? ""}`] : [],
  );
  near.setTimeout(0);
  near.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) near.write(head);
  pipeline(far, near, () => near.destroy());
  pipeline(near, far, () => far.destroy());
}
