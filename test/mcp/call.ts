import type { Principal } from "../../src/auth/principal.ts";
import type { ToolResult } from "../../src/mcp/model/tool-result.ts";
import { openMcpState } from "../../src/mcp/tool/mcp-state.ts";
import { runTool } from "../../src/mcp/tool/run-tool.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { AGENT, type FakeHouse } from "./fake-house.ts";

/** A tool's answer, with the parts that tests look at. */
interface Answer {
  readonly structured: Record<string, unknown>;
  readonly text: string;
  readonly images: readonly { readonly data: string; readonly mimeType: string }[];
  readonly isError: boolean;
  readonly error: unknown;
}

export type Call = (
  name: string,
  args?: unknown,
  options?: { readonly principal?: Principal; readonly signal?: AbortSignal },
) => Promise<Answer>;

/** Calls tools of a house as an agent would, without a transport between. */
export function callsTo(house: FakeHouse): Call {
  const desk = openMcpState(house.ports);
  return async (name, args = {}, { principal = AGENT, signal = new AbortController().signal } = {}) => {
    const tool = TOOLS.find((known) => known.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const caller = { principal, transport: "http", clientName: "test", signal } as const;
    return read(await runTool(tool, args, caller, house.ports, desk));
  };
}

function read(result: ToolResult): Answer {
  const images: { data: string; mimeType: string }[] = [];
  const texts: string[] = [];
  for (const block of result.content) {
    if (block.type === "image") images.push({ data: block.data, mimeType: block.mimeType });
    else texts.push(block.text);
  }
  return {
    structured: result.structuredContent,
    text: texts.join("\n"),
    images,
    isError: result.isError === true,
    error: result.structuredContent["error"],
  };
}
