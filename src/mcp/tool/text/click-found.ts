import * as z from "zod";
import { BUTTONS, type Found } from "../../../desktop/control/action.ts";
import type { Point } from "../../../framebuffer/rect.ts";
import { type Acted, type ActingArguments, act } from "../acting.ts";
import { LISTED_AS } from "../fields.ts";
import { holdKeysField, keysymOf } from "../held-keys.ts";
import type { McpDesktop } from "../ports.ts";
import type { ToolContext } from "../tool.ts";

/** How something that was found is clicked. */
export const clickFields = {
  button: z.enum(BUTTONS).optional().meta(LISTED_AS.bare).describe("Default left."),
  clicks: z.int().min(1).max(3).optional().meta(LISTED_AS.bare).describe("Default 1."),
  hold_keys: holdKeysField,
};

type ClickArguments = ActingArguments & z.output<z.ZodObject<typeof clickFields>>;

interface ToClick extends Found {
  readonly what: "text" | "element";
  /** What is meant, for people who approve it and for the log: they see more than a place. */
  readonly asked: string;
}

/** Clicks the middle of what was found, unless it changed meanwhile. */
export async function clickFound(
  context: ToolContext,
  desktop: McpDesktop,
  args: ClickArguments,
  { asked, ...found }: ToClick,
): Promise<{ readonly position: Point; readonly acted: Acted }> {
  const { rect } = found;
  const point = { x: rect.x + (rect.width >> 1), y: rect.y + (rect.height >> 1) };
  const acted = await act(
    context,
    desktop,
    {
      kind: "click",
      ...point,
      button: args.button ?? "left",
      clicks: args.clicks ?? 1,
      holdKeysyms: (args.hold_keys ?? []).map(keysymOf),
    },
    {
      ...args,
      intent: args.intent === undefined ? asked : `${asked}: ${args.intent}`,
      found,
    },
  );
  const { x, y } = acted.result.position ?? point;
  return { position: { x, y }, acted };
}
