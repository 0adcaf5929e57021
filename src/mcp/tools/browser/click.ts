import * as z from "zod";
import { clickElement, clickPoint, MOUSE_BUTTONS } from "../../../browser/page/act.ts";
import { type ClickWay, clickOnDesktop } from "../../../browser/page/click-on-desktop.ts";
import { clickedDesktops } from "../../tool/browser/desktops-seen.ts";
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
  output: z.object({
    via: z
      .enum(["desktop", "page"])
      .describe("desktop: by the pointer of the desktop that shows the element; page: in the browser alone."),
    connection_id: z.string().nullable().describe("That desktop."),
    via_reason: z.string().nullable().describe("Why not by a desktop's pointer."),
    ...pageActedFields,
  }),
  async handle({ x, y, button = "left", clickCount = 1, delay = 0, showCursor = false, ...args }, context) {
    const given = x === undefined || y === undefined ? null : { x, y };
    const at = given === null ? "" : ` ${given.x},${given.y}`;
    let way = wayOfPoint();
    let isByDesktop = false;
    const acted = await actOnPage(context, args, {
      verb: "click",
      classes: ["pointer"],
      words: `${TIMES[clickCount]}${button === "left" ? "" : ` ${button}`}${at}`,
      isByDesktop: () => isByDesktop,
      work: async (page, target, { isAsked, subject }) => {
        const how = { button, clicks: clickCount, delayMs: delay, isShown: showCursor };
        if (target === null) {
          if (given !== null) await clickPoint(page, given, how);
          return;
        }
        const desktops = clickedDesktops(context, { ...how, subject, intent: args.intent });
        const isOfPage = delay > 0 || showCursor;
        isByDesktop = !isOfPage && desktops.length > 0;
        way = isOfPage
          ? { via: "page", why: "delay and showCursor are of the page" }
          : await clickOnDesktop(page, target.place, desktops, {
              ...{ clicks: clickCount, isApproved: isAsked },
              isOver: (desktopId) => {
                way = { via: "desktop", desktopId };
              },
            });
        isByDesktop = way.via === "desktop";
        if (way.via === "page") await clickElement(page, target, how);
      },
    });
    return { output: { ...wayOutput(way), ...acted.output }, text: `${wayText(way)} ${acted.text}` };
  },
});

function wayOfPoint(): ClickWay {
  return { via: "page", why: "a point was given, and no element" };
}

function wayOutput(way: ClickWay) {
  return {
    via: way.via,
    connection_id: way.via === "desktop" ? way.desktopId : null,
    via_reason: way.via === "page" ? way.why : null,
  };
}

function wayText(way: ClickWay): string {
  return way.via === "desktop" ? `Clicked by the pointer of ${way.desktopId}.` : "Clicked in the page.";
}
