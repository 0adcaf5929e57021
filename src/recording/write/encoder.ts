import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { ChainPlace, EncodedBlock } from "./block-encoder.ts";

/** How the picture in the frame differs from the one before. */
export interface PictureNote {
  readonly damage: readonly Rect[];
  /** Moves that come before the damage. */
  readonly copies: readonly CopyMove[];
  readonly atMs: number;
  readonly generation: number;
  readonly isPartial: boolean;
}

/** Pictures that become one block; the encoder holds them until they are encoded. */
export interface PictureBatch {
  readonly ticket: number;
  readonly isKey: boolean;
  readonly frames: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly changedPixels: number;
  readonly rawBytes: number;
}

/** What became of a picture. */
export interface AddedPicture {
  readonly rawBytes: number;
  /** The block before it was ended for it: it is a key. */
  readonly before: PictureBatch | null;
  /** The block that it is in is full. */
  readonly after: PictureBatch | null;
}

/**
 * Writes the pictures of one recording. Its frame is filled by the recorder, and only while no `add` is under way. Each
 * call rejects where the encoder failed; then it is closed and another one begun.
 */
export interface RecordingEncoder {
  /** Pixels that the next picture shows; null before the first `resize`. */
  readonly frame: Framebuffer | null;
  /** A new frame, black; the next picture is whole. No frame is there until it resolves. */
  resize(size: Size): Promise<void>;
  add(note: PictureNote): Promise<AddedPicture>;
  /** Ends the block that is being filled; null where it is empty. */
  cut(): Promise<PictureBatch | null>;
  /** Makes the block of a batch, which is forgotten then. */
  encode(batch: PictureBatch, place: ChainPlace): Promise<EncodedBlock>;
  close(): void;
}

/** Who hands out encoders. */
export interface RecordingEncoders {
  /** `key`: of the recording, where it is encrypted. */
  open(key: Uint8Array | null): RecordingEncoder;
  /** Ends what all of them share. */
  close(): Promise<void>;
}
