import type { IncomingMessage } from "node:http";
import * as z from "zod";
import { carriedPrincipal } from "../../auth/carried-principal.ts";
import { reaches, reachOf } from "../../auth/granted-desktops.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import { RefusedError } from "../../desktop/error.ts";
import { ASKED_WITHIN_MS } from "../../desktop/far/who-has.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TraceContext } from "../../platform/trace-context.ts";
import type { RecordingsFace, WholesFace } from "../../recording/library/recording-types.ts";
import { isRecordedHere } from "../../recording/library/refused.ts";
import { explained, type ToolResult } from "../model/tool-result.ts";
import type { ImageSlots } from "../tool/image-slots.ts";
import { resultOf, understood } from "./far-answer.ts";
import { type FarListener, FarListening } from "./far-listening.ts";
import { FarRecordings, recordedAt } from "./far-recordings.ts";

/** What calls of agents need of a fleet; Fleet is one. */
export type FarFleet = Pick<Fleet, "name" | "nodes" | "placed" | "ownerOf" | "calls" | "whenChanged">;

/** Those of this node. */
type OwnRecordings = Pick<RecordingsFace, "get"> & { readonly wholes: Pick<WholesFace, "lastOf"> };

const PROTOCOL = "2026-07-28";
/** What is longer is refused here. */
const LONGEST_RECORDING_ID = 200;
/** Ids of things that far nodes made, and where; the oldest are forgotten. */
const MOST_IDS = 10_000;

const LIST = "list_connections";
const STOP = "stop_recording";
const CHOOSE = "set_active_connection";

const content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);
const toolResult = z.object({
  content: z.array(content),
  structuredContent: z.record(z.string(), z.unknown()),
  isError: z.boolean().optional(),
});
const resourceResult = z.object({
  contents: z.array(
    z.union([
      z.object({ uri: z.string(), mimeType: z.string(), text: z.string() }),
      z.object({ uri: z.string(), mimeType: z.string(), blob: z.string() }),
    ]),
  ),
});
const listed = z.object({ connections: z.array(z.looseObject({ id: z.string() })) });

/** Where something is that another node made; null: its desktop, or the node, is not known. */
interface Made {
  readonly node: string | null;
  readonly desktopId: string | null;
}

interface FarCaller {
  readonly principal: Principal;
  readonly clientName: string | null;
  readonly trace?: TraceContext | null;
  readonly signal: AbortSignal;
  readonly images?: ImageSlots | undefined;
}

/**
 * Calls of agents about desktops of other nodes: the request of MCP is sent to the node that has it, on behalf of the same principal, and
 * answered there by the same tool. The session stays here. What came from another node is never sent on.
 */
export class FarCalls {
  readonly #fleet: FarFleet | null;
  readonly #clock: Clock;
  readonly #recordings: OwnRecordings | null;
  /** Screenshots, subscriptions and all else that a far node gave an id, by principal and id. */
  readonly #made = new Map<string, Made>();
  readonly #listening = new FarListening();
  /** Desktops of other nodes that principals chose. */
  readonly #chosen = new Map<string, string>();

  /** `recordings`: of this node; null: it records nothing. */
  constructor(fleet: FarFleet | null, clock: Clock, recordings: OwnRecordings | null) {
    this.#fleet = fleet;
    this.#clock = clock;
    this.#recordings = recordings;
  }

