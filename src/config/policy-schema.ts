import * as z from "zod";
import { VERDICT_WORDS } from "../desktop/control/action-class.ts";

/** What agents may do in paired browsers. */
export const browserSchema = z
  .strictObject({
    mode: z
      .enum(["passive", "assist", "composing", "autopilot"])
      .optional()
      .describe(
        "What agents may do in shared tabs of paired browsers, as `mode` says it of desktops. Without it: as `mode`, and assist where that is custom.",
      ),
    scripts: z
      .enum(VERDICT_WORDS)
      .default("ask")
      .describe(
        "Agents running code in pages (browser_execute_js, browser_inject_script), whatever browser.mode but passive: ask shows a person all of it first.",
      ),
    mask_passwords: z
      .boolean()
      .default(true)
      .describe(
        "Password fields of shared tabs are hidden from agents and recordings where a desktop shows them, and what is in them from trees of elements.",
      ),
  })
  .prefault({});

/** What agents may do with clipboards. */
export const clipboardSchema = z
  .strictObject({
    read: z
      .enum(VERDICT_WORDS)
      .default("allow")
      .describe("Agents reading it: the stricter of this and the mode."),
    write: z
      .enum(VERDICT_WORDS)
      .default("allow")
      .describe("Agents setting it: the stricter of this and the mode."),
  })
  .prefault({});
