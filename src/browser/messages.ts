import * as z from "zod";

/** What the extension says first; everything is judged by its length before it is looked at. */
export const firstMessageSchema = z.strictObject({
  type: z.enum(["pair", "auth"]),
  key_id: z.string().regex(/^[\w-]{6,64}$/),
  nonce: z.string().regex(/^[\w-]{22}$/),
  /** As it was dialled. */
  url: z.string().max(500),
  mac: z.string().regex(/^[\w-]{43}$/),
  /** Of the extension. */
  version: z.string().max(40),
  /** "Chromium 156 on Linux". */
  browser: z.string().max(80),
});

const tabIdSchema = z.int().nonnegative();

const nodeSchema = z.object({
  nodeId: z.string().max(40),
  ignored: z.literal(true).optional(),
  role: z.string().max(2000).optional(),
  name: z.string().max(2000).optional(),
  value: z.string().max(2000).optional(),
  states: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  childIds: z.array(z.string().max(40)).optional(),
  backendDOMNodeId: z.int().optional(),
});

/** What it says later: answers, parts of answers, and what happened. */
export const laterMessageSchema = z.union([
  z.object({ type: z.literal("pong") }),
  z.object({ id: z.string().max(40), success: z.literal(true), result: z.unknown() }),
  z.object({
    id: z.string().max(40),
    success: z.literal(false),
    error: z.object({ code: z.string().max(60), message: z.string().max(2000) }),
  }),
  z.object({ id: z.string().max(40), nodes: z.array(nodeSchema).max(200) }),
  z.object({ event: z.literal("shared"), tabs: z.array(tabIdSchema).max(1000) }),
  z.object({ event: z.literal("stopped") }),
  z.object({ event: z.literal("detached"), tab_id: tabIdSchema }),
  z.object({ event: z.literal("tab_removed"), tab_id: tabIdSchema }),
  z.object({ event: z.literal("tab_opened"), tab_id: tabIdSchema, opener: tabIdSchema }),
  z.object({
    event: z.literal("cdp"),
    tab_id: tabIdSchema,
    session: z.string().max(200).nullable(),
    method: z.string().max(100),
    params: z.unknown(),
  }),
]);
export type LaterMessage = z.infer<typeof laterMessageSchema>;
export type BridgeEvent = Extract<LaterMessage, { readonly event: string }>;

/** null for what is no JSON object of a known shape. */
export function readMessage<T>(schema: z.ZodType<T>, text: string): T | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return schema.safeParse(value).data ?? null;
}
