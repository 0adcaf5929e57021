import { Duplex } from "node:stream";

/**
 * One end of a connection within the process. Unlike node:stream's duplexPair it hands bytes on after the writer has
 * returned, as a socket does, so that neither side is entered again while it still answers.
 */
export class PipeEnd extends Duplex {
  #peer: PipeEnd = this;
  /** The peer's write that waits until what it sent before was read. */
  #held: (() => void) | null = null;
  #isEnded = false;

  private constructor() {
    super({ allowHalfOpen: false });
  }

  /** The two ends: what is written to one is read from the other, with back-pressure. */
  static pair(): readonly [PipeEnd, PipeEnd] {
    const [near, far] = [new PipeEnd(), new PipeEnd()];
    near.#peer = far;
    far.#peer = near;
    return [near, far];
  }

  override _read(): void {
    const held = this.#held;
    this.#held = null;
    held?.();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    process.nextTick(() => {
      const peer = this.#peer;
      if (peer.#isOver || peer.push(chunk)) done();
      else peer.#held = done;
    });
  }

  override _final(done: () => void): void {
    process.nextTick(() => {
      this.#peer.#end();
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this._read();
    process.nextTick(() => this.#peer.#end());
    done(error);
  }

  get #isOver(): boolean {
    return this.#isEnded || this.destroyed;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isEnded = true;
    this.push(null);
  }
}
