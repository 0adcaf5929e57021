/** A prefix code: `bits` wide; a match has a distance of `base` + `valueBits` more bits, a literal is `base` itself. */
interface Token {
  readonly prefix: string;
  readonly valueBits: number;
  readonly base: number;
}

/** Distances, MS-RDPEGFX 3.1.9.1.2: prefix, bits of value, least distance. */
const MATCHES: readonly Token[] = [
  { prefix: "10001", valueBits: 5, base: 0 },
  { prefix: "10010", valueBits: 7, base: 32 },
  { prefix: "10011", valueBits: 9, base: 160 },
  { prefix: "10100", valueBits: 10, base: 672 },
  { prefix: "10101", valueBits: 12, base: 1_696 },
  { prefix: "101100", valueBits: 14, base: 5_792 },
  { prefix: "101101", valueBits: 15, base: 22_176 },
  { prefix: "1011100", valueBits: 18, base: 54_944 },
  { prefix: "1011101", valueBits: 20, base: 317_088 },
  { prefix: "10111100", valueBits: 20, base: 1_365_664 },
  { prefix: "10111101", valueBits: 21, base: 2_414_240 },
  { prefix: "101111100", valueBits: 22, base: 4_511_392 },
  { prefix: "101111101", valueBits: 23, base: 8_705_696 },
  { prefix: "101111110", valueBits: 24, base: 17_094_304 },
];

/** The bytes that are common enough for a code of their own, by length of the code, in order of the codes. */
const LITERALS: readonly {
  readonly bits: number;
  readonly first: number;
  readonly bytes: readonly number[];
}[] = [
  { bits: 5, first: 0b11000, bytes: [0x00, 0x01] },
  { bits: 6, first: 0b110100, bytes: [0x02, 0x03, 0xff] },
  {
    bits: 7,
    first: 0b1101110,
    bytes: [0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40, 0x80],
  },
  { bits: 8, first: 0b11111100, bytes: [0x0c, 0x38, 0x39, 0x66] },
];

/** The longest prefix. */
export const PREFIX_BITS = 9;

export const LITERAL = 1;
export const MATCH = 2;

/** What each 9-bit look-ahead means: kind 0 is no code. Flat arrays, for the decoder's loop. */
export interface TokenTable {
  readonly kind: Uint8Array;
  readonly prefixBits: Uint8Array;
  readonly valueBits: Uint8Array;
  readonly base: Uint32Array;
}

/** The table of all prefix codes; "0" and 8 bits is any literal. */
export const TOKENS: TokenTable = makeTable();

function makeTable(): TokenTable {
  const size = 1 << PREFIX_BITS;
  const table = {
    kind: new Uint8Array(size),
    prefixBits: new Uint8Array(size),
    valueBits: new Uint8Array(size),
    base: new Uint32Array(size),
  };
  const enter = (kind: number, code: number, bits: number, valueBits: number, base: number): void => {
    const spare = PREFIX_BITS - bits;
    const first = code << spare;
    const end = first + (1 << spare);
    table.kind.fill(kind, first, end);
    table.prefixBits.fill(bits, first, end);
    table.valueBits.fill(valueBits, first, end);
    table.base.fill(base, first, end);
  };
  enter(LITERAL, 0, 1, 8, 0);
  for (const { prefix, valueBits, base } of MATCHES) {
    enter(MATCH, Number.parseInt(prefix, 2), prefix.length, valueBits, base);
  }
  for (const { bits, first, bytes } of LITERALS) {
    for (const [i, byte] of bytes.entries()) enter(LITERAL, first + i, bits, 0, byte);
  }
  return table;
}
