import { LittleEndianWriter } from "../../../src/protocols/rdp/little-endian-writer.ts";

/** Ids that this server gives out. */
export const IDS = { user: 7, io: 1003, channels: [1004, 1005] } as const;
const SHARE_ID = 0x1234;

export function bytes(): LittleEndianWriter {
  return new LittleEndianWriter();
}

export function tpkt(body: Uint8Array): Uint8Array {
  return bytes()
    .u8(3)
    .u8(0)
    .bigU16(body.length + 4)
    .put(body)
    .bytes();
}

/** X.224 Connection Confirm that agrees on a protocol. */
export function confirm(protocol: number): Uint8Array {
  return negotiation(2, protocol);
}

export function failure(code: number): Uint8Array {
  return negotiation(3, code);
}

function negotiation(type: number, value: number): Uint8Array {
  return tpkt(bytes().u8(14).u8(0xd0).pad(5).u8(type).u8(0).u16(8).u32(value).bytes());
}

function data(body: Uint8Array): Uint8Array {
  return tpkt(bytes().u8(2).u8(0xf0).u8(0x80).put(body).bytes());
}

/** MCS Connect Response of a host without encryption inside TLS. */
function connectResponse(channels: readonly number[] = IDS.channels): Uint8Array {
  const blocks = bytes().u16(0x0c01).u16(8).u32(0x80004);
  blocks.u16(0x0c02).u16(12).u32(0).u32(0);
  blocks
    .u16(0x0c03)
    .u16(8 + channels.length * 2)
    .u16(IDS.io)
    .u16(channels.length);
  for (const id of channels) blocks.u16(id);
  const gcc = bytes()
    .put(Uint8Array.of(0, 5, 0, 0x14, 0x7c, 0, 1))
    .u8(0x2a);
  gcc.u8(0x14).bigU16(0x76).u8(1).u8(1).u8(0).u8(1).u8(0xc0).u8(0).ascii("McDn");
  gcc.bigU16(0x8000 | blocks.length).put(blocks.bytes());
  const body = bytes().put(Uint8Array.of(0x0a, 1, 0, 0x02, 1, 0, 0x30, 0));
  body.u8(0x04).u8(0x82).bigU16(gcc.length).put(gcc.bytes());
  return data(bytes().u8(0x7f).u8(0x66).u8(0x82).bigU16(body.length).put(body.bytes()).bytes());
}

function attachConfirm(): Uint8Array {
  return data(bytes().u8(0x2e).u8(0).bigU16(IDS.user).bytes());
}

function joinConfirm(id: number): Uint8Array {
  return data(bytes().u8(0x3e).u8(0).bigU16(IDS.user).bigU16(id).bigU16(id).bytes());
}

/** MCS Send Data Indication. */
export function indication(channel: number, body: Uint8Array): Uint8Array {
  const to = bytes()
    .u8(0x68)
    .bigU16(IDS.user)
    .bigU16(channel)
    .u8(0x70)
    .bigU16(0x8000 | body.length);
  return data(to.put(body).bytes());
}

/** MCS Disconnect Provider Ultimatum. */
export function ultimatum(reason: number): Uint8Array {
  return data(
    bytes()
      .u8(0x20 | (reason >> 1))
      .u8((reason & 1) << 7)
      .bytes(),
  );
}

export function licence(type: number, body: Uint8Array): Uint8Array {
  const to = bytes()
    .u16(0x80)
    .u16(0)
    .u8(type)
    .u8(3)
    .u16(4 + body.length)
    .put(body);
  return indication(IDS.io, to.bytes());
}

export function validClient(): Uint8Array {
  return licence(0xff, bytes().u32(7).u32(2).u16(4).u16(0).bytes());
}

/** A message with a share control header. */
export function share(type: number, body: Uint8Array): Uint8Array {
  const to = bytes()
    .u16(6 + body.length)
    .u16(0x10 | type)
    .u16(0x3ea)
    .put(body);
  return indication(IDS.io, to.bytes());
}

/** A message with a share data header. */
export function shareData(type: number, body: Uint8Array): Uint8Array {
  const to = bytes()
    .u32(SHARE_ID)
    .u8(0)
    .u8(1)
    .u16(body.length + 4)
    .u8(type)
    .u8(0)
    .u16(0)
    .put(body);
  return share(7, to.bytes());
}

export interface Offer {
  readonly width: number;
  readonly height: number;
  /** Flags of the input set. */
  readonly input?: number;
  /** osMajorType; default 1, Windows. */
  readonly system?: number;
  /** The ids of its static channels; default: of the clipboard's and the dynamic ones'. */
  readonly channels?: readonly number[];
}

/** Demand Active with a general, a bitmap and an input set. */
export function demandActive({ width, height, input = 0x3d, system = 1 }: Offer): Uint8Array {
  const sets = bytes();
  sets.u16(1).u16(24).u16(system).pad(16).u8(1).u8(1);
  sets.u16(2).u16(28).u16(32).u16(1).u16(1).u16(1).u16(width).u16(height).pad(12);
  sets.u16(13).u16(88).u16(input).pad(82);
  const to = bytes()
    .u32(SHARE_ID)
    .u16(4)
    .u16(4 + sets.length)
    .ascii("TST\0");
  return share(1, to.u16(3).u16(0).put(sets.bytes()).u32(0).bytes());
}

export function fontMap(): Uint8Array {
  return shareData(0x28, bytes().pad(8).bytes());
}

export function deactivateAll(): Uint8Array {
  return share(6, bytes().u32(SHARE_ID).u16(1).u8(0).bytes());
}

/** Everything between TLS and the first pixel, in order. */
export function untilReady(offer: Offer): Uint8Array[] {
  return [
    connectResponse(offer.channels),
    attachConfirm(),
    ...[IDS.user + 1001, IDS.io, ...(offer.channels ?? IDS.channels)].map(joinConfirm),
    validClient(),
    demandActive(offer),
    fontMap(),
  ];
}

/** A fast-path frame with one update; `fragment`: 0 whole, 1 last, 2 first, 3 next. */
export function fastPath(code: number, body: Uint8Array, fragment = 0): Uint8Array {
  const length = 6 + body.length;
  return bytes()
    .u8(0)
    .bigU16(0x8000 | length)
    .u8(code | (fragment << 4))
    .u16(body.length)
    .put(body)
    .bytes();
}

export interface Bitmap {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly flags?: number;
  /** Rows bottom up. */
  readonly data: Uint8Array;
}

/** The body of a bitmap update, its type included. */
export function bitmaps(...all: readonly Bitmap[]): Uint8Array {
  const to = bytes().u16(1).u16(all.length);
  for (const { x, y, width, height, bits, flags = 0, data: pixels } of all) {
    to.u16(x)
      .u16(y)
      .u16(x + width - 1)
      .u16(y + height - 1);
    to.u16(width).u16(height).u16(bits).u16(flags).u16(pixels.length).put(pixels);
  }
  return to.bytes();
}

/** A part of a message of a static channel. */
export function channelPart(channel: number, total: number, flags: number, part: Uint8Array): Uint8Array {
  return indication(channel, bytes().u32(total).u32(flags).put(part).bytes());
}
