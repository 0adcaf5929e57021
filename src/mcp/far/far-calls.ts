import * as z from "zod";
import { carriedPrincipal } from "../../auth/carried-principal.ts";
import { reaches } from "../../auth/granted-desktops.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import { readAnswer } from "../../platform/read-answer.ts";
import type { TraceContext } from "../../platform/trace-context.ts";
import { explained, type ToolResult } from "../model/tool-result.ts";
import type { ImageSlots } from "../tool/image-slots.ts";

/** What calls of agents need of a fleet; Fleet is one. */
export type FarFleet = Pick<Fleet, "name" | "view" | "ownerOf" | "calls">;

const PROTOCOL = "2026-07-28";
/** Pictures come as base64, a dozen of them at most. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
/** A list of all nodes waits so long for each. */
const LIST_WITHIN_MS = 2000;
/** Ids of things that far nodes made, and where; the oldest are forgotten. */
const MOST_IDS = 10_000;

const LIST = "list_connections";
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
const answered = z.object({ result: z.unknown() });
const refused = z.object({ error: z.object({ message: z.string() }) });
const listed = z.object({ connections: z.array(z.looseObject({ id: z.string() })) });

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
  /** Screenshots, subscriptions and all else that a far node gave an id, by principal and id: that node's name. */
  readonly #made = new Map<string, string>();
  /** Desktops of other nodes that principals chose. */
  readonly #chosen = new Map<string, string>();

  constructor(fleet: FarFleet | null, clock: Clock) {
    this.#fleet = fleet;
    this.#clock = clock;
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
    const found = this.#placeOf(tool, fields, principal);
    if (found === null) {
      if (tool.name === CHOOSE) this.#chosen.delete(principal.id);
      return null;
    }
    const { node, desktopId } = found;
    const named = desktopId === null ? args : { ...Object.fromEntries(fields), connection_id: desktopId };
    try {
      const result = await this.#toolAt(node, tool.name, named, caller);
      this.#learn(result.structuredContent, principal, node);
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
    const id = /^(?:screen|text|screenshots|requests):\/\/([^/]+)/.exec(uri)?.[1];
    if (id === undefined || this.#fleet === null || principal.via !== undefined) return null;
    const node = this.#ownerOf(id, principal) ?? this.#makerOf(id, principal);
    if (node === null) return null;
    const caller = { principal, clientName: null, signal };
    return understood(resourceResult, await this.#ask(node, "resources/read", { uri }, uri, caller), node)
      .contents;
  }

  #placeOf(
    { name, hasDesktop }: { readonly name: string; readonly hasDesktop: boolean },
    fields: ReadonlyMap<string, unknown>,
    principal: Principal,
  ): { readonly node: NodeRecord; readonly desktopId: string | null } | null {
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

  /** What a call that names no desktop is about where that is not here: the principal's choice, or the first where none is here. */
  #choiceOf(principal: Principal): string | null {
    const chosen = this.#chosen.get(principal.id);
    if (chosen !== undefined) return chosen;
    const all = (this.#fleet?.view.desktops ?? []).filter(({ id }) => reaches(principal, id));
    return all.some(({ node }) => node === this.#fleet?.name) ? null : (all[0]?.id ?? null);
  }

  /** null: it is here, or nobody can be asked. */
  #ownerOf(desktopId: string, principal: Principal): NodeRecord | null {
    const fleet = this.#fleet;
    const owner = reaches(principal, desktopId) ? (fleet?.ownerOf(desktopId) ?? null) : null;
    return owner !== null && owner.name !== fleet?.name && owner.calls !== null ? owner : null;
  }

  #makerOf(id: string, principal: Principal): NodeRecord | null {
    const name = this.#made.get(`${principal.id}\n${id}`);
    return this.#fleet?.calls?.others.find((node) => node.name === name) ?? null;
  }

  #learn(output: Record<string, unknown>, principal: Principal, { name }: NodeRecord): void {
    for (const [field, value] of Object.entries(output)) {
      if (!field.endsWith("_id") || typeof value !== "string" || field === "connection_id") continue;
      this.#made.set(`${principal.id}\n${value}`, name);
      const [oldest] = this.#made.keys();
      if (this.#made.size > MOST_IDS && oldest !== undefined) this.#made.delete(oldest);
    }
  }

  async #listAt(node: NodeRecord, { signal, ...caller }: FarCaller) {
    const limit = new AbortController();
    const cancel = this.#clock.after(LIST_WITHIN_MS, () => limit.abort());
    const both = AbortSignal.any([signal, limit.signal]);
    try {
      const { structuredContent, content } = await this.#toolAt(node, LIST, {}, { ...caller, signal: both });
      const { connections } = understood(listed, structuredContent, node);
      return { connections, content: connections.length === 0 ? [] : content };
    } catch (error) {
      // One that is away is missing, as the guide says; what is ours is no answer of a node.
      if (!(error instanceof RefusedError)) throw error;
      return { connections: [], content: [] };
    } finally {
      cancel();
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
    const { principal, clientName, trace = null, signal } = caller;
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
        ...{ "mcp-protocol-version": PROTOCOL, "mcp-method": method, "mcp-name": name },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    });
    if (answer === undefined) throw new Error("no calls to ask a node by");
    try {
      const body: unknown = JSON.parse(
        (await readAnswer(answer.response, MOST_ANSWER_BYTES)).toString("utf8"),
      );
      const { data } = refused.safeParse(body);
      if (data !== undefined)
        throw new RefusedError("not_supported", `${node.name} refuses it: ${data.error.message}`);
      return answered.parse(body).result;
    } catch (cause) {
      if (cause instanceof RefusedError) throw cause;
      if (signal.aborted)
        throw new RefusedError("cancelled", "the call was cancelled by the client", { cause });
      throw new RefusedError(
        "node_unreachable",
        `${node.name} has the desktop and ended before its answer was whole: look what was done before you try again`,
        { cause, heldBy: { node: node.name, address: node.address } },
      );
    }
  }
}

/** Throws RefusedError where another version of this server answers otherwise. */
function understood<T>(schema: z.ZodType<T>, value: unknown, { name, address }: NodeRecord): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RefusedError(
    "node_unreachable",
    `${name} answered in a way that this version does not know: look what was done before you try again`,
    { cause: parsed.error, heldBy: { node: name, address } },
  );
}
