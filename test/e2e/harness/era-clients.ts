import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

// The official SDKs as clients of each version of the protocol.

/** What of a client is used, whichever it is. */
export interface EraClient {
  readonly tools: readonly { name: string; annotations?: unknown; outputSchema?: unknown }[];
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
  readonly server: { name: string; version: string } | undefined;
  readonly instructions: string | undefined;
}

/** `url`: of /mcp. Throws where the server agrees on another version than the client's. */
type Connect = (url: URL, token: string) => Promise<EraClient>;

function headersOf(token: string) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

async function connect2026(url: URL, token: string): Promise<EraClient> {
  const client = new Client({ name: "new-client", version: "2" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, headersOf(token)));
  if (client.getProtocolEra() !== "modern") throw new Error(`the era is ${client.getProtocolEra()}`);
  const { tools } = await client.listTools();
  return {
    tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

/** The 1.x SDK as a client that knows no version after `version`, and is answered with that. */
async function connectOld(
  version: string,
  transport: Transport2025 | SSEClientTransport,
): Promise<EraClient> {
  const client = new Client2025({ name: "old-client", version: "1" });
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage) =>
    send(
      "method" in message && message.method === "initialize"
        ? { ...message, params: { ...message.params, protocolVersion: version } }
        : message,
    );
  let agreed: string | undefined;
  const setVersion = transport.setProtocolVersion.bind(transport);
  transport.setProtocolVersion = (answered) => {
    agreed = answered;
    setVersion(answered);
  };
  await client.connect(transport);
  if (agreed !== version) throw new Error(`agreed on ${agreed}, and not on ${version}`);
  const { tools } = await client.listTools();
  return {
    tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: async () => {
      if ("terminateSession" in transport) {
        if (!transport.sessionId) throw new Error("the client has no session");
        await transport.terminateSession();
      }
      await client.close();
    },
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

const overHttp =
  (version: string): Connect =>
  (url, token) =>
    connectOld(version, new Transport2025(url, headersOf(token)));

const overSse: Connect = (url, token) =>
  connectOld("2024-11-05", new SSEClientTransport(new URL("/sse", url), headersOf(token)));

export const ERAS: readonly {
  readonly era: string;
  readonly connect: Connect;
  readonly clientName: string;
}[] = [
  { era: "2026-07-28", connect: connect2026, clientName: "new-client" },
  { era: "2025-11-25", connect: overHttp("2025-11-25"), clientName: "old-client" },
  { era: "2025-06-18", connect: overHttp("2025-06-18"), clientName: "old-client" },
  { era: "2025-03-26", connect: overHttp("2025-03-26"), clientName: "old-client" },
  { era: "2024-11-05, HTTP with SSE", connect: overSse, clientName: "old-client" },
];
