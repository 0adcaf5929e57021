import { randomBytes } from "node:crypto";

/** What every token begins with, so that it is found in the bytes of an answer; both parts are base64 of whole bytes. */
const PREFIX = "ocImageSlot0";
const RANDOM_BYTES = 39;
const TOKEN_CHARS = PREFIX.length + (RANDOM_BYTES / 3) * 4;

/** Smaller ones are written as they are: the answer is one write then. */
const LEAST_BYTES = 32 * 1024;

/** A part of an answer's body: as it stands, or an image that goes there as base64. */
export type BodyPart =
  | { readonly kind: "text"; readonly bytes: Buffer }
  | { readonly kind: "image"; readonly bytes: Uint8Array };

/**
 * The images of one answer. In the answer stands a token for each, which nobody can guess, so that a large picture never
 * becomes one string, copied and checked several times in one turn of the event loop: its base64 is made where it is
 * written, piece by piece, as fast as the client reads.
 */
export class ImageSlots {
  readonly #images = new Map<string, Uint8Array>();

  /** What stands in the answer for an image: a token, or the base64 itself of a small one. */
  put(image: Uint8Array): string {
    if (image.byteLength < LEAST_BYTES) return base64Of(image);
    const token = PREFIX + randomBytes(RANDOM_BYTES).toString("base64");
    this.#images.set(token, image);
    return token;
  }

  /** How many images it holds. */
  get size(): number {
    return this.#images.size;
  }

  /** Lets all images go: the answer is written, or nobody reads it. */
  clear(): void {
    this.#images.clear();
  }

  /** A body, or a chunk of one that splits no token, with the images in their places. */
  split(body: Buffer): readonly BodyPart[] {
    const parts: BodyPart[] = [];
    let from = 0;
    for (let at = this.#next(body, 0); at >= 0; at = this.#next(body, at + PREFIX.length)) {
      const image = this.#images.get(body.toString("latin1", at, at + TOKEN_CHARS));
      if (image === undefined) continue;
      if (at > from) parts.push({ kind: "text", bytes: body.subarray(from, at) });
      parts.push({ kind: "image", bytes: image });
      from = at + TOKEN_CHARS;
    }
    if (from < body.length) parts.push({ kind: "text", bytes: body.subarray(from) });
    return parts;
  }

  #next(body: Buffer, from: number): number {
    return this.#images.size === 0 ? -1 : body.indexOf(PREFIX, from, "latin1");
  }
}

/** Bytes that a part takes on the wire. */
export function wireBytes({ kind, bytes }: BodyPart): number {
  return kind === "text" ? bytes.length : Math.ceil(bytes.length / 3) * 4;
}

export function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
