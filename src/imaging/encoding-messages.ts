import type { ParsedStrip } from "./jpeg-strip-format.ts";
import type { PngStrip } from "./png-strip-format.ts";

/** Rows of a picture in memory of their own: R, G, B, A, without padding. */
export interface StripPixels {
  readonly rgba: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly rows: number;
}

/** Strips of one picture that an encoding thread is asked for; their memory is handed over. */
export type EncodingTask =
  | { readonly kind: "png"; readonly strips: readonly StripPixels[] }
  | { readonly kind: "jpeg"; readonly quality: number; readonly strips: readonly StripPixels[] };

/** In the order of the task. */
export type EncodedStrips =
  | { readonly kind: "png"; readonly strips: readonly PngStrip[] }
  | { readonly kind: "jpeg"; readonly strips: readonly ParsedStrip[] };

export interface ToEncoder {
  readonly id: number;
  readonly task: EncodingTask;
}

export type FromEncoder =
  | { readonly kind: "ready" }
  /** `memory`: the task's, given back. */
  | {
      readonly kind: "done";
      readonly id: number;
      readonly encoded: EncodedStrips;
      readonly memory: readonly ArrayBuffer[];
    }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };
