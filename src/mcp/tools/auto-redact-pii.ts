import * as z from "zod";
import { PRIVATE_KINDS } from "../../desktop/masks/private-kinds.ts";
import { boundRects, type Rect } from "../../framebuffer/rect.ts";
import type { OcrLine } from "../../vision/ocr-messages.ts";
import { boxOf, privateIn } from "../../vision/private/find-private.ts";
import type { Span } from "../../vision/private/span.ts";
import { unsureIn } from "../../vision/private/unsure.ts";
import { keptPicture } from "../tool/capture.ts";
import { rectOutput } from "../tool/fields.ts";
import { blackened } from "../tool/scrub.ts";
import { onDesktop, readLines } from "../tool/text/screenshot-text.ts";
import { defineTool } from "../tool/tool.ts";

/** German models know umlauts as well, of which names of mailboxes have some. */
const LANGUAGES = ["eng", "deu"];

export const autoRedactPii = defineTool({
  name: "auto_redact_pii",
  title: "Redact screenshot",
  description:
    "A copy of one of your screenshots with private text blackened, before you show it to others. OCR may miss some.",
  effect: "read",
  rate: "screenshot",
  hints: { idempotentHint: false },
  input: z.strictObject({ screenshot_id: z.string().min(1).max(100) }),
  output: z.object({
    screenshot_id: z.string().describe("Of the copy; the same as asked for where nothing was found."),
    detections: z.array(
      z.object({
        type: z.enum(PRIVATE_KINDS),
        box: rectOutput.describe("Desktop pixels."),
      }),
    ),
  }),
  async handle({ screenshot_id: id }, context) {
    const { mcpState, principal, signal } = context;
    const shot = mcpState.screenshots.get(id, principal.id);
    const lines = await readLines(mcpState, shot, { part: null, languages: LANGUAGES }, signal);
    const found = lines.flatMap((line) => privateBoxes(line, shot.isPointed));
    const detections = found.map(({ type, box }) => ({ type, box: onDesktop(box, shot.framing) }));
    const file = keptPicture(mcpState, id, principal.id);
    if (found.length === 0) {
      return {
        output: { screenshot_id: id, detections },
        text: `No private text was found in screenshot ${id}, which is as it was.`,
        image: { bytes: file, mimeType: `image/${shot.format}` },
      };
    }
    const bytes = await blackened(
      file,
      found.map(({ box }) => box),
    );
    const { id: _id, ...facts } = shot;
    const kept = mcpState.screenshots.add({ ...facts, role: "detail", format: "png", bytes });
    const kinds = [...new Set(found.map(({ type }) => type))].join(", ");
    return {
      output: { screenshot_id: kept.id, detections },
      text: `Blackened ${found.length} places (${kinds}): screenshot_id ${kept.id}.`,
      image: { bytes, mimeType: "image/png" },
    };
  },
});

/**
 * What is private in a line, or may be where a pointer may lie on it, each with the box of its words over the whole height
 * of the line, in pixels of the image.
 */
function privateBoxes(
  line: OcrLine,
  isPointed: boolean,
): { readonly type: (typeof PRIVATE_KINDS)[number]; readonly box: Rect }[] {
  const surely = privateIn(line.text, PRIVATE_KINDS);
  const isNew = ({ from, to }: Span): boolean => surely.every((one) => to <= one.from || one.to <= from);
  const maybe = isPointed ? unsureIn(line, PRIVATE_KINDS).filter(isNew) : [];
  return [...surely, ...maybe].flatMap(({ kind, ...span }) => {
    const box = boxOf(line, span);
    return box === null ? [] : [{ type: kind, box: tall(box, line.rect) }];
  });
}

/** Ink of a word may be lower than that of its line: what stands off it, as a dot, belongs to it. */
function tall(box: Rect, line: Rect): Rect {
  const { y, height } = boundRects(box, line);
  return { x: box.x, y, width: box.width, height };
}
