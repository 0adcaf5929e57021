import type { CopyMove } from "../../../framebuffer/picture.ts";
import { equalPixelFormats } from "../../../framebuffer/pixel-format.ts";
import { boundRects, equalRects, type Rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { PixelStyle } from "./server-context.ts";
import type { ViewerSettings } from "./viewer-settings.ts";

/**
 * A whole update as one viewer got it, of nothing but damage and of all of it: another viewer of the same kind that is
 * owed the same damage of the same picture gets these bytes, without any work on what they hold.
 */
export interface EncodedUpdate {
  readonly message: Uint8Array;
  /** Of the message, without what was added to it for its viewer alone. */
  readonly sizeBytes: number;
  readonly style: PixelStyle;
  readonly hasCopyRect: boolean;
  /** What of the desktop its viewers see. */
  readonly visible: Rect;
  /** The pixels in it, and the moves before them. */
  readonly region: Region;
  readonly moves: readonly CopyMove[];
  /** Its rectangles, those as JPEG apart. */
  readonly exact: readonly Rect[];
  readonly lossy: readonly Rect[];
  /** The bounds of all that it shows and of what its moves read: a viewer must have asked for that. */
  readonly reach: Rect;
}

/** The bounds of pixels and of moves, from and to. */
export function reachOf(region: Region, moves: readonly CopyMove[]): Rect {
  return moves.reduce(
    (reach, { fromX, fromY, to }) => boundRects(boundRects(reach, to), { ...to, x: fromX, y: fromY }),
    region.bounds,
  );
}

/** True where a viewer that sees this part of the desktop takes pixels and moves as the update has them. */
export function servesAlso(made: EncodedUpdate, settings: ViewerSettings, visible: Rect): boolean {
  return (
    made.hasCopyRect === settings.hasCopyRect &&
    equalStyles(made.style, settings.style) &&
    equalRects(made.visible, visible)
  );
}

function equalStyles(a: PixelStyle, b: PixelStyle): boolean {
  return (
    a.encoding === b.encoding &&
    a.jpegQuality === b.jpegQuality &&
    a.compressLevel === b.compressLevel &&
    (a.format === b.format || equalPixelFormats(a.format, b.format))
  );
}
