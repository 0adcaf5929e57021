import type { Rect } from "../framebuffer/rect.ts";
import type { Annotation } from "./annotate.ts";
import type { Overlay } from "./overlay.ts";
import type { Raster } from "./raster.ts";

/** What the painting thread is asked for. */
export type PaintTask =
  | { readonly kind: "raster"; readonly overlay: Overlay; readonly room: Rect; readonly bounds: Rect }
  | { readonly kind: "annotate"; readonly file: Uint8Array; readonly annotations: readonly Annotation[] };

export type ToPainter =
  | { readonly kind: "task"; readonly id: number; readonly task: PaintTask }
  /** Nobody waits for it any more. */
  | { readonly kind: "cancel"; readonly id: number };

export type PaintAnswer =
  | { readonly kind: "raster"; readonly raster: Raster }
  | { readonly kind: "file"; readonly file: Uint8Array }
  | { readonly kind: "failed"; readonly message: string };

export interface FromPainter {
  readonly id: number;
  readonly answer: PaintAnswer;
}
