import type { HumanRequest } from "../../desktop/control/requests/human-request.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { McpDesktop } from "../tool/ports.ts";
import type { Reader } from "./reader.ts";

const REQUEST = "requests://";

export function requestUri(id: string): string {
  return `${REQUEST}${id}`;
}

export function requestIdOf(uri: string): string {
  return uri.slice(REQUEST.length);
}

export function isRequestUri(uri: string): boolean {
  return uri.startsWith(REQUEST);
}

/** A request of the reader's own and the desktop it is on; throws RefusedError not_found for any other. */
export function requestOf(
  uri: string,
  { desktops, principal }: Pick<Reader, "principal"> & { readonly desktops: Pick<Reader["desktops"], "all"> },
): { readonly request: HumanRequest; readonly desktop: McpDesktop } {
  const id = requestIdOf(uri);
  for (const desktop of desktops.all) {
    const request = desktop.requests.of(principal.id).find((one) => one.id === id);
    if (request !== undefined) return { request, desktop };
  }
  throw new RefusedError(
    "not_found",
    "no such request of yours: it never was, or ended more than an hour ago",
  );
}

/** What an agent reads of its request. */
export function requestOutput(request: HumanRequest): object {
  return {
    request_id: request.id,
    connection_id: request.desktopId,
    kind: request.kind,
    reason: request.reason,
    state: request.state,
    is_private: request.isPrivate,
    answer: request.answer,
    asked_at: request.askedAt,
    expires_at: request.expiresAt,
  };
}

/** Tells of each change of one request until the returned function is called. */
export function onRequest(desktop: Pick<McpDesktop, "on">, id: string, tell: () => void): () => void {
  return desktop.on((event) => {
    if (event.type === "request" && event.request.id === id) tell();
  });
}
