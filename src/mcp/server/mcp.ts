import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { Principal } from "../../auth/principal.ts";
import type { Toolset } from "../tool/toolsets.ts";

/** A session over stdio. */
export interface StdioSession {
  /** Resolves when the client is gone and every answer is written. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Calls `onOver` once the caller's credential is taken back, not where it has only expired and its client comes with the
 * next; the returned function stops watching.
 */
export type WhenOver = (onOver: () => void) => () => void;

/** The MCP face of the house. */
export interface Mcp {
  /**
   * Serves one HTTP request of either protocol era; by `/sse` and `/message` also of HTTP with SSE, 2024-11-05. `body`: what was read and parsed already, or the raw text or
   * bytes of it (then malformed JSON is answered as JSON-RPC asks), or undefined when nobody has read it. `baseUrl`:
   * scheme and host as the caller reaches the web app. `whenOver`: ends the session that the request opens.
   */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    principal: Principal,
    baseUrl?: string,
    whenOver?: WhenOver,
  ): Promise<void>;
  /** Speaks MCP on two streams; nothing else may write to `stdout`. `toolsets`: null for every tool. */
  serveStdio(
    stdin: Readable,
    stdout: Writable,
    principal: Principal,
    toolsets?: readonly Toolset[] | null,
  ): StdioSession;
  /** Open sessions, over HTTP and stdio, of one principal; null: of all. Requests of 2026-07-28 have none. */
  sessionsOf(principalId: string | null): number;
  /** Ends every session and aborts what runs. */
  close(): Promise<void>;
}
