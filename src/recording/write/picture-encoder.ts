import { hash } from "node:crypto";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import { FramePicture } from "../../framebuffer/frame-picture.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { Region } from "../../framebuffer/region.ts";
import { PictureEncoder } from "../../protocols/recording/picture-encoder.ts";
import { BLOCK_KIND } from "../format/block.ts";
import { BodyCipher } from "../format/body-cipher.ts";
import { PictureGroup } from "../format/picture-group.ts";
import { type ChainPlace, type EncodedBlock, encodeBlock } from "./block-encoder.ts";
import type { AddedPicture, PictureBatch, PictureNote } from "./encoder.ts";

/** Raw bytes that are written at once, without waiting for the second to pass. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

const NO_BLOCK = { isKey: false, frames: 0, fromMs: 0, toMs: 0, changedPixels: 0 } as const;

/** What an encoder does, wherever it sits: it makes blocks of what lies in a frame that its recorder fills. */
export class PictureBlockEncoder {
  readonly #encoder = new PictureEncoder((bytes) => hash("sha256", bytes, "base64"));
  readonly #group = new PictureGroup();
  readonly #cipher: BodyCipher | null;
  readonly #batches = new Map<number, Uint8Array>();
  #frame: Framebuffer | null = null;
  /** The block that is being filled. */
  #block: Omit<PictureBatch, "ticket" | "rawBytes"> = NO_BLOCK;
  #tickets = 0;

  /** `key`: of the recording, where it is encrypted. */
  constructor(key: Uint8Array | null) {
    this.#cipher = key === null ? null : new BodyCipher(key);
  }

  /** Other pixels from now on: the next picture is whole. */
  show(frame: Framebuffer): void {
    this.#frame = frame;
    this.#group.reset();
  }

  /** Writes the picture that lies in the frame now, whole where that is due. */
  add({ damage, copies, atMs, generation, isPartial }: PictureNote): AddedPicture {
    const frame = this.#frame;
    if (frame === null) throw new Error("a picture was announced before there was a frame");
    const area = frame.width * frame.height;
    const changed = Region.from(damage);
    const changedArea = changed.area + targetsOf(copies).area;
    const isKey = this.#group.needsKey(changedArea, area);
    const before = isKey ? this.cut() : null;
    const rawBytes = this.#encoder.add({
      ...{ picture: new FramePicture(frame), damage: changed, copies, atMs, generation, isKey, isPartial },
    });
    const block = this.#block;
    this.#block = {
      isKey: block.isKey || isKey,
      frames: block.frames + 1,
      fromMs: block.frames === 0 ? atMs : block.fromMs,
      toMs: atMs,
      changedPixels: block.changedPixels + changedArea,
    };
    this.#group.added(isKey, rawBytes, area);
    const after = this.#encoder.length > MAX_WAITING_BYTES ? this.cut() : null;
    return { rawBytes, before, after };
  }

  /** Ends the block that is being filled; null where it is empty. */
  cut(): PictureBatch | null {
    if (this.#encoder.length === 0) return null;
    const raw = this.#encoder.take();
    const ticket = ++this.#tickets;
    this.#batches.set(ticket, raw);
    const batch = { ...this.#block, ticket, rawBytes: raw.length };
    this.#block = NO_BLOCK;
    this.#group.closedBlock();
    return batch;
  }

  /** Makes the block of a batch, which is forgotten then. */
  async encode({ ticket, ...about }: PictureBatch, place: ChainPlace): Promise<EncodedBlock> {
    const raw = this.#batches.get(ticket);
    this.#batches.delete(ticket);
    if (raw === undefined) throw new Error(`got the batch ${ticket}, which is not there`);
    return await encodeBlock({ ...about, kind: BLOCK_KIND.pictures }, raw, place, this.#cipher);
  }
}
