import { Duplex } from "node:stream";
import type { SessionCipher } from "../../../protocols/rfb/security/session-cipher.ts";

/** A stream whose bytes are sealed messages of RSA-AES on the stream below. Errors of both come as "error". */
export class CipherStream extends Duplex {
  readonly #below: Duplex;
  readonly #cipher: SessionCipher;

  constructor(below: Duplex, cipher: SessionCipher) {
    super({ allowHalfOpen: false });
    this.#below = below;
    this.#cipher = cipher;
    below.on("data", (chunk: Uint8Array) => this.#open(chunk));
    below.once("end", () => this.push(null));
    below.once("error", (error) => this.destroy(error));
    below.once("close", () => this.destroy());
    below.pause();
  }

  override _read(): void {
    this.#below.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#below.write(this.#cipher.seal(chunk), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#below.destroy();
    done(error);
  }

  #open(chunk: Uint8Array): void {
    try {
      for (const plain of this.#cipher.open(chunk)) {
        // An empty message is none: nothing is pushed that could be taken for the end.
        if (plain.length > 0 && !this.push(plain)) this.#below.pause();
      }
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error("the sealed message could not be opened"));
    }
  }
}
