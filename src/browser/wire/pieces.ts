/**
 * A message that is longer than one frame goes as binary frames, one after the other:
 *
 *   1 byte   1 in the last piece, 0 in those before
 *   n bytes  UTF-8
 *
 * Shorter ones go as a text frame.
 */

/** Of one frame, with its first byte: what the server takes of any WebSocket is 64 KiB. */
const MOST_FRAME_BYTES = 60_000;

/** Of one message, all pieces together. */
export const MOST_MESSAGE_BYTES = 2 * 1024 * 1024;

/** The frames of a message; null where it is longer than the other end takes. */
export function framesOf(text: string): readonly (string | Uint8Array<ArrayBuffer>)[] | null {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MOST_FRAME_BYTES) return [text];
  if (bytes.length > MOST_MESSAGE_BYTES) return null;
  const frames: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += MOST_FRAME_BYTES - 1) {
    const part = bytes.subarray(at, at + MOST_FRAME_BYTES - 1);
    const frame = new Uint8Array(1 /* last */ + part.length);
    frame[0] = at + part.length === bytes.length ? 1 : 0;
    frame.set(part, 1);
    frames.push(frame);
  }
  return frames;
}

/** Joins the pieces of messages as they come. */
export class PieceJoiner {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** Whether a message has begun that has not ended. */
  get isOpen(): boolean {
    return this.#pieces.length > 0;
  }

  /** "more" until the last piece gives the message; null where it is too long or no piece. */
  add(frame: Uint8Array): { readonly text: string } | "more" | null {
    const [last] = frame;
    this.#bytes += frame.length;
    if ((last !== 0 && last !== 1) || this.#bytes > MOST_MESSAGE_BYTES + MOST_FRAME_BYTES) return null;
    this.#pieces.push(frame.subarray(1));
    if (last === 0) return "more";
    const decoder = new TextDecoder();
    const text =
      this.#pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
    this.#pieces = [];
    this.#bytes = 0;
    return { text };
  }
}
