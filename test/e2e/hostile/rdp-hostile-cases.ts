import type { Stage } from "./rdp-fake.ts";
import {
  bitmap,
  CLIPRDR_CHANNEL,
  channelMessage,
  channelPart,
  concat,
  connectionConfirm,
  connectResponse,
  DRDYNVC_CHANNEL,
  demandActive,
  fastPath,
  fastUpdate,
  hex,
  IO_CHANNEL,
  indication,
  le16,
  le32,
  SOUND_CHANNEL,
  share,
  shareData,
  tpkt,
} from "./rdp-fake-bytes.ts";

/** What an RDP host says when its client has come so far, and what has to come of it. */
export interface RdpSpeech {
  readonly stage: Stage;
  readonly bytes: Uint8Array;
  /** The code that the desktop gives; null: it goes on. */
  readonly code: string | null;
  /** What went wrong, as the desktop names it. */
  readonly says: RegExp;
  /** Sent again and again after `bytes`; default zeros, and nothing where it goes on. */
  readonly flood?: Uint8Array;
  /** Of the connection, beside user name and password. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface RdpHostileCase {
  /** Its number in docs/hostile-cases.md. */
  readonly number: number;
  readonly what: string;
  readonly speeches: Readonly<Record<string, RdpSpeech>>;
}

const at =
  (stage: Stage, code: string | null) =>
  (says: RegExp, ...parts: readonly Uint8Array[]): RdpSpeech => ({
    stage,
    bytes: concat(...parts),
    code,
    says,
  });

const first = at("connected", "protocol_error");
const refusal = at("connected", "no_common_auth");
const joining = at("secured", "protocol_error");
const activating = at("licensed", "protocol_error");
const live = at("live", "protocol_error");

const negotiation = (kind: number, value: number, says: RegExp): RdpSpeech =>
  refusal(says, connectionConfirm(kind, value));

const SQUARE = { left: 0, top: 0, right: 15, bottom: 15, width: 16, height: 16 } as const;

/** A message of a dynamic channel: the capabilities, a channel opened, the rest. */
const DYNAMIC_CAPABILITIES = channelMessage(DRDYNVC_CHANNEL, hex("50 00 02 00 0000 0000 0000 0000"));
const dynamic = (...messages: readonly Uint8Array[]): Buffer =>
  concat(DYNAMIC_CAPABILITIES, ...messages.map((message) => channelMessage(DRDYNVC_CHANNEL, message)));
const opened = (name: string): Buffer => concat(hex("10 07"), Buffer.from(`${name}\0`));

const GRAPHICS = "Microsoft::Windows::RDS::Graphics";
const DISPLAY = "Microsoft::Windows::RDS::DisplayControl";

/** A message of the graphics pipeline, in one uncompressed segment. */
const graphics = (command: number, body: Uint8Array): Buffer =>
  concat(hex("30 07 e0 04"), le16(command, 0), le32(8 + body.length), body);
const CAPABILITIES_CONFIRM = graphics(0x13, le32(0x0008_0004, 4, 0));
const surface = (width: number, height: number): Buffer =>
  graphics(0x09, concat(le16(1, width, height), hex("20")));

const pipeline = (says: RegExp, ...messages: readonly Uint8Array[]): RdpSpeech => ({
  ...live(says, dynamic(opened(GRAPHICS), CAPABILITIES_CONFIRM, ...messages)),
  settings: { rdp: { graphics: "pipeline" } },
});

