import { groundUnder, inkOn } from "../../../compositor/look/contrast.ts";
import { glyphNamed } from "../../../compositor/look/glyphs.ts";
import {
  aroundPath,
  arrowPath,
  arrowTagPlace,
  borderOf,
  boxTagPlace,
  cornerOf,
  freehandPath,
  iconSquare,
  iconTagPlace,
  intoRoom,
  markOpacity,
  ringOf,
} from "../../../compositor/look/placement.ts";
import type { Rect, Size } from "../../../framebuffer/rect.ts";
import type { OverlayInfo } from "../../api/api.ts";

const SVG = "http://www.w3.org/2000/svg";
const INK_ALPHA = "0.55";
const LIGHT_INK_ALPHA = "0.4";
const MOST_TAG_WIDTH = 360;
const LINE = 3;
const LINE_HALO = 1.5;

/**
 * Fills an overlay's list item with its shape. The item must be in a page that is laid out: words are measured, then moved
 * so that they stay on the overlay's monitor (`room`).
 */
export function drawFigure(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const { style } = item;
  style.setProperty("--overlay-color", overlay.color);
  style.setProperty("--overlay-ink", inkOn(overlay.color));
  style.setProperty("--overlay-ground", groundUnder(overlay.color));
  style.setProperty("--overlay-opacity", String(overlay.opacity));
  style.setProperty("--overlay-presence", String(markOpacity(overlay.opacity)));
  const draw = FIGURES.get(overlay.kind) ?? drawBox;
  draw(item, overlay, room);
}

type DrawFigure = (item: HTMLElement, overlay: OverlayInfo, room: Rect) => void;

/** A kind that this page does not know yet is drawn as the box it lies in. */
const FIGURES: ReadonlyMap<string, DrawFigure> = new Map([
  ["box", drawBox],
  ["arrow", drawArrow],
  ["icon", drawIconFigure],
  ["ellipse", drawEllipse],
  ["freehand", drawFreehand],
  ["highlight", drawHighlight],
  ["spotlight", drawSpotlight],
  ["blur", tab],
  ["text", (item, overlay, room) => drawPlate(item, "overlay-plate", overlay, room)],
  ["label", (item, overlay, room) => drawPlate(item, "overlay-tag", overlay, room)],
]);

/** Puts an element at desktop pixels inside an item that lies at the overlay's own. */
function place(element: HTMLElement, overlay: OverlayInfo, r: Rect): void {
  element.style.left = `${r.x - overlay.x}px`;
  element.style.top = `${r.y - overlay.y}px`;
}

function words(item: HTMLElement, className: string, text: string): HTMLElement {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text.trim();
  item.append(element);
  return element;
}

/** A label shows as a tag only where it has a letter to show. */
function tag(item: HTMLElement, text: string | null, room: Rect): HTMLElement | null {
  return text === null || text.trim() === "" ? null : tagWords(item, text, room);
}

function tagWords(item: HTMLElement, text: string, room: Rect): HTMLElement {
  const element = words(item, "overlay-tag", text);
  element.style.maxWidth = `${Math.min(MOST_TAG_WIDTH, room.width)}px`;
  return element;
}

/** The tab of a rectangle; null where the label shows no letter. */
function tab(
  item: HTMLElement,
  overlay: OverlayInfo,
  room: Rect,
): { readonly element: HTMLElement; readonly isAbove: boolean } | null {
  const element = tag(item, overlay.label, room);
  if (!element) return null;
  const at = boxTagPlace(overlay, sizeOf(element), room);
  place(element, overlay, at);
  return { element, isAbove: at.isAbove };
}

/** Layout sizes: what a transform does to the layer does not count. */
function sizeOf(element: HTMLElement): Size {
  return { width: element.offsetWidth, height: element.offsetHeight };
}

function drawBox(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const frame = document.createElement("span");
  frame.className = "overlay-frame";
  frame.style.borderWidth = `${borderOf(overlay)}px`;
  item.append(frame);
  const label = tab(item, overlay, room);
  label?.element.classList.add(label.isAbove ? "is-above" : "is-inside");
}

function drawArrow(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const path = arrowPath(overlay.width, overlay.height);
  const svg = picture(1, 1);
  svg.append(
    stroke(path, { "stroke-width": "4", stroke: "var(--overlay-ink)", "stroke-opacity": INK_ALPHA }),
    stroke(path, { fill: "var(--overlay-color)", "fill-opacity": String(markOpacity(overlay.opacity)) }),
  );
  item.append(svg);
  const element = tag(item, overlay.label, room);
  if (element) place(element, overlay, arrowTagPlace(overlay, sizeOf(element), room));
}

