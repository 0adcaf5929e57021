import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { asCall, dearBodies } from "../../support/dear-bodies.ts";
import type { Appliance } from "../harness/appliance.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const run = promisify(execFile);

const desktopsSchema = z.array(z.object({ id: z.string() }));
const answerSchema = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({
      screenshot_id: z.string().optional(),
      error: z.object({ code: z.string() }).optional(),
    }),
  }),
});

/** A tool's call over MCP, a request of REST, or what is posted to MCP as it stands. */
export type Call =
  | { readonly kind: "tool"; readonly tool: string; readonly args: Record<string, unknown> }
  | { readonly kind: "rest"; readonly method: "GET" | "DELETE"; readonly path: string }
  | { readonly kind: "body"; readonly body: string };

/** Calls that an agent makes all at once. */
export interface Flood {
  readonly name: string;
  readonly calls: readonly Call[];
}

/** What came of a call: "done", a refusal's code, or "http 429" and the like. */
export type End = string;

/** An agent that only posts calls, so that what is measured is the server. */
export class PlainAgent {
  readonly #appliance: Appliance;
  readonly #token: string;

  constructor(appliance: Appliance, token = appliance.agentToken) {
    this.#appliance = appliance;
    this.#token = token;
  }

  /** The raw answer, read to its end. */
  async post(tool: string, args: Record<string, unknown>): Promise<string> {
    const params = { name: tool, arguments: args };
    const response = await this.#fetch(
      "POST",
      "/mcp",
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    );
    if (!response.ok) return `http ${response.status}`;
    const bytes = Buffer.from(await response.arrayBuffer());
    // Of a large picture only what is said of it is looked at: this client must not be what is slow.
    const about = bytes.lastIndexOf('"structuredContent"');
    if (bytes.length > 100_000) return `{"result":{${bytes.toString("utf8", about)}`.split("\n")[0] ?? "";
    const text = bytes.toString("utf8");
    return text.match(/^data: (.*)$/m)?.[1] ?? text;
  }

  async call(tool: string, args: Record<string, unknown>): Promise<End> {
    const text = await this.post(tool, args);
    if (text.startsWith("http ")) return text;
    const { isError, structuredContent } = answerSchema.parse(JSON.parse(text)).result;
    return isError === true ? (structuredContent.error?.code ?? "failed") : "done";
  }

  /** A request of REST, or to MCP with a body as it stands, whose answer is only read. */
  async request(method: "GET" | "DELETE" | "POST", path: string, body?: string): Promise<End> {
    const response = await this.#fetch(method, path, body);
    await response.arrayBuffer();
    return response.ok ? "done" : `http ${response.status}`;
  }

  #fetch(method: string, path: string, body?: string): Promise<Response> {
    return fetch(`${this.#appliance.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        accept: "application/json, text/event-stream",
      },
      body: body ?? null,
    });
  }

  async #make(call: Call): Promise<End> {
    switch (call.kind) {
      case "tool":
        return await this.call(call.tool, call.args);
      case "rest":
        return await this.request(call.method, call.path);
      case "body":
        return await this.request("POST", "/mcp", call.body);
    }
  }

  /** A whole screenshot's id. */
  async look(): Promise<string> {
    const { structuredContent } = answerSchema.parse(
      JSON.parse(await this.post("take_screenshot", {})),
    ).result;
    if (structuredContent.screenshot_id === undefined) throw new Error("the screenshot has no id");
    return structuredContent.screenshot_id;
  }

  /** All at once; `onEnd` is told of each as it comes. */
  async flood({ calls }: Flood, onEnd: (end: End) => void = () => undefined): Promise<readonly End[]> {
    return await Promise.all(
      calls.map(async (call) => {
        const end = await this.#make(call);
        onEnd(end);
        return end;
      }),
    );
  }
}

/** Agents with a token each, made by the command line beside the running server. */
export async function plainAgents(appliance: Appliance, count: number): Promise<readonly PlainAgent[]> {
  const agents: PlainAgent[] = [];
  for (let i = 0; i < count; i++) {
    const args = ["token", "create", "agent", "--name", `flood ${i}`, "--data-dir", appliance.dataDir];
    const { stdout } = await run(process.execPath, [MAIN, ...args]);
    agents.push(new PlainAgent(appliance, stdout.split("\n")[0]));
  }
  return agents;
}

export async function onlyDesktopId(appliance: Appliance): Promise<string> {
  const [desktop] = desktopsSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());
  if (desktop === undefined) throw new Error("there is no desktop");
  return desktop.id;
}

function tool(name: string, args: Record<string, unknown>): Call {
  return { kind: "tool", tool: name, args };
}

function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A line all over the screen: as dear to paint as points make it. */
function scribble(points: number, seed: number): { x: number; y: number }[] {
  return times(points, (i) => ({
    x: (i * 7919 + seed * 104_729) % 1900,
    y: (i * 6271 + seed * 1299) % 1060,
  }));
}

const LOOK = tool("take_screenshot", { include_overlays: true });

export function freehandFlood(lines = 120): Flood {
  return {
    name: `${lines} large freehand lines and looks`,
    calls: [
      ...times(lines, (i) =>
        tool("draw_overlay", {
          x: 0,
          y: 0,
          width: 1900,
          height: 1060,
          annotation_type: "freehand",
          points: scribble(160, i),
        }),
      ),
      ...times(4, () => LOOK),
    ],
  };
}

export function overlayFlood(kinds: readonly string[], batches = 5): Flood {
  const overlay = (i: number): Record<string, unknown> => ({
    ...{ x: (i * 37) % 1700, y: (i * 53) % 1000, width: 60, height: 30 },
    annotation_type: kinds[i % kinds.length],
    label: `label ${i} 漢字 with words that are measured, wrapped and cut to what fits on the desktop`,
  });
  return {
    name: `${batches} batches of 100 overlays of ${kinds.length} kinds, and looks`,
    calls: [
      ...times(batches, (batch) =>
        tool("batch_overlay", { one_at_a_time: true, overlays: times(100, (i) => overlay(100 * batch + i)) }),
      ),
      ...times(4, () => LOOK),
    ],
  };
}

export function annotationFlood(screenshotId: string): Flood {
  return {
    name: "annotate_screenshot at its limits, four times",
    calls: times(4, (n) =>
      tool("annotate_screenshot", {
        screenshot_id: screenshotId,
        annotations: times(20, (i) => ({ type: "freehand", points: scribble(250, 20 * n + i) })),
      }),
    ),
  };
}

export function screenshotFlood(format: "png" | "jpeg" | "webp", count = 300): Flood {
  return {
    name: `${count} ${format} screenshots`,
    calls: times(count, (i) =>
      // Every other one is a picture of its own.
      tool("take_screenshot", {
        format,
        ...(i % 2 === 0 ? {} : { region: { x: i % 64, y: 0, width: 1200, height: 1000 } }),
      }),
    ),
  };
}

/** What an agent may ask for by REST: pictures with overlays, and lists of these. */
export function restFlood(desktopId: string, count = 300): Flood {
  const desktop = `/api/v1/desktops/${desktopId}`;
  const extensions = ["png", "jpg", "webp"] as const;
  const get = (path: string): Call => ({ kind: "rest", method: "GET", path: `${desktop}/${path}` });
  return {
    name: `${count} screenshots and ${count} lists of overlays by REST`,
    calls: times(2 * count, (i) => {
      if (i % 2 === 1) return get("overlays");
      const part = i % 4 === 0 ? "" : `&x=${i % 64}&y=0&width=1200&height=1000`;
      return get(`screenshot.${extensions[i % 3]}?overlays=1${part}`);
    }),
  };
}

/** Each overlay taken away by a request of its own. */
export function removalFlood(desktopId: string, overlays: readonly { readonly id: string }[]): Flood {
  return {
    name: `${overlays.length} overlays removed by REST`,
    calls: overlays.map(({ id }) => ({
      kind: "rest",
      method: "DELETE",
      path: `/api/v1/desktops/${desktopId}/overlays/${id}`,
    })),
  };
}

/** JSON that is as dear to read as it gets, some of which is refused. */
export function jsonFlood(rounds = 3): Flood {
  const bodies = dearBodies().map((body) => ({ kind: "body" as const, body: asCall(body) }));
  return {
    name: `${rounds} times ${bodies.length} bodies of JSON at the limits`,
    calls: times(rounds, () => bodies).flat(),
  };
}