export const RDP_HOSTILE_CASES: readonly RdpHostileCase[] = [
  {
    number: 28,
    what: "frames whose lengths lie, and refusals",
    speeches: {
      "a tpkt of 0 bytes": first(/tpkt of 0 bytes/, tpkt(new Uint8Array(4), 0)),
      "a tpkt of 3 bytes": first(/tpkt of 3 bytes/, tpkt(new Uint8Array(4), 3)),
      "a tpkt of 65535 bytes": first(/negotiation, byte/, tpkt(new Uint8Array(4), 65_535)),
      "a web server": first(/negotiation, byte 0/, Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")),
      "RDP's own security": negotiation(2, 0, /RDP's own security/),
      "a protocol that was not asked for": first(/negotiation/, connectionConfirm(2, 4)),
      "TLS demanded": negotiation(3, 1, /TLS/),
      "no TLS there": negotiation(3, 2, /RDP's own security/),
      "no certificate there": negotiation(3, 3, /no certificate/),
      "NLA demanded, after it was offered": negotiation(3, 5, /NLA/),
      "a client certificate demanded": negotiation(3, 6, /client certificate/),
      "a failure nobody knows": at("connected", "refused")(/4294967295/, connectionConfirm(3, 0xffff_ffff)),
      "a connect response that is none": joining(/mcs/, tpkt(hex("02 f0 80 7f 66 84 ffffffff"))),
      "a hundred channels": joining(
        /channels/,
        connectResponse(Array.from({ length: 100 }, (_, i) => 1004 + i)),
      ),
      "a fast path of 1 byte": live(/fast-path frame of 1 bytes/, fastPath(new Uint8Array(0), 1)),
      "an update beyond its frame": live(
        /graphics, byte/,
        fastPath(fastUpdate(1, new Uint8Array(4), 0, 0xffff)),
      ),
      "data beyond its tpkt": live(/session, byte/, indication(IO_CHANNEL, new Uint8Array(8), 0x3fff)),
      "a share message of 1 byte": live(/share message of 1 bytes/, indication(IO_CHANNEL, le16(1, 0x17))),
      "a desktop of 65535x65535": activating(/65535x65535/, demandActive(0xffff, 0xffff)),
      "a desktop of 0x0": activating(/0x0/, demandActive(0, 0)),
      "a session that resizes for ever": {
        ...live(/sizes within a second/, share(6, new Uint8Array(0)), demandActive(640, 480)),
        flood: concat(
          ...[1, 2, 3, 4].map((i) => concat(share(6, new Uint8Array(0)), demandActive(i * 200, 480))),
        ),
      },
    },
  },
  {
    number: 29,
    what: "channels whose lengths lie, and channels that nobody asked for",
    speeches: {
      "a message of 4 GiB": live(
        /too|expected at most/,
        channelPart(CLIPRDR_CHANNEL, 0xffff_ffff, 1, new Uint8Array(8)),
      ),
      "more than the message was to have": live(
        /8 bytes/,
        channelPart(CLIPRDR_CHANNEL, 8, 1, new Uint8Array(8)),
        channelPart(CLIPRDR_CHANNEL, 8, 2, new Uint8Array(8)),
      ),
      "a part without its beginning": live(
        /without its beginning/,
        channelPart(CLIPRDR_CHANNEL, 8, 2, new Uint8Array(8)),
      ),
      "compressed channel data": live(
        /compressed/,
        channelPart(CLIPRDR_CHANNEL, 8, 0x20_0003, new Uint8Array(8)),
      ),
      "a clipboard message beyond its part": live(
        /channel, byte/,
        channelMessage(CLIPRDR_CHANNEL, concat(le16(5, 1), le32(0xffff_ffff))),
      ),
      "formats of sound beyond their message": live(
        /channel, byte/,
        channelMessage(SOUND_CHANNEL, concat(hex("07 00 1400"), Buffer.alloc(14), le16(0xffff, 0, 0))),
      ),
      "a first piece of 4 GiB": live(
        /channel, byte/,
        dynamic(opened(DISPLAY), concat(hex("28 07"), le32(0xffff_ffff), new Uint8Array(8))),
      ),
      "display control that is none": live(
        /display control/,
        dynamic(opened(DISPLAY), hex("30 07 ffffffff 08000000")),
      ),
      "a channel without an end to its name": live(
        /channel, byte/,
        channelMessage(DRDYNVC_CHANNEL, concat(hex("10 07"), Buffer.alloc(1000, 0x41))),
      ),
      "a channel that nobody joined": at("live", null)(
        /^$/,
        ...Array.from({ length: 100 }, () => indication(1099, new Uint8Array(1000))),
      ),
      "fragments without end": {
        ...live(/fragments/, fastPath(fastUpdate(1, new Uint8Array(8), 2))),
        flood: fastPath(fastUpdate(1, new Uint8Array(15_000), 3)),
      },
    },
  },
  {
    number: 30,
    what: "pictures that overrun",
    speeches: {
      "planar of nothing": live(/graphics, byte/, bitmap(SQUARE, 32, true, new Uint8Array(0))),
      "planar that runs over its row": live(
        /graphics, byte/,
        bitmap(SQUARE, 32, true, hex("30 0f 0f 0f 0f 0f")),
      ),
      "planar that ends early": live(/graphics, byte/, bitmap(SQUARE, 32, true, hex("30 f1 00"))),
      "RLE of nothing": live(/graphics, byte/, bitmap(SQUARE, 16, true, new Uint8Array(0))),
      "RLE of a mega run": live(/graphics, byte/, bitmap(SQUARE, 16, true, hex("f3 ffff 0000"))),
      "RLE of an order that is none": live(/graphics, byte/, bitmap(SQUARE, 24, true, hex("ff ff ff"))),
      "a rectangle of 65535x65535": live(
        /graphics, byte/,
        bitmap(
          { left: 0, top: 0, right: 0xfffe, bottom: 0xfffe, width: 0xffff, height: 0xffff },
          32,
          true,
          hex("30"),
        ),
      ),
      "raw pixels that are not there": live(/graphics, byte/, bitmap(SQUARE, 32, false, new Uint8Array(16))),
      "13 bits a pixel": live(/graphics, byte/, bitmap(SQUARE, 13, true, new Uint8Array(16))),
      "a surface command that is none": live(/graphics, byte/, fastPath(fastUpdate(4, le16(0xffff, 0)))),
      "a codec that was not offered": live(
        /graphics, byte/,
        fastPath(
          fastUpdate(
            4,
            concat(le16(1, 0, 0, 16, 16), hex("20 00 00 03"), le16(16, 16), le32(16), new Uint8Array(16)),
          ),
        ),
      ),
      "a pointer of 65535x65535": live(
        /pointer, byte|graphics, byte/,
        fastPath(fastUpdate(11, concat(le16(32, 0, 0, 0, 0xffff, 0xffff, 0xffff, 0xffff)))),
      ),
      "a pointer slot that is none": live(/pointer/, fastPath(fastUpdate(10, le16(0xffff)))),
      "drawing orders, which were not offered": live(/graphics, byte/, fastPath(fastUpdate(0, le16(0xffff)))),
    },
  },
  {
    number: 31,
    what: "the graphics pipeline: surfaces and caches beyond all bounds",
    speeches: {
      "a surface of 65535x65535": pipeline(/65535/, surface(0xffff, 0xffff)),
      "surfaces without end": {
        ...pipeline(/graphics|surface/),
        flood: channelMessage(DRDYNVC_CHANNEL, surface(256, 256)),
      },
      "an output of 65535x65535": pipeline(
        /65535/,
        graphics(0x0e, concat(le32(0xffff, 0xffff, 1), Buffer.alloc(320))),
      ),
      "more pieces for the cache than it holds": pipeline(
        /pixels of cache/,
        surface(1024, 1024),
        ...[1, 2, 3, 4, 5, 6].map((slot) =>
          graphics(0x06, concat(le16(1), le32(0, 0), le16(slot, 0, 0, 1024, 1024))),
        ),
      ),
      "a picture of 64 MiB for a desktop of 64x64": {
        ...live(
          /a message of \d+ bytes on .*Graphics/,
          dynamic(opened(GRAPHICS), concat(hex("28 07"), le32(64 << 20))),
        ),
        settings: { rdp: { graphics: "pipeline" } },
      },
      "a cache slot that is none": pipeline(
        /graphics, byte/,
        surface(64, 64),
        graphics(0x07, le16(0xffff, 1, 1, 0, 0)),
      ),
      "a surface that is not there": pipeline(
        /graphics, byte/,
        graphics(0x01, concat(le16(9, 0), hex("20"), le16(0, 0, 8, 8), le32(4), new Uint8Array(4))),
      ),
      "a bulk segment that is none": {
        ...live(/graphics, byte|channel, byte/, dynamic(opened(GRAPHICS), hex("30 07 e0 24 ff ff ff ff"))),
        settings: { rdp: { graphics: "pipeline" } },
      },
      "a message longer than itself": pipeline(
        /graphics, byte/,
        concat(hex("30 07 e0 04"), le16(9, 0), le32(0xffff_ffff)),
      ),
    },
  },
  {
    number: 32,
    what: "another host to go on with",
    speeches: {
      "before the session": at("joined", "refused")(
        /redirects to another host/,
        indication(IO_CHANNEL, concat(le16(0x400, 0), new Uint8Array(32))),
      ),
      "in the session": at("live", "refused")(/redirects to another host/, share(10, new Uint8Array(32))),
    },
  },
  {
    number: 33,
    what: "reasons for an end that does not come",
    speeches: {
      "a reason that is taken back": at("live", null)(
        /^$/,
        shareData(0x2f, le32(6)),
        shareData(0x2f, le32(0)),
      ),
    },
  },
];
