import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import sharp from "sharp";
import * as z from "zod";
import type { Shot } from "./xwd.ts";

const ERAS = ["2026-07-28", "2025-11-25"] as const;
/** Which protocol a client speaks: that of the SDK's v2 packages or that of its 1.x line. */
export type Era = (typeof ERAS)[number];

/** A tool's answer as every client sees it, checked, not trusted. */
const resultSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  content: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
    ]),
  ),
});

const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
});

/** A tool refused: what it told its caller. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  readonly code: string;
  readonly hint: string;

  constructor(tool: string, { error }: z.infer<typeof errorSchema>) {
    super(`${tool}: ${error.code}: ${error.message}`);
    this.code = error.code;
    this.hint = error.hint;
  }
}

/** What both clients do. */
interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  readResource(request: { uri: string }): Promise<unknown>;
  getPrompt(request: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  close(): Promise<void>;
}

/** An agent: an MCP client of either era, over HTTP. */
export class Agent {
  readonly #client: AnyClient;

  private constructor(client: AnyClient) {
    this.#client = client;
  }

  static async connect(
    endpoint: string,
    token: string,
    era: Era = "2026-07-28",
    name = "e2e",
    fetch = globalThis.fetch,
  ): Promise<Agent> {
    const url = new URL(endpoint);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const info = { name, version: "1" };
    if (era === "2025-11-25") {
      const client = new Client2025(info);
      const transport = new Transport2025(url, { requestInit, fetch });
      await client.connect(transport);
      return new Agent(client);
    }
    const client = new Client(info, { versionNegotiation: { mode: { pin: era } } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit, fetch }));
    return new Agent(client);
  }

  /** The answer as it came. */
  raw(name: string, args: Record<string, unknown>): Promise<unknown> {
    return this.#client.callTool({ name, arguments: args });
  }

  /** A resource as it came. */
  read(uri: string): Promise<unknown> {
    return this.#client.readResource({ uri });
  }

  /** A prompt as it came. */
  prompt(name: string, args: Record<string, string> = {}): Promise<unknown> {
    return this.#client.getPrompt({ name, arguments: args });
  }

  /** The structured content of a tool's answer; throws a ToolRefusal where the tool says isError. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return (await this.#answer(name, args)).structuredContent ?? {};
  }

  /** What take_screenshot shows, its PNG decoded by an independent decoder. */
  shot(args: Record<string, unknown> = {}): Promise<Shot & { facts: Record<string, unknown> }> {
    return this.picture("take_screenshot", args);
  }

  /** The first image of a tool's answer, likewise. */
  async picture(
    tool: string,
    args: Record<string, unknown>,
  ): Promise<Shot & { facts: Record<string, unknown> }> {
    const { content, structuredContent = {} } = await this.#answer(tool, args);
    const image = content.find((block) => block.type === "image");
    if (image?.type !== "image") throw new Error(`${tool} answered without an image`);
    const { data, info } = await sharp(Buffer.from(image.data, "base64"))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, rgba: data, facts: structuredContent };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #answer(name: string, args: Record<string, unknown>): Promise<z.infer<typeof resultSchema>> {
    const answer = resultSchema.parse(await this.raw(name, args));
    if (answer.isError) throw new ToolRefusal(name, errorSchema.parse(answer.structuredContent));
    return answer;
  }
}
