import type { Rect } from "./rect.ts";

/** "1280x800+0+0"; a "+" of a query is a space where nobody has escaped it. */
const PLACE = /^(\d{1,5})x(\d{1,5})[+ ](\d{1,5})[+ ](\d{1,5})$/;

/** Places as X writes them, with commas between them: "1280x800+0+0,1024x768+1280+0". Null where one is none. */
export function placesIn(text: string): Rect[] | null {
  const places: Rect[] = [];
  for (const part of text.split(",")) {
    const [, ...numbers] = PLACE.exec(part.trim()) ?? [];
    const [width, height, x, y] = numbers.map(Number);
    if (width === undefined || height === undefined || x === undefined || y === undefined) return null;
    places.push({ x, y, width, height });
  }
  return places;
}
