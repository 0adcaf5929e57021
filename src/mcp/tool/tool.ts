import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import type { Page } from "../../browser/page/page.ts";
import type { Actor } from "../../desktop/control/action.ts";
import type { RateClass } from "../../desktop/control/agent-rates.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { BrowsersOf } from "./browser/browsers-of.ts";
import { ArgumentsError, toolErrorSchema } from "./error.ts";
import type { McpState } from "./mcp-state.ts";
import type { McpDesktop, McpDesktops } from "./ports.ts";
import type { RecordingsOf } from "./recordings.ts";
import { fenced, untrusted } from "./text/foreign-text.ts";
import type { ToolEffect } from "./toolsets.ts";

/** Who calls, and what a handler may reach. */
export interface ToolContext {
  readonly principal: Principal;
  /** Over MCP always an agent, whatever the token's role. */
  readonly actor: Actor;
  readonly clientName: string | null;
  readonly desktops: McpDesktops;
  /** As this caller may use them; reading it throws RefusedError not_supported in an appliance that records nothing. */
  readonly recordings: RecordingsOf;
  /** The same for paired browsers. */
  readonly browsers: BrowsersOf;
  /** The tabs that the caller may use; none where no browser can be paired. */
  readonly sharedPages: readonly Page[];
  /** The named desktop, else the caller's active one; throws RefusedError not_found. */
  desktop(connectionId: string | undefined): McpDesktop;
  /** As `desktop`, but there is a picture; rejects with why there is none. */
  readyDesktop(connectionId: string | undefined): Promise<McpDesktop>;
  /** The time now, for answers. */
  date(): Date;
  readonly clock: Clock;
  /** What is kept between calls; whoever asks it for something says for which principal. */
  readonly mcpState: McpState;
  /** Counts more calls of a class than the tool's own one; throws RefusedError rate_limited. */
  count(rate: RateClass, desktop: McpDesktop, count: number): void;
  /** Aborts when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
}

export interface ToolImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** What a handler gives back: `text` is for models that read no structured content. */
export interface ToolAnswer<Output> {
  readonly output: Output;
  readonly text: string;
  readonly image?: ToolImage;
  /** Instead of `image` where there are several; their order is that of the output that describes them. */
  readonly images?: readonly ToolImage[];
  /** The part of the desktop that its image shows, desktop pixels; absent: all of it, or no image. */
  readonly area?: Rect;
  /** True where the text shows what is on the screen, and so counts as an image does. */
  readonly showsScreen?: boolean;
}

/** JSON Schema whose root is an object, as MCP wants it. */
export interface ObjectSchema {
  [key: string]: unknown;
  type: "object";
}

/** Parts of an appliance that are there only where they are configured. */
export type ToolNeed = "analysts";

/** The hints of MCP's ToolAnnotations. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Arguments that passed the schema, ready to run. */
export interface ToolCall {
  /** null where the caller named none. */
  readonly connectionId: string | null;
  run(context: ToolContext): Promise<ToolAnswer<Record<string, unknown>>>;
}

/** A tool as the server serves it, made by `defineTool`. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: ToolEffect;
  readonly rate: RateClass;
  /** False for tools about no one desktop: their calls are counted per principal alone. */
  readonly hasDesktop: boolean;
  readonly hints: ToolHints;
  /** Whether its answers hold text that others wrote: they say so, fence it, and show what in it cannot be seen. */
  readonly isForeign: boolean;
  /** What of the appliance it cannot work without: it is not served where that is absent; null: nothing. */
  readonly needs: ToolNeed | null;
  readonly inputSchema: ObjectSchema;
  /** Holds for results and for errors: an error has only `error`. */
  readonly outputSchema: ObjectSchema;
  /** Throws ArgumentsError. */
  parse(args: unknown): ToolCall;
}

/** The tools that work in an appliance with these parts. */
export function servedTools(
  all: readonly Tool[],
  parts: { readonly [need in ToolNeed]?: unknown },
): readonly Tool[] {
  return all.filter(({ needs }) => needs === null || parts[needs] !== undefined);
}

export interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, what the coordinates mean, what comes back. */
  readonly description: string;
  readonly effect: ToolEffect;
  /** Default: by the effect. */
  readonly rate?: RateClass;
  /** Where the tool differs from what its effect implies. */
  readonly hints?: Partial<Omit<ToolHints, "readOnlyHint">>;
  /** See Tool; default false. */
  readonly isForeign?: boolean;
  /** See Tool. */
  readonly needs?: ToolNeed;
  /** A strict object: unknown fields are refused by name. */
  readonly input: Input;
  readonly output: Output;
  handle(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.input<Output>>>;
}

const HINTS_OF_EFFECT: Readonly<Record<ToolEffect, ToolHints>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  overlay: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // A click can do anything that a person at that desktop can.
  input: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  admin: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
};

const RATE_OF_EFFECT: Readonly<Record<ToolEffect, RateClass>> = {
  read: "default",
  overlay: "overlay",
  input: "input",
  admin: "default",
};

/** Makes a tool: schemas, hints and the border between wire and code come from the definition. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, effect, input, output, isForeign = false } = definition;
  return {
    name,
    title,
    description,
    effect,
    rate: definition.rate ?? RATE_OF_EFFECT[effect],
    hasDesktop: "connection_id" in input.shape,
    needs: definition.needs ?? null,
    isForeign,
    hints: { ...HINTS_OF_EFFECT[effect], ...definition.hints },
    inputSchema: schemaOf(input, "input"),
    outputSchema: withError(
      isForeign ? withUntrusted(schemaOf(output, "output")) : schemaOf(output, "output"),
    ),
    parse(args) {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) throw new ArgumentsError(parsed.error, args ?? {});
      const { data } = parsed;
      const connectionId: unknown = data["connection_id"];
      return {
        connectionId: typeof connectionId === "string" ? connectionId : null,
        async run(context) {
          const answer = await definition.handle(data, context);
          const checked = output.safeParse(answer.output);
          // Not an ArgumentsError: the caller did nothing wrong.
          if (!checked.success)
            throw new Error(`result of ${name} breaks its schema`, { cause: checked.error });
          if (!isForeign) return { ...answer, output: checked.data };
          return { ...answer, output: untrusted(checked.data), text: fenced(answer.text) };
        },
      };
    },
  };
}

function schemaOf(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  // Clients of the 2025 era validate with draft 7, where naming the 2020-12 dialect is an error; 2020-12 is
  // what the specification assumes where none is named.
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, type: "object" };
}

function withUntrusted({ properties, required, ...rest }: ObjectSchema): ObjectSchema {
  const names: unknown[] = Array.isArray(required) ? required : [];
  return {
    ...rest,
    type: "object",
    properties: { ...(typeof properties === "object" ? properties : {}), untrusted: { const: true } },
    required: names.includes("untrusted") ? names : [...names, "untrusted"],
  };
}

const ERROR_SCHEMA = schemaOf(toolErrorSchema, "output");

/** Clients validate structured content of errors too, so that the schema must allow for them. */
function withError(schema: ObjectSchema): ObjectSchema {
  const { properties, required, ...rest } = schema;
  return {
    ...rest,
    type: "object",
    properties: { ...(typeof properties === "object" ? properties : {}), error: ERROR_SCHEMA },
    anyOf: [{ required: required ?? [] }, { required: ["error"] }],
  };
}