  /** What a far node answers to a tool call; null: it is answered here. */
  async tool(
    tool: { readonly name: string; readonly hasDesktop: boolean },
    args: unknown,
    caller: FarCaller,
  ): Promise<ToolResult | null> {
    const { principal, signal } = caller;
    if (this.#fleet === null || this.#fleet.calls === null || principal.via !== undefined) return null;
    const fields = new Map(typeof args === "object" && args !== null ? Object.entries(args) : []);
    try {
      const found = await this.#placeOf(tool, fields, caller);
      if (found === null) {
        if (tool.name === CHOOSE) this.#chosen.delete(principal.id);
        return null;
      }
      const { node, desktopId } = found;
      const named = desktopId === null ? args : { ...Object.fromEntries(fields), connection_id: desktopId };
      const result = await this.#toolAt(node, tool.name, named, caller);
      this.#learn(result.structuredContent, principal, { node: node.name, desktopId });
      if (tool.name === CHOOSE && result.isError !== true && desktopId !== null) {
        this.#chosen.set(principal.id, desktopId);
      }
      return result;
    } catch (error) {
      const failure = explained(error, signal);
      if (failure === null) throw error;
      return failure;
    }
  }

  /** The list of connections with those of the other nodes; theirs are missing where one does not answer in time. */
  async withOthers(
    here: ToolResult,
    tool: { readonly name: string },
    caller: FarCaller,
  ): Promise<ToolResult> {
    const { calls = null } = this.#fleet ?? {};
    const own = listed.safeParse(here.structuredContent).data;
    if (tool.name !== LIST || calls === null || caller.principal.via !== undefined || own === undefined) {
      return here;
    }
    const texts = own.connections.length === 0 ? [] : here.content;
    const parts = await Promise.all(calls.others.map((node) => this.#listAt(node, caller)));
    const far = parts.flatMap((part) => part.connections);
    // Each node has a choice of its own for who chose nothing there: one of all counts.
    const choice = this.#choiceOf(caller.principal);
    const isChosen = (id: string): boolean => id === choice;
    const connections = [
      ...(choice === null ? own.connections : own.connections.map((one) => ({ ...one, is_active: false }))),
      ...far.map((one) => ({ ...one, is_active: isChosen(one.id) })),
    ];
    const lines = [...texts, ...parts.flatMap((part) => part.content)];
    return {
      content: far.length === 0 ? here.content : lines,
      structuredContent: { ...here.structuredContent, total_connections: connections.length, connections },
    };
  }

  /** What a far node answers for an address of a resource; null: it is answered here. */
  async resource(uri: string, principal: Principal, signal: AbortSignal) {
    const id = /^(?:screen|text|screenshots|requests|recordings):\/\/([^/]+)/.exec(uri)?.[1];
    if (id === undefined || this.#fleet === null || principal.via !== undefined) return null;
    const caller = { principal, clientName: null, signal };
    const node = await this.#nodeOfResource(uri, id, caller);
    if (node === null) return null;
    return understood(resourceResult, await this.#ask(node, "resources/read", { uri }, uri, caller), node)
      .contents;
  }

  /** Those of other nodes. */
  recordings(caller: FarCaller): FarRecordings {
    // What came from another node is put together there.
    const nodes = caller.principal.via === undefined ? (this.#fleet?.calls?.others ?? []) : [];
    return new FarRecordings(nodes, (node, uri) => this.#read(node, uri, caller));
  }

  /** Whether there is anywhere else to ask. */
  get hasOthers(): boolean {
    return this.#fleet?.calls !== undefined && this.#fleet.calls !== null;
  }

  /** Called when desktops may have moved; the returned function ends that. */
  whenChanged(look: () => void): () => void {
    return this.#fleet?.whenChanged(look) ?? (() => {});
  }

  later(delayMs: number, call: () => void): () => void {
    return this.#clock.after(delayMs, call, { isIdle: true });
  }

  /** The id of the node that has a desktop; null: nobody, or there is no fleet. */
  ownerIdOf(desktopId: string): string | null {
    return this.#fleet?.ownerOf(desktopId)?.id ?? null;
  }

  /** The other node that has a desktop; null: it is answered here. What came from another node is never sent on. */
  nodeOf(desktopId: string, principal: Principal): NodeRecord | null {
    return principal.via === undefined ? this.#ownerOf(desktopId, principal) : null;
  }

  /** The desktop that a request is on; null: not known. */
  desktopOf(requestId: string, principal: Principal): string | null {
    return this.#made.get(`${principal.id}\n${requestId}`)?.desktopId ?? null;
  }

  /** A request was made on a desktop of this node, and goes along with it. */
  remember(requestId: string, desktopId: string, principal: Principal): void {
    if (this.hasOthers) this.#put(requestId, { node: null, desktopId }, principal);
  }

  /** Resolves once a node tells of the changes of a resource. Throws RefusedError, too_many among them. */
  async listen(node: NodeRecord, uri: string, principal: Principal, listener: FarListener): Promise<void> {
    const params = { notifications: { resourceSubscriptions: [uri] } };
    const caller = { principal, clientName: null, signal: listener.signal };
    await this.#listening.begin(node, principal.id, listener, () =>
      this.#send(node, "subscriptions/listen", params, null, caller),
    );
  }

  /** Throws RefusedError node_unreachable. */
  async #placeOf(
    { name, hasDesktop }: { readonly name: string; readonly hasDesktop: boolean },
    fields: ReadonlyMap<string, unknown>,
    caller: FarCaller,
  ): Promise<{ readonly node: NodeRecord; readonly desktopId: string | null } | null> {
    const { principal } = caller;
    const recording = fields.get("recording_id");
    if (typeof recording === "string") {
      // What runs is the last part, wherever the one is that is named.
      const last = name === STOP ? this.#recordings?.wholes.lastOf(recording) : null;
      const node = await this.#recordedAt(last?.id ?? recording, caller);
      return node === null ? null : { node, desktopId: null };
    }
    const said = fields.get("connection_id");
    if (typeof said === "string") {
      const node = this.#ownerOf(said, principal);
      return node === null ? null : { node, desktopId: said };
    }
    for (const [field, value] of fields) {
      const maker =
        field.endsWith("_id") && typeof value === "string" ? this.#makerOf(value, principal) : null;
      if (maker !== null) return { node: maker, desktopId: null };
    }
    const chosen = hasDesktop && name !== LIST ? this.#choiceOf(principal) : null;
    const node = chosen === null ? null : this.#ownerOf(chosen, principal);
    return node === null ? null : { node, desktopId: chosen };
  }

  async #nodeOfResource(uri: string, id: string, caller: FarCaller): Promise<NodeRecord | null> {
    const { principal } = caller;
    if (uri.startsWith("recordings:")) return await this.#recordedAt(id, caller);
    const desktopId = uri.startsWith("requests:") ? this.desktopOf(id, principal) : null;
    if (desktopId !== null) return this.#ownerOf(desktopId, principal);
    return this.#ownerOf(id, principal) ?? this.#makerOf(id, principal);
  }

  /** null: this one answers. Throws RefusedError node_unreachable. */
  async #recordedAt(id: string, caller: FarCaller): Promise<NodeRecord | null> {
    const others = this.#fleet?.calls?.others ?? [];
    if (others.length === 0 || this.#recordings === null) return null;
    if (id.length > LONGEST_RECORDING_ID || (await isRecordedHere(this.#recordings, id))) return null;
    const known = this.#makerOf(id, caller.principal);
    return known ?? (await recordedAt(id, others, (node, uri) => this.#read(node, uri, caller)));
  }

  /** What a call that names no desktop is about where that is not here: the principal's choice, or the first where none is here. */
  #choiceOf(principal: Principal): string | null {
    const chosen = this.#chosen.get(principal.id);
    if (chosen !== undefined) return chosen;
    const { nodes = [], placed = [], name } = this.#fleet ?? {};
    const here = nodes.find((node) => node.name === name)?.id;
    const isReached = reachOf(principal);
    let first: string | null = null;
    for (const [id, { assignment }] of placed) {
      if (!isReached(id)) continue;
      if (assignment.owner === here) return null;
      first ??= id;
    }
    return first;
  }

  /** null: it is here, or nobody can be asked. */
  #ownerOf(desktopId: string, principal: Principal): NodeRecord | null {
    const fleet = this.#fleet;
    const owner = reaches(principal, desktopId) ? (fleet?.ownerOf(desktopId) ?? null) : null;
    return owner !== null && owner.name !== fleet?.name && owner.calls !== null ? owner : null;
  }

  #makerOf(id: string, principal: Principal): NodeRecord | null {
    const name = this.#made.get(`${principal.id}\n${id}`)?.node ?? null;
    return this.#fleet?.calls?.others.find((node) => node.name === name) ?? null;
  }

  #learn(output: Record<string, unknown>, principal: Principal, made: Made): void {
    for (const [field, value] of Object.entries(output)) {
      if (!field.endsWith("_id") || typeof value !== "string" || field === "connection_id") continue;
      this.#put(value, made, principal);
    }
  }

  #put(id: string, made: Made, principal: Principal): void {
    this.#made.set(`${principal.id}\n${id}`, made);
    const [oldest] = this.#made.keys();
    if (this.#made.size > MOST_IDS && oldest !== undefined) this.#made.delete(oldest);
  }

  /** Throws RefusedError, also where that takes too long. */
  async #inTime<T>(caller: FarCaller, ask: (timed: FarCaller) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const cancel = this.#clock.after(ASKED_WITHIN_MS, () => limit.abort());
    try {
      return await ask({ ...caller, signal: AbortSignal.any([caller.signal, limit.signal]) });
    } finally {
      cancel();
    }
  }

  #read(node: NodeRecord, uri: string, caller: FarCaller): Promise<unknown> {
    return this.#inTime(caller, (timed) => this.#ask(node, "resources/read", { uri }, uri, timed));
  }

  async #listAt(node: NodeRecord, caller: FarCaller) {
    try {
      const { structuredContent, content } = await this.#inTime(caller, (timed) =>
        this.#toolAt(node, LIST, {}, timed),
      );
      const { connections } = understood(listed, structuredContent, node);
      return { connections, content: connections.length === 0 ? [] : content };
    } catch (error) {
      // One that is away is missing, as the guide says; what is ours is no answer of a node.
      if (!(error instanceof RefusedError)) throw error;
      return { connections: [], content: [] };
    }
  }

  async #toolAt(node: NodeRecord, name: string, args: unknown, caller: FarCaller): Promise<ToolResult> {
    const params = { name, arguments: args ?? {} };
    const { isError, ...result } = understood(
      toolResult,
      await this.#ask(node, "tools/call", params, name, caller),
      node,
    );
    const blocks = result.content.map((block) =>
      block.type === "image" && caller.images !== undefined
        ? { ...block, data: caller.images.put(Buffer.from(block.data, "base64")) }
        : block,
    );
    return { ...result, content: blocks, ...(isError === true ? { isError } : {}) };
  }

