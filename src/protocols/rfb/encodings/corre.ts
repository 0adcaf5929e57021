import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ENCODING } from "../numbers.ts";
import type { DecoderState, Encoding } from "./encoding.ts";
import { decodeSubrects } from "./rre.ts";

function decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  return decodeSubrects("corre", 1, from, to, rect, state);
}

/** CoRRE, rfbproto "CoRRE Encoding": RRE whose places are bytes; rectangles are at most 255 a side. */
export const corre: Encoding = { number: ENCODING.corre, name: "corre", decode };
