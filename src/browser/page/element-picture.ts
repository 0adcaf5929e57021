import { MASK_WORD } from "../../compositor/compose.ts";
import { decodePicture, encodePicture, type RgbaPixels } from "../../compositor/picture-file.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { BrowserError } from "../error.ts";
import { type PageLook, PageLooks } from "../masked/look.ts";
import { textIn } from "./answers.ts";
import { type Box, boxAtRest } from "./element-box.ts";
import type { Page } from "./page.ts";
import type { Target } from "./target.ts";

/** Around the middle of an element, CSS pixels. */
const SHOWN: Size = { width: 480, height: 240 };

const JPEG_QUALITY = 70;

/** A picture of an element and what is around it. */
export interface ElementPicture {
  readonly png: Uint8Array;
  readonly size: Size;
  /** The middle of the element in it. */
  readonly point: { readonly x: number; readonly y: number };
}

/** What a person who is asked is shown, without what masks hide of pages. Rejects with BrowserError. */
export async function elementPicture(page: Page, target: Target): Promise<ElementPicture> {
  const box = await boxAtRest(page, target.place);
  const before = await look(page);
  const answer = await capture(page, { format: "png" }).catch((error: unknown) => {
    // One of a large screen may be longer than a message.
    if (error instanceof BrowserError && error.code === "browser_refused")
      return capture(page, { format: "jpeg", quality: JPEG_QUALITY });
    throw error;
  });
  const after = await look(page);
  const picture = await decodePicture(Buffer.from(textIn(answer, "data"), "base64"));
  const { scale } = after;
  if (scale <= 0) throw new BrowserError("page_changed", "the page has no size: try again");
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const view = { width: picture.width / scale, height: picture.height / scale };
  const shown: Box = {
    x: startOf(middle.x, SHOWN.width, view.width),
    y: startOf(middle.y, SHOWN.height, view.height),
    width: Math.min(SHOWN.width, Math.floor(view.width)),
    height: Math.min(SHOWN.height, Math.floor(view.height)),
  };
  for (const { box: hidden } of [...before.boxes, ...after.boxes]) cover(picture, hidden, scale);
  return {
    png: await encodePicture(partOf(picture, shown, scale), "png"),
    size: { width: shown.width, height: shown.height },
    point: { x: Math.round(middle.x - shown.x), y: Math.round(middle.y - shown.y) },
  };
}

/**
 * All that is in view: for a part of it Chromium (156, 2026-11) paints the page shifted, on the screen too, where masks
 * then lie beside what they hide, and the page itself knows nothing of it.
 */
async function capture(
  page: Page,
  format: { readonly format: string; readonly quality?: number },
): Promise<unknown> {
  return page.send("Page.captureScreenshot", { ...format, captureBeyondViewport: false });
}

async function look(page: Page): Promise<PageLook> {
  return new PageLooks(page).look(page.hiddenSelectors());
}

/** Where what is shown begins, with its middle there as far as there is something around it. */
function startOf(middle: number, length: number, all: number): number {
  return Math.max(0, Math.round(Math.min(middle - length / 2, all - length)));
}

/** Around an element, CSS pixels: what is drawn at its edge. */
const MARGIN = 2;

function cover({ width, height, rgba }: RgbaPixels, box: Box, scale: number): void {
  const words = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  const left = Math.max(0, Math.floor((box.x - MARGIN) * scale));
  const right = Math.min(width, Math.ceil((box.x + box.width + MARGIN) * scale));
  const top = Math.max(0, Math.floor((box.y - MARGIN) * scale));
  const bottom = Math.min(height, Math.ceil((box.y + box.height + MARGIN) * scale));
  for (let row = top; row < bottom && left < right; row++)
    words.fill(MASK_WORD, row * width + left, row * width + right);
}

function partOf(picture: RgbaPixels, box: Box, scale: number): RgbaPixels {
  const [left, top] = [Math.round(box.x * scale), Math.round(box.y * scale)];
  const width = Math.min(picture.width - left, Math.round(box.width * scale));
  const height = Math.min(picture.height - top, Math.round(box.height * scale));
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * picture.width + left) * 4;
    rgba.set(picture.rgba.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, rgba };
}
