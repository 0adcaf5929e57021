import * as z from "zod";
import { focusOn, typeText } from "../../../browser/page/act.ts";
import {
  actOnPage,
  browserActingFields,
  elementFields,
  pageActedFields,
  tabIdField,
} from "../../tool/browser/page-acting.ts";
import { LISTED_AS } from "../../tool/fields.ts";
import { defineTool } from "../../tool/tool.ts";

export const browserType = defineTool({
  name: "browser_type",
  title: "Type in a browser tab",
  description:
    "Types into an element, or where the keyboard is; into a list (select) the beginning of the choice.",
  effect: "input",
  isForeign: true,
  input: z
    .strictObject({
      tab_id: tabIdField,
      text: z.string().max(20_000),
      ...elementFields,
      delay: z.int().min(0).max(1000).optional().meta(LISTED_AS.bare).describe("Between characters, ms."),
      pressEnter: z.boolean().optional(),
      ...browserActingFields,
    })
    .refine(
      ({ ref, selector }) => ref === undefined || selector === undefined,
      "expected ref or selector, not both",
    )
    .refine(
      ({ text, delay = 0 }) => text.length * delay <= 25_000,
      "expected text and delay that take 25 s at most",
    ),
  output: z.object(pageActedFields),
  async handle({ text, delay = 0, pressEnter = false, ...args }, context) {
    const acted = await actOnPage(context, args, {
      verb: "type",
      classes: pressEnter ? ["text", "keys"] : ["text"],
      words: `Type ${text.length} characters into`,
      details: pressEnter ? [{ name: "Then presses", value: "Enter" }] : [],
      text,
      work: async (page, target) => {
        if (target !== null) await focusOn(page, target);
        await typeText(page, text, {
          delayMs: delay,
          pressesEnter: pressEnter,
          isByKeys: target?.isSelect === true,
        });
      },
    });
    return { output: acted.output, text: `Typed ${text.length} characters. ${acted.text}` };
  },
});
