import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { CAPABILITY, LIMIT } from "../numbers.ts";

/** Fast-path output, no header before compressed bitmaps, long credentials: MS-RDPBCGR 2.2.7.1.1. */
const GENERAL_FLAGS = 0x0001 | 0x0400 | 0x0004;
/** Planar bitmaps without alpha; neither subsampled colours nor lossy ones: MS-RDPBCGR 2.2.7.1.2. */
const DRAWING_SKIP_ALPHA = 0x08;
/** Orders are agreed upon, and none is: MS-RDPBCGR 2.2.7.1.3. */
const ORDER_FLAGS = 0x0002 | 0x0008;
const INPUT = {
  scancodes: 0x0001,
  extendedMouse: 0x0004,
  fastPath: 0x0008,
  unicode: 0x0010,
  fastPath2: 0x0020,
  horizontalWheel: 0x0100,
} as const;
/** Set and stream surface bits, frame markers: MS-RDPBCGR 2.2.7.2.9. */
const SURFACE_COMMANDS = 0x02 | 0x10 | 0x40;
/** 96x96 and 384x384: MS-RDPBCGR 2.2.7.2.7. */
const LARGE_POINTERS = 0x1 | 0x2;
/** Frames that may be on their way at once: MS-RDPRFX 2.2.1.3. */
const FRAMES_ON_THE_WAY = 2;

/**
 * osMajorType, MS-RDPBCGR 2.2.7.1.1, of servers made of FreeRDP 2.11: none from its shadow server, which copies the
 * screen 16 times a second, UNIX from Weston 10 and GNOME 43. Windows and xrdp 0.9.21 say Windows (2026-11-21).
 */
const FREERDP_SYSTEMS: readonly number[] = [0, 4];

/** What Demand Active says of the host; the desktop's size is what it returns. */
export function readCapabilities(
  from: LittleEndianReader,
  c: ClientContext,
): { width: number; height: number } {
  const count = from.u16();
  from.skip(2);
  if (count > LIMIT.capabilitySets) {
    throw new RdpError(
      "too_large",
      c.phase,
      `got ${count} capability sets, expected at most ${LIMIT.capabilitySets}`,
    );
  }
  const size = { width: 0, height: 0 };
  for (let i = 0; i < count; i++) {
    const type = from.u16();
    const length = from.u16();
    if (length < 4) {
      throw new RdpError("bad_data", c.phase, `got a capability set of ${length} bytes, expected 4 or more`);
    }
    const set = from.part(length - 4);
    readCapability(type, set, c, size);
  }
  return size;
}

function readCapability(
  type: number,
  set: LittleEndianReader,
  c: ClientContext,
  size: { width: number; height: number },
): void {
  const { features } = c;
  switch (type) {
    case CAPABILITY.general:
      // After its first session a FreeRDP server says our own system back.
      if (c.hasBeenActive) set.skip(2);
      else {
        features.samplesScreen = FREERDP_SYSTEMS.includes(set.u16());
        c.losesCharacters ||= features.samplesScreen;
      }
      set.skip(16);
      features.hasRefreshRect = set.left > 0 && set.u8() !== 0;
      features.hasSuppressOutput = set.left > 0 && set.u8() !== 0;
      break;
    case CAPABILITY.bitmap: {
      const depth = set.u16();
      if (depth !== 8 && depth !== 15 && depth !== 16 && depth !== 24 && depth !== 32) {
        throw new RdpError("bad_data", c.phase, `got a desktop of ${depth} bits a pixel, expected 8 to 32`);
      }
      set.skip(6);
      size.width = set.u16();
      size.height = set.u16();
      break;
    }
    case CAPABILITY.input: {
      const flags = set.u16();
      features.hasFastPathInput = (flags & (INPUT.fastPath | INPUT.fastPath2)) !== 0;
      features.hasUnicodeInput = (flags & INPUT.unicode) !== 0;
      features.hasExtendedMouse = (flags & INPUT.extendedMouse) !== 0;
      features.hasHorizontalWheel = (flags & INPUT.horizontalWheel) !== 0;
      break;
    }
    case CAPABILITY.virtualChannel: {
      set.skip(4);
      const chunk = set.left >= 4 ? set.u32() : 0;
      // What a peer asks for beyond the usual size is not needed, what it asks for below is obeyed.
      if (chunk >= 64 && chunk < LIMIT.channelChunkBytes) features.channelChunkBytes = chunk;
      break;
    }
    case CAPABILITY.frameAcknowledge:
      features.hasFrameAcknowledge = true;
      break;
    default:
  }
}

