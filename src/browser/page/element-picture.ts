import type { Size } from "../../framebuffer/rect.ts";
import { objectIn, textIn } from "./answers.ts";
import { boxAtRest } from "./element-box.ts";
import type { Page } from "./page.ts";
import type { Target } from "./target.ts";

/** Around the middle of an element, CSS pixels. */
const SHOWN: Size = { width: 480, height: 240 };

/** A picture of an element and what is around it. */
export interface ElementPicture {
  readonly png: Uint8Array;
  readonly size: Size;
  /** The middle of the element in it. */
  readonly point: { readonly x: number; readonly y: number };
}

/** What a person who is asked is shown. Rejects with BrowserError. */
export async function elementPicture(page: Page, target: Target): Promise<ElementPicture> {
  const box = await boxAtRest(page, target.place);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const left = Math.max(0, Math.round(middle.x - SHOWN.width / 2));
  const top = Math.max(0, Math.round(middle.y - SHOWN.height / 2));
  const metrics = await page.send("Page.getLayoutMetrics");
  const { pageX, pageY } = objectIn(metrics, "cssVisualViewport");
  const answer = await page.send("Page.captureScreenshot", {
    format: "png",
    // It counts from the corner of the document, not of what is in view.
    clip: { x: left + Number(pageX ?? 0), y: top + Number(pageY ?? 0), ...SHOWN, scale: 1 },
    captureBeyondViewport: false,
  });
  return {
    png: Buffer.from(textIn(answer, "data"), "base64"),
    size: SHOWN,
    point: { x: Math.round(middle.x - left), y: Math.round(middle.y - top) },
  };
}
