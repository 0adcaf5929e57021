import * as z from "zod";
import { ELEMENT_KINDS, type ScreenElement } from "../../../vision/elements/element.ts";
import { isOfPage, type ScreenPageElement } from "../browser/elements-seen.ts";
import { rectOutput } from "../fields.ts";

/** An element in an answer. */
export const elementOutput = z.object({
  id: z.string().describe("The same while its picture stays, wherever it moves."),
  kind: z.enum(ELEMENT_KINDS),
  label: z.string().nullable().describe("What is to be read in it or beside it."),
  box: rectOutput,
  score: z.number().describe("0 to 1: how sure its kind is."),
  source: z.enum(["pixels", "dom"]).describe("dom: a shared browser tab says so."),
  tab_id: z
    .string()
    .optional()
    .describe("With source dom, as ref: for browser_click and the other browser tools."),
  ref: z.string().optional(),
  role: z.string().optional().describe("As the page has it."),
});

export function describeElement(element: ScreenElement | ScreenPageElement): z.input<typeof elementOutput> {
  const { id, kind, label, rect, score } = element;
  const { x, y, width, height } = rect;
  const told = { id, kind, label, box: { x, y, width, height }, score };
  if (!isOfPage(element)) return { ...told, source: "pixels" };
  return { ...told, source: "dom", tab_id: element.tabId, ref: element.ref, role: element.role };
}

/** `button "Save"`: what a person calls it. */
export function elementName({
  kind,
  label,
  role = kind.replace("_", " "),
}: Pick<ScreenElement, "kind" | "label"> & { readonly role?: string }): string {
  return label === null ? role : `${role} ${JSON.stringify(label.slice(0, 80))}`;
}
