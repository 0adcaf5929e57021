import * as z from "zod";
import { clickElement, clickPoint, MOUSE_BUTTONS } from "../../../browser/page/act.ts";
import {
  actOnPage,
  browserActingFields,
  elementFields,
  pageActedFields,
  tabIdField,
} from "../../tool/browser/page-acting.ts";
import { LISTED_AS } from "../../tool/fields.ts";
import { defineTool } from "../../tool/tool.ts";

const TIMES = ["Click", "Click", "Double-click", "Triple-click"];
const cssPixel = z.number().min(0).max(65_535).optional();

export const browserClick = defineTool({
  name: "browser_click",
  title: "Click in a browser tab",
  description:
    "Clicks an element, by its ref or a CSS selector of the top frame, unless something covers it or it moves; or x and y, CSS pixels " +
    "of what is in view.",
  effect: "input",
  isForeign: true,
  input: z
    .strictObject({
      tab_id: tabIdField,
      ...elementFields,
      x: cssPixel,
      y: cssPixel,
      button: z.enum(MOUSE_BUTTONS).optional(),
      clickCount: z.int().min(1).max(3).optional(),
      delay: z
        .int()
        .min(0)
        .max(5000)
        .optional()
        .meta(LISTED_AS.bare)
        .describe("Between press and release, ms."),
      showCursor: z
        .boolean()
        .optional()
        .meta(LISTED_AS.bare)
        .describe("true shows the place to people first."),
      ...browserActingFields,
    })
    .refine(
      ({ ref, selector, x, y }) =>
        [ref, selector, x].filter((one) => one !== undefined).length === 1 &&
        (x === undefined) === (y === undefined),
      "expected ref, selector, or both x and y, and only one of them",
    ),
  output: z.object(pageActedFields),
  async handle({ x, y, button = "left", clickCount = 1, delay = 0, showCursor = false, ...args }, context) {
    const given = x === undefined || y === undefined ? null : { x, y };
    const at = given === null ? "" : ` ${given.x},${given.y}`;
    const acted = await actOnPage(context, args, {
      verb: "click",
      classes: ["pointer"],
      words: `${TIMES[clickCount]}${button === "left" ? "" : ` ${button}`}${at}`,
      work: async (page, target) => {
        const how = { button, clicks: clickCount, delayMs: delay, isShown: showCursor };
        if (target !== null) await clickElement(page, target, how);
        else if (given !== null) await clickPoint(page, given, how);
      },
    });
    return { output: acted.output, text: `Clicked. ${acted.text}` };
  },
});
