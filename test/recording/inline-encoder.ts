import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import type { Size } from "../../src/framebuffer/rect.ts";
import type { ChainPlace, EncodedBlock } from "../../src/recording/write/block-encoder.ts";
import type {
  AddedPicture,
  PictureBatch,
  PictureNote,
  RecordingEncoder,
  RecordingEncoders,
} from "../../src/recording/write/encoder.ts";
import { PictureBlockEncoder } from "../../src/recording/write/picture-encoder.ts";

/** An encoder that works where its recorder does. */
class InlineEncoder implements RecordingEncoder {
  readonly #work: PictureBlockEncoder;
  #frame: Framebuffer | null = null;

  constructor(key: Uint8Array | null) {
    this.#work = new PictureBlockEncoder(key);
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

  encode(batch: PictureBatch, place: ChainPlace): Promise<EncodedBlock> {
    return this.#work.encode(batch, place);
  }

  close(): void {
    // Nothing is held but memory.
  }
}

/** Encoders that work on this thread. */
export const INLINE_ENCODERS: RecordingEncoders = {
  open: (key) => new InlineEncoder(key),
  close: () => Promise.resolve(),
};
