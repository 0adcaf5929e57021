import type { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Clock } from "../../platform/clock.ts";
import { whenGone } from "../../platform/when-gone.ts";
import { ImageSlots } from "../tool/image-slots.ts";
import { writeParts } from "./http.ts";

/** A comment at these intervals: proxies cut a stream that is silent for a minute, and a peer that vanished is noticed. */
const KEEP_ALIVE_MS = 25_000;
/** Calls of one stream whose answers are not written yet. */
export const MAX_CALLS = 100;
/** Events that a client has not read yet; one that lets more pile up is cut off. */
const MAX_UNREAD = 1000;

interface SseTransportOptions {
  readonly res: ServerResponse;
  readonly clock: Clock;
  /** Path where the client posts; the session's id is added. */
  readonly messagePath: string;
  /** Where the server's handlers look for the images of the answer that they make. */
  readonly slots: AsyncLocalStorage<ImageSlots>;
}

/**
 * The client's half of "HTTP with SSE", MCP 2024-11-05: one event stream with all that the server says, beginning with an
 * `endpoint` event that names the address where the client posts.
 */
export class SseTransport implements Transport {
  readonly sessionId = randomUUID();
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #options: SseTransportOptions;
  /** Of each call in work, what to do when its answer is written. */
  readonly #calls = new Map<RequestId, () => void>();
  #written: Promise<void> = Promise.resolve();
  #unread = 0;
  #isClosed = false;
  #cancelKeepAlive: () => void = () => {};

  constructor(options: SseTransportOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async start(): Promise<void> {
    const { res, messagePath } = this.#options;
    res.setHeader("content-type", "text/event-stream");
    res.setHeader("cache-control", "no-cache, no-transform");
    res.setHeader("x-accel-buffering", "no");
    res.statusCode = 200;
    res.write(`event: endpoint\ndata: ${messagePath}?sessionId=${this.sessionId}\n\n`);
    this.#keepAlive();
    whenGone(res, () => void this.close());
  }

  /** Why a call cannot be taken now; null where it can. */
  refusalOf(message: JSONRPCMessage): string | null {
    if (!isJSONRPCRequest(message)) return null;
    if (this.#calls.has(message.id)) return "a call with this id is not answered yet";
    return this.#calls.size < MAX_CALLS ? null : `${MAX_CALLS} calls of this stream are not answered yet`;
  }

  /** Hands on what was posted. `leave` is called once: when the answer is written, or none is to come. */
  receive(message: JSONRPCMessage, request: Request, leave: () => void): void {
    if (isJSONRPCRequest(message)) this.#calls.set(message.id, leave);
    else leave();
    this.#options.slots.run(new ImageSlots(), () => this.onmessage?.(message, { request }));
    // Who cancels gets no answer.
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return;
    const id: unknown = message.params?.["requestId"];
    if (typeof id === "string" || typeof id === "number") this.#answered(id);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("the event stream has ended");
    if (this.#unread >= MAX_UNREAD) {
      await this.close();
      throw new Error(`the client left ${MAX_UNREAD} events unread`);
    }
    const slots = this.#options.slots.getStore();
    const written = this.#written.then(() => this.#write(message, slots));
    this.#unread += 1;
    this.#written = written.catch(() => undefined);
    try {
      await written;
    } finally {
      this.#unread -= 1;
      if (isJSONRPCResponse(message)) {
        slots?.clear();
        if (message.id !== undefined) this.#answered(message.id);
      }
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelKeepAlive();
    for (const id of [...this.#calls.keys()]) this.#answered(id);
    // A client that does not read would never take the end either.
    if (this.#unread > 0) this.#options.res.destroy();
    else this.#options.res.end();
    this.onclose?.();
  }

  async #write(message: JSONRPCMessage, slots: ImageSlots | undefined): Promise<void> {
    const { res } = this.#options;
    if (res.destroyed) return;
    // JSON has no line feed of its own, so that one line of data is all of it.
    const event = Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    await writeParts(res, slots?.split(event) ?? [{ kind: "text", bytes: event }]);
  }

  #answered(id: RequestId): void {
    const leave = this.#calls.get(id);
    this.#calls.delete(id);
    leave?.();
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#options.clock.after(
      KEEP_ALIVE_MS,
      () => {
        if (this.#unread === 0) this.#options.res.write(": keep-alive\n\n");
        this.#keepAlive();
      },
      { isIdle: true },
    );
  }
}
