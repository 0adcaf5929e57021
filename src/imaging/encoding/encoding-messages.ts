/** Rows of a picture in memory of their own: R, G, B, A, without padding. */
export interface StripPixels {
  readonly rgba: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly rows: number;
}

/** A strip of a PNG: its IDAT chunk, and what the checksum of the whole needs. */
export interface PngStrip {
  readonly chunk: Uint8Array;
  readonly adler: number;
  readonly sizeBytes: number;
}

/** A strip as a JPEG of its own, parsed: what all strips of a picture share, and its data. */
export interface JpegStrip {
  /** From SOI up to the scan's data, without what depends on the strip's height. */
  readonly head: Uint8Array;
  readonly frameAt: number;
  readonly scanAt: number;
  readonly data: Uint8Array;
}

/** Strips of one picture that an encoding thread is asked for; their memory is handed over. */
export type EncodingTask =
  | { readonly kind: "png"; readonly strips: readonly StripPixels[] }
  | { readonly kind: "jpeg"; readonly quality: number; readonly strips: readonly StripPixels[] };

/** In the order of the task. */
export type EncodedStrips =
  | { readonly kind: "png"; readonly strips: readonly PngStrip[] }
  | { readonly kind: "jpeg"; readonly strips: readonly JpegStrip[] };

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
