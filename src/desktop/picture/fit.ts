import type { Size } from "../../framebuffer/rect.ts";
import { RefusedError } from "../error.ts";
import type { Fit } from "../view.ts";

/** What a family of models sees of a picture before it makes it smaller itself. */
interface Limits {
  readonly longEdge: number;
  readonly shortEdge: number;
  /** The picture is cut into square tiles of so many pixels a side, at most so many. */
  readonly tile?: { readonly side: number; readonly most: number };
}

/**
 * Claude: Anthropic's reference for computer use, 28-pixel tiles (read November 2026): 1920x1080 becomes 1456x819.
 * OpenAI: high detail is shown within 2048x2048, then with a short edge of at most 768. Gemini: the screen that its
 * documentation of computer use recommends.
 */
const LIMITS: Readonly<Record<Exclude<Fit, "none">, Limits>> = {
  claude: { longEdge: 1568, shortEdge: 1568, tile: { side: 28, most: 1568 } },
  openai: { longEdge: 2048, shortEdge: 768 },
  gemini: { longEdge: 1440, shortEdge: 900 },
};

/** The largest size of the same shape, not larger than `size`, that these models see as it is. At least 1x1. */
export function fitSize(size: Size, fit: Fit): Size {
  if (fit === "none") return { width: size.width, height: size.height };
  const { width, height } = size;
  const limits = LIMITS[fit];
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  const scale = Math.min(1, limits.longEdge / long, limits.shortEdge / short);
  let edge = Math.max(1, Math.floor(long * scale));
  while (edge > 1 && !holdsTiles(shapedTo(size, edge), limits)) edge--;
  return shapedTo(size, edge);
}

function holdsTiles({ width, height }: Size, { tile }: Limits): boolean {
  return tile === undefined || Math.ceil(width / tile.side) * Math.ceil(height / tile.side) <= tile.most;
}

/** The size of the same shape whose long edge is `edge`. */
function shapedTo({ width, height }: Size, edge: number): Size {
  const isWide = width >= height;
  const other = Math.max(1, Math.round((edge * Math.min(width, height)) / Math.max(width, height)));
  return isWide ? { width: edge, height: other } : { width: other, height: edge };
}

/** The largest picture that an enlarged one may be: 64 MiB of pixels. */
const MOST_ENLARGED_PIXELS = 2 ** 24;
/** A pixel is a square of 8 by 8 then, which says no more than a smaller one. */
export const MOST_SCALE = 8;

/** Throws RefusedError invalid_parameters for a scale out of range, or one that makes too large a picture. */
export function scaledSize(size: Size, scale: number): Size {
  if (!(scale > 0 && scale <= MOST_SCALE)) {
    throw new RefusedError(
      "invalid_parameters",
      `got the scale ${scale}, expected more than 0 and at most ${MOST_SCALE}`,
    );
  }
  const width = Math.max(1, Math.round(size.width * scale));
  const height = Math.max(1, Math.round(size.height * scale));
  if (scale > 1 && width * height > MOST_ENLARGED_PIXELS) {
    throw new RefusedError(
      "invalid_parameters",
      `got the scale ${scale}, which makes ${width}x${height} pixels, expected at most ${MOST_ENLARGED_PIXELS} pixels: take a smaller region`,
    );
  }
  return { width, height };
}
