import { createCanvas, ImageData } from "@napi-rs/canvas";
import type { Point, Rect } from "../framebuffer/rect.ts";
import { nextTurn } from "../platform/loop-turns.ts";
import { drawLine, TEXT_FONT, wrapText } from "./lettering.ts";
import type { RgbaPixels } from "./picture-file.ts";
import type { Context } from "./shape.ts";
import { paintTag, tagOn } from "./tag.ts";

/** One mark on a picture, in pixels of the picture. `color` is "#rrggbb". */
export type Annotation =
  | ({ readonly type: "rect" | "ellipse"; readonly color: string; readonly strokeWidth: number } & Rect)
  /** From (x, y) to (x + width, y + height), which may lie to the left or above. */
  | ({ readonly type: "arrow"; readonly color: string; readonly strokeWidth: number } & Rect)
  | ({ readonly type: "text"; readonly color: string; readonly text: string } & Rect)
  /** A thin frame with a tag above its corner. */
  | ({ readonly type: "mark"; readonly color: string; readonly text: string } & Rect)
  /** Only an annotation: what must not be seen is masked, not blurred. */
  | ({ readonly type: "blur" } & Rect)
  | {
      readonly type: "freehand";
      readonly color: string;
      readonly strokeWidth: number;
      readonly points: readonly Point[];
    };

/** A blurred place is drawn from one pixel in so many. */
const BLUR_SIDE = 12;
const MOST_LINES = 200;

/**
 * A copy of a picture with marks on it, in their order. A mark may take long, so others get a turn between two; ends
 * with the signal's reason when nobody waits for it any more.
 */
export async function annotate(
  picture: RgbaPixels,
  annotations: readonly Annotation[],
  signal?: AbortSignal,
): Promise<RgbaPixels> {
  const { width, height, rgba } = picture;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.putImageData(new ImageData(rgba.slice(), width, height), 0, 0);
  for (const annotation of annotations) {
    context.save();
    if (annotation.type === "blur") blur(context, annotation, picture);
    else draw(context, annotation, picture);
    context.restore();
    await nextTurn();
    signal?.throwIfAborted();
  }
  return { width, height, rgba: context.getImageData(0, 0, width, height).data };
}

function draw(context: Context, annotation: Exclude<Annotation, { type: "blur" }>, within: RgbaPixels): void {
  context.strokeStyle = annotation.color;
  context.fillStyle = annotation.color;
  context.lineJoin = "round";
  context.lineCap = "round";
  if (annotation.type === "text") {
    const room = annotation.width > 0 ? annotation.width : within.width - annotation.x;
    const lines = wrapText(TEXT_FONT, annotation.text, Math.max(1, room), MOST_LINES);
    lines.forEach((line, i) => {
      const y = annotation.y + i * TEXT_FONT.lineHeightPx;
      drawLine(context, TEXT_FONT, line, annotation.x, y, annotation.color);
    });
    return;
  }
  if (annotation.type === "mark") {
    const { x, y, width, height } = annotation;
    context.lineWidth = 1.5;
    context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
    const tag = tagOn(annotation.text, annotation, {
      x: 0,
      y: 0,
      width: within.width,
      height: within.height,
    });
    if (tag !== null) paintTag(context, tag, annotation.color);
    return;
  }
  context.lineWidth = annotation.strokeWidth;
  context.beginPath();
  switch (annotation.type) {
    case "rect":
      context.rect(annotation.x, annotation.y, annotation.width, annotation.height);
      break;
    case "ellipse": {
      const radiusX = Math.abs(annotation.width) / 2;
      const radiusY = Math.abs(annotation.height) / 2;
      const middleX = annotation.x + annotation.width / 2;
      context.ellipse(middleX, annotation.y + annotation.height / 2, radiusX, radiusY, 0, 0, 2 * Math.PI);
      break;
    }
    case "arrow":
      traceArrow(context, annotation, annotation.strokeWidth);
      break;
    case "freehand":
      annotation.points.forEach(({ x, y }, i) => {
        if (i === 0) context.moveTo(x, y);
        // A dot where there is one point alone.
        context.lineTo(x, y);
      });
      break;
  }
  context.stroke();
}

function traceArrow(context: Context, { x, y, width, height }: Rect, strokeWidth: number): void {
  const length = Math.hypot(width, height);
  const head = Math.min(length / 2, 8 + 3 * strokeWidth);
  const angle = Math.atan2(height, width);
  const tipX = x + width;
  const tipY = y + height;
  context.moveTo(x, y);
  context.lineTo(tipX, tipY);
  for (const turn of [-Math.PI / 7, Math.PI / 7]) {
    context.moveTo(tipX, tipY);
    context.lineTo(tipX - head * Math.cos(angle + turn), tipY - head * Math.sin(angle + turn));
  }
}

/** Made tiny and large again, which leaves no letter readable. */
function blur(context: Context, place: Rect, { width, height }: RgbaPixels): void {
  const x = Math.max(0, place.x);
  const y = Math.max(0, place.y);
  const right = Math.min(width, place.x + place.width);
  const bottom = Math.min(height, place.y + place.height);
  if (right <= x || bottom <= y) return;
  const part = createCanvas(right - x, bottom - y);
  part.getContext("2d").drawImage(context.canvas, x, y, right - x, bottom - y, 0, 0, right - x, bottom - y);
  const small = createCanvas(
    Math.max(1, Math.round(part.width / BLUR_SIDE)),
    Math.max(1, Math.round(part.height / BLUR_SIDE)),
  );
  small.getContext("2d").drawImage(part, 0, 0, small.width, small.height);
  context.imageSmoothingEnabled = true;
  context.drawImage(small, 0, 0, small.width, small.height, x, y, part.width, part.height);
}
