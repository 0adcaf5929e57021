import { randomUUID } from "node:crypto";
import { actorOf } from "../../auth/actor.ts";
import type { Principal } from "../../auth/principal.ts";
import type { RateClass } from "../../desktop/control/agent-rates.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import type { TraceContext } from "../../platform/trace-context.ts";
import { type ContentBlock, failure, type ToolResult } from "../model/tool-result.ts";
import { BrowsersOf } from "./browser/browsers-of.ts";
import { explain, INTERNAL_ERROR, type ToolError } from "./error.ts";
import { base64Of, type ImageSlots } from "./image-slots.ts";
import type { McpState } from "./mcp-state.ts";
import type {
  McpDesktop,
  McpPorts,
  McpTransport,
  RpcRequest,
  ToolCallBegun,
  ToolCallRecord,
} from "./ports.ts";
import { RecordingsOf } from "./recordings.ts";
import type { Tool, ToolAnswer, ToolContext, ToolImage } from "./tool.ts";

/** Who calls a tool, and how long they wait for it. */
export interface Caller {
  readonly principal: Principal;
  readonly transport: McpTransport;
  /** As the client calls itself, cleaned; null where it did not. */
  readonly clientName: string | null;
  /** Where the call stands in a trace of theirs. */
  readonly trace?: TraceContext | null;
  readonly rpc?: RpcRequest;
  readonly signal: AbortSignal;
  /** Where the answer's images are left until it is written; absent, they stand in it. */
  readonly images?: ImageSlots | undefined;
}

/** How long a tool waits for a desktop that is still connecting. */
const READY_TIMEOUT_MS = 5_000;

/** A call where its desktop is: at the node of a fleet that has it, else here. */
export async function runTool(
  tool: Tool,
  args: unknown,
  caller: Caller,
  ports: McpPorts,
  mcpState: McpState,
): Promise<ToolResult> {
  const { far } = mcpState;
  const carried = await far.tool(tool, args, caller);
  if (carried !== null) return carried;
  return await far.withOthers(await runHere(tool, args, caller, ports, mcpState), tool, caller);
}

/** The one door through which every tool call goes: arguments, rate limit, the tool, its errors, the audit. */
async function runHere(
  tool: Tool,
  args: unknown,
  caller: Caller,
  ports: McpPorts,
  mcpState: McpState,
): Promise<ToolResult> {
  const { desktops, clock } = ports;
  const { principal, signal } = caller;
  const startMs = clock.nowMs();
  let begun: ToolCallBegun = {
    callId: randomUUID(),
    tool: tool.name,
    principal,
    transport: caller.transport,
    clientName: caller.clientName,
    ...(caller.trace === undefined || caller.trace === null ? {} : { trace: caller.trace }),
    ...(caller.rpc === undefined ? {} : { rpc: caller.rpc }),
    desktopId: null,
  };
  let isTold = false;
  const tell = (): void => {
    if (!isTold) ports.onCall?.(begun);
    isTold = true;
  };
  let error: ToolError | null = null;
  let images = 0;
  let area: Rect | undefined;
  let result: ToolResult;
  try {
    const isLarge = countValues(args) > MANY_VALUES;
    if (isLarge) await nextTurn();
    const call = tool.parse(args);
    if (isLarge) await nextTurn();
    const desktop = tool.hasDesktop ? find(ports, principal, call.connectionId ?? undefined) : null;
    begun = { ...begun, desktopId: desktop?.id ?? null };
    tell();
    if (needsRecord(tool)) await ports.secured?.();
    const giveBack = mcpState.limits.take(
      rateOf(tool.rate, desktop, principal),
      principal,
      desktop?.id ?? "",
    );
    const context: ToolContext = {
      principal,
      actor: {
        ...actorOf(principal, principal.ip),
        kind: "agent",
        ...(caller.clientName === null ? {} : { client: caller.clientName }),
      },
      clientName: caller.clientName,
      desktops,
      get recordings() {
        return new RecordingsOf(ports.recordings, principal, mcpState.far.recordings(caller));
      },
      get browsers() {
        // INVARIANT: the tools that ask are listed only where there are browsers.
        if (ports.browsers === undefined)
          throw new RefusedError("not_supported", "no browser can be paired here");
        return new BrowsersOf(ports.browsers, principal);
      },
      get sharedPages() {
        return ports.browsers === undefined ? [] : new BrowsersOf(ports.browsers, principal).pages;
      },
      desktop: (connectionId) => find(ports, principal, connectionId),
      async readyDesktop(connectionId) {
        const found = find(ports, principal, connectionId);
        await found.whenReady(READY_TIMEOUT_MS, signal);
        return found;
      },
      date: () => clock.date(),
      clock,
      mcpState,
      count(rate, onDesktop, count) {
        if (count > 0)
          mcpState.limits.take(rateOf(rate, onDesktop, principal), principal, onDesktop.id, count);
      },
      signal,
    };
    let isShown = false;
    try {
      const work = () => call.run(context);
      const answer = await (ports.within === undefined ? work() : ports.within(begun, work));
      images = imagesOf(answer).length;
      area = answer.area;
      isShown = images > 0 || answer.showsScreen === true;
      result = success(answer, caller.images);
    } finally {
      // R1: only delivered images count as screenshots, and what was read from one.
      if (tool.rate === "screenshot" && !isShown) giveBack();
    }
  } catch (cause) {
    error = explain(cause, signal);
    if (error === null) {
      ports.log.error({ err: cause, tool: tool.name }, "Tool failed");
      error = INTERNAL_ERROR;
    }
    result = failure(error);
  }
  tell();
  const code = error?.code ?? null;
  const durationMs = clock.nowMs() - startMs;
  ports.audit({
    ...begun,
    ...{ outcome: outcomeOf(code), code, durationMs, images },
    ...(area === undefined ? {} : { area }),
  });
  return result;
}

