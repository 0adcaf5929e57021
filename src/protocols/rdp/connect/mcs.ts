import type { Parser } from "../../byte-queue.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { readSlow, readX224Data, x224Data } from "../graphics/frames.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { MCS_USER_BASE } from "../numbers.ts";

/** Choices of DomainMCSPDU, T.125 section 7, as their first byte in PER with no options. */
const DOMAIN = {
  erectDomainRequest: 0x04,
  disconnectProviderUltimatum: 0x20,
  attachUserRequest: 0x28,
  attachUserConfirm: 0x2c,
  channelJoinRequest: 0x38,
  channelJoinConfirm: 0x3c,
  sendDataRequest: 0x64,
  sendDataIndication: 0x68,
} as const;

/** High priority, in one piece. */
const WHOLE = 0x70;

/** Reasons of a Disconnect Provider Ultimatum, T.125 section 7 (Reason). */
const REASONS = [
  "the host's network ended the session",
  "the host ended the session",
  "the session was ended on request",
  "a token was purged",
  "a channel was purged",
] as const;

/** A message of one channel. */
export interface ChannelData {
  readonly channelId: number;
  readonly data: Uint8Array;
}

/** Erect Domain, Attach User, Channel Join: MS-RDPBCGR 1.3.1.1 (channel connection). */
export function* joinChannels(c: ClientContext): Parser<void> {
  c.send(x224Data(new LittleEndianWriter(5).u8(DOMAIN.erectDomainRequest).u8(1).u8(0).u8(1).u8(0).bytes()));
  c.send(x224Data(new LittleEndianWriter(1).u8(DOMAIN.attachUserRequest).bytes()));
  const attached = yield* readDomain(c, DOMAIN.attachUserConfirm, "an attach user confirm");
  expectSuccess(attached, c);
  c.userId = attached.bigU16() + MCS_USER_BASE;
  const message = c.messageChannel === null ? [] : [c.messageChannel];
  for (const id of [c.userId, c.ioChannel, ...c.channelIds, ...message]) {
    c.send(
      x224Data(
        new LittleEndianWriter(5)
          .u8(DOMAIN.channelJoinRequest)
          .bigU16(c.userId - MCS_USER_BASE)
          .bigU16(id)
          .bytes(),
      ),
    );
    const joined = yield* readDomain(c, DOMAIN.channelJoinConfirm, "a channel join confirm");
    expectSuccess(joined, c);
  }
}

/** The body of the next domain message, which has to be of one kind. */
function* readDomain(c: ClientContext, wanted: number, name: string): Parser<LittleEndianReader> {
  const from = readX224Data(yield* readSlow(c), c);
  const choice = from.u8();
  if ((choice & 0xfc) === wanted) return from;
  throwIfEnd(choice, from, c);
  throw new RdpError("bad_data", c.phase, `got mcs message ${choice >> 2}, expected ${name}`);
}

function expectSuccess(from: LittleEndianReader, c: ClientContext): void {
  const result = from.u8();
  if (result !== 0)
    throw new RdpError("refused", c.phase, `the host refused a channel with result ${result}`);
}

function throwIfEnd(choice: number, from: LittleEndianReader, c: ClientContext): void {
  if ((choice & 0xfc) !== DOMAIN.disconnectProviderUltimatum) return;
  // Three bits over two bytes.
  const reason = ((choice & 0x03) << 1) | (from.left > 0 ? from.u8() >> 7 : 0);
  const words = REASONS[reason] ?? `the host ended the session (reason ${reason})`;
  throw new RdpError("target_closed", c.phase, words);
}

/** Send Data Indication, T.125 section 7: U16 initiator, U16 channel, U8 flags, length in PER, data. */
export function readChannelData(body: Uint8Array, c: ClientContext): ChannelData {
  const from = readX224Data(body, c);
  const choice = from.u8();
  throwIfEnd(choice, from, c);
  if ((choice & 0xfc) !== DOMAIN.sendDataIndication) {
    throw new RdpError("bad_data", c.phase, `got mcs message ${choice >> 2}, expected data`);
  }
  from.skip(2);
  const channelId = from.bigU16();
  from.skip(1);
  return { channelId, data: from.take(readPerLength(from)) };
}

/** A length of PER, X.691 section 10.9: 1 byte below 128, else 2 with the highest bit set; never in fragments. */
export function readPerLength(from: LittleEndianReader): number {
  const first = from.u8();
  if ((first & 0x80) === 0) return first;
  if ((first & 0x40) !== 0)
    throw new RdpError("bad_data", from.phase, "got a length in fragments, expected a whole one");
  return ((first & 0x3f) << 8) | from.u8();
}

/** Send Data Request: `data` of at most 16383 bytes to one channel. */
export function sendData(c: ClientContext, channelId: number, data: Uint8Array): void {
  c.send(
    x224Data(
      new LittleEndianWriter(8 + data.length)
        .u8(DOMAIN.sendDataRequest)
        .bigU16(c.userId - MCS_USER_BASE)
        .bigU16(channelId)
        .u8(WHOLE)
        .bigU16(0x8000 | data.length)
        .put(data)
        .bytes(),
    ),
  );
}

/** The polite end: Disconnect Provider Ultimatum, user requested. */
export function disconnectUltimatum(): Uint8Array {
  return x224Data(new LittleEndianWriter(2).u8(0x21).u8(0x80).bytes());
}