/** The client's sets, MS-RDPBCGR 2.2.1.13.2.1: how many, and the sets. No lossy codec is among them. */
export function clientCapabilities(c: ClientContext): { readonly count: number; readonly sets: Uint8Array } {
  const { width, height } = c.framebuffer;
  const to = new LittleEndianWriter(512);
  let count = 0;
  const add = (type: number, body: LittleEndianWriter): void => {
    count++;
    to.u16(type)
      .u16(4 + body.length)
      .put(body.bytes());
  };
  const empty = (bytes: number): LittleEndianWriter => new LittleEndianWriter(bytes).pad(bytes);
  add(
    CAPABILITY.general,
    new LittleEndianWriter()
      .u16(1)
      .u16(3)
      .u16(0x200)
      .u16(0)
      .u16(0)
      .u16(GENERAL_FLAGS)
      .u16(0)
      .u16(0)
      .u16(0)
      .u8(1)
      .u8(1),
  );
  add(
    CAPABILITY.bitmap,
    new LittleEndianWriter()
      .u16(c.colourDepth)
      .u16(1)
      .u16(1)
      .u16(1)
      .u16(width)
      .u16(height)
      .u16(0)
      .u16(1) // may be resized
      .u16(1) // compression
      .u8(0)
      .u8(DRAWING_SKIP_ALPHA)
      .u16(1)
      .u16(0),
  );
  add(
    CAPABILITY.order,
    new LittleEndianWriter()
      .pad(16)
      .u32(0)
      .u16(1)
      .u16(20)
      .u16(0)
      .u16(1)
      .u16(0)
      .u16(ORDER_FLAGS)
      .pad(32) // no order of any kind
      .u16(0)
      .u16(0)
      .u32(0)
      .u32(0)
      .u16(0)
      .u16(0)
      .u16(0)
      .u16(0),
  );
  add(CAPABILITY.bitmapCache, empty(36));
  add(CAPABILITY.pointer, new LittleEndianWriter().u16(1).u16(LIMIT.pointerCache).u16(LIMIT.pointerCache));
  add(
    CAPABILITY.input,
    new LittleEndianWriter()
      .u16(INPUT.scancodes | INPUT.extendedMouse | INPUT.unicode | INPUT.fastPath2 | INPUT.horizontalWheel)
      .u16(0)
      .u32(c.options.keyboardLayout ?? 0x409)
      .u32(4)
      .u32(0)
      .u32(12)
      .pad(64),
  );
  add(CAPABILITY.brush, empty(4));
  add(CAPABILITY.glyphCache, empty(48));
  add(CAPABILITY.offscreenCache, empty(8));
  add(CAPABILITY.virtualChannel, new LittleEndianWriter().u32(0).u32(LIMIT.channelChunkBytes));
  add(CAPABILITY.sound, empty(4));
  add(CAPABILITY.share, empty(4));
  add(CAPABILITY.font, new LittleEndianWriter().u16(1).u16(0));
  add(CAPABILITY.multifragmentUpdate, new LittleEndianWriter().u32(LIMIT.fragmentBytes));
  add(CAPABILITY.largePointer, new LittleEndianWriter().u16(LARGE_POINTERS));
  add(CAPABILITY.surfaceCommands, new LittleEndianWriter().u32(SURFACE_COMMANDS).u32(0));
  add(CAPABILITY.bitmapCodecs, new LittleEndianWriter().u8(0));
  add(CAPABILITY.frameAcknowledge, new LittleEndianWriter().u32(FRAMES_ON_THE_WAY));
  return { count, sets: to.bytes() };
}
