import type { Size } from "../framebuffer/rect.ts";

/**
 * Raw pictures with their times, as a Matroska stream (RFC 9559): what ffmpeg reads from a pipe without being told a
 * rate, so that a still hour is one picture and not thirty-six thousand.
 */

const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  /** UncompressedFourCC, section 5.1.4.1.28.14. */
  fourCc: 0x2eb524,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;

const NAME = "overlay-companion";
/** Eight bytes of "not known": a stream has no end that is known before. */
const UNKNOWN_SIZE = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] as const;

/** Everything before the first picture: RGBA pictures of one size, times in milliseconds. */
export function matroskaHead({ width, height }: Size): Buffer {
  return Buffer.concat([
    element(ID.ebml, [
      element(ID.docType, [text("matroska")]),
      element(ID.docTypeVersion, [number(4)]),
      element(ID.docTypeReadVersion, [number(2)]),
    ]),
    idOf(ID.segment),
    Buffer.from(UNKNOWN_SIZE),
    element(ID.info, [
      element(ID.timestampScale, [number(1_000_000)]),
      element(ID.muxingApp, [text(NAME)]),
      element(ID.writingApp, [text(NAME)]),
    ]),
    element(ID.tracks, [
      element(ID.trackEntry, [
        element(ID.trackNumber, [number(1)]),
        element(ID.trackUid, [number(1)]),
        element(ID.trackType, [number(1)]),
        element(ID.codecId, [text("V_UNCOMPRESSED")]),
        element(ID.video, [
          element(ID.pixelWidth, [number(width)]),
          element(ID.pixelHeight, [number(height)]),
          element(ID.fourCc, [text("RGBA")]),
        ]),
      ]),
    ]),
  ]);
}

/** What stands before one picture's pixels: a cluster of its own, a key block of track 1. */
export function matroskaFrameHead(atMs: number, sizeBytes: number): Buffer {
  const block = [0x81 /* track 1 */, 0, 0 /* relative to the cluster */, 0x80 /* key */];
  const timestamp = element(ID.timestamp, [number(Math.round(atMs))]);
  const inner = block.length + sizeBytes;
  const blockHead = [idOf(ID.simpleBlock), sizeOf(inner), Buffer.from(block)];
  const blockBytes = blockHead.reduce((sum, part) => sum + part.length, 0) + sizeBytes;
  return Buffer.concat([idOf(ID.cluster), sizeOf(timestamp.length + blockBytes), timestamp, ...blockHead]);
}

function element(id: number, content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([idOf(id), sizeOf(body.length), body]);
}

function idOf(id: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}

/** EBML's VINT of eight bytes, RFC 8794 section 4. */
function sizeOf(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE((1n << 56n) | BigInt(size));
  return bytes;
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(value, "latin1");
}
