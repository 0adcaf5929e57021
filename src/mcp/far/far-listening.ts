import type { IncomingMessage } from "node:http";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import { RefusedError } from "../../desktop/error.ts";
import { methodsOf, resultOf } from "./far-answer.ts";

/** Screens and requests of other nodes that are listened to, each on a connection of its own. */
const MOST_LISTENING = { aPrincipal: 100, all: 500 };

export interface FarListener {
  readonly signal: AbortSignal;
  readonly told: () => void;
  /** Once, when it is told no more, but where `signal` ended it. */
  readonly lost: () => void;
}

/** Changes of resources that other nodes tell of, within bounds. */
export class FarListening {
  /** How many each principal has, by their ids. */
  readonly #listening = new Map<string, number>();

  /** `send`: asks the node. Resolves once it tells of changes. Throws RefusedError, too_many among them. */
  async begin(
    node: NodeRecord,
    principalId: string,
    listener: FarListener,
    send: () => Promise<IncomingMessage>,
  ): Promise<void> {
    const { signal } = listener;
    const leave = this.#enter(principalId);
    try {
      const response = await send();
      if (response.headers["content-type"]?.startsWith("text/event-stream") !== true) {
        await resultOf(response, node);
        throw new RefusedError("not_supported", `${node.name} does not tell of changes of resources`);
      }
      const methods = methodsOf(response);
      const first = await methods.next();
      if (first.done === true) throw new Error("it ended before it began");
      void this.#hear(methods, listener).finally(leave);
    } catch (cause) {
      leave();
      if (cause instanceof RefusedError) throw cause;
      if (signal.aborted) throw new RefusedError("cancelled", "nobody listens any more", { cause });
      const { name, address } = node;
      throw new RefusedError(
        "node_unreachable",
        `${name} has the desktop and does not tell of its changes: try again in a few seconds, or ask ${address}`,
        { cause, retryAfterMs: 1000, heldBy: { node: name, address } },
      );
    }
  }

  async #hear(methods: AsyncGenerator<string>, { told, lost }: FarListener): Promise<void> {
    try {
      for await (const method of methods) if (method === "notifications/resources/updated") told();
    } catch {
      // The node, or the way to it, is gone: whoever listens is told that, and asks again.
    }
    lost();
  }

  /** The returned function makes room again. Throws RefusedError too_many. */
  #enter(principalId: string): () => void {
    const own = this.#listening.get(principalId) ?? 0;
    const all = [...this.#listening.values()].reduce((sum, one) => sum + one, 0);
    const { aPrincipal, all: most } = MOST_LISTENING;
    if (own >= aPrincipal || all >= most) {
      const limit = own >= aPrincipal ? `${aPrincipal} of one principal` : `${most} of all`;
      throw new RefusedError(
        "too_many",
        `got more resources of other nodes to tell of than ${limit}: end one`,
      );
    }
    this.#listening.set(principalId, own + 1);
    return () => {
      const left = (this.#listening.get(principalId) ?? 1) - 1;
      if (left === 0) this.#listening.delete(principalId);
      else this.#listening.set(principalId, left);
    };
  }
}
