/**
 * What the protocols need from the platform. GROUND has no Node: `main.ts` hands these in.
 * (`Inflate`, `Deflate`, `ImageCodec`, `RfbCrypto` and the few globals every JavaScript host has.)
 */

/** A zlib stream that lives as long as its connection (RFC 1950). */
export interface InflateStream {
  /**
   * Feeds `input` whole and writes the decoded bytes to `output` from 0 on; returns how many.
   * Throws where the stream is damaged, and where it holds more than `output` has room for: the caller sizes
   * `output` to what the message may decode to, so a bomb is refused without taking memory.
   */
  inflate(input: Uint8Array, output: Uint8Array): number;
  /** Forgets all history, as if the stream began anew. */
  reset(): void;
  close(): void;
}

export type Inflate = () => InflateStream;

/**
 * One-shot compression, each call independent of every other. A result may be the compressor's own memory, valid until
 * the next call: copy what must be kept.
 */
export interface Deflate {
  /** A whole zlib stream (RFC 1950) at a level of 1 to 9, ended by a sync flush so that it can be continued. */
  zlib(input: Uint8Array, level: number): Uint8Array;
  /** Raw deflate (RFC 1951) with its own window, ended by a sync flush: segments may be concatenated. */
  rawSegment(input: Uint8Array, level: number): Uint8Array;
  /**
   * `rawSegment` at the lowest level, sooner, of rows of `rowBytes` bytes as PNG has them: a filter type, then R, G, B
   * of each pixel. null where that is not to be had.
   */
  rgbRows?(rows: Uint8Array, rowBytes: number): Uint8Array | null;
}

/** Pixels of a decoded or to-be-encoded image: RGBA, rows top down, no padding. */
export interface RgbaImage {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** JPEG both ways, synchronous, so that rectangles keep their order. */
export interface JpegCodec {
  /** Reads only the header. Throws where it is no JPEG. */
  size(jpeg: Uint8Array): { readonly width: number; readonly height: number };
  /**
   * Alpha is 255. Call only after `size` said what was expected. The pixels are written to the beginning of `into`
   * where that is given and has room for them, and are then a view of it.
   */
  decode(jpeg: Uint8Array, into?: Uint8Array): RgbaImage;
  /** `strideBytes` is the distance of two rows in `rgba`; quality 1 to 100. The file has memory of its own. */
  encode(rgba: Uint8Array, width: number, height: number, strideBytes: number, quality: number): Uint8Array;
}

/** Primitives for the security types. */
export interface RfbCrypto {
  /** DES in ECB mode, one 8-byte key whose bits are already in the order wanted, no padding. */
  desEcb(key: Uint8Array, data: Uint8Array): Uint8Array;
  randomBytes(count: number): Uint8Array;
}

/** A public RSA key, both numbers big-endian. */
export interface RsaPublicKey {
  readonly modulus: Uint8Array;
  readonly exponent: Uint8Array;
}

/** An RSA key pair of our own. */
export interface RsaKey extends RsaPublicKey {
  /** The bare RSA operation: a block as long as the modulus, padding and all. Throws for a block of another length. */
  decryptBlock(block: Uint8Array): Uint8Array;
}

/** What the client's side of the security types needs beside RfbCrypto. */
export interface SecurityCrypto extends RfbCrypto {
  hash(name: "md5" | "sha1" | "sha256", data: Uint8Array): Uint8Array;
  /** AES with a key of 16 or 32 bytes, whole blocks, no padding. */
  aesEcb(key: Uint8Array, data: Uint8Array): Uint8Array;
  /** As above, chained from a block `iv`. */
  aesCbc(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array;
  /** AES as a key stream from a 16-byte counter on, big-endian; its own inverse; any length. */
  aesCtr(key: Uint8Array, counter: Uint8Array, data: Uint8Array): Uint8Array;
  /** PKCS #1 v1.5 encryption. Throws where the key is none, or too short for the data. */
  rsaEncrypt(key: RsaPublicKey, data: Uint8Array): Uint8Array;
}
