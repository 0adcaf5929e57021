import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { isRequestUri, onRequest, requestOf } from "../resources/requests.ts";
import { screenUri } from "../resources/resources.ts";
import type { McpState } from "../tool/mcp-state.ts";
import type { McpDesktop, McpDesktops } from "../tool/ports.ts";

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
  readonly #desktopsOf: (principal: Principal) => Pick<McpDesktops, "all">;
  readonly #streams = new Set<(event: ServerEvent) => void>();
  readonly #current = new AsyncLocalStorage<Listening>();

  constructor(mcpState: McpState, desktopsOf: (principal: Principal) => Pick<McpDesktops, "all">) {
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
    const { all } = this.#desktopsOf(principal);
    const stops = all
      .filter(({ id }) => uris.includes(screenUri(id)))
      .map((desktop) =>
        this.#listen(principal.id, desktop, () =>
          listener({ kind: "resource_updated", uri: screenUri(desktop.id) }),
        ),
      );
    const off = this.#mcpState.events.onDue(({ principalId, desktopId }) => {
      if (principalId !== principal.id) return;
      const uri = screenUri(desktopId);
      if (uris.includes(uri)) listener({ kind: "resource_updated", uri });
    });
    const requests = uris.filter(isRequestUri).map((uri) => this.#listenToRequest(principal, uri, listener));
    return () => {
      this.#streams.delete(listener);
      off();
      for (const stop of [...stops, ...requests]) stop();
    };
  }

  /** One that is not the principal's, or not known, is never told of. */
  #listenToRequest(principal: Principal, uri: string, listener: (event: ServerEvent) => void): () => void {
    try {
      const { request, desktop } = requestOf(uri, { principal, desktops: this.#desktopsOf(principal) });
      return onRequest(desktop, request.id, () => listener({ kind: "resource_updated", uri }));
    } catch (error) {
      if (error instanceof RefusedError) return () => {};
      throw error;
    }
  }

  /** Listens as soon as there is a picture, and `tell`s when it came late; the returned function ends it. */
  #listen(principalId: string, desktop: McpDesktop, tell: () => void): () => void {
    const begin = (): (() => void) | null => {
      try {
        return this.#mcpState.events.listen(principalId, desktop);
      } catch {
        // No picture yet, or too many: set_screenshot_frequency says why, and the stream stays open for it.
        return null;
      }
    };
    let stop = begin();
    const off = desktop.on((event) => {
      if (stop !== null || event.type !== "state" || event.state.kind !== "live") return;
      stop = begin();
      if (stop !== null) tell();
    });
    return () => {
      off();
      stop?.();
    };
  }
}

/** The addresses that a subscriptions/listen asks for; the SDK has not checked it yet. */
function urisOf(message: object | null): readonly string[] {
  const params = member(message, "params");
  const uris = member(member(params, "notifications"), "resourceSubscriptions");
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string").slice(0, MAX_URIS) : [];
}

/** More screens than a registry holds. */
const MAX_URIS = 1000;

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
