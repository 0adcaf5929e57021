/**
 * Pictures with their times as a Matroska stream (RFC 9559), which WebM is a part of: what ffmpeg reads from a pipe
 * without being told a rate, and browsers play, so that a still hour is one picture and not thirty-six thousand.
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
const UNKNOWN_SIZE = Uint8Array.of(0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

export interface MatroskaTrack {
  readonly width: number;
  readonly height: number;
  /** V_UNCOMPRESSED: RGBA, rows top down; the others are WebM. */
  readonly codec: "V_UNCOMPRESSED" | "V_VP8" | "V_VP9";
}

/** Everything before the first picture; times are milliseconds. */
export function matroskaHead({ width, height, codec }: MatroskaTrack): Uint8Array<ArrayBuffer> {
  const isRaw = codec === "V_UNCOMPRESSED";
  const size = [element(ID.pixelWidth, [number(width)]), element(ID.pixelHeight, [number(height)])];
  return joined([
    element(ID.ebml, [
      element(ID.docType, [text(isRaw ? "matroska" : "webm")]),
      element(ID.docTypeVersion, [number(4)]),
      element(ID.docTypeReadVersion, [number(2)]),
    ]),
    idOf(ID.segment),
    UNKNOWN_SIZE,
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
        element(ID.codecId, [text(codec)]),
        element(ID.video, isRaw ? [...size, element(ID.fourCc, [text("RGBA")])] : size),
      ]),
    ]),
  ]);
}

/** What stands before one picture's bytes: a cluster of its own, a block of track 1. */
export function matroskaFrameHead(atMs: number, sizeBytes: number, isKey = true): Uint8Array<ArrayBuffer> {
  const block = Uint8Array.of(0x81 /* track 1 */, 0, 0 /* relative to the cluster */, isKey ? 0x80 : 0);
  const timestamp = element(ID.timestamp, [number(Math.round(atMs))]);
  const blockHead = joined([idOf(ID.simpleBlock), sizeOf(block.length + sizeBytes), block]);
  const clusterBytes = timestamp.length + blockHead.length + sizeBytes;
  return joined([idOf(ID.cluster), sizeOf(clusterBytes), timestamp, blockHead]);
}

function element(id: number, content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const body = joined(content);
  return joined([idOf(id), sizeOf(body.length), body]);
}

function idOf(id: number): Uint8Array {
  const bytes = Uint8Array.of(id >>> 24, id >>> 16, id >>> 8, id);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}

/** EBML's VINT of eight bytes, RFC 8794 section 4. */
function sizeOf(size: number): Uint8Array {
  const bytes = number(size);
  bytes[0] = 0x01;
  return bytes;
}

/** An unsigned number in eight bytes. */
function number(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(value / 2 ** 32));
  view.setUint32(4, value % 2 ** 32);
  return bytes;
}

function text(value: string): Uint8Array {
  return Uint8Array.from(value, (letter) => letter.charCodeAt(0));
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
