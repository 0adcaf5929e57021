/** What an RDP server says, written for the tests from MS-RDPBCGR alone. */

export const IO_CHANNEL = 1003;
export const CLIPRDR_CHANNEL = 1004;
export const DRDYNVC_CHANNEL = 1005;
export const SOUND_CHANNEL = 1006;
const USER = 1007;
const SERVER = 1002;
const USER_BASE = 1001;
const SHARE_ID = 0x1000_03ea;

export const le16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, i * 2);
  return bytes;
};

export const le32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, i * 4);
  return bytes;
};

const be16 = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);
export const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ""), "hex");
export const concat = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);

/** A TPKT; `length` lies where a test wants it to. */
export function tpkt(body: Uint8Array, length = body.length + 4): Buffer {
  return concat(Buffer.of(3, 0), be16(length), body);
}

/** X.224 Connection Confirm with a negotiation response (kind 2) or failure (kind 3). */
export function connectionConfirm(kind: number, value: number): Buffer {
  return tpkt(concat(hex("0e d0 0000 1234 00"), Buffer.of(kind, 0), le16(8), le32(value)));
}

const x224 = (body: Uint8Array): Buffer => tpkt(concat(hex("02 f0 80"), body));

const ber = (tag: Uint8Array, body: Uint8Array): Buffer =>
  concat(tag, Buffer.of(0x82), be16(body.length), body);

/** MCS Connect Response with the GCC blocks of a server that has three channels. */
export function connectResponse(
  channels: readonly number[] = [CLIPRDR_CHANNEL, DRDYNVC_CHANNEL, SOUND_CHANNEL],
): Buffer {
  const blocks = concat(
    concat(le16(0x0c01, 12), le32(0x0008_0004, 1)),
    concat(le16(0x0c02, 12), le32(0, 0)),
    le16(0x0c03, 8 + channels.length * 2, IO_CHANNEL, channels.length, ...channels),
  );
  const conference = concat(
    hex("00 05 00 14 7c 00 01 2a 14 76 0a 01 01 00 01 c0 00"),
    Buffer.from("McDn"),
    be16(0x8000 | blocks.length),
    blocks,
  );
  const parameters = hex("30 1a 020122 020103 020100 020101 020100 020101 020300fff8 020102");
  return x224(ber(hex("7f 66"), concat(hex("0a 01 00 02 01 00"), parameters, ber(hex("04"), conference))));
}

export function attachUserConfirm(): Buffer {
  return x224(concat(hex("2e 00"), be16(USER - USER_BASE)));
}

export function channelJoinConfirm(channel: number): Buffer {
  return x224(concat(hex("3e 00"), be16(USER - USER_BASE), be16(channel), be16(channel)));
}

/** Send Data Indication; `length` lies where a test wants it to. */
export function indication(channel: number, data: Uint8Array, length = data.length): Buffer {
  return x224(
    concat(hex("68"), be16(SERVER - USER_BASE), be16(channel), hex("70"), be16(0x8000 | length), data),
  );
}

/** A licensing message: "you need none". */
export function validClient(): Buffer {
  return indication(IO_CHANNEL, concat(le16(0x80, 0), hex("ff 03"), le16(16), le32(7, 2), le16(4, 0)));
}

/** A share control message of the I/O channel. */
export function share(type: number, body: Uint8Array): Buffer {
  return indication(IO_CHANNEL, concat(le16(6 + body.length, 0x10 | type, SERVER), body));
}

/** A share data message. */
export function shareData(type: number, body: Uint8Array): Buffer {
  const header = concat(le32(SHARE_ID), Buffer.of(0, 1), le16(body.length + 4), Buffer.of(type, 0), le16(0));
  return share(7, concat(header, body));
}

export function demandActive(width: number, height: number, bitsPerPixel = 32): Buffer {
  const sets = [
    concat(le16(1, 24), le16(1, 3, 0x200, 0, 0, 0x041d, 0, 0, 0), Buffer.of(1, 1)),
    concat(le16(2, 28), le16(bitsPerPixel, 1, 1, 1, width, height, 0, 1, 1, 0, 1, 0)),
    concat(le16(13, 88), le16(0x35, 0), Buffer.alloc(80)),
  ];
  const capabilities = concat(le16(sets.length, 0), ...sets);
  return share(
    1,
    concat(le32(SHARE_ID), le16(4, capabilities.length), Buffer.from("RDP\0"), capabilities, le32(0)),
  );
}

/** Synchronise, Control (cooperate, granted) and Font Map: the session is on. */
export function finalisation(): Buffer {
  return concat(
    shareData(0x1f, le16(1, SERVER)),
    shareData(0x14, concat(le16(4, 0), le32(0))),
    shareData(0x14, concat(le16(2, USER), le32(SERVER))),
    shareData(0x28, le16(0, 0, 3, 4)),
  );
}

/** A fast-path frame of updates as `fastUpdate` makes them; `length` lies where a test wants it to. */
export function fastPath(updates: Uint8Array, length = updates.length + 3): Buffer {
  return concat(Buffer.of(0), be16(0x8000 | length), updates);
}

/** One update: `fragment` 0 whole, 1 last, 2 first, 3 next; `size` lies where a test wants it to. */
export function fastUpdate(code: number, data: Uint8Array, fragment = 0, size = data.length): Buffer {
  return concat(Buffer.of(code | (fragment << 4)), le16(size), data);
}

/** A bitmap update of one rectangle, in a fast-path frame of its own. */
export function bitmap(
  place: { left: number; top: number; right: number; bottom: number; width: number; height: number },
  bitsPerPixel: number,
  isCompressed: boolean,
  data: Uint8Array,
): Buffer {
  const { left, top, right, bottom, width, height } = place;
  // 0x400: the compressed data has no header of its own.
  const flags = isCompressed ? 0x401 : 0;
  const rectangle = le16(left, top, right, bottom, width, height, bitsPerPixel, flags, data.length);
  return fastPath(fastUpdate(1, concat(le16(1, 1), rectangle, data)));
}

/** A part of a static channel's message. */
export function channelPart(channel: number, total: number, flags: number, part: Uint8Array): Buffer {
  return indication(channel, concat(le32(total, flags), part));
}

/** A static channel's message in one part. */
export function channelMessage(channel: number, message: Uint8Array): Buffer {
  return channelPart(channel, message.length, 3, message);
}
