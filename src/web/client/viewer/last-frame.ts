import type RFB from "@novnc/novnc";

/**
 * The last picture of a lost connection, kept below the next one. A new noVNC canvas is transparent until it is painted, so
 * the first frame covers the still without a flash.
 */
export class LastFrame {
  readonly element = document.createElement("canvas");

  constructor() {
    this.element.className = "viewer-still";
    this.element.hidden = true;
    this.element.setAttribute("aria-hidden", "true");
  }

  /** Copies the picture of a connection that ends; keeps the older one where there was none yet. */
  take(rfb: RFB): void {
    const image = pictureOf(rfb);
    if (!image || !hasPaint(image)) return;
    this.element.width = image.width;
    this.element.height = image.height;
    this.element.getContext("2d")?.putImageData(image, 0, 0);
    this.element.hidden = false;
  }
}

/** noVNC throws for a canvas of no size: a connection that ended before it had a picture. */
function pictureOf(rfb: RFB): ImageData | null {
  try {
    return rfb.getImageData();
  } catch {
    return null;
  }
}

/** A frame that was never painted is transparent everywhere; a few samples along the diagonal tell. */
function hasPaint(image: ImageData): boolean {
  const samples = 64;
  for (let i = 0; i < samples; i++) {
    const x = Math.floor((image.width * i) / samples);
    const y = Math.floor((image.height * i) / samples);
    if ((image.data[(y * image.width + x) * 4 + 3] ?? 0) > 0) return true;
  }
  return false;
}
