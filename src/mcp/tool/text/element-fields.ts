import * as z from "zod";
import { ELEMENT_KINDS, type ScreenElement } from "../../../vision/elements/element.ts";
import { rectOutput } from "../fields.ts";

/** An element in an answer. */
export const elementOutput = z.object({
  id: z.string().describe("The same while its picture stays, wherever it moves."),
  kind: z.enum(ELEMENT_KINDS),
  label: z.string().nullable().describe("What is to be read in it or beside it."),
  box: rectOutput,
  score: z.number().describe("0 to 1: how sure its kind is."),
  source: z.literal("pixels"),
});

export function describeElement({
  id,
  kind,
  label,
  rect,
  score,
}: ScreenElement): z.input<typeof elementOutput> {
  const { x, y, width, height } = rect;
  return { id, kind, label, box: { x, y, width, height }, score, source: "pixels" };
}

/** `button "Save"`: what a person calls it. */
export function elementName({ kind, label }: Pick<ScreenElement, "kind" | "label">): string {
  const named = kind.replace("_", " ");
  return label === null ? named : `${named} ${JSON.stringify(label.slice(0, 80))}`;
}
