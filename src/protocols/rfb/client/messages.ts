import type { Parser } from "../../byte-queue.ts";
import { RfbError } from "../error.ts";
import { LIMIT, SERVER_MESSAGE } from "../numbers.ts";
import type { ClientContext } from "./client-context.ts";
import { readServerCutText } from "./clipboard.ts";
import { readFramebufferUpdate } from "./rectangles.ts";
import {
  clientFence,
  FENCE_BLOCK_AFTER,
  FENCE_BLOCK_BEFORE,
  FENCE_REQUEST,
  FENCE_SYNC_NEXT,
  framebufferUpdateRequest,
} from "./requests.ts";

/** A message that is not whole after so long will never be. */
const MESSAGE_MS = 30_000;

/** Messages of the server, RFC 6143 section 7.6, rfbproto and the dialect, for ever. */
export function* readMessages(c: ClientContext): Parser<never> {
  for (;;) {
    while (!c.from.has(1)) yield 1;
    const type = c.from.u8();
    // Pixels may take their time on a slow line; nothing else is long.
    c.deadlineMs = type === SERVER_MESSAGE.framebufferUpdate ? null : c.nowMs() + MESSAGE_MS;
    switch (type) {
      case SERVER_MESSAGE.framebufferUpdate:
        yield* readFramebufferUpdate(c);
        break;
      case SERVER_MESSAGE.setColourMapEntries:
        yield* readColourMap(c);
        break;
      case SERVER_MESSAGE.bell:
        c.emit({ type: "bell" });
        break;
      case SERVER_MESSAGE.serverCutText:
        yield* readServerCutText(c);
        break;
      case SERVER_MESSAGE.endOfContinuousUpdates:
        c.features.hasContinuousUpdates = true;
        break;
      case SERVER_MESSAGE.fence:
        yield* readFence(c);
        break;
      default:
        if (yield* c.dialect.readMessage(c, type)) break;
        throw new RfbError(
          "unknown_message",
          "message",
          `got message type ${type}, expected 0 to 3, 150, 248 or another that ${c.dialect.name} has`,
        );
    }
    c.deadlineMs = null;
  }
}

/**
 * SetColourMapEntries, RFC 6143 section 7.6.2: pad 1, U16 first, U16 count, 6 bytes each. What was drawn in other
 * colours is asked for anew.
 */
function* readColourMap(c: ClientContext): Parser<void> {
  while (!c.from.has(5)) yield 5;
  c.from.skip(1);
  const first = c.from.u16();
  const size = c.from.u16() * 6;
  while (!c.from.has(size)) yield size;
  c.decoders.setColours(first, c.from.take(size));
  if (!c.decoders.format.isTrueColour) c.send(framebufferUpdateRequest(c.framebuffer.rect, false));
}

/** ServerFence, rfbproto: pad 3, U32 flags, U8 length, payload. A request is answered with the flags we know. */
function* readFence(c: ClientContext): Parser<void> {
  while (!c.from.has(8)) yield 8;
  c.from.skip(3);
  const flags = c.from.u32();
  const length = c.from.u8();
  if (length > LIMIT.fencePayloadBytes) {
    throw new RfbError("too_large", "message", `got a fence of ${length} bytes, expected at most 64`);
  }
  while (!c.from.has(length)) yield length;
  const payload = c.from.take(length).slice();
  c.features.hasFence = true;
  if (flags & FENCE_REQUEST) {
    c.admitFence();
    c.send(clientFence(flags & (FENCE_BLOCK_BEFORE | FENCE_BLOCK_AFTER | FENCE_SYNC_NEXT), payload));
  } else {
    c.emit({ type: "fence", payload });
  }
}
