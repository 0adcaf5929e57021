import { randomUUID } from "node:crypto";
import { RefusedError } from "../desktop/error.ts";
import type { Clock } from "../platform/clock.ts";
import { BRIDGE_CLOSE, type BridgeSocket } from "./bridge-socket.ts";
import { BrowserError, type BrowserErrorCode } from "./error.ts";
import { type BridgeEvent, type LaterMessage, laterMessageSchema, readMessage } from "./messages.ts";
import { type Command, isAllowedMethod, type Method } from "./wire/calls.ts";
import { PieceJoiner } from "./wire/pieces.ts";
import type { TreeNode } from "./wire/tree-nodes.ts";

const ANSWER_WITHIN_MS = 30_000;
/** A service worker that hears nothing is ended after 30 s. */
const PING_EVERY_MS = 20_000;
/** Calls that wait for an answer at a time. */
const MOST_PENDING = 256;
/** Nodes of one tree. */
const MOST_NODES = 60_000;
/** What a browser that does not read may be behind. */
const MOST_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Messages that may come at once; so many more come back a second. */
const MESSAGE_BURST = 4000;
const MESSAGES_A_SECOND = 1000;

export interface AskedTree {
  readonly frameId: string;
  /**
   * Only its beginning: the object id of an array of what holds much, after how many nodes no more are loaded, and the
   * subtrees that are known already, each by its first node, and of how many nodes it is.
   */
  readonly part?: {
    readonly containers: string;
    readonly most: number;
    readonly plain?: readonly (readonly [string, number])[];
  };
}

export interface LoadedTree {
  /** The root first, in the order of the page. */
  readonly nodes: readonly TreeNode[];
  /** Subtrees that were not loaded, all of them after the nodes. */
  readonly left: number;
  /** Of the subtrees that are known already those that stand among the nodes. */
  readonly plain: readonly string[];
}

interface Answer {
  readonly result: unknown;
  readonly nodes: readonly TreeNode[];
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly nodes: TreeNode[];
  readonly end: () => void;
}

/** Codes of the extension, and what they are here. */
const CODES: Readonly<Record<string, BrowserErrorCode>> = {
  not_shared: "tab_not_shared",
  stopped: "browser_stopped",
  tab_gone: "tab_not_shared",
  session_gone: "page_changed",
};

/** One browser that is connected: commands with ids and a limit, and what happens there. */
export class BrowserPeer {
  /** The tabs that the person shares, as the browser numbers them. */
  sharedTabs: ReadonlySet<number> = new Set();
  readonly #socket: BridgeSocket;
  readonly #clock: Clock;
  readonly #onEvent: (event: BridgeEvent) => void;
  readonly #pending = new Map<string, Pending>();
  readonly #joiner = new PieceJoiner();
  #cancelPing: () => void = () => {};
  #isOpen = true;
  #tokens = MESSAGE_BURST;
  #tokensAtMs: number;