/**
 * Checking arguments against their schema costs a microsecond a value: so many keep the loop for 20 ms. Twice what the
 * largest call has (overlays of 5,000 points, each an object of two numbers).
 */
const MOST_VALUES = 30_000;

/** Reading, checking and doing what has more than so many take a turn of the loop each. */
const MANY_VALUES = 2000;

/** Throws RefusedError invalid_parameters for more values than any call has, before they are looked at one by one. */
function countValues(args: unknown): number {
  let values = 0;
  const open: unknown[] = [args];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Array.isArray(value) ? value : Object.values(value)) {
      if (++values > MOST_VALUES) {
        throw new RefusedError(
          "invalid_parameters",
          `got arguments of more than ${MOST_VALUES} values, expected fewer: make several calls`,
        );
      }
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
  }
  return values;
}

/** Looking changes nothing, and whoever wants to stop may always. */
function needsRecord({ effect, name }: Tool): boolean {
  return effect !== "read" && name !== "session_stop";
}

function find({ desktops }: McpPorts, principal: Principal, connectionId: string | undefined): McpDesktop {
  return connectionId === undefined ? desktops.active(principal.id) : desktops.get(connectionId);
}

function rateOf(rate: RateClass, desktop: McpDesktop | null, { id }: Principal): RateClass {
  return rate === "input" && desktop?.modeOf(id) === "autopilot" ? "autopilot_input" : rate;
}

function imagesOf({ image, images }: ToolAnswer<Record<string, unknown>>): readonly ToolImage[] {
  return images ?? (image === undefined ? [] : [image]);
}

function success(answer: ToolAnswer<Record<string, unknown>>, slots?: ImageSlots): ToolResult {
  const content: ContentBlock[] = [{ type: "text", text: answer.text }];
  for (const { bytes, mimeType } of imagesOf(answer)) {
    content.push({ type: "image", data: slots?.put(bytes) ?? base64Of(bytes), mimeType });
  }
  return { content, structuredContent: answer.output };
}

function outcomeOf(code: ToolError["code"] | null): ToolCallRecord["outcome"] {
  if (code === null) return "done";
  return code === "internal_error" ? "failed" : "refused";
}
