import * as z from "zod";
import { rectOfSize } from "../../../framebuffer/rect.ts";
import { VisionError } from "../../../vision/error.ts";
import type { TextQuery } from "../../../vision/text/text-line.ts";
import { connectionIdField, LONGEST_WAIT_MS } from "../fields.ts";
import type { McpDesktop } from "../ports.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { awaitText, unlessOver, type WaitedForText, type WantedText } from "./await-text.ts";
import {
  describeMatch,
  matchOutput,
  screenTextFields,
  screenTextOutput,
  textArea,
  textQuery,
  textQueryFields,
} from "./text-fields.ts";

/** Steps of batch_actions that look at the text on the screen; nobody calls them alone. */

const DEFAULT_EXPECT_MS = 5000;
/** Of what was seen instead: more lines tell nobody more, and long ones are cut. */
const MOST_SEEN = 12;
const LONGEST_SEEN = 80;
/** How long is read for it, once the answer is known. */
const SEEN_MS = 2000;

const predicateFields = {
  ...textQueryFields,
  gone: z.boolean().optional().describe("true: that the text is not there."),
};

const predicateOutput = {
  met: z.boolean(),
  matched: matchOutput.nullable().describe("The first match; null where there is none."),
  ...screenTextFields,
};

export const expectText = defineTool({
  name: "expect_text",
  title: "Expect a text",
  description:
    "Waits until the text is there (`gone`: is not). Where it does not come, the batch stops here, and `failed.seen` holds " +
    "the lines that are there instead, the most alike first.",
  effect: "read",
  input: z.strictObject({
    ...predicateFields,
    timeout_ms: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_MS)
      .optional()
      .describe(`Default ${DEFAULT_EXPECT_MS}. 0: looks once.`),
    connection_id: connectionIdField,
  }),
  output: z.object(predicateOutput),
  async handle({ timeout_ms = DEFAULT_EXPECT_MS, ...args }, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const wanted = wantedText(desktop, args);
    const waited = await look(desktop, wanted, timeout_ms, context);
    if (waited.isMet) return answerOf(desktop, waited);
    const seen = await seenInstead(desktop, wanted, waited, context);
    const asked = wanted.isGone ? "still there" : "not there";
    const what =
      seen === null ? "what is there could not be read in time" : `seen ${seen.length} other lines`;
    throw new VisionError("text_unexpected", `the text is ${asked} after ${waited.waitedMs} ms, ${what}`, {
      seen,
    });
  },
});

export const ifText = defineTool({
  name: "if_text",
  title: "Branch on a text",
  description:
    "Looks once whether the text is there (`gone`: is not). If so, the next then_count actions are done, else " +
    "the else_count actions after them; the others are left out, and answer {skipped: true}.",
  effect: "read",
  input: z.strictObject({
    ...predicateFields,
    then_count: z.int().min(0).max(40).optional().describe("Default 1."),
    else_count: z.int().min(0).max(40).optional().describe("Default 0."),
    connection_id: connectionIdField,
  }),
  output: z.object(predicateOutput),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    return answerOf(desktop, await look(desktop, wantedText(desktop, args), 0, context));
  },
});

/** What if_text's arguments say of the actions behind it. */
export const branchFields = z.object({ then_count: z.int().default(1), else_count: z.int().default(0) });

function wantedText(
  desktop: McpDesktop,
  {
    region,
    gone = false,
    ...asked
  }: Parameters<typeof textQuery>[0] & {
    readonly gone?: boolean | undefined;
    readonly region?: Parameters<typeof textArea>[1];
  },
): WantedText {
  return { query: textQuery(asked), area: textArea(desktop, region), isGone: gone };
}

async function look(
  desktop: McpDesktop,
  wanted: WantedText,
  timeoutMs: number,
  { mcpState, clock, signal }: ToolContext,
): Promise<WaitedForText> {
  const region = wanted.area ?? rectOfSize(desktop.size);
  return await awaitText({ desktop, clock, signal, region, timeoutMs }, mcpState.texts, wanted);
}

function answerOf(desktop: McpDesktop, { isMet, matches: [first], generation }: WaitedForText) {
  const output = {
    met: isMet,
    matched: first === undefined ? null : describeMatch(first),
    ...screenTextOutput(desktop, generation),
  };
  return { output, text: `${isMet ? "So it is" : "It is not so"} (generation ${generation}).` };
}

/** Lines that are there, those most like the text first; null where that takes too long. */
async function seenInstead(
  desktop: McpDesktop,
  { query, area, isGone }: WantedText,
  { matches }: WaitedForText,
  { mcpState: { texts }, clock, signal }: ToolContext,
): Promise<string[] | null> {
  if (isGone) return told(matches.map(({ line }) => line));
  const timeUp = new AbortController();
  const cancel = clock.after(SEEN_MS, () => timeUp.abort());
  const over = AbortSignal.any([signal, timeUp.signal]);
  const alike: TextQuery = { ...query, match: "fuzzy" };
  try {
    const all = await unlessOver(texts.now(desktop, area, over), over);
    if (all === null) return null;
    // A pattern is like no text.
    const near =
      query.match === "regex" ? null : await unlessOver(texts.find(desktop, alike, area, over), over);
    return told([...(near?.matches ?? []).map(({ line }) => line), ...all.lines.map(({ text }) => text)]);
  } finally {
    cancel();
  }
}

function told(lines: readonly string[]): string[] {
  const cut = lines.map((line) => (line.length > LONGEST_SEEN ? `${line.slice(0, LONGEST_SEEN)}…` : line));
  return [...new Set(cut)].slice(0, MOST_SEEN);
}
