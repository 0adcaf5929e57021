import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";
import { BitWriter } from "./bit-writer.ts";

/** Prefix, bits of value, least distance: MS-RDPEGFX 3.1.9.1.2. */
const MATCHES = [
  ["10001", 5, 0],
  ["10010", 7, 32],
  ["10011", 9, 160],
  ["10100", 10, 672],
  ["10101", 12, 1696],
  ["101100", 14, 5792],
  ["101101", 15, 22_176],
  ["1011100", 18, 54_944],
  ["1011101", 20, 317_088],
  ["10111100", 20, 1_365_664],
  ["10111101", 21, 2_414_240],
] as const;

const LITERALS: Readonly<Record<number, string>> = {
  0: "11000",
  1: "11001",
  2: "110100",
  3: "110101",
  255: "110110",
  4: "1101110",
  5: "1101111",
  6: "1110000",
  7: "1110001",
  8: "1110010",
  9: "1110011",
  10: "1110100",
  11: "1110101",
  58: "1110110",
  59: "1110111",
  60: "1111000",
  61: "1111001",
  62: "1111010",
  63: "1111011",
  64: "1111100",
  128: "1111101",
  12: "11111100",
  56: "11111101",
  57: "11111110",
  102: "11111111",
};

/** One step of a compressed segment. */
export type ZgfxStep =
  | { readonly kind: "literal"; readonly byte: number }
  | { readonly kind: "match"; readonly distance: number; readonly count: number }
  | { readonly kind: "unencoded"; readonly bytes: Uint8Array };

/** A compressed RDP8 segment: header, tokens, and how many bits of the last byte are not used. */
export function compressedSegment(steps: readonly ZgfxStep[]): Uint8Array {
  const bits = new BitWriter();
  for (const step of steps) writeStep(bits, step);
  const body = bits.bytes();
  const unused = body.length * 8 - bits.length;
  return Uint8Array.of(0x24, ...body, unused);
}

function writeStep(bits: BitWriter, step: ZgfxStep): void {
  if (step.kind === "literal") {
    const short = LITERALS[step.byte];
    if (short === undefined) bits.text("0").put(step.byte, 8);
    else bits.text(short);
    return;
  }
  if (step.kind === "unencoded") {
    bits.text("10001").put(0, 5).put(step.bytes.length, 15).align();
    for (const byte of step.bytes) bits.put(byte, 8);
    return;
  }
  const { distance, count } = step;
  const match = MATCHES.findLast(([, , base]) => base <= distance) ?? MATCHES[0];
  bits.text(match[0]).put(distance - match[2], match[1]);
  if (count === 3) {
    bits.text("0");
    return;
  }
  const extra = 31 - Math.clz32(count);
  bits
    .text("1".repeat(extra - 1))
    .text("0")
    .put(count - 2 ** extra, extra);
}

/** Segments as one message: 0xE0 for one, 0xE1 for several. */
export function segmented(segments: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const to = new LittleEndianWriter();
  const [first] = segments;
  if (segments.length === 1 && first !== undefined) return to.u8(0xe0).put(first).bytes();
  to.u8(0xe1).u16(segments.length).u32(sizeBytes);
  for (const segment of segments) to.u32(segment.length).put(segment);
  return to.bytes();
}

/** A message that is not compressed, in as many segments as it takes. */
export function plainMessage(bytes: Uint8Array): Uint8Array {
  const segments: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 65_535) {
    segments.push(Uint8Array.of(0x04, ...bytes.subarray(at, at + 65_535)));
  }
  return segmented(segments, bytes.length);
}
