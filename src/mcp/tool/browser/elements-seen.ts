import { BrowserError } from "../../../browser/error.ts";
import {
  type ElementSeen,
  elementsOnDesktop,
  type PageOnDesktop,
  type PageUnseen,
} from "../../../browser/page/elements-on-desktop.ts";
import type { Page } from "../../../browser/page/page.ts";
import { holdsPoint, overlapRects, type Rect } from "../../../framebuffer/rect.ts";
import type { ElementKind, ScreenElement } from "../../../vision/elements/element.ts";
import type { McpDesktop } from "../ports.ts";
import type { ToolContext } from "../tool.ts";
import { seenDesktops } from "./desktops-seen.ts";

/** An element of a shared tab as an element of the desktop that shows it. */
export interface ScreenPageElement extends ScreenElement {
  readonly tabId: string;
  readonly ref: string;
  /** As the page has it. */
  readonly role: string;
}

/** One that is in such a tab and not seen. */
export interface UnseenElement {
  readonly tabId: string;
  readonly ref: string;
  readonly role: string;
  readonly label: string | null;
  readonly why: string;
}

/** What shared tabs say of one desktop. */
export interface ElementsOfPages {
  readonly elements: readonly ScreenPageElement[];
  readonly unseen: readonly UnseenElement[];
  /** Tabs that tell nothing, and why. */
  readonly unseenTabs: readonly { readonly tabId: string; readonly why: string }[];
}

/** Tabs that are asked. */
const MOST_TABS = 20;

/** The elements of the caller's shared tabs, where a desktop shows them. */
export async function elementsOfPages(context: ToolContext, desktop: McpDesktop): Promise<ElementsOfPages> {
  const pages = context.sharedPages.slice(0, MOST_TABS);
  if (pages.length === 0) return { elements: [], unseen: [], unseenTabs: [] };
  const desktops = seenDesktops(context);
  const looks = await Promise.all(pages.map(async (page) => ({ page, told: await look(page, desktops) })));
  const here = looks.flatMap(({ told }) =>
    typeof told !== "string" && told.desktopId === desktop.id ? [told] : [],
  );
  return {
    elements: here.flatMap(({ page, elements }) => elements.flatMap((each) => screenElement(page, each))),
    unseen: here.flatMap(({ page, elements }) =>
      elements.flatMap(({ unseen, ref, role, name }) =>
        unseen === null ? [] : [{ tabId: page.id, ref, role, label: name === "" ? null : name, why: unseen }],
      ),
    ),
    unseenTabs: looks.flatMap(({ page, told }) =>
      typeof told === "string" ? [{ tabId: page.id, why: told }] : [],
    ),
  };
}

/** Elements that were found in pixels without those that pages tell themselves, and these. */
export function joinElements(
  found: readonly ScreenElement[],
  ofPages: readonly ScreenPageElement[],
  area: Rect | null,
): readonly (ScreenElement | ScreenPageElement)[] {
  const told = ofPages.filter(({ rect }) => area === null || overlapRects(rect, area));
  const isTold = ({ rect: { x, y, width, height } }: ScreenElement): boolean =>
    ofPages.some(({ rect }) => holdsPoint(rect, x + (width >> 1), y + (height >> 1)));
  return [...found.filter((each) => !isTold(each)), ...told];
}

export function isOfPage(element: ScreenElement | ScreenPageElement): element is ScreenPageElement {
  return "ref" in element;
}

async function look(
  page: Page,
  desktops: Parameters<typeof elementsOnDesktop>[1],
): Promise<PageOnDesktop | PageUnseen | string> {
  try {
    return await elementsOnDesktop(page, desktops);
  } catch (error) {
    // The pixels are still there to be looked at.
    if (error instanceof BrowserError) return error.message;
    throw error;
  }
}

function screenElement(page: Page, { ref, role, name, rect }: ElementSeen): readonly ScreenPageElement[] {
  if (rect === null) return [];
  return [
    {
      ...{ id: `${page.id}:${ref}`, tabId: page.id, ref, role, rect },
      ...{ kind: KINDS[role] ?? "button", label: name === "" ? null : name, score: 1 },
    },
  ];
}

/** What is not named here is pressed. */
const KINDS: Readonly<Record<string, ElementKind>> = {
  textbox: "field",
  searchbox: "field",
  combobox: "field",
  spinbutton: "field",
  checkbox: "check_box",
  radio: "check_box",
  switch: "check_box",
  menuitemcheckbox: "check_box",
  menuitemradio: "check_box",
  gridcell: "row",
  option: "row",
  treeitem: "row",
  heading: "text",
};
