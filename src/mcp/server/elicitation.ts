import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import type { Actor } from "../../desktop/control/action.ts";
import type { Approval } from "../../desktop/control/approvals/approvals.ts";
import type { Questions } from "../../desktop/control/approvals/questions.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ToolResult } from "../model/tool-result.ts";
import { type ElicitMode, elicitModeOf, formOf, pageOf } from "./elicited-question.ts";

/** The key of our one question in `inputRequests`. */
const ANSWER = "approve";
/** Calls of 2026-07-28 clients that wait for their retry; further ones are asked in the viewer alone. */
const MAX_PARKED = 200;
/** A client that never comes back: its call is forgotten so long after its question was put. */
const PARKED_MS = 120_000;

const answerSchema = z.object({ action: z.string(), content: z.object({ approve: z.boolean() }).optional() });
const stateSchema = z.object({ callId: z.string(), hash: z.string() });
type State = z.infer<typeof stateSchema>;

type Asked = Pick<Questions, "on" | "belongsTo" | "decide" | "shown">;

export interface ElicitationPorts {
  /** null: this client is not asked. */
  readonly questions: Asked | null;
  readonly clock: Clock;
}

/** What is needed of a request. */
type McpRequest = Pick<ServerContext["mcpReq"], "envelope" | "signal" | "inputResponses" | "elicitInput"> & {
  requestState(): unknown;
};

/** One tool call, as it came. */
export interface ElicitedCall {
  readonly principal: Principal;
  readonly context: { readonly mcpReq: McpRequest };
  /** What the client said it can do; undefined where it did not. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Seals what the retry must bring back: see `codec`. */
  mint(state: State): Promise<string>;
  readonly tool: string;
  readonly args: unknown;
  /** Scheme and host as the caller reaches the web app; null where it came by no network. */
  readonly baseUrl: string | null;
  /** Tells a client of 2025-11-25 that what it opened a page for is decided. */
  completed(elicitationId: string): Promise<void>;
  run(signal: AbortSignal): Promise<ToolResult>;
}

interface Parked {
  readonly principalId: string;
  readonly hash: string;
  readonly mode: ElicitMode;
  readonly abort: AbortController;
  readonly result: Promise<ToolResult>;
  /** Questions that its client has not been asked yet. */
  readonly open: Approval[];
  /** The question that its client is asked now. */
  asked: Approval | null;
  wake: () => void;
  stop(): void;
  cancelExpiry(): void;
}

/**
 * Lets the person at an agent's own client answer, beside those at the viewer; whoever is first decides. Only for
 * principals whose credential was granted it: the client is the agent's, so that its word is else worth nothing.
 */
export class Elicitation {
  readonly #questions: ElicitationPorts["questions"];
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  readonly #parked = new Map<string, Parked>();

  constructor(ports: ElicitationPorts) {
    this.#questions = ports.questions;
    this.#clock = ports.clock;
  }

  /** Seals what a retry must bring back, bound to who asked. */
  codec(principal: Principal): RequestStateCodec<State> {
    return createRequestStateCodec<State>({
      key: this.#key,
      ttlSeconds: PARKED_MS / 1000,
      bind: () => principal.id,
    });
  }

  /** Runs a call, asking its client where it may answer. */
  async call(call: ElicitedCall): Promise<ToolResult | InputRequiredResult> {
    const { context, principal, capabilities } = call;
    const isModern = context.mcpReq.envelope !== undefined;
    if (isModern && context.mcpReq.requestState() !== undefined) return this.#retry(call);
    const mode = elicitModeOf(capabilities, call.baseUrl);
    if (principal.mayElicit !== true || mode === null || this.#questions === null)
      return call.run(context.mcpReq.signal);
    if (!isModern) return this.#push(call, mode, this.#questions);
    const isFull = this.#parked.size >= MAX_PARKED;
    return isFull ? call.run(context.mcpReq.signal) : this.#park(call, mode, this.#questions);
  }

  close(): void {
    for (const [id, parked] of this.#parked) {
      parked.abort.abort(new RefusedError("cancelled", "the server stops"));
      this.#forget(id);
    }
  }

  /** 2025-11-25: the server asks in the middle of the call. */
  async #push(call: ElicitedCall, mode: ElicitMode, questions: Asked): Promise<ToolResult> {
    const { context, baseUrl } = call;
    // Of its own: several calls of one client may be under way, and each answers only its own questions.
    const own = AbortSignal.any([context.mcpReq.signal]);
    const asking = new Map<string, AbortController>();
    const stop = questions.on((approval) => {
      if (approval.state !== "pending") {
        // Decided elsewhere, expired or void: the client need not show it any longer.
        asking.get(approval.id)?.abort(new Error("settled"));
        // A client that is gone is told nothing.
        if (asking.delete(approval.id) && mode === "url") call.completed(approval.id).catch(() => undefined);
        return;
      }
      if (!questions.belongsTo(approval.id, own) || !isFor(approval, mode)) return;
      const settled = new AbortController();
      asking.set(approval.id, settled);
      const ask = (): Promise<unknown> =>
        context.mcpReq.elicitInput(
          mode === "url" && baseUrl !== null
            ? { mode, elicitationId: approval.id, ...pageOf(approval, baseUrl) }
            : { mode: "form", ...formOf(approval, baseUrl) },
          { signal: settled.signal, timeout: PARKED_MS },
        );
      this.#askUntilDecided(approval, ask, mode, call.principal)
        // A client that fails to ask leaves the question to the viewer.
        .catch(() => undefined);
    });
    try {
      return await call.run(own);
    } finally {
      stop();
      for (const settled of asking.values()) settled.abort(new Error("the call is over"));
    }
  }

