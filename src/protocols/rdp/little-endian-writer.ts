import { ByteWriter } from "../byte-writer.ts";

/** Builds a message, little-endian unless the name says otherwise. */
export class LittleEndianWriter extends ByteWriter {
  constructor(capacityBytes?: number) {
    super(capacityBytes, true);
  }

  /** 16 bits, big-endian: TPKT, X.224 and MCS. */
  bigU16(value: number): this {
    return this.u8(value >>> 8).u8(value);
  }

  /** UTF-16 without a terminator. */
  utf16(text: string): this {
    for (let i = 0; i < text.length; i++) this.u16(text.charCodeAt(i));
    return this;
  }
}
