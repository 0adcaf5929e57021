import * as z from "zod";
import { type Rect, rectOfSize } from "../../../framebuffer/rect.ts";
import { boxOfRect } from "../../../vision/cut/box.ts";
import { plainText } from "../../../vision/reading-order.ts";
import {
  TEXT_MATCHES,
  type TextLine,
  type TextMatch,
  type TextQuery,
} from "../../../vision/text/text-line.ts";
import { LISTED_AS, rectInput, rectOutput } from "../fields.ts";
import { rectIn } from "../place.ts";
import type { McpDesktop } from "../ports.ts";

/** Fields of tools that work on the text of a desktop, on the wire. */

export const textRegionField = rectInput
  .optional()
  .meta(LISTED_AS.outline)
  .describe("{x, y, width, height}: only there, desktop pixels.");

export const textQueryFields = {
  text: z.string().min(1).max(500).describe("Within one line."),
  match: z
    .enum(TEXT_MATCHES)
    .optional()
    .describe("exact (default), words: whole ones, regex, fuzzy: for misread letters."),
  case_sensitive: z.boolean().optional(),
  region: textRegionField,
};

export function textQuery({
  text,
  match = "exact",
  case_sensitive = false,
}: {
  readonly text: string;
  readonly match?: TextQuery["match"] | undefined;
  readonly case_sensitive?: boolean | undefined;
}): TextQuery {
  return { text, match, isCaseSensitive: case_sensitive };
}

/** A caller's region in desktop pixels; null for none. Throws RefusedError out_of_bounds. */
export function textArea(desktop: McpDesktop, region: Rect | undefined): Rect | null {
  return region === undefined
    ? null
    : rectIn({ bounds: rectOfSize(desktop.size), monitorIndex: null }, region);
}

export const matchOutput = z.object({
  text: z.string(),
  box: rectOutput,
  score: z.number().describe("0 to 1: how sure."),
  line: z.string().describe("All of it."),
});

export function describeMatch({ text, rect, score, line }: TextMatch): z.input<typeof matchOutput> {
  const { x, y, width, height } = rect;
  return { text, box: { x, y, width, height }, score, line };
}

/** What every answer with text of a screen says of it. */
export const screenTextFields = {
  generation: z.int(),
  exact: z.boolean().describe("false: the target sends lossy pixels, letters may be misread."),
  stale: z.boolean().describe("true: the target is down, this is what it showed last."),
  untrusted: z.literal(true),
};

export function screenTextOutput(
  desktop: McpDesktop,
  generation: number,
): { generation: number; exact: boolean; stale: boolean; untrusted: true } {
  return { generation, exact: desktop.isExact, stale: desktop.state.kind !== "live", untrusted: true };
}

/** Lines as they are laid out, rows and columns kept. */
export function layoutOf(lines: readonly Pick<TextLine, "text" | "rect">[]): string {
  return plainText(lines.map(({ text, rect }) => ({ text, ...boxOfRect(rect) })));
}
