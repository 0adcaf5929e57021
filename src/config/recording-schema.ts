import * as z from "zod";
import { RECORDING_POLICIES } from "../recording/write/auto-record.ts";
import { archiveSchema } from "./archive-schema.ts";
import { toggle } from "./config-values.ts";

/** When desktops are recorded, how much of it is kept, and what else is recorded with the pixels. */
export const recordingSchema = z
  .strictObject({
    policy: z
      .enum(RECORDING_POLICIES)
      .default("manual")
      .describe(
        "When desktops are recorded by themselves: manual (never), always (a new recording each day), on_agent_activity (from an agent's first act until a minute after its last).",
      ),
    on_full: z
      .enum(["strict", "best_effort"])
      .default("best_effort")
      .describe(
        "When the disk is full: strict stops agents, best_effort goes on and marks the gap in the recording.",
      ),
    text: toggle
      .default(false)
      .describe(
        "Record the text that desktops show, so that words are found in recordings. Off, because an OCR engine runs for it: up to a third of a core while a desktop changes, and a thread with a copy of its picture; of at most four desktops at a time.",
      ),
    max_fps: z.coerce.number().min(1).max(60).default(10).describe("Pictures a second at most."),
    budget_mb_per_min: z.coerce
      .number()
      .min(0.5)
      .max(10_000)
      .default(20)
      .describe(
        "What changes all the time is recorded less often, so that a minute takes no more on the long run.",
      ),
    disk_floor_mb: z.coerce
      .number()
      .int()
      .min(0)
      .max(10_000_000)
      .default(500)
      .describe("Recordings leave so many MiB of the disk free."),
    keep_days: z.coerce
      .number()
      .min(0)
      .max(36_500)
      .default(0)
      .describe("Recordings that ended longer ago are deleted; 0: never."),
    keep_mb: z.coerce
      .number()
      .int()
      .min(0)
      .default(0)
      .describe("The oldest recordings are deleted while all take more MiB; 0: never."),
    encrypt: toggle.default(false).describe("Encrypt recordings with a key that secret.key opens."),
    archive: archiveSchema,
  })
  .prefault({});
