import * as z from "zod";

/** One of `GET /api/v1/browsers`: a browser that was paired. */
export const browserInfoSchema = z.object({
  id: z.string(),
  /** As it calls itself: "Chromium 156 on Linux". */
  name: z.string(),
  created_at: z.iso.datetime(),
  /** The token whose agents may use it; null: those of every token for all desktops. */
  agent_id: z.string().nullable(),
  is_connected: z.boolean(),
  /** Tabs that are shared at this moment. */
  shared_tabs: z.int(),
});
export type BrowserDetails = z.infer<typeof browserInfoSchema>;

/** `POST /api/v1/browsers/pairings` */
export const pairingBodySchema = z.strictObject({
  agent_id: z.string().min(1).max(200).nullable().default(null),
});
export type PairingBody = z.input<typeof pairingBodySchema>;

/** Its answer, the only one that shows the link. */
export const newPairingSchema = z.object({
  /** For the extension: "vf://…", good once. */
  link: z.string(),
  expires_at: z.iso.datetime(),
});
export type NewPairing = z.infer<typeof newPairingSchema>;

/** `GET /connect`, for programs. */
export const connectInfoSchema = newPairingSchema.extend({
  server_url: z.url(),
  /** Streamable HTTP. */
  mcp_url: z.url(),
  /** HTTP with SSE, for clients of 2024-11-05. */
  sse_url: z.url(),
});
export type ConnectInfo = z.infer<typeof connectInfoSchema>;
