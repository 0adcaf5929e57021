import * as z from "zod";
import { hidesSomething, maskFields } from "../desktop/masks/mask-fields.ts";
import { MASK_LIMIT } from "../desktop/masks/masks.ts";

/** What the file hides on desktops. */
export const masksSchema = z
  .array(
    z
      .strictObject({
        desktop: z
          .string()
          .min(1)
          .max(200)
          .exactOptional()
          .describe("Id or name of a desktop; absent: on every desktop."),
        ...maskFields,
      })
      .refine(...hidesSomething),
  )
  .max(MASK_LIMIT)
  .default([])
  .describe(
    "What is hidden on desktops, and from whom, each with rect (x, y, width, height), text (kinds, pattern, secrets), element (a selector of CSS, for shared tabs), desktop, monitor, audiences (agent, viewer, viewer:ROLE, recording; default all) and label. Nobody removes these while the server runs.",
  );
