import { coverOf } from "../../framebuffer/cover.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { areaOfRect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Change } from "../view.ts";
import type { PaintedPart } from "./text-reader.ts";

/** Pixels copied for the reader in one turn of the event loop: full HD, some milliseconds. */
const MOST_COPIED = 2048 * 1100;
/** Rectangles of one change: more of them cost more than what lies between. */
const MOST_RECTS = 64;

/** Does to a picture what a reader does to its own. */
export function bring(picture: Framebuffer, copies: Change["copies"], parts: readonly PaintedPart[]): void {
  for (const { fromX, fromY, to } of copies) picture.copy(fromX, fromY, to);
  for (const { rect, pixels } of parts) {
    for (let y = 0; y < rect.height; y++) {
      const row = pixels.subarray(y * rect.width * 4, (y + 1) * rect.width * 4);
      picture.bytes.set(row, ((rect.y + y) * picture.width + rect.x) * 4);
    }
  }
}

/** Pixels of a region as far as one turn has time for them, and what is left. */
export function copyOf(
  frame: Framebuffer,
  region: Region,
): { readonly parts: PaintedPart[]; readonly left: Region } {
  const { rects } = region;
  const waiting = rects.length > MOST_RECTS ? [...coverOf(rects, MOST_RECTS)] : rects;
  const parts: PaintedPart[] = [];
  let room = MOST_COPIED;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (room <= 0) return { parts, left: Region.from([next, ...waiting]) };
    const height = Math.min(next.height, Math.max(1, Math.floor(room / next.width)));
    const rect = { ...next, height };
    const pixels = new Uint8Array(areaOfRect(rect) * 4);
    for (let y = 0; y < height; y++) {
      const from = ((rect.y + y) * frame.width + rect.x) * 4;
      pixels.set(frame.bytes.subarray(from, from + rect.width * 4), y * rect.width * 4);
    }
    parts.push({ rect, pixels });
    room -= areaOfRect(rect);
    if (height < next.height) waiting.unshift({ ...next, y: next.y + height, height: next.height - height });
  }
  return { parts, left: Region.empty };
}
