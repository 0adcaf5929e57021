import { deflateSync } from "node:zlib";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import {
  ascii,
  join,
  rectangle,
  serverInit,
  solid,
  u32,
  update,
} from "../../protocols/rfb/client/server-bytes.ts";

/** What a target says, and what has to come of it. */
export interface HostileSpeech {
  readonly bytes: Uint8Array;
  /** The code that the desktop gives; null: it goes on. */
  readonly code: string | null;
  /** Phase and field, as the desktop names them. */
  readonly says: RegExp;
  /** Sent again and again after `bytes`; default zeros, or nothing where it goes on. */
  readonly flood?: Uint8Array;
  /** Of the connection, beside a password. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface HostileCase {
  /** Its number in docs/hostile-cases.md. */
  readonly number: number;
  readonly what: string;
  readonly speeches: Readonly<Record<string, HostileSpeech>>;
}

const of = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);
const BANNER = ascii("RFB 003.008\n");
const types = (...numbers: readonly number[]): Uint8Array => of(numbers.length, ...numbers);
/** VncAuth, whatever the answer. */
const SIGNED_IN = join(BANNER, types(2), new Uint8Array(16), u32(0));

const SIDE = 64;
const LIVE = join(SIGNED_IN, serverInit(SIDE, SIDE));

const init = (
  width: number,
  height: number,
  nameLength: number,
  format: Uint8Array = new Uint8Array(16),
): Uint8Array => join(SIGNED_IN, new ByteWriter().u16(width).u16(height).put(format).u32(nameLength).bytes());

const broken = (bytes: Uint8Array, says: RegExp, code = "protocol_error"): HostileSpeech => ({
  bytes,
  code,
  says,
});
const inSession = (says: RegExp, ...parts: readonly Uint8Array[]): HostileSpeech =>
  broken(join(LIVE, ...parts), says);
/** One update of one rectangle of 16 by 16 pixels. */
const drawn = (says: RegExp, encoding: number, body: Uint8Array): HostileSpeech =>
  inSession(says, update(rectangle(0, 0, 16, 16, encoding, body)));

