import type { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import type { McpPorts } from "../tool/ports.ts";
import type { LastingServers } from "./lasting-servers.ts";
import type { WhenOver } from "./mcp.ts";
import type { PrincipalSessions } from "./principal-sessions.ts";
import { Sessions } from "./sessions.ts";
import type { SseTransport } from "./sse-transport.ts";

/** The SDK's objects of one session. */
interface Legacy {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport | SseTransport;
}

/** Whose a session is, and who tells when it may be theirs no more. */
interface Owner {
  readonly principal: Principal;
  readonly whenOver?: WhenOver | undefined;
}

/**
 * The sessions over HTTP of before 2026-07-28, which outlast their requests: each ends when its client says so, when it is
 * idle, and as soon as the credential that opened it is taken back, with all that it listens to and holds pressed.
 */
export class LegacySessions {
  readonly #sessions: Sessions<Legacy & { over(): void }>;
  readonly #lasting: LastingServers;
  readonly #principalSessions: PrincipalSessions;

  constructor(
    { clock, log }: Pick<McpPorts, "clock" | "log">,
    lasting: LastingServers,
    principalSessions: PrincipalSessions,
  ) {
    this.#lasting = lasting;
    this.#principalSessions = principalSessions;
    this.#sessions = new Sessions(clock, ({ server, over }) => {
      this.#lasting.remove(server);
      over();
      server.close().catch((err: unknown) => log.warn({ err }, "MCP session did not close"));
    });
  }

  /** Makes room for one more session of a principal; false where every other one is in use. */
  makeRoom(principalId: string): boolean {
    return this.#sessions.makeRoom(principalId);
  }

  begin(id: string, { server, transport }: Legacy, { principal, whenOver }: Owner): void {
    this.#lasting.add(server);
    const left = this.#principalSessions.begin(principal);
    const unwatch = whenOver?.(() => this.end(id));
    const over = (): void => {
      unwatch?.();
      left();
    };
    this.#sessions.add(id, principal.id, { server, transport, over });
  }

  /** null for an unknown id and, so that ids cannot be probed, for another principal's. */
  transport(id: string, principalId: string): Legacy["transport"] | null {
    return this.#sessions.get(id, principalId)?.transport ?? null;
  }

  /** Says that a request or stream of a session is open; call the returned function when it ends. */
  use(id: string): () => void {
    return this.#sessions.use(id);
  }

  end(id: string): void {
    this.#sessions.end(id);
  }

  close(): void {
    this.#sessions.close();
  }
}