function drawIconFigure(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const { glyph, isPointer, words: beside } = glyphNamed(overlay.label);
  const square = iconSquare(overlay, isPointer, room);
  const svg = picture(square.width, square.height);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.style.left = `${square.x - overlay.x}px`;
  svg.style.top = `${square.y - overlay.y}px`;
  svg.append(
    stroke(glyph.body, {
      fill: "var(--overlay-color)",
      "fill-opacity": String(markOpacity(overlay.opacity)),
      stroke: "var(--overlay-ink)",
      "stroke-opacity": "0.8",
    }),
  );
  if (glyph.marks !== "") {
    svg.append(stroke(glyph.marks, { stroke: "var(--overlay-ink)", "stroke-width": "2.3" }));
  }
  item.append(svg);
  const element = tag(item, beside, room);
  if (element) place(element, overlay, iconTagPlace(square, sizeOf(element), room));
}

function drawEllipse(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const { width, height } = overlay;
  const { rx, ry, border } = ringOf(overlay);
  const ring = { cx: `${width / 2}`, cy: `${height / 2}`, rx: `${rx}`, ry: `${ry}` };
  const svg = picture(width, height);
  // A ring of a pixel or two would be wider than its region.
  svg.style.overflow = "hidden";
  svg.append(
    shape("ellipse", {
      ...ring,
      fill: "var(--overlay-color)",
      "fill-opacity": `${overlay.opacity}`,
      stroke: "var(--overlay-ink)",
      "stroke-opacity": LIGHT_INK_ALPHA,
      "stroke-width": `${border + 2}`,
    }),
    shape("ellipse", { ...ring, stroke: "var(--overlay-color)", "stroke-width": `${border}` }),
  );
  item.append(svg);
  tab(item, overlay, room);
}

function drawFreehand(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const path = freehandPath(overlay, overlay.points);
  const svg = picture(1, 1);
  svg.append(
    stroke(path, {
      stroke: "var(--overlay-ink)",
      "stroke-opacity": LIGHT_INK_ALPHA,
      "stroke-width": `${LINE + 2 * LINE_HALO}`,
    }),
    stroke(path, {
      stroke: "var(--overlay-color)",
      "stroke-opacity": `${markOpacity(overlay.opacity)}`,
      "stroke-width": `${LINE}`,
    }),
  );
  item.append(svg);
  tab(item, overlay, room);
}

function drawHighlight(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const marker = document.createElement("span");
  marker.className = "overlay-marker";
  marker.style.borderRadius = `${cornerOf(overlay, 4)}px`;
  item.append(marker);
  tab(item, overlay, room);
}

function drawSpotlight(item: HTMLElement, overlay: OverlayInfo, room: Rect): void {
  const svg = picture(1, 1);
  svg.append(
    shape("path", {
      d: aroundPath(overlay, room),
      fill: "#000000",
      "fill-opacity": `${overlay.opacity}`,
      "fill-rule": "evenodd",
    }),
  );
  const rim = document.createElement("span");
  rim.className = "overlay-rim";
  rim.style.borderRadius = `${cornerOf(overlay, 8)}px`;
  item.append(svg, rim);
  tab(item, overlay, room);
}

function drawPlate(item: HTMLElement, className: string, overlay: OverlayInfo, room: Rect): void {
  const text = overlay.label ?? "";
  const element = className === "overlay-tag" ? tagWords(item, text, room) : words(item, className, text);
  if (className === "overlay-plate") {
    // Narrower than this nothing is readable: then the text is as wide as it needs.
    element.style.maxWidth = `${Math.min(overlay.width < 60 ? 420 : overlay.width, room.width)}px`;
    element.style.maxHeight = `${room.height}px`;
  }
  place(element, overlay, intoRoom({ x: overlay.x, y: overlay.y, ...sizeOf(element) }, room));
}

function picture(width: number, height: number): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  return svg;
}

function stroke(path: string, attributes: Readonly<Record<string, string>>): SVGElement {
  return shape("path", { d: path, ...attributes });
}

/** Not filled unless its attributes say so. */
function shape(name: "path" | "ellipse", attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  element.setAttribute("fill", "none");
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
