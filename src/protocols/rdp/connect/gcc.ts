import type { Rect } from "../../../framebuffer/rect.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { readPerLength } from "./mcs.ts";

/** Blocks of the client, MS-RDPBCGR 2.2.1.3.1, and of the server, 2.2.1.4.1. */
const CLIENT_BLOCK = {
  core: 0xc001,
  security: 0xc002,
  network: 0xc003,
  cluster: 0xc004,
  monitor: 0xc005,
} as const;
const SERVER_BLOCK = { core: 0x0c01, security: 0x0c02, network: 0x0c03, messageChannel: 0x0c04 } as const;

/** Flags of the client's core data, MS-RDPBCGR 2.2.1.3.2. */
const EARLY = {
  errorInfo: 0x0001,
  wants32Bits: 0x0002,
  statusInfo: 0x0004,
  connectionType: 0x0020,
  monitorLayout: 0x0040,
  graphicsPipeline: 0x0100,
} as const;

const VERSION_5_AND_LATER = 0x0008_0004;
const COLOUR_8_BITS = 0xca01;
const SEQUENCE_DELETE = 0xaa03;
const SUPPORTED_DEPTHS = 0x000f;
const CONNECTION_LAN = 6;
const CLIENT_BUILD = 2600;
const ENHANCED_KEYBOARD = 4;
const FUNCTION_KEYS = 12;
const CLIENT_NAME = "overlay";
/** Options of a static channel: initialised, encrypted, headers shown. No compression. */
const CHANNEL_OPTIONS = 0xc020_0000;
/** Version 4 of redirection, and not supported: the flag 1 is absent. */
const CLUSTER_NO_REDIRECTION = 0x0000_000c;
const PRIMARY_MONITOR = 1;

/** T.124 key of the server's data: "McDn". */
const SERVER_KEY = [0x4d, 0x63, 0x44, 0x6e] as const;

export type StaticChannelName = "cliprdr" | "drdynvc" | "rdpsnd";

/** Static channels that are asked for, in the order in which the host numbers them. */
export function staticChannels({ options }: ClientContext): readonly StaticChannelName[] {
  return options.hasSound === true ? ["cliprdr", "drdynvc", "rdpsnd"] : ["cliprdr", "drdynvc"];
}

/** GCC Conference Create Request, T.124 section 8.7 in PER, with the client's blocks. */
export function conferenceCreateRequest(c: ClientContext): Uint8Array {
  const blocks = clientBlocks(c);
  return new LittleEndianWriter(blocks.length + 32)
    .put(Uint8Array.of(0x00, 0x05, 0x00, 0x14, 0x7c, 0x00, 0x01)) // key: object 0.0.20.124.0.1
    .bigU16(0x8000 | (blocks.length + 14))
    .put(Uint8Array.of(0x00, 0x08, 0x00, 0x10, 0x00, 0x01, 0xc0, 0x00)) // conference "1", one set of user data
    .ascii("Duca")
    .bigU16(0x8000 | blocks.length)
    .put(blocks)
    .bytes();
}

function clientBlocks(c: ClientContext): Uint8Array {
  const to = new LittleEndianWriter(512);
  block(to, CLIENT_BLOCK.core, core(c));
  block(to, CLIENT_BLOCK.cluster, new LittleEndianWriter(8).u32(CLUSTER_NO_REDIRECTION).u32(0).bytes());
  block(to, CLIENT_BLOCK.security, new Uint8Array(8)); // no encryption inside TLS
  const channels = staticChannels(c);
  const network = new LittleEndianWriter(64).u32(channels.length);
  for (const name of channels) network.ascii(name.padEnd(8, "\0")).u32(CHANNEL_OPTIONS);
  block(to, CLIENT_BLOCK.network, network.bytes());
  const { monitors = [] } = c.options;
  if (monitors.length > 1) block(to, CLIENT_BLOCK.monitor, monitorLayout(monitors));
  return to.bytes();
}

