import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import { getPrompt, listPrompts } from "../prompts/prompts.ts";
import { type Following, follow } from "../resources/follow.ts";
import type { Reader } from "../resources/reader.ts";
import { listResources, RESOURCE_TEMPLATES, readResource } from "../resources/resources.ts";
import { errorText, explain, INTERNAL_ERROR } from "../tool/error.ts";
import type { McpState } from "../tool/mcp-state.ts";
import type { McpPorts, McpTransport, PictureGiven } from "../tool/ports.ts";
import { RecordingsOf } from "../tool/recordings.ts";
import { complete } from "./completions.ts";

/** What a server says it can do beside tools. */
export const RESOURCE_CAPABILITIES = { resources: { subscribe: true }, prompts: {}, completions: {} };

/** Resources, prompts and completions of one principal, and, for 2025-era sessions and stdio, its subscriptions. */
export function serveResources(
  server: Server,
  { principal, transport }: { readonly principal: Principal; readonly transport: McpTransport },
  ports: McpPorts,
  mcpState: McpState,
): void {
  const { desktops } = ports;
  const readerFor = (signal: AbortSignal, via: PictureGiven["via"] = "resources/read"): Reader => {
    const gave = (id: string, kind: "desktop" | "recording" = "desktop"): void =>
      ports.onPicture?.({ principal, transport, resource: { kind, id }, via });
    const others = mcpState.far.recordings({ principal, clientName: null, signal });
    const recordings =
      ports.recordings === undefined ? null : new RecordingsOf(ports.recordings, principal, others);
    return { principal, desktops, mcpState, recordings, signal, gave };
  };
  const onePage = (cursor: string | undefined): void => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page");
    }
  };
  /** Errors of the heart in the protocol's words; a bug is logged and shows nothing of itself. */
  const told = async <Result>(signal: AbortSignal, run: () => Promise<Result> | Result): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const known = explain(error, signal);
      if (known === null) ports.log.error({ err: error }, "MCP request failed");
      const isBug = known === null;
      throw new ProtocolError(
        isBug ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
        errorText(known ?? INTERNAL_ERROR),
        known ?? undefined,
      );
    }
  };
  server.setRequestHandler("resources/list", async ({ params }, { mcpReq: { signal } }) => {
    onePage(params?.cursor);
    return { resources: await told(signal, () => listResources(readerFor(signal))) };
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    onePage(params?.cursor);
    return { resourceTemplates: [...RESOURCE_TEMPLATES] };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq: { signal } }) => ({
    contents: await told(
      signal,
      async () =>
        (await mcpState.far.resource(uri, principal, signal)) ??
        (await readResource(uri, readerFor(signal)).catch((error) => notFound(error, uri, signal))),
    ),
  }));
  server.setRequestHandler("prompts/list", ({ params }) => {
    onePage(params?.cursor);
    return { prompts: listPrompts() };
  });
  server.setRequestHandler("prompts/get", async ({ params }, { mcpReq: { signal } }) => {
    const found = await told(signal, () =>
      getPrompt(params.name, params.arguments ?? {}, readerFor(signal, "prompts/get")),
    );
    if (found === null) {
      const name = JSON.stringify(params.name.slice(0, 60));
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
    }
    return { ...found };
  });
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }, { mcpReq }) => {
    const of = ref.type === "ref/prompt" ? ref.name : ref.uri;
    const request = { of, argument: argument.name, value: argument.value };
    return { completion: await told(mcpReq.signal, () => complete(request, readerFor(mcpReq.signal))) };
  });
  const listening = new Map<string, Following>();
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    for (const following of listening.values()) following.stop();
    listening.clear();
  };
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }, { mcpReq: { signal } }) =>
    told(signal, async () => {
      const following = follow(uri, readerFor(signal), () => {
        // A client that is gone is noticed elsewhere; what it misses it can read.
        server.sendResourceUpdated({ uri }).catch(() => {});
      });
      try {
        await following.begun;
      } catch (error) {
        following.stop();
        throw error;
      }
      if (isClosed || signal.aborted) following.stop();
      else {
        listening.get(uri)?.stop();
        listening.set(uri, following);
      }
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    listening.get(uri)?.stop();
    listening.delete(uri);
    return {};
  });
  const before = server.onclose;
  server.onclose = () => {
    close();
    before?.();
  };
}

/** MCP has an error of its own for an address that leads nowhere; all else is told as it is. */
function notFound(error: unknown, uri: string, signal: AbortSignal): never {
  if (explain(error, signal)?.code === "not_found") throw new ResourceNotFoundError(uri);
  throw error;
}
