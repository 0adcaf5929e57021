import type { ChainPlace, EncodedBlock } from "./block-encoder.ts";
import type { AddedPicture, PictureBatch, PictureNote } from "./encoder.ts";

/** Pixels that both threads hold. */
interface SharedFrame {
  readonly memory: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
}

/** What is asked of the encoder with that number. */
export type EncoderTask =
  | { readonly kind: "frame"; readonly frame: SharedFrame }
  | { readonly kind: "add"; readonly note: PictureNote }
  | { readonly kind: "cut" }
  | { readonly kind: "encode"; readonly batch: PictureBatch; readonly place: ChainPlace };

/** To the thread. All of one encoder are dealt with in their order, but that blocks are made aside. */
export type ToEncoders =
  | { readonly kind: "open"; readonly encoder: number; readonly key: Uint8Array | null }
  | { readonly kind: "task"; readonly encoder: number; readonly id: number; readonly task: EncoderTask }
  | { readonly kind: "close"; readonly encoder: number }
  | { readonly kind: "ping" };

export type EncoderAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "added"; readonly added: AddedPicture }
  | { readonly kind: "cut"; readonly batch: PictureBatch | null }
  | { readonly kind: "encoded"; readonly block: EncodedBlock }
  | { readonly kind: "failed"; readonly message: string };

/** And back. */
export type FromEncoders =
  | { readonly kind: "answer"; readonly id: number; readonly answer: EncoderAnswer }
  | { readonly kind: "pong" };
