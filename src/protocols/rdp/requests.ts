import type { Rect } from "../../framebuffer/rect.ts";
import type { ClientContext } from "./client-context.ts";
import { LittleEndianWriter } from "./little-endian-writer.ts";
import { DATA } from "./numbers.ts";
import { sendShareData } from "./share.ts";

const ALLOW = 1;

/** Refresh Rect, MS-RDPBCGR 2.2.11.2: U8 count, pad 3, and of each U16 left, top, right, bottom (inclusive). */
export function refreshRects(c: ClientContext, areas: readonly Rect[]): void {
  const to = new LittleEndianWriter(4 + 8 * areas.length).u8(areas.length).pad(3);
  for (const area of areas) inclusive(to, area);
  sendShareData(c, DATA.refreshRect, to.bytes());
}

/** Suppress Output, MS-RDPBCGR 2.2.11.3: U8 allow, pad 3, and where it is allowed the desktop. */
export function suppressOutput(c: ClientContext, isSuppressed: boolean): void {
  const to = new LittleEndianWriter(12).u8(isSuppressed ? 0 : ALLOW).pad(3);
  sendShareData(c, DATA.suppressOutput, (isSuppressed ? to : inclusive(to, c.framebuffer.rect)).bytes());
}

function inclusive(to: LittleEndianWriter, { x, y, width, height }: Rect): LittleEndianWriter {
  return to
    .u16(x)
    .u16(y)
    .u16(x + width - 1)
    .u16(y + height - 1);
}
