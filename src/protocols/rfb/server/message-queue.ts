import { RfbError } from "../error.ts";

/** Messages that wait for the end of an open update, all of them together. */
const MAX_HELD_BYTES = 1024 * 1024;

/** What goes to one viewer. Nothing may come between the parts of an update, so other messages wait for its end. */
export class MessageQueue {
  readonly #write: (bytes: Uint8Array) => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isOpen = false;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  /** A whole message. Throws RfbError too_large where the viewer makes us hold back more than MAX_HELD_BYTES. */
  send(message: Uint8Array): void {
    if (!this.#isOpen) {
      this.#write(message);
      return;
    }
    this.#heldBytes += message.length;
    if (this.#heldBytes > MAX_HELD_BYTES) {
      const got = `made us answer ${this.#heldBytes} bytes during one update`;
      throw new RfbError("too_large", "message", `${got}, expected at most ${MAX_HELD_BYTES}`);
    }
    this.#held.push(message);
  }

  /** A part of an update that goes on. */
  part(bytes: Uint8Array): void {
    this.#isOpen = true;
    this.#write(bytes);
  }

  /** The last part of an update, or the only one; what waited follows it. */
  end(bytes: Uint8Array): void {
    this.#write(bytes);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const message of held) this.#write(message);
  }
}
