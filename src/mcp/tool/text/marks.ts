import type { Annotation } from "../../../compositor/annotate.ts";
import { RefusedError } from "../../../desktop/error.ts";
import type { Snapshot } from "../../../desktop/view.ts";
import { intersectRects, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ScreenElement } from "../../../vision/elements/element.ts";
import { elementsOfPages, isOfPage, joinElements, type ScreenPageElement } from "../browser/elements-seen.ts";
import type { McpDesktop } from "../ports.ts";
import type { ToolContext } from "../tool.ts";

/** Colours that lie far from each other, so that a tag is told from its neighbours'. */
const COLOURS = ["#d81b60", "#1e66d0", "#00796b", "#8e24aa", "#c75000", "#37474f"] as const;
/** More of them hide the picture. */
const MOST_MARKS = 250;

/** Elements to mark in a picture that is yet to be taken: lines of text apart, which would hide what they say. */
export async function elementsToMark(
  context: ToolContext,
  desktop: McpDesktop,
  area: Rect,
): Promise<{
  readonly generation: number;
  readonly elements: readonly (ScreenElement | ScreenPageElement)[];
}> {
  const ofPages = await elementsOfPages(context, desktop);
  const { elements, generation } = await context.mcpState.texts.elements(desktop, area, context.signal);
  const all = joinElements(elements, ofPages.elements, area);
  return { generation, elements: all.filter(({ kind }) => kind !== "text").slice(0, MOST_MARKS) };
}

/** A whole picture, PNG, with a frame and the id of each element that has not changed between the look and the picture. */
export async function markedSnapshot(
  { mcpState, principal, signal }: ToolContext,
  desktop: McpDesktop,
  snapshot: Snapshot,
  { generation, elements }: Awaited<ReturnType<typeof elementsToMark>>,
): Promise<Snapshot> {
  const isSized = desktop.sizedSince() > generation;
  const changed = isSized ? null : desktop.changedSince(generation, snapshot.generation);
  const { region, width, height } = snapshot;
  const [scaleX, scaleY] = [width / region.width, height / region.height];
  const tabs = new Set(elements.flatMap((each) => (isOfPage(each) ? [each.tabId] : [])));
  const marks = elements.flatMap((element, index): Annotation[] => {
    const { rect } = element;
    const shown = intersectRects(rect, region);
    if (isEmptyRect(shown) || changed?.clip(rect).isEmpty !== true) return [];
    return [
      {
        type: "mark",
        color: COLOURS[index % COLOURS.length] ?? COLOURS[0],
        // Of several tabs a ref alone says too little.
        text: isOfPage(element) && tabs.size === 1 ? element.ref : element.id,
        x: (shown.x - region.x) * scaleX,
        y: (shown.y - region.y) * scaleY,
        width: shown.width * scaleX,
        height: shown.height * scaleY,
      },
    ];
  });
  try {
    return { ...snapshot, bytes: await mcpState.annotate(principal.id, snapshot.bytes, marks, signal) };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RefusedError("rate_limited", cause.message, { retryAfterMs: 1000, cause });
  }
}
