import * as z from "zod";
import { scrollBy } from "../../../browser/page/act.ts";
import { boxAtRest, viewportOf } from "../../../browser/page/element-box.ts";
import {
  actOnPage,
  browserActingFields,
  elementFields,
  pageActedFields,
  tabIdField,
} from "../../tool/browser/page-acting.ts";
import { defineTool } from "../../tool/tool.ts";

export const browserScroll = defineTool({
  name: "browser_scroll",
  title: "Scroll in a browser tab",
  description:
    "Scrolls an element into view; with pixels turns the wheel over it or the page, down, or up where negative.",
  effect: "input",
  isForeign: true,
  input: z
    .strictObject({
      tab_id: tabIdField,
      ...elementFields,
      pixels: z.int().min(-65_535).max(65_535).optional(),
      ...browserActingFields,
    })
    .refine(
      ({ ref, selector, pixels }) =>
        (ref === undefined || selector === undefined) && (ref ?? selector ?? pixels) !== undefined,
      "expected ref or selector, pixels, or one of those with pixels",
    ),
  output: z.object(pageActedFields),
  async handle({ pixels, ...args }, context) {
    const acted = await actOnPage(context, args, {
      verb: "scroll",
      classes: ["pointer"],
      words: pixels === undefined ? "Scroll to" : `Scroll by ${pixels} pixels,`,
      work: async (page, target) => {
        const box = target === null ? await viewportOf(page) : await boxAtRest(page, target.place);
        if (pixels !== undefined) await scrollBy(page, box, pixels);
      },
    });
    return { output: acted.output, text: `Scrolled. ${acted.text}` };
  },
});
