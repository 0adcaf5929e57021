import type { Rect, Size } from "../../../framebuffer/rect.ts";
import type { OverlayInfo } from "../../api.ts";
import { glyphNamed } from "./overlay-glyphs.ts";
import {
  arrowPath,
  arrowTagPlace,
  borderOf,
  boxTagPlace,
  groundUnder,
  iconSquare,
  iconTagPlace,
  inkOn,
  intoRoom,
  presence,
} from "./overlay-look.ts";

const SVG = "http://www.w3.org/2000/svg";
const INK_ALPHA = "0.55";

/**
 * Fills an overlay's list item with its shape. The item must be in a page that is laid out: words are measured, then moved
 * so that they stay on the desktop (`room`).
 */
export function drawFigure(item: HTMLElement, overlay: OverlayInfo, room: Size): void {
  const { style } = item;
  style.setProperty("--overlay-color", overlay.color);
  style.setProperty("--overlay-ink", inkOn(overlay.color));
  style.setProperty("--overlay-ground", groundUnder(overlay.color));
  style.setProperty("--overlay-opacity", String(overlay.opacity));
  style.setProperty("--overlay-presence", String(presence(overlay.opacity)));
  const draw = FIGURES.get(overlay.kind) ?? drawBox;
  draw(item, overlay, room);
}

type DrawFigure = (item: HTMLElement, overlay: OverlayInfo, room: Size) => void;

/** A kind that this page does not know yet is drawn as the box it lies in. */
const FIGURES: ReadonlyMap<string, DrawFigure> = new Map([
  ["box", drawBox],
  ["arrow", drawArrow],
  ["icon", drawIconFigure],
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
function tag(item: HTMLElement, text: string | null): HTMLElement | null {
  return text === null || text.trim() === "" ? null : words(item, "overlay-tag", text);
}

/** Layout sizes: what a transform does to the layer does not count. */
function sizeOf(element: HTMLElement): Size {
  return { width: element.offsetWidth, height: element.offsetHeight };
}

function drawBox(item: HTMLElement, overlay: OverlayInfo, room: Size): void {
  const frame = document.createElement("span");
  frame.className = "overlay-frame";
  frame.style.borderWidth = `${borderOf(overlay)}px`;
  item.append(frame);
  const element = tag(item, overlay.label);
  if (!element) return;
  const at = boxTagPlace(overlay, sizeOf(element), room);
  element.classList.add(at.isAbove ? "is-above" : "is-inside");
  place(element, overlay, at);
}

function drawArrow(item: HTMLElement, overlay: OverlayInfo, room: Size): void {
  const path = arrowPath(overlay.width, overlay.height);
  const svg = picture(1, 1);
  svg.append(
    stroke(path, { "stroke-width": "4", stroke: "var(--overlay-ink)", "stroke-opacity": INK_ALPHA }),
    stroke(path, { fill: "var(--overlay-color)", "fill-opacity": String(presence(overlay.opacity)) }),
  );
  item.append(svg);
  const element = tag(item, overlay.label);
  if (element) place(element, overlay, arrowTagPlace(overlay, sizeOf(element), room));
}

function drawIconFigure(item: HTMLElement, overlay: OverlayInfo, room: Size): void {
  const { glyph, isPointer, words: beside } = glyphNamed(overlay.label);
  const square = iconSquare(overlay, isPointer, room);
  const svg = picture(square.width, square.height);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.style.left = `${square.x - overlay.x}px`;
  svg.style.top = `${square.y - overlay.y}px`;
  svg.append(
    stroke(glyph.body, {
      fill: "var(--overlay-color)",
      "fill-opacity": String(presence(overlay.opacity)),
      stroke: "var(--overlay-ink)",
      "stroke-opacity": "0.8",
    }),
  );
  if (glyph.marks !== "") {
    svg.append(stroke(glyph.marks, { stroke: "var(--overlay-ink)", "stroke-width": "2.3" }));
  }
  item.append(svg);
  const element = tag(item, beside);
  if (element) place(element, overlay, iconTagPlace(square, sizeOf(element), room));
}

function drawPlate(item: HTMLElement, className: string, overlay: OverlayInfo, room: Size): void {
  const element = words(item, className, overlay.label ?? "");
  // Narrower than this nothing is readable: then the text is as wide as it needs.
  if (className === "overlay-plate") element.style.maxWidth = `${overlay.width < 60 ? 420 : overlay.width}px`;
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
  const element = document.createElementNS(SVG, "path");
  element.setAttribute("d", path);
  element.setAttribute("fill", "none");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
