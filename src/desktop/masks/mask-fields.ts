import * as z from "zod";
import type { Audience } from "../view.ts";

const AUDIENCES = ["agent", "viewer", "recording"] as const satisfies readonly Audience[];

/** A side of no desktop is longer: see MAX_SIDE of the framebuffer. */
const MOST = 16_384;

export const maskRectSchema = z.strictObject({
  x: z.int().min(-MOST).max(MOST),
  y: z.int().min(-MOST).max(MOST),
  width: z.int().min(1).max(MOST),
  height: z.int().min(1).max(MOST),
});

/** What is said of a mask in the configuration and over REST, in the words of the wire. */
export const maskFields = {
  rect: maskRectSchema.describe(
    "What is hidden, in pixels of the desktop, or of the monitor where one is named.",
  ),
  monitor: z
    .int()
    .min(1)
    .max(255)
    .exactOptional()
    .describe("Counted from 1: the rectangle is counted from its corner and ends with it."),
  audiences: z
    .array(z.enum(AUDIENCES, { error: `expected ${AUDIENCES.join(", ")}` }))
    .min(1)
    .default([...AUDIENCES])
    .transform((said) => AUDIENCES.filter((audience) => said.includes(audience)))
    .describe(
      "From whom: agent (all that agents get), viewer (browsers, VNC viewers, pictures for people), recording. Default: all.",
    ),
  label: z.string().max(80).exactOptional().describe("What people read beside it; agents are not told."),
} as const;