  async #askUntilDecided(
    approval: Approval,
    ask: () => Promise<unknown>,
    mode: ElicitMode,
    principal: Principal,
  ): Promise<void> {
    for (;;) {
      if (mode === "form") this.#questions?.shown(approval.id, principal, "all");
      const earlyMs = this.#decide(approval, await ask(), mode, principal);
      if (earlyMs === null) return;
      await this.#pause(earlyMs);
    }
  }

  /** 2026-07-28: the call waits here while its client asks, and goes on when it comes back. */
  #park(call: ElicitedCall, mode: ElicitMode, questions: Asked): Promise<ToolResult | InputRequiredResult> {
    const { principal } = call;
    const id = randomUUID();
    const abort = new AbortController();
    const open: Approval[] = [];
    const stop = questions.on((approval) => {
      if (approval.state !== "pending" || !questions.belongsTo(approval.id, abort.signal)) return;
      if (!isFor(approval, mode)) return;
      open.push(approval);
      parked.wake();
    });
    const parked: Parked = {
      principalId: principal.id,
      hash: hashOf(call),
      mode,
      abort,
      result: Promise.resolve().then(() => call.run(abort.signal)),
      open,
      asked: null,
      wake: () => {},
      stop,
      cancelExpiry: () => {},
    };
    parked.result.catch(() => undefined);
    this.#parked.set(id, parked);
    return this.#go(id, parked, call);
  }

  async #retry(call: ElicitedCall): Promise<ToolResult | InputRequiredResult> {
    const { context, principal } = call;
    const state = stateSchema.safeParse(context.mcpReq.requestState()).data;
    const parked = this.#parked.get(state?.callId ?? "");
    // Another principal's, another call's arguments, a second time, or too late: all the same to who tries.
    if (
      state === undefined ||
      parked === undefined ||
      parked.asked === null ||
      parked.principalId !== principal.id ||
      parked.hash !== state.hash ||
      parked.hash !== hashOf(call)
    ) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Unknown, used or expired requestState: call the tool again without it",
      );
    }
    const { asked } = parked;
    parked.asked = null;
    const earlyMs = this.#decide(asked, context.mcpReq.inputResponses?.[ANSWER], parked.mode, principal);
    if (earlyMs !== null) {
      await this.#pause(earlyMs);
      parked.open.unshift(asked);
    }
    return this.#go(state.callId, parked, call);
  }

  /** Until the call is done or has a question for its client. */
  async #go(id: string, parked: Parked, call: ElicitedCall): Promise<ToolResult | InputRequiredResult> {
    const { signal } = call.context.mcpReq;
    const onAbort = (): void => parked.abort.abort(signal.reason);
    parked.cancelExpiry();
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const question = new Promise<null>((resolve) => {
      parked.wake = () => resolve(null);
      if (parked.open.length > 0) resolve(null);
    });
    try {
      const result = await Promise.race([parked.result, question]);
      if (result !== null) {
        this.#forget(id);
        return result;
      }
      const asked = parked.open.shift();
      if (asked === undefined) throw new Error("woken without a question");
      parked.asked = asked;
      const { baseUrl } = call;
      const isPage = parked.mode === "url" && baseUrl !== null;
      if (!isPage) this.#questions?.shown(asked.id, call.principal, "all");
      parked.cancelExpiry = this.#clock.after(PARKED_MS, () => {
        parked.abort.abort(new RefusedError("cancelled", "the client did not come back"));
        this.#forget(id);
      });
      return inputRequired({
        inputRequests: {
          [ANSWER]: isPage
            ? inputRequired.elicitUrl(pageOf(asked, baseUrl))
            : inputRequired.elicit(formOf(asked, baseUrl)),
        },
        requestState: await call.mint({ callId: id, hash: parked.hash }),
      });
    } catch (error) {
      this.#forget(id);
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #forget(id: string): void {
    const parked = this.#parked.get(id);
    parked?.stop();
    parked?.cancelExpiry();
    this.#parked.delete(id);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }

  /**
   * null: it is settled, or its card settles it. Else the yes came before anybody can have read this: it is put again
   * after so many ms.
   */
  #decide(approval: Approval, answer: unknown, mode: ElicitMode, principal: Principal): number | null {
    const { data } = answerSchema.safeParse(answer);
    // Who opens a page has agreed to nothing but to look.
    if (mode === "url" && data?.action !== "decline") return null;
    const isYes = data?.action === "accept" && data.content?.approve === true;
    const by: Actor = { kind: "human", id: principal.id, name: `${principal.name}, at its client` };
    try {
      this.#questions?.decide(approval.id, { kind: isYes ? "approve" : "deny" }, by);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.code === "too_early" && error.retryAfterMs !== null) return error.retryAfterMs;
      // Somebody at the viewer was faster, or it is too late.
      if (error.code !== "not_found") throw error;
    }
    return null;
  }
}

/** At the agent's own client is its owner: under four eyes there is nothing to ask them, but a page where others answer. */
function isFor({ isFourEyes }: Approval, mode: ElicitMode): boolean {
  return !isFourEyes || mode === "url";
}

function hashOf({ tool, args }: ElicitedCall): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, args ?? {}]))
    .digest("hex");
}
