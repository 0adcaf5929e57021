import { X509Certificate } from "node:crypto";
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, Server } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Duplex, Readable } from "node:stream";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { NodeRecord } from "../nodes/records.ts";
import {
  ALIVE_PATH,
  CALL_HEADER,
  type Call,
  type CallsTls,
  isFor,
  REFUSED_HEADER,
  writeCall,
} from "./call.ts";
import { CallsServer } from "./calls-server.ts";

const CONNECT_WITHIN_MS = 5000;
/** Calls to one node at a time, viewers among them. */
const MOST_CALLS = 1000;
const MOST_IDLE = 16;
/** A node that calls are under way to is asked so often whether it lives, and answers by then. */
const ALIVE_EVERY_MS = 5000;
const ALIVE_WITHIN_MS = 10_000;

/** What calls need to know of the fleet; Fleet is one. */
export interface CalledFleet {
  readonly name: string;
  readonly nodes: readonly NodeRecord[];
  /** Called when nodes may have come or gone; the returned function ends that. */
  whenChanged(look: () => void): () => void;
}

interface NodeCallsOptions {
  readonly tls: CallsTls;
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  onRefused(reason: string, address: string): void;
}

export interface NodeCall {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** On whose behalf; becomes JSON. */
  readonly caller: unknown;
  readonly body?: Readable | string | null;
  readonly signal?: AbortSignal;
}

/** `socket`: of an upgrade that was taken, what follows its answer; null for all other answers. */
export interface CallAnswer {
  readonly response: IncomingMessage;
  readonly socket: Duplex | null;
  readonly head: Buffer;
}

/** What ends when its node is gone. */
interface UnderWay {
  destroy(error?: Error): unknown;
}

interface Peer {
  readonly agent: Agent;
  readonly underWay: Set<UnderWay>;
}

/**
 * Calls between nodes: HTTP requests and upgrades over mutual TLS, each on a connection of its own while it lasts. What is open ends when
 * the table has its node no more, or the node is silent.
 */
export class NodeCalls {
  readonly #options: NodeCallsOptions;
  readonly #fleet: CalledFleet;
  readonly #peers = new Map<string, Peer>();
  readonly #unfollow: () => void;
  #server: CallsServer | null = null;
  #isClosed = false;

  constructor(fleet: CalledFleet, options: NodeCallsOptions) {
    this.#fleet = fleet;
    this.#options = options;
    this.#unfollow = fleet.whenChanged(() => this.#forgetGone());
  }

  /** From now on `app` answers other nodes; gives where, as HOST:PORT. `ownHost`: where this machine is reached. Rejects as listening does. */
  async listen(app: Server, ownHost: string): Promise<string> {
    const { tls, host, port, onRefused } = this.#options;
    const isNode = (name: string): boolean =>
      name !== this.#fleet.name && this.#fleet.nodes.some((node) => node.name === name);
    this.#server = await CallsServer.listen({ tls, isNode, app, onRefused }, host, port);
    const reached = host === "0.0.0.0" || host === "::" ? ownHost : host;
    return `${reached.includes(":") ? `[${reached}]` : reached}:${this.#server.port}`;
  }

  /** Where it listens; null: nowhere. */
  get port(): number | null {
    return this.#server?.port ?? null;
  }

  /** By which call a request came; null: it came by none. */
  of(request: IncomingMessage): Call | null {
    return this.#server?.of(request) ?? null;
  }

  /** Those that can be called. */
  get others(): readonly NodeRecord[] {
    return this.#fleet.nodes.filter(({ name, calls }) => name !== this.#fleet.name && calls !== null);
  }

  /** Throws RefusedError node_unreachable, too_many, and cancelled where the caller went away. */
  async call(node: NodeRecord, call: NodeCall): Promise<CallAnswer> {
    const peer = this.#peerOf(node);
    if (peer.underWay.size >= MOST_CALLS) {
      throw new RefusedError(
        "too_many",
        `${MOST_CALLS} calls to ${node.name} are under way, the most allowed: end some, or ask ${node.address}`,
      );
    }
    try {
      return await this.#send(node, peer, call);
    } catch (cause) {
      if (cause instanceof RefusedError) throw cause;
      if (call.signal?.aborted === true)
        throw new RefusedError("cancelled", "the caller went away", { cause });
      throw unreachable(node, cause);
    }
  }

