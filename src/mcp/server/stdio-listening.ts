import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
import * as z from "zod";

export interface StdioListeningPorts {
  /** Tells of changes of these addresses until the returned function is called. */
  follow(uris: readonly string[], tell: (uri: string) => void): () => void;
  send(message: JSONRPCMessage): Promise<void>;
}

const id = z.union([z.string(), z.number()]);
const cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: id }),
});
const acknowledged = z.object({
  method: z.literal("notifications/subscriptions/acknowledged"),
  params: z.object({
    _meta: z.object({ [SUBSCRIPTION_ID_META_KEY]: id }),
    notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }),
  }),
});

/**
 * What 2026-07-28's `subscriptions/listen` asks for on one connection over stdio. There the SDK acknowledges and ends each by
 * itself and asks no bus for changes, as it does over HTTP: who follows what it acknowledged is this.
 */
export class StdioListening {
  readonly #ports: StdioListeningPorts;
  /** What ends following, by the request's id; null: it is not acknowledged yet. */
  readonly #open = new Map<RequestId, (() => void) | null>();

  constructor(ports: StdioListeningPorts) {
    this.#ports = ports;
  }

  /** A message came, and the SDK does not have it yet. */
  received(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === "subscriptions/listen") {
      this.#end(message.id);
      this.#open.set(message.id, null);
      return;
    }
    const parsed = cancelled.safeParse(message);
    if (parsed.success) this.#end(parsed.data.params.requestId);
  }

  /** A message was sent; gives the id of the request that it answers, or acknowledges; null: none. */
  sent(message: JSONRPCMessage): RequestId | null {
    if (!("method" in message)) {
      if (message.id !== undefined) this.#end(message.id);
      return message.id ?? null;
    }
    const parsed = acknowledged.safeParse(message);
    if (!parsed.success) return null;
    const { _meta, notifications } = parsed.data.params;
    const listenId = _meta[SUBSCRIPTION_ID_META_KEY];
    // One that was cancelled before is not known any more.
    if (this.#open.get(listenId) === null) this.#begin(listenId, notifications.resourceSubscriptions);
    return listenId;
  }

  close(): void {
    for (const listenId of [...this.#open.keys()]) this.#end(listenId);
  }

  #begin(listenId: RequestId, uris: readonly string[]): void {
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: listenId };
    const stop = this.#ports.follow(uris, (uri) => {
      const method = "notifications/resources/updated";
      // A client that is gone is noticed elsewhere.
      this.#ports.send({ jsonrpc: "2.0", method, params: { uri, _meta } }).catch(() => {});
    });
    this.#open.set(listenId, stop);
  }

  #end(listenId: RequestId): void {
    this.#open.get(listenId)?.();
    this.#open.delete(listenId);
  }
}
