/** Whole numbers from 0 on, seven bits a byte, the lowest first; the highest bit: another byte follows. */
export function writeVarints(numbers: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

/** Reads them one after the other; what ends too early counts as 0. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let number = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.at++] ?? 0;
      number += (byte & 0x7f) * scale;
      if (byte < 0x80 || scale > 2 ** 42) return number;
    }
  }
}