  /**
   * What a WebSocket client needs to call a node. `hold`: ends what it opened when the node is gone, until it is told that it ended. Throws
   * RefusedError node_unreachable.
   */
  socketTo(node: NodeRecord, path: string, caller: unknown) {
    const { agent, underWay } = this.#peerOf(node);
    return {
      url: `wss://${node.calls}${path}`,
      options: { agent, headers: { [CALL_HEADER]: writeCall({ node: this.#fleet.name, caller }) } },
      hold: (what: UnderWay): (() => void) => {
        underWay.add(what);
        return () => underWay.delete(what);
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#unfollow();
    this.#server?.close();
    for (const id of [...this.#peers.keys()]) this.#end(id);
  }

  #send(node: NodeRecord, { agent, underWay }: Peer, call: NodeCall): Promise<CallAnswer> {
    const { method, path, headers, caller, body = null, signal } = call;
    const written = writeCall({ node: this.#fleet.name, caller });
    const request = httpsRequest({
      ...placeOf(node),
      ...{ agent, method, path, headers: { ...headers, [CALL_HEADER]: written } },
      ...(signal === undefined ? {} : { signal }),
    });
    limitConnecting(request, this.#options.clock);
    underWay.add(request);
    const follow = (what: UnderWay & NodeJS.EventEmitter): void => {
      underWay.delete(request);
      underWay.add(what);
      what.once("close", () => underWay.delete(what));
    };
    return new Promise((resolve, reject) => {
      request.on("error", reject);
      request.once("close", () => underWay.delete(request));
      request.once("response", (response) => {
        follow(response);
        const refusal = response.headers[REFUSED_HEADER];
        if (refusal === undefined) return resolve({ response, socket: null, head: Buffer.alloc(0) });
        response.resume();
        reject(new Error(`it refuses this node: ${String(refusal)}`));
      });
      request.once("upgrade", (response, socket, head) => {
        follow(socket);
        resolve({ response, socket, head });
      });
      if (body === null || typeof body === "string") request.end(body ?? undefined);
      else body.pipe(request);
    });
  }

  #peerOf(node: NodeRecord): Peer {
    const known = this.#peers.get(node.id);
    if (known !== undefined) return known;
    if (this.#isClosed || node.calls === null) throw unreachable(node, new Error("it takes no calls"));
    const agent = new Agent({
      ...this.#options.tls,
      ...{ keepAlive: true, maxFreeSockets: MOST_IDLE, noDelay: true, minVersion: "TLSv1.3" },
      // The certificate is looked at each time: by which name a place is reached proves nothing.
      ...{ maxCachedSessions: 0, servername: "" },
      checkServerIdentity: (_host, { raw }) =>
        isFor(new X509Certificate(raw), node.name)
          ? undefined
          : new Error(`its certificate is not for ${node.name}: expected that as its CN or a DNS name`),
    });
    const peer = { agent, underWay: new Set<UnderWay>() };
    this.#peers.set(node.id, peer);
    this.#lookLater(node, peer);
    return peer;
  }

  #lookLater(node: NodeRecord, peer: Peer): void {
    this.#options.clock.after(ALIVE_EVERY_MS, () => void this.#look(node, peer), { isIdle: true });
  }

  async #look(node: NodeRecord, peer: Peer): Promise<void> {
    if (this.#peers.get(node.id) !== peer) return;
    if (peer.underWay.size > 0 && !(await this.#isAlive(node, peer))) this.#end(node.id);
    else this.#lookLater(node, peer);
  }

  async #isAlive(node: NodeRecord, peer: Peer): Promise<boolean> {
    const limit = new AbortController();
    const cancel = this.#options.clock.after(ALIVE_WITHIN_MS, () => limit.abort());
    try {
      const call = { method: "GET", path: ALIVE_PATH, caller: null, signal: limit.signal };
      const { response } = await this.#send(node, peer, call);
      response.resume();
      return true;
    } catch {
      return false;
    } finally {
      cancel();
    }
  }

  #forgetGone(): void {
    const alive = new Set(this.#fleet.nodes.map(({ id }) => id));
    for (const id of [...this.#peers.keys()]) if (!alive.has(id)) this.#end(id);
  }

  #end(id: string): void {
    const peer = this.#peers.get(id);
    this.#peers.delete(id);
    for (const call of [...(peer?.underWay ?? [])]) call.destroy(new Error("the node is gone"));
    peer?.agent.destroy();
  }
}

function placeOf({ calls }: NodeRecord): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`https://${calls ?? ""}`);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}

function limitConnecting(request: ClientRequest, clock: Clock): void {
  const cancel = clock.after(CONNECT_WITHIN_MS, () =>
    request.destroy(new Error("it does not answer in time")),
  );
  request.once("close", cancel);
  request.once("socket", (socket) => {
    if (socket.connecting) socket.once("secureConnect", cancel);
    else cancel();
  });
}

function unreachable(node: NodeRecord, cause: unknown): RefusedError {
  const { name, address } = node;
  const why = cause instanceof Error ? cause.message : "unknown";
  return new RefusedError(
    "node_unreachable",
    `${name} has it and cannot be asked from here (${why}): look what was done before you try again, or ask ${address}`,
    { cause, retryAfterMs: 1000, heldBy: { node: name, address } },
  );
}
