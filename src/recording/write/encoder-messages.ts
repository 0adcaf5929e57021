import type { ChainPlace, PressedBlock } from "./block-encoder.ts";
import type { AddedPicture, PictureBatch, PictureNote } from "./encoder.ts";

/** Pixels that both threads hold. */
interface SharedFrame {
  readonly memory: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
}

/** What is asked of the scribe with that number. */
export type ScribeTask =
  | { readonly kind: "frame"; readonly frame: SharedFrame }
  | { readonly kind: "add"; readonly note: PictureNote }
  | { readonly kind: "cut" }
  | { readonly kind: "press"; readonly batch: PictureBatch; readonly place: ChainPlace };

/** To the thread. All of one scribe are dealt with in their order, but that blocks are pressed aside. */
export type ToScribes =
  | { readonly kind: "open"; readonly scribe: number; readonly key: Uint8Array | null }
  | { readonly kind: "task"; readonly scribe: number; readonly id: number; readonly task: ScribeTask }
  | { readonly kind: "close"; readonly scribe: number }
  | { readonly kind: "ping" };

export type ScribeAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "added"; readonly added: AddedPicture }
  | { readonly kind: "cut"; readonly batch: PictureBatch | null }
  | { readonly kind: "pressed"; readonly block: PressedBlock }
  | { readonly kind: "failed"; readonly message: string };

/** And back. */
export type FromScribes =
  | { readonly kind: "answer"; readonly id: number; readonly answer: ScribeAnswer }
  | { readonly kind: "pong" };
