const STATE_BYTES = 256;

/** The RC4 key stream, which NTLM seals with. Keys of 1 to 256 bytes; each byte of the stream is used once. */
export class Rc4 {
  readonly #state = new Uint8Array(STATE_BYTES);
  #i = 0;
  #j = 0;

  constructor(key: Uint8Array) {
    if (key.length === 0 || key.length > STATE_BYTES) {
      throw new RangeError(`rc4 key of ${key.length} bytes, expected 1 to 256`);
    }
    const state = this.#state;
    for (let i = 0; i < STATE_BYTES; i++) state[i] = i;
    for (let i = 0, j = 0; i < STATE_BYTES; i++) {
      const value = state[i]!;
      j = (j + value + key[i % key.length]!) & 0xff;
      state[i] = state[j]!;
      state[j] = value;
    }
  }

  /** Its own inverse: as many bytes of the stream as `data` has, over `data`. */
  apply(data: Uint8Array): Uint8Array {
    const state = this.#state;
    const out = new Uint8Array(data.length);
    for (let at = 0; at < data.length; at++) {
      this.#i = (this.#i + 1) & 0xff;
      const a = state[this.#i]!;
      this.#j = (this.#j + a) & 0xff;
      const b = state[this.#j]!;
      state[this.#i] = b;
      state[this.#j] = a;
      out[at] = data[at]! ^ state[(a + b) & 0xff]!;
    }
    return out;
  }
}