  /** `onEvent` is told what happened, `onGone` once when the socket is closed. */
  constructor(socket: BridgeSocket, clock: Clock, onEvent: (event: BridgeEvent) => void, onGone: () => void) {
    this.#socket = socket;
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.#tokensAtMs = clock.nowMs();
    socket.onFrame((frame) => this.#take(frame));
    socket.onClose(() => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      this.#cancelPing();
      for (const { reject, end } of [...this.#pending.values()]) {
        end();
        reject(new BrowserError("browser_away", "the browser went away before it answered"));
      }
      onGone();
    });
    this.#ping();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** The accessibility tree of a frame, which comes in parts. Rejects as `cdp`. */
  async tree(
    tabId: number,
    session: string | null,
    { frameId, ...part }: AskedTree,
    signal?: AbortSignal,
  ): Promise<LoadedTree> {
    const method: Method = "Accessibility.getFullAXTree";
    const call = { tab_id: tabId, session, method, params: { frameId }, ...part };
    const { nodes, result } = await this.#request("cdp", call, signal);
    // Extensions of before load all, and say nothing of what is left.
    const { left, plain }: { left?: unknown; plain?: unknown } = Object(result);
    return {
      nodes,
      left: typeof left === "number" && left > 0 ? Math.floor(left) : 0,
      plain: Array.isArray(plain) ? plain.map(String) : [],
    };
  }

  /** A call of the DevTools protocol to a tab, or to a frame of another process in it. Rejects with BrowserError. */
  cdp(
    tabId: number,
    session: string | null,
    method: Method,
    params: object,
    signal?: AbortSignal,
  ): Promise<unknown> {
    // INVARIANT: whatever a caller was handed as a method, nothing outside the list leaves the server.
    if (!isAllowedMethod(method)) throw new Error(`${method} is not among the methods of the bridge`);
    return this.call("cdp", { tab_id: tabId, session, method, params }, signal);
  }

  /** Rejects with BrowserError, RefusedError too_many, or the signal's reason. */
  async call(type: Command, params: object, signal?: AbortSignal): Promise<unknown> {
    return (await this.#request(type, params, signal)).result;
  }

  async #request(type: Command, params: object, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    if (!this.#isOpen) throw new BrowserError("browser_away", "the browser is not connected");
    if (this.#pending.size >= MOST_PENDING) {
      throw new RefusedError(
        "too_many",
        `${MOST_PENDING} calls to this browser wait for their answers: let them end`,
      );
    }
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        end();
        reject(signal?.reason);
      };
      const cancel = this.#clock.after(ANSWER_WITHIN_MS, () => {
        end();
        reject(
          new BrowserError(
            "browser_timeout",
            `the browser did not answer within ${ANSWER_WITHIN_MS / 1000} s`,
          ),
        );
      });
      const end = (): void => {
        cancel();
        this.#pending.delete(id);
        signal?.removeEventListener("abort", onAbort);
      };
      this.#pending.set(id, { resolve, reject, nodes: [], end });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#send(JSON.stringify({ id, type, params }));
    });
  }

  #send(text: string): void {
    if (this.#socket.bufferedBytes > MOST_BUFFERED_BYTES) this.#socket.cut();
    else this.#socket.send(text);
  }

  #ping(): void {
    this.#cancelPing = this.#clock.after(PING_EVERY_MS, () => {
      this.#send('{"type":"ping"}');
      this.#ping();
    });
  }

  #take(frame: string | Uint8Array): void {
    if (!this.#isOpen) return;
    const joined = typeof frame === "string" ? { text: frame } : this.#joiner.add(frame);
    const isMixed = typeof frame === "string" && this.#joiner.isOpen;
    if (joined === "more" && this.#mayTake()) return;
    const message =
      joined === null || joined === "more" || isMixed || !this.#mayTake()
        ? null
        : readMessage(laterMessageSchema, joined.text);
    if (message === null) this.close(BRIDGE_CLOSE.broken, "unknown, too long or too many messages");
    else this.#handle(message);
  }

  #mayTake(): boolean {
    const nowMs = this.#clock.nowMs();
    const back = ((nowMs - this.#tokensAtMs) * MESSAGES_A_SECOND) / 1000;
    this.#tokens = Math.min(MESSAGE_BURST, this.#tokens + back) - 1;
    this.#tokensAtMs = nowMs;
    return this.#tokens >= 0;
  }

  #handle(message: LaterMessage): void {
    if ("event" in message) {
      if (message.event === "shared") this.sharedTabs = new Set(message.tabs);
      this.#onEvent(message);
      return;
    }
    if (!("id" in message)) return;
    // An answer that comes after its call was given up is nobody's.
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if ("nodes" in message) {
      if (pending.nodes.length + message.nodes.length > MOST_NODES) {
        pending.end();
        pending.reject(
          new RefusedError("too_many", `the page has more than ${MOST_NODES} elements: use script tools`),
        );
        return;
      }
      pending.nodes.push(...message.nodes);
      return;
    }
    pending.end();
    if (message.success) {
      pending.resolve({ result: message.result, nodes: pending.nodes });
      return;
    }
    const { code, message: text } = message.error;
    pending.reject(
      new BrowserError(CODES[code] ?? "browser_refused", `the browser said ${JSON.stringify(text)}`),
    );
  }
}
