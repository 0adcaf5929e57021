import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import type { Size } from "../../src/framebuffer/rect.ts";
import type { ChainPlace, PressedBlock } from "../../src/recording/write/block-encoder.ts";
import type {
  AddedPicture,
  PictureBatch,
  PictureNote,
  Scribe,
  Scribes,
} from "../../src/recording/write/encoder.ts";
import { PictureScribe } from "../../src/recording/write/picture-encoder.ts";

/** A scribe that works where its recorder does. */
class NearScribe implements Scribe {
  readonly #work: PictureScribe;
  #frame: Framebuffer | null = null;

  constructor(key: Uint8Array | null) {
    this.#work = new PictureScribe(key);
  }

  get frame(): Framebuffer | null {
    return this.#frame;
  }

  async resize({ width, height }: Size): Promise<void> {
    this.#frame = new Framebuffer(width, height);
    this.#work.show(this.#frame);
  }

  async add(note: PictureNote): Promise<AddedPicture> {
    return this.#work.add(note);
  }

  async cut(): Promise<PictureBatch | null> {
    return this.#work.cut();
  }

  press(batch: PictureBatch, place: ChainPlace): Promise<PressedBlock> {
    return this.#work.press(batch, place);
  }

  close(): void {
    // Nothing is held but memory.
  }
}

/** Scribes that work on this thread. */
export const NEAR_SCRIBES: Scribes = {
  open: (key) => new NearScribe(key),
  close: () => Promise.resolve(),
};
