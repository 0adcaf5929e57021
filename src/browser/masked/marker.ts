import type { Colour, Marked } from "../../desktop/picture/mark-search.ts";
import type { Page, SeenPage } from "../page/page.ts";
import { pageAt, seekPageMark } from "../page/page-mark.ts";
import type { PageLook } from "./look.ts";

/** A desktop on which a page may be seen. */
export interface SoughtDesktop {
  readonly id: string;
  readonly masks: { seek(colour: Colour): Promise<Marked | null> };
}

/** CSS pixels of a side. */
const MARK = 16;
const SEEN_WITHIN_MS = 700;

/**
 * Where a page is seen on one of these desktops, whatever is in it: a small square in a colour that nobody can guess is
 * painted above it for a moment, unseen by the page, and looked for under masks too. null where none shows it whole.
 * Rejects with BrowserError.
 */
export async function seekPage(
  page: Page,
  { size, scale }: PageLook,
  desktops: readonly SoughtDesktop[],
): Promise<SeenPage | null> {
  if (desktops.length === 0 || scale <= 0 || size.width < MARK || size.height < MARK) return null;
  const places = [
    { x: 0, y: 0 },
    { x: size.width - MARK, y: size.height - MARK },
    { x: (size.width - MARK) >> 1, y: (size.height - MARK) >> 1 },
  ];
  for (const place of places) {
    const seen = await seekMark(page, place, scale, desktops);
    if (seen !== null) return seen;
  }
  return null;
}

async function seekMark(
  page: Page,
  { x, y }: { readonly x: number; readonly y: number },
  scale: number,
  desktops: readonly SoughtDesktop[],
): Promise<SeenPage | null> {
  const mark = { x: Math.floor(x), y: Math.floor(y), width: MARK, height: MARK };
  const marked = desktops.map(({ id, masks }) => ({ id, find: (colour: Colour) => masks.seek(colour) }));
  return seekPageMark<SeenPage>(page, marked, {
    ...{ session: null, withinMs: SEEN_WITHIN_MS },
    paint: (colour) => page.send("Overlay.highlightRect", { ...mark, color: { ...colour, a: 1 } }),
    judge(found, desktopId) {
      const factor = factorOf(found, scale);
      if (factor === null) return null;
      const at = { x: mark.x * factor, y: mark.y * factor };
      return { ...pageAt(desktopId, found.rect, scale, at), isWhole: true };
    },
  });
}

/** Desktop pixels of one of the mark's: a device's scale is counted twice (Chromium 156, 2026-11). null: not all is seen. */
function factorOf({ rect, pixels }: Marked, scale: number): number | null {
  if (pixels !== rect.width * rect.height) return null;
  const isOf = (factor: number): boolean =>
    Math.abs(rect.width - MARK * factor) <= 1 && Math.abs(rect.height - MARK * factor) <= 1;
  return [scale, scale * scale, 1].find(isOf) ?? null;
}
