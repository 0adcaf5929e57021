import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";

const COLOURS = 256;

/** Palette update after its type, MS-RDPBCGR 2.2.9.1.1.3.1.1: pad 2, U32 count, R, G, B each. */
export function readPalette(from: LittleEndianReader, c: ClientContext): void {
  from.skip(2);
  const count = from.u32();
  if (count !== COLOURS) {
    throw new RdpError("bad_data", "graphics", `got a palette of ${count} colours, expected ${COLOURS}`);
  }
  for (let i = 0; i < count; i++) {
    c.palette[i] = (OPAQUE | from.u8() | (from.u8() << 8) | (from.u8() << 16)) >>> 0;
  }
}
