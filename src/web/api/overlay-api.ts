import * as z from "zod";

/** A rectangle on the wire, desktop pixels. */
export const rect = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });

/** An overlay on `/ws/overlays`, fields as the web-first specification names them. */
export const overlaySchema = z.object({
  id: z.string(),
  kind: z.string(),
  x: z.int(),
  y: z.int(),
  width: z.int(),
  height: z.int(),
  color: z.string(),
  opacity: z.number(),
  label: z.string().nullable(),
  temporary_ms: z.int().nullable(),
  click_through: z.boolean(),
  monitor_index: z.int(),
  created_at: z.string(),
  /** Of a freehand line, relative to x, y; left out where it has none. */
  points: z.array(z.object({ x: z.number(), y: z.number() })).optional(),
});

/** Server to browser on `/ws/overlays`; the browser may send `{"type":"request_sync"}`. */
export const overlayMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("overlay_created"), desktop_id: z.string(), overlay: overlaySchema }),
  z.object({ type: z.literal("overlay_removed"), desktop_id: z.string(), overlay_id: z.string() }),
  z.object({ type: z.literal("clear_overlays"), desktop_id: z.string() }),
  z.object({
    type: z.literal("sync_state"),
    desktop_id: z.string(),
    /** Of the desktop, so that a viewer can place the overlays before its first frame. */
    width: z.int(),
    height: z.int(),
    /** The monitors by their index: overlays stay on their own. */
    monitors: z.array(rect),
    overlays: z.array(overlaySchema),
  }),
]);

/** Browser to server on `/ws/overlays`. */
export const overlayRequestSchema = z.object({ type: z.literal("request_sync") });

export type OverlayInfo = z.infer<typeof overlaySchema>;
export type OverlayMessage = z.infer<typeof overlayMessageSchema>;
