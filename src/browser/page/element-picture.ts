import { MASK_WORD } from "../../compositor/compose.ts";
import { decodePicture, encodePicture } from "../../compositor/picture-file.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { PageLooks } from "../masked/look.ts";
import { objectIn, textIn } from "./answers.ts";
import { type Box, boxAtRest } from "./element-box.ts";
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

/** What a person who is asked is shown, without what masks hide of pages. Rejects with BrowserError. */
export async function elementPicture(page: Page, target: Target): Promise<ElementPicture> {
  const box = await boxAtRest(page, target.place);
  const before = await hiddenBoxes(page);
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
  const png = Buffer.from(textIn(answer, "data"), "base64");
  const after = await hiddenBoxes(page);
  return {
    png: await masked(png, [...before, ...after], { x: left, y: top }),
    size: SHOWN,
    point: { x: Math.round(middle.x - left), y: Math.round(middle.y - top) },
  };
}

async function hiddenBoxes(page: Page): Promise<readonly Box[]> {
  const selectors = page.hiddenSelectors();
  if (selectors.length === 0) return [];
  return (await new PageLooks(page).look(selectors)).boxes.map(({ box }) => box);
}

/** Around an element, CSS pixels: what is drawn at its edge. */
const MARGIN = 2;

/** `corner`: of the picture, in the tab's viewport. */
async function masked(
  png: Uint8Array,
  boxes: readonly Box[],
  corner: { x: number; y: number },
): Promise<Uint8Array> {
  const within = boxes.filter(
    ({ x, y, width, height }) =>
      x - MARGIN < corner.x + SHOWN.width &&
      x + width + MARGIN > corner.x &&
      y - MARGIN < corner.y + SHOWN.height &&
      y + height + MARGIN > corner.y,
  );
  if (within.length === 0) return png;
  const picture = await decodePicture(png);
  // Of a screen with more pixels than CSS has it is larger.
  const scale = picture.width / SHOWN.width;
  const words = new Uint32Array(picture.rgba.buffer, picture.rgba.byteOffset, picture.rgba.length / 4);
  for (const { x, y, width, height } of within) {
    const left = Math.max(0, Math.floor((x - MARGIN - corner.x) * scale));
    const right = Math.min(picture.width, Math.ceil((x + width + MARGIN - corner.x) * scale));
    const top = Math.max(0, Math.floor((y - MARGIN - corner.y) * scale));
    const bottom = Math.min(picture.height, Math.ceil((y + height + MARGIN - corner.y) * scale));
    for (let row = top; row < bottom; row++)
      words.fill(MASK_WORD, row * picture.width + left, row * picture.width + right);
  }
  return encodePicture(picture, "png");
}
