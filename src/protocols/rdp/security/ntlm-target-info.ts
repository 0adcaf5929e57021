import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";

/** Attributes that a host says of itself and a client adds to, MS-NLMP 2.2.2.1. */
export const ATTRIBUTE = {
  end: 0,
  flags: 6,
  timestamp: 7,
  targetName: 9,
  channelBindings: 10,
} as const;

/** A host has seven of them. */
const MAX_ATTRIBUTES = 64;

export interface Attribute {
  readonly id: number;
  readonly value: Uint8Array;
}

/** A list of AV_PAIR without its end, values views of it. Throws RdpError where it has none or does not fit. */
export function readTargetInfo(bytes: Uint8Array): Attribute[] {
  const from = new LittleEndianReader(bytes, "credssp");
  const attributes: Attribute[] = [];
  for (;;) {
    const id = from.u16();
    const value = from.take(from.u16());
    if (id === ATTRIBUTE.end) return attributes;
    if (attributes.length === MAX_ATTRIBUTES) {
      throw new RdpError("too_large", "credssp", `got more than ${MAX_ATTRIBUTES} attributes of the host`);
    }
    attributes.push({ id, value });
  }
}

/** The list with its end. */
export function writeTargetInfo(attributes: readonly Attribute[]): Uint8Array {
  const to = new LittleEndianWriter(256);
  for (const { id, value } of attributes) to.u16(id).u16(value.length).put(value);
  return to.u16(ATTRIBUTE.end).u16(0).bytes();
}
