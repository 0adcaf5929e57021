import * as z from "zod";
import { toggle } from "./config-values.ts";

export const approvalsSchema = z
  .strictObject({
    expiry_ms: z.coerce
      .number()
      .int()
      .min(1000)
      .max(600_000)
      .default(45_000)
      .describe("A question nobody answered within this time is denied."),
    arming_ms: z.coerce
      .number()
      .int()
      .min(0)
      .max(5000)
      .default(500)
      .describe(
        "A yes is taken only from whom the question's picture (its words, where it has none) was shown to for so long; 0: at once, also where nothing was shown.",
      ),
    four_eyes: toggle
      .default(false)
      .describe(
        "Who owns an agent does not approve it: a yes, an allowance for a while and a mode that frees agents count only from somebody else. An agent whose owner nobody knows is approved by nobody.",
      ),
  })
  .prefault({});