const compact = (length: number): Uint8Array =>
  of((length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14);
const tightData = (data: Uint8Array): Uint8Array => join(compact(data.length), data);
const sized = (data: Uint8Array): Uint8Array => join(u32(data.length), data);
const BOMB = deflateSync(Buffer.alloc(16 << 20));
const zipped = (...bytes: readonly number[]): Uint8Array => sized(deflateSync(Buffer.from(bytes)));

/** JPEG markers up to a frame header of this size: SOI, SOF0. */
const jpegOf = (width: number, height: number): Uint8Array =>
  new ByteWriter()
    .u16(0xffd8)
    .u16(0xffc0)
    .u16(17)
    .u8(8)
    .u16(height)
    .u16(width)
    .put(of(3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0))
    .bytes();

const cutText = (length: number): Uint8Array => join(of(3, 0, 0, 0), new ByteWriter().i32(length).bytes());
const screens = (count: number, flip: number): Uint8Array => {
  const body = new ByteWriter().u8(count).pad(3);
  for (let i = 0; i < count; i++)
    body
      .u32(i)
      .u16(0)
      .u16(0)
      .u16(SIDE - flip)
      .u16(SIDE)
      .u32(0);
  return body.bytes();
};
const resized = (side: number): Uint8Array => update(rectangle(0, 0, side, side, -223));
const fence = (length: number): Uint8Array => join(of(248, 0, 0, 0), u32(0x80000000), of(length));

const other = "ab".repeat(32);

/** Those in which a target speaks and is answered at once. */
export const HOSTILE_CASES: readonly HostileCase[] = [
  {
    number: 1,
    what: "no VNC server",
    speeches: {
      "an HTTP banner": broken(ascii("HTTP/1.1 400 Bad Request\r\n"), /"H".*version, byte/),
      "RFB 2.002": broken(ascii("RFB 002.002\n"), /002\.002.*version, byte 12/),
      "lower case": broken(ascii("rfb 003.008\n"), /"r".*version, byte/),
    },
  },
  {
    number: 3,
    what: "a reason of 2 GiB",
    speeches: {
      "instead of types": broken(
        join(BANNER, of(0), u32(0x7fffffff)),
        /reason of 2147483647.*security/,
        "refused",
      ),
      "for a password": broken(
        join(BANNER, types(2), new Uint8Array(16), u32(1), u32(0x7fffffff)),
        /reason of 2147483647.*authentication/,
        "refused",
      ),
    },
  },
  {
    number: 4,
    what: "security types that nobody knows",
    speeches: {
      "three of them": broken(
        join(BANNER, types(77, 78, 200)),
        /type 77, type 78.*security/,
        "no_common_auth",
      ),
      "255 of them": broken(
        join(BANNER, types(...Array.from({ length: 255 }, () => 99))),
        /and 239 more.*security/,
        "no_common_auth",
      ),
    },
  },
  {
    number: 5,
    what: "a downgrade",
    speeches: {
      "no password where one is configured": broken(
        join(BANNER, types(1)),
        /offers only None.*security/,
        "no_common_auth",
      ),
      "a password without the TLS that is configured": {
        ...broken(join(BANNER, types(1, 2)), /offers only None, VncAuth.*X509Vnc/, "no_common_auth"),
        settings: { security: ["X509Vnc"] },
      },
      "a password in clear": broken(
        join(BANNER, types(16), u32(0), u32(1), u32(129), new Uint8Array(12)),
        /./,
        "no_common_auth",
      ),
    },
  },
  {
    number: 6,
    what: "a server that does not prove who it is",
    speeches: {
      "no certificate where a fingerprint is configured": {
        ...broken(join(BANNER, types(1, 2)), /does not prove who it is.*security/, "cert_mismatch"),
        settings: { fingerprint: other },
      },
      "anonymous TLS where a fingerprint is configured": {
        ...broken(join(BANNER, types(18)), /does not prove who it is.*security/, "cert_mismatch"),
        settings: { fingerprint: other },
      },
    },
  },
  {
    number: 7,
    what: "an RSA key that is none",
    speeches: {
      "of 0 bits": broken(join(BANNER, types(6), u32(0)), /key of 0 bits.*authentication/),
      "of 1023 bits": broken(join(BANNER, types(6), u32(1023)), /key of 1023 bits.*authentication/),
      "of 4 Gbit": broken(join(BANNER, types(6), u32(0xffffffff)), /key of 4294967295 bits.*authentication/),
      "of zeros": broken(join(BANNER, types(6), u32(1024), new Uint8Array(256)), /key.*authentication/),
    },
  },
  {
    number: 8,
    what: "a desktop's name without end",
    speeches: {
      "of 2 GiB": broken(init(SIDE, SIDE, 0x7ffffff0), /name of 2147483632 bytes.*init, byte/),
      "of -1": broken(init(SIDE, SIDE, 0xffffffff), /name of 4294967295 bytes.*init, byte/),
      "later on": inSession(
        /name of 2147483632 bytes.*rectangle/,
        update(rectangle(0, 0, 0, 0, -307, u32(0x7ffffff0))),
      ),
    },
  },
  {
    number: 9,
    what: "a name that acts on terminals and logs",
    speeches: {
      "ANSI, HTML, right to left, lines": {
        bytes: join(SIGNED_IN, serverInit(SIDE, SIDE, "a\u001b[31m\n2026 forged\u202e<b>\u2028")),
        code: null,
        says: /./,
      },
    },
  },
  {
    number: 10,
    what: "a picture of no or of too many pixels",
    speeches: {
      "0x0": broken(init(0, 0, 0), /0x0 pixels.*init/),
      "65535x65535": broken(init(65535, 65535, 0), /65535x65535 pixels.*init/),
      "65535x65535 later on": inSession(/65535x65535.*rectangle/, resized(65535)),
      "0x0 later on": inSession(/0x0.*rectangle/, resized(0)),
    },
  },
  {
    number: 11,
    what: "a pixel format that is none",
    speeches: {
      "255 bits, which is not used": {
        bytes: join(
          init(SIDE, SIDE, 0, of(255, 255, 0, 1, 0, 0, 0, 0, 0, 0, 99, 99, 99, 0, 0, 0)),
          update(rectangle(0, 0, SIDE, SIDE, 0, solid(SIDE, SIDE, [1, 2, 3]))),
        ),
        code: null,
        says: /./,
      },
    },
  },
  {
    number: 12,
    what: "a rectangle outside the picture",
    speeches: {
      "by a pixel": inSession(/raw rectangle 64x1 at 1,0.*rectangle/, update(rectangle(1, 0, SIDE, 1, 0))),
      "by an overflow": inSession(
        /raw rectangle 65535x65535 at 65535,65535/,
        update(rectangle(65535, 65535, 65535, 65535, 0)),
      ),
      "in Tight": inSession(/tight rectangle 65535x1 at 0,0/, update(rectangle(0, 0, 65535, 1, 7))),
    },
  },
  {
    number: 13,
    what: "a move from outside the picture",
    speeches: {
      "by a pixel": drawn(/copyrect.*rectangle|source.*rectangle/i, 1, of(0, 49, 0, 49)),
      "by far": drawn(/copyrect.*rectangle|source.*rectangle/i, 1, of(255, 255, 255, 255)),
    },
  },
  {
    number: 14,
    what: "updates without end",
    speeches: {
      "65,534 empty rectangles, again and again": {
        bytes: LIVE,
        code: null,
        says: /./,
        flood: join(of(0, 0, 0xff, 0xfe), new Uint8Array(65_534 * 12)),
      },
      "an update that never ends": {
        bytes: join(LIVE, of(0, 0, 0xff, 0xff)),
        code: null,
        says: /./,
        flood: new Uint8Array(12),
      },
    },
  },
  {
    number: 15,
    what: "subrectangles",
    speeches: {
      "2^32 of them": drawn(/4294967295 (rre )?subrect.*rectangle/, 2, join(u32(0xffffffff), u32(0))),
      "one outside its rectangle": drawn(
        /subrect.*rectangle/,
        2,
        join(u32(1), u32(0), u32(0), of(0, 15, 0, 15, 0, 2, 0, 2)),
      ),
    },
  },
  {
    number: 16,
    what: "hextiles",
    speeches: {
      "a first tile without background": drawn(/background.*rectangle/, 5, of(0)),
    },
  },
  {
    number: 17,
    what: "Tight filters",
    speeches: {
      "filter 9": drawn(/tight filter 9.*rectangle/, 7, of(0x40, 9)),
      "a palette of one": drawn(/palette.*rectangle/, 7, of(0x40, 1, 0)),
      "gradient wider than 2048": broken(
        join(SIGNED_IN, serverInit(4096, 16), update(rectangle(0, 0, 4096, 16, 7, of(0x40, 2)))),
        /4096.*rectangle/,
      ),
      "a compression that is none": drawn(/tight.*rectangle/, 7, of(0xf0)),
    },
  },
  {
    number: 18,
    what: "an image larger than its rectangle",
    speeches: {
      "65535x65535 in 16x16": drawn(
        /jpeg is damaged.*rectangle/,
        7,
        join(of(0x90), tightData(jpegOf(65535, 65535))),
      ),
      "4000x4000 in 16x16": drawn(
        /4000x4000, expected 16x16.*rectangle/,
        7,
        join(of(0x90), tightData(jpegOf(4000, 4000))),
      ),
      "cut off": drawn(/jpeg.*rectangle/, 7, join(of(0x90), tightData(jpegOf(16, 16)))),
      "no JPEG": drawn(/jpeg.*rectangle/, 7, join(of(0x90), tightData(new Uint8Array(100)))),
    },
  },
  {
    number: 19,
    what: "ZRLE",
    speeches: {
      "a run without end": drawn(/run of.*rectangle/, 16, zipped(128, 1, 2, 3, ...Array(300).fill(255))),
      "an index beyond the palette": drawn(/palette index.*rectangle/, 16, zipped(130, 1, 2, 3, 4, 5, 6, 2)),
      "a length of 2^31": drawn(/2147483648.*rectangle/, 16, u32(0x80000000)),
    },
  },
  {
    number: 20,
    what: "a zlib bomb",
    speeches: {
      "in ZRLE": drawn(/rectangle, byte/, 16, sized(BOMB)),
      "in Tight": drawn(/rectangle, byte/, 7, join(of(0), tightData(BOMB))),
      "data that is none": drawn(/rectangle, byte/, 16, sized(new Uint8Array(50).fill(0xee))),
      "too short": drawn(/rectangle, byte/, 7, join(of(0), tightData(deflateSync(new Uint8Array(30))))),
    },
  },
  {
    number: 21,
    what: "encodings of UltraVNC that nobody asked for",
    speeches: {
      Ultra: drawn(/encoding 9,.*rectangle/, 9, u32(0x7fffffff)),
      UltraZip: drawn(/encoding -65530.*rectangle|encoding.*rectangle/, 0xffff0006 | 0, u32(0x7fffffff)),
    },
  },
  {
    number: 22,
    what: "messages that nobody asked for",
    speeches: {
      "type 77": inSession(/message type 77,.*message, byte/, of(77)),
      "a file transfer": inSession(/message type 7,.*message, byte/, of(7)),
      "a text chat": inSession(/message type 11,.*message, byte/, of(11)),
    },
  },
  {
    number: 23,
    what: "a cursor of 65535x65535",
    speeches: {
      Cursor: inSession(/cursor of 65535x65535.*rectangle/, update(rectangle(0, 0, 65535, 65535, -239))),
      CursorWithAlpha: inSession(
        /cursor of 65535x65535.*rectangle/,
        update(rectangle(0, 0, 65535, 65535, -314)),
      ),
      "a hotspot outside": {
        bytes: join(LIVE, update(rectangle(9000, 9000, 1, 1, -239, of(1, 2, 3, 0, 0x80)))),
        code: null,
        says: /./,
      },
    },
  },
  {
    number: 24,
    what: "a clipboard without end",
    speeches: {
      "of 2 GiB": inSession(/cut text of 2147483647 bytes.*message/, cutText(0x7fffffff)),
      "of -2 GiB": inSession(/cut text of 2147483648 bytes.*message/, cutText(-0x80000000)),
      "of 1 MiB, again and again": {
        bytes: LIVE,
        code: null,
        says: /./,
        flood: join(cutText(1 << 20), new Uint8Array(1 << 20)),
      },
      "a bomb in the extended one, again and again": {
        bytes: LIVE,
        code: null,
        says: /./,
        flood: join(cutText(-(4 + BOMB.length)), u32(0x10000001), BOMB),
      },
      "lengths that do not match": inSession(
        /clipboard shorter than it says.*message/,
        cutText(-(4 + deflateSync(of(0, 0, 9, 9)).length)),
        u32(0x10000001),
        deflateSync(of(0, 0, 9, 9)),
      ),
    },
  },
  {
    number: 25,
    what: "a storm of sizes",
    speeches: {
      "a thousand a second": inSession(
        /6 sizes within a second.*rectangle/,
        ...Array.from({ length: 1000 }, (_, i) => resized(20 + i)),
      ),
      "of monitors": {
        bytes: LIVE,
        code: null,
        says: /./,
        flood: update(...[0, 1, 2, 3].map((flip) => rectangle(0, 0, SIDE, SIDE, -308, screens(255, flip)))),
      },
      "no monitors": {
        bytes: join(LIVE, update(rectangle(0, 0, SIDE, SIDE, -308, screens(0, 0)))),
        code: null,
        says: /./,
      },
    },
  },
  {
    number: 26,
    what: "fences",
    speeches: {
      "of 65 bytes": inSession(/fence of 65 bytes.*message/, fence(65)),
      "a flood of them": {
        bytes: LIVE,
        code: "protocol_error",
        says: /more than 2000 fences.*message/,
        flood: fence(0),
      },
      "an end of continuous updates that nobody began": {
        bytes: join(LIVE, new Uint8Array(100).fill(150)),
        code: null,
        says: /./,
      },
    },
  },
];
