import * as z from "zod";
import { scrollBy } from "../../../browser/page/act.ts";
import { boxAtRest, viewportOf } from "../../../browser/page/element-box.ts";
import { elementOnDesktop, type OnDesktop } from "../../../browser/page/element-on-desktop.ts";
import { seenDesktops } from "../../tool/browser/desktops-seen.ts";
import {
  actOnPage,
  browserActingFields,
  elementFields,
  pageActedFields,
  tabIdField,
} from "../../tool/browser/page-acting.ts";
import { LISTED_AS } from "../../tool/fields.ts";
import { defineTool } from "../../tool/tool.ts";

type Where = {
  connection_id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  is_whole: boolean;
};

function onDesktopOf(found: OnDesktop | null): Where | null {
  if (found === null) return null;
  const { desktopId, rect, isWhole } = found;
  return {
    connection_id: desktopId,
    ...{ x: rect.x, y: rect.y, width: rect.width, height: rect.height },
    is_whole: isWhole,
  };
}

function onDesktopWords({ connection_id, x, y, width, height, is_whole }: Where): string {
  return `${is_whole ? "It is" : "A part of it is"} at ${x},${y}, ${width}x${height}, on ${connection_id}.`;
}

export const browserScroll = defineTool({
  name: "browser_scroll",
  title: "Scroll in a browser tab",
  description: "Scrolls an element into view; pixels turns the wheel there, up where negative.",
  effect: "input",
  isForeign: true,
  input: z
    .strictObject({
      tab_id: tabIdField,
      ...elementFields,
      pixels: z.int().min(-65_535).max(65_535).optional(),
      locate: z
        .boolean()
        .optional()
        .meta(LISTED_AS.bare)
        .describe(
          "true: on_desktop tells where the element is seen on a desktop of yours; it flashes for that.",
        ),
      ...browserActingFields,
    })
    .refine(
      ({ ref, selector, pixels }) =>
        (ref === undefined || selector === undefined) && (ref ?? selector ?? pixels) !== undefined,
      "expected ref or selector, pixels, or one of those with pixels",
    )
    .refine(
      ({ ref, selector, locate }) => locate !== true || (ref ?? selector) !== undefined,
      "expected ref or selector with locate",
    ),
  output: z.object({
    on_desktop: z
      .object({
        connection_id: z.string(),
        ...{ x: z.int(), y: z.int(), width: z.int(), height: z.int() },
        is_whole: z.boolean().describe("false: only a part of it is seen, which this is."),
      })
      .nullable()
      .describe("Desktop pixels. null: not asked for, or it is not seen on any."),
    ...pageActedFields,
  }),
  async handle({ pixels, locate = false, ...args }, context) {
    let found: OnDesktop | null = null;
    const acted = await actOnPage(context, args, {
      verb: "scroll",
      classes: ["pointer"],
      words: pixels === undefined ? "Scroll to" : `Scroll by ${pixels} pixels,`,
      work: async (page, target) => {
        const box = target === null ? await viewportOf(page) : await boxAtRest(page, target.place);
        if (pixels !== undefined) await scrollBy(page, box, pixels);
        if (locate && target !== null)
          found = await elementOnDesktop(page, target.place, seenDesktops(context));
      },
    });
    const where = onDesktopOf(found);
    const told = where === null ? "It is not seen on a desktop." : onDesktopWords(where);
    return {
      output: { on_desktop: where, ...acted.output },
      text: `Scrolled. ${locate ? `${told} ` : ""}${acted.text}`,
    };
  },
});
