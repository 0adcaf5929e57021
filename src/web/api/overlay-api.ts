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