  /** Throws RefusedError. */
  async #ask(
    node: NodeRecord,
    method: string,
    params: object,
    name: string,
    caller: FarCaller,
  ): Promise<unknown> {
    const response = await this.#send(node, method, params, name, caller);
    try {
      return await resultOf(response, node);
    } catch (cause) {
      if (cause instanceof RefusedError) throw cause;
      if (caller.signal.aborted)
        throw new RefusedError("cancelled", "the call was cancelled by the client", { cause });
      throw new RefusedError(
        "node_unreachable",
        `${node.name} has the desktop and ended before its answer was whole: look what was done before you try again`,
        { cause, heldBy: { node: node.name, address: node.address } },
      );
    }
  }

  /** `name`: of what is asked for; null where the method has none. Throws RefusedError. */
  async #send(
    node: NodeRecord,
    method: string,
    params: object,
    name: string | null,
    { principal, clientName, trace = null, signal }: FarCaller,
  ): Promise<IncomingMessage> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": PROTOCOL,
      "io.modelcontextprotocol/clientInfo": { name: clientName ?? "", version: "" },
      "io.modelcontextprotocol/clientCapabilities": {},
      ...(trace === null ? {} : { traceparent: `00-${trace.traceId}-${trace.spanId}-01` }),
    };
    // INVARIANT: whoever has a node to ask found it by these calls.
    const answer = await this.#fleet?.calls?.call(node, {
      ...{ method: "POST", path: "/mcp", caller: carriedPrincipal(principal, this.#clock), signal },
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...{ "mcp-protocol-version": PROTOCOL, "mcp-method": method },
        ...(name === null ? {} : { "mcp-name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    });
    if (answer === undefined) throw new Error("no calls to ask a node by");
    return answer.response;
  }
}
