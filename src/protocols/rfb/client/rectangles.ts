import { holdsRect, type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Parser } from "../../byte-queue.ts";
import { RfbError } from "../error.ts";
import { ENCODING } from "../numbers.ts";
import type { ClientContext } from "./client-context.ts";
import { whileHeld } from "./effect.ts";
import { readPseudoRectangle } from "./pseudo-rectangles.ts";
import { Update } from "./update.ts";

const HEADER_BYTES = 12;

const PROGRESS_STEP = 0.01;

/** FramebufferUpdate, RFC 6143 section 7.6.1: pad 1, U16 number of rectangles (0xffff: until LastRect), rectangles. */
export function* readFramebufferUpdate(c: ClientContext): Parser<void> {
  while (!c.from.has(3)) yield 3;
  c.from.skip(1);
  const count = c.from.u16();
  const update = new Update(c.missing.count > 0);
  for (let i = 0; i < count || count === 0xffff; i++) {
    if (yield* readRectangle(c, update)) break;
  }
  if (update.hasResized) c.emit({ type: "resize", screens: c.screens });
  for (const event of update.events) c.emit(event);
  const { painted, copies, isExact } = update;
  c.emit({ type: "update", painted, copies, isExact });
  yield* whileHeld(c);
}

/** Header: U16 x, U16 y, U16 width, U16 height, S32 encoding. True after LastRect. */
function* readRectangle(c: ClientContext, update: Update): Parser<boolean> {
  while (!c.from.has(HEADER_BYTES)) yield HEADER_BYTES;
  const r = rect(c.from.u16(), c.from.u16(), c.from.u16(), c.from.u16());
  const number = c.from.i32();
  const encoding = c.encodingOf(number);
  if (encoding === undefined) return yield* readPseudoRectangle(c, update, r, number);
  if (!holdsRect(c.framebuffer.rect, r)) {
    const { width, height } = c.framebuffer;
    throw new RfbError(
      "bad_rect",
      "rectangle",
      `got a ${encoding.name} rectangle ${r.width}x${r.height} at ${r.x},${r.y}, expected one within ${width}x${height}`,
    );
  }
  if (number === ENCODING.copyRect) {
    while (!c.from.has(4)) yield 4;
    const source = c.from.peek(4);
    const fromX = ((source[0] ?? 0) << 8) | (source[1] ?? 0);
    const fromY = ((source[2] ?? 0) << 8) | (source[3] ?? 0);
    yield* encoding.decode(c.from, c.framebuffer, r, c.decoders);
    update.copy({ fromX, fromY, to: r });
    c.missing.paint(r);
    return false;
  }
  c.framebuffer.paint(r);
  yield* encoding.decode(c.from, c.framebuffer, r, c.decoders);
  c.decoders.release();
  update.paint(r);
  if (c.missing.count > 0) tellProgress(c, r);
  return false;
}

/** A first picture over a slow line is one update of many rectangles: this tells its way in steps of `PROGRESS_STEP`. */
function tellProgress(c: ClientContext, painted: Rect): void {
  const all = c.framebuffer.width * c.framebuffer.height;
  const before = (all - c.missing.count) / all;
  c.missing.paint(painted);
  const part = (all - c.missing.count) / all;
  const isNext = Math.floor(part / PROGRESS_STEP) > Math.floor(before / PROGRESS_STEP);
  if (isNext) c.emit({ type: "progress", part });
}
