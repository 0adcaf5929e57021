import * as z from "zod";
import type { Appliance } from "../harness/appliance.ts";

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

/** Calls that an agent makes all at once. */
export interface Flood {
  readonly name: string;
  readonly calls: readonly { readonly tool: string; readonly args: Record<string, unknown> }[];
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
    const response = await fetch(`${this.#appliance.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: args },
      }),
    });
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
      calls.map(async ({ tool, args }) => {
        const end = await this.call(tool, args);
        onEnd(end);
        return end;
      }),
    );
  }
}

export async function onlyDesktopId(appliance: Appliance): Promise<string> {
  const [desktop] = desktopsSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());
  if (desktop === undefined) throw new Error("there is no desktop");
  return desktop.id;
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

const LOOK = { tool: "take_screenshot", args: { include_overlays: true } };

export function freehandFlood(): Flood {
  return {
    name: "120 large freehand lines and looks",
    calls: [
      ...times(120, (i) => ({
        tool: "draw_overlay",
        args: {
          x: 0,
          y: 0,
          width: 1900,
          height: 1060,
          annotation_type: "freehand",
          points: scribble(160, i),
        },
      })),
      ...times(4, () => LOOK),
    ],
  };
}

export function overlayFlood(kinds: readonly string[]): Flood {
  const overlay = (i: number): Record<string, unknown> => ({
    ...{ x: (i * 37) % 1700, y: (i * 53) % 1000, width: 60, height: 30 },
    annotation_type: kinds[i % kinds.length],
    label: `label ${i} 漢字 with words that are measured, wrapped and cut to what fits on the desktop`,
  });
  return {
    name: "five batches of 100 overlays of every kind, and looks",
    calls: [
      ...times(5, (batch) => ({
        tool: "batch_overlay",
        args: { one_at_a_time: true, overlays: times(100, (i) => overlay(100 * batch + i)) },
      })),
      ...times(4, () => LOOK),
    ],
  };
}

export function annotationFlood(screenshotId: string): Flood {
  return {
    name: "annotate_screenshot at its limits, four times",
    calls: times(4, (n) => ({
      tool: "annotate_screenshot",
      args: {
        screenshot_id: screenshotId,
        annotations: times(20, (i) => ({ type: "freehand", points: scribble(250, 20 * n + i) })),
      },
    })),
  };
}

export function screenshotFlood(format: "png" | "jpeg" | "webp", count = 300): Flood {
  return {
    name: `${count} ${format} screenshots`,
    calls: times(count, (i) => ({
      tool: "take_screenshot",
      // Every other one is a picture of its own.
      args: { format, ...(i % 2 === 0 ? {} : { region: { x: i % 64, y: 0, width: 1200, height: 1000 } }) },
    })),
  };
}