/** TS_UD_CS_MONITOR, MS-RDPBCGR 2.2.1.3.6: U32 flags, U32 count; each I32 left, top, right, bottom (inclusive), U32 flags. */
function monitorLayout(monitors: readonly Rect[]): Uint8Array {
  const layout = new LittleEndianWriter(8 + monitors.length * 20).u32(0).u32(monitors.length);
  // The primary monitor is where the host begins to count.
  const { x: originX = 0, y: originY = 0 } = monitors[0] ?? {};
  for (const [i, { x, y, width, height }] of monitors.entries()) {
    layout
      .i32(x - originX)
      .i32(y - originY)
      .i32(x - originX + width - 1)
      .i32(y - originY + height - 1)
      .u32(i === 0 ? PRIMARY_MONITOR : 0);
  }
  return layout.bytes();
}

function block(to: LittleEndianWriter, type: number, body: Uint8Array): void {
  to.u16(type)
    .u16(4 + body.length)
    .put(body);
}

/** Client Core Data, MS-RDPBCGR 2.2.1.3.2. */
function core({ options, colourDepth, selectedProtocol }: ClientContext): Uint8Array {
  const early =
    EARLY.errorInfo |
    EARLY.statusInfo |
    EARLY.connectionType |
    EARLY.monitorLayout |
    (colourDepth === 32 ? EARLY.wants32Bits : 0) |
    (options.hasGraphicsPipeline === true ? EARLY.graphicsPipeline : 0);
  return new LittleEndianWriter(256)
    .u32(VERSION_5_AND_LATER)
    .u16(options.size.width)
    .u16(options.size.height)
    .u16(COLOUR_8_BITS)
    .u16(SEQUENCE_DELETE)
    .u32(options.keyboardLayout ?? 0x409)
    .u32(CLIENT_BUILD)
    .utf16(CLIENT_NAME.padEnd(16, "\0"))
    .u32(ENHANCED_KEYBOARD)
    .u32(0 /* its subtype */)
    .u32(FUNCTION_KEYS)
    .pad(64) // input method
    .u16(COLOUR_8_BITS)
    .u16(1) // product
    .u32(0) // serial number
    .u16(Math.min(24, colourDepth))
    .u16(SUPPORTED_DEPTHS)
    .u16(early)
    .pad(64) // product id
    .u8(CONNECTION_LAN)
    .u8(0)
    .u32(selectedProtocol)
    .bytes();
}

/** GCC Conference Create Response, T.124 section 8.7 in PER, with the server's blocks: MS-RDPBCGR 2.2.1.4. */
export function readConferenceCreateResponse(bytes: Uint8Array, c: ClientContext): void {
  const from = new LittleEndianReader(bytes, c.phase);
  from.skip(1); // choice
  from.skip(from.u8()); // key
  readPerLength(from); // of the rest, which servers get wrong
  from.skip(1 + 2); // choice, node
  from.skip(from.u8()); // tag
  from.skip(1 + 1 + 1); // result, sets, choice
  from.skip(1); // length of the key, from 4 on
  for (const byte of SERVER_KEY) {
    if (from.u8() !== byte)
      throw new RdpError("bad_data", c.phase, 'got another key of the conference, expected "McDn"');
  }
  readPerLength(from);
  while (from.left >= 4) readServerBlock(from, c);
}

function readServerBlock(from: LittleEndianReader, c: ClientContext): void {
  const type = from.u16();
  const length = from.u16();
  if (length < 4)
    throw new RdpError("bad_data", c.phase, `got a block of ${length} bytes, expected 4 or more`);
  const body = from.part(length - 4);
  switch (type) {
    case SERVER_BLOCK.security: {
      const method = body.u32();
      if (method !== 0) {
        throw new RdpError(
          "no_common_security",
          c.phase,
          `got encryption method ${method} inside TLS, expected none`,
        );
      }
      break;
    }
    case SERVER_BLOCK.network: {
      c.ioChannel = body.u16();
      const count = body.u16();
      const channels = staticChannels(c);
      if (count !== channels.length) {
        throw new RdpError("bad_data", c.phase, `got ${count} channels, expected ${channels.length}`);
      }
      c.channelIds = channels.map(() => body.u16());
      break;
    }
    case SERVER_BLOCK.messageChannel:
      c.messageChannel = body.u16();
      break;
    default:
  }
}
