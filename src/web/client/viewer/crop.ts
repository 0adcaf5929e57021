import { intersectRects, isEmptyRect, type Rect, rectOfSize, type Size } from "../../../framebuffer/rect.ts";

/** The part of a desktop a window shows, from its address: `vx vy vw vh scale`. Desktop pixels. */
export interface Crop extends Rect {
  /** CSS pixels a desktop pixel; null fits the part into the window. */
  readonly scale: number | null;
}

const MAX_COORDINATE = 65535;
const MIN_SCALE = 0.05;
const MAX_SCALE = 16;

function coordinate(text: string | null): number | null {
  if (text === null || !/^\d{1,5}$/.test(text)) return null;
  const value = Number(text);
  return value <= MAX_COORDINATE ? value : null;
}

/** Reads a query string; null where it asks for no crop or for nonsense, so that the whole desktop is shown. */
export function cropFromQuery(query: string): Crop | null {
  const parameters = new URLSearchParams(query);
  const width = coordinate(parameters.get("vw"));
  const height = coordinate(parameters.get("vh"));
  if (!width || !height) return null;
  const x = coordinate(parameters.get("vx") ?? "0");
  const y = coordinate(parameters.get("vy") ?? "0");
  if (x === null || y === null) return null;
  const asked = Number(parameters.get("scale") ?? Number.NaN);
  const scale = asked >= MIN_SCALE && asked <= MAX_SCALE ? asked : null;
  return { x, y, width, height, scale };
}

/** The query string that `cropFromQuery` reads back. */
export function queryOfCrop(crop: Crop): string {
  const parameters = new URLSearchParams({
    vx: String(crop.x),
    vy: String(crop.y),
    vw: String(crop.width),
    vh: String(crop.height),
  });
  if (crop.scale !== null) parameters.set("scale", String(crop.scale));
  return parameters.toString();
}

/** The crop's part that lies on the desktop; null where none of it does. */
export function clampCrop(crop: Crop, desktop: Size): Crop | null {
  const part = intersectRects(crop, rectOfSize(desktop));
  return isEmptyRect(part) ? null : { ...part, scale: crop.scale };
}
