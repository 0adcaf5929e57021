import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import { type Follower, follow } from "../resources/follow.ts";
import type { McpState } from "../tool/mcp-state.ts";

interface Listening {
  readonly principal: Principal;
  readonly uris: readonly string[];
}

/**
 * The change events of 2026-07-28's `subscriptions/listen`. The SDK's bus tells every stream; this one knows whose a
 * stream is, by the request that it was opened in, and tells each only of its own principal's screens.
 */
export class ListenBus implements ServerEventBus {
  readonly #mcpState: McpState;
  readonly #desktopsOf: (principal: Principal) => Follower["desktops"];
  readonly #streams = new Set<(event: ServerEvent) => void>();
  readonly #current = new AsyncLocalStorage<Listening>();

  constructor(mcpState: McpState, desktopsOf: (principal: Principal) => Follower["desktops"]) {
    this.#mcpState = mcpState;
    this.#desktopsOf = desktopsOf;
  }

  /** Runs a request, so that the streams it opens are known as its principal's. */
  run<Result>(principal: Principal, message: object | null, serve: () => Result): Result {
    return this.#current.run({ principal, uris: urisOf(message) }, serve);
  }

  /** Nothing is published by the SDK itself. */
  publish(): void {}

  /** Tells every stream that the tools may be others now; what they are each asks for itself. */
  toolsChanged(): void {
    for (const listener of [...this.#streams]) listener({ kind: "tools_list_changed" });
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    const listening = this.#current.getStore();
    if (listening === undefined) return () => {};
    const { principal, uris } = listening;
    this.#streams.add(listener);
    const stop = this.follow(principal, uris, (uri) => listener({ kind: "resource_updated", uri }));
    return () => {
      this.#streams.delete(listener);
      stop();
    };
  }

  /** Tells of changes until the returned function is called. Of what is not the principal's, or not known, it never tells. */
  follow(principal: Principal, uris: readonly string[], tell: (uri: string) => void): () => void {
    const follower = { principal, mcpState: this.#mcpState, desktops: this.#desktopsOf(principal) };
    const following = [...new Set(uris)]
      .slice(0, MAX_URIS)
      .map((uri) => follow(uri, follower, () => tell(uri)));
    return () => {
      for (const one of following) one.stop();
    };
  }
}

/** The addresses that a subscriptions/listen asks for; the SDK has not checked it yet. */
function urisOf(message: object | null): readonly string[] {
  const params = member(message, "params");
  const uris = member(member(params, "notifications"), "resourceSubscriptions");
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

/** More screens than a registry holds. */
const MAX_URIS = 1000;

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
