import type { Cursor } from "../../../framebuffer/cursor.ts";
import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Size } from "../../../framebuffer/rect.ts";
import type { Parser } from "../../byte-queue.ts";
import { encodingByNumber } from "../encodings/list.ts";
import { RfbError } from "../error.ts";
import { ENCODING, LIMIT } from "../numbers.ts";
import type { ClientContext } from "./client-context.ts";

interface CursorHeader extends Size {
  readonly hotspotX: number;
  readonly hotspotY: number;
}

type CursorReader = (c: ClientContext, header: CursorHeader) => Parser<Cursor | null>;

const READERS: ReadonlyMap<number, CursorReader> = new Map([
  [ENCODING.cursor, readCursor],
  [ENCODING.xCursor, readXCursor],
  [ENCODING.cursorWithAlpha, readCursorWithAlpha],
  [ENCODING.vmwareCursor, readVmwareCursor],
]);

/** The reader of a cursor's body, undefined where the number is of no kind of cursor. */
export function cursorReader(encoding: number): CursorReader | undefined {
  return READERS.get(encoding);
}

/** Cursor, RFC 6143 section 7.8.1: pixels in the server's format, then a mask. */
function* readCursor(c: ClientContext, header: CursorHeader): Parser<Cursor | null> {
  checkSize(header);
  const area = header.width * header.height;
  const pixels = c.decoders.pixels.plain;
  const pixelBytes = area * pixels.sizeBytes;
  const size = pixelBytes + maskBytes(header);
  while (!c.from.has(size)) yield size;
  if (area === 0) return null;
  const words = new Uint32Array(area);
  const body = c.from.take(size);
  pixels.read(body, 0, words, 0, area);
  const isSet = maskReader(body, pixelBytes, header);
  return cursorOf(header, words, (_, x, y) => isSet(x, y));
}

/** XCursor, rfbproto: two colours of 3 bytes, a bitmap that chooses between them (1: the first), a mask. */
function* readXCursor(c: ClientContext, header: CursorHeader): Parser<Cursor | null> {
  checkSize(header);
  const area = header.width * header.height;
  if (area === 0) return null;
  const size = 6 + 2 * maskBytes(header);
  while (!c.from.has(size)) yield size;
  const body = c.from.take(size);
  const [first, second] = [wordAt(body, 0), wordAt(body, 3)];
  const isFirst = maskReader(body, 6, header);
  const isSet = maskReader(body, 6 + maskBytes(header), header);
  const words = Uint32Array.from({ length: area }, (_, i) =>
    isFirst(i % header.width, Math.floor(i / header.width)) ? first : second,
  );
  return cursorOf(header, words, (_, x, y) => isSet(x, y));
}

/**
 * CursorWithAlpha, rfbproto: S32 encoding, then that encoding's body of R, G, B, A with premultiplied alpha.
 * Only Raw is read: TigerVNC sends nothing else, and ours alone of all decoders would have to keep alpha.
 */
function* readCursorWithAlpha(c: ClientContext, header: CursorHeader): Parser<Cursor | null> {
  checkSize(header);
  while (!c.from.has(4)) yield 4;
  const encoding = c.from.i32();
  if (encoding !== ENCODING.raw) {
    const name = encodingByNumber(encoding)?.name ?? `number ${encoding}`;
    throw new RfbError("unsolicited_encoding", "rectangle", `got a cursor in encoding ${name}, expected Raw`);
  }
  const rgba = yield* readRgba(c, header);
  if (rgba === null) return null;
  for (let i = 0; i < rgba.length; i += 4) {
    const alpha = rgba[i + 3] ?? 0;
    if (alpha === 0 || alpha === 255) continue;
    for (let k = i; k < i + 3; k++) rgba[k] = Math.min(255, Math.round(((rgba[k] ?? 0) * 255) / alpha));
  }
  return withHotspot(header, rgba);
}

const VMWARE_CURSOR = { classic: 0, alpha: 1 } as const;

/**
 * VMware cursor, rfbproto: U8 type, pad 1; with alpha R, G, B, A, not premultiplied; classic an AND picture and an
 * XOR picture in the server's format. Both come also for an empty cursor (KasmVNC 1.5.0, 2026-11-21).
 */
function* readVmwareCursor(c: ClientContext, header: CursorHeader): Parser<Cursor | null> {
  checkSize(header);
  while (!c.from.has(2)) yield 2;
  const type = c.from.u8();
  c.from.skip(1);
  if (type === VMWARE_CURSOR.alpha) {
    const rgba = yield* readRgba(c, header);
    return rgba === null ? null : withHotspot(header, rgba);
  }
  if (type !== VMWARE_CURSOR.classic) {
    throw new RfbError("bad_data", "rectangle", `got a vmware cursor of type ${type}, expected 0 or 1`);
  }
  const area = header.width * header.height;
  const pixels = c.decoders.pixels.plain;
  const size = area * pixels.sizeBytes;
  while (!c.from.has(2 * size)) yield 2 * size;
  if (area === 0) return null;
  const [and, xor] = [new Uint32Array(area), new Uint32Array(area)];
  const body = c.from.take(2 * size);
  pixels.read(body, 0, and, 0, area);
  pixels.read(body, size, xor, 0, area);
  // What would invert the screen below is shown black, as TigerVNC does.
  const words = xor.map((word, i) => (isBlack(and[i]) ? word : OPAQUE));
  return cursorOf(header, words, (i) => isBlack(and[i]) || !isBlack(xor[i]));
}

function isBlack(word: number | undefined): boolean {
  return word === OPAQUE;
}

function* readRgba(c: ClientContext, { width, height }: Size): Parser<Uint8Array | null> {
  const size = width * height * 4;
  while (!c.from.has(size)) yield size;
  return size === 0 ? null : c.from.take(size).slice();
}

function checkSize({ width, height }: Size): void {
  if (width > LIMIT.cursorSide || height > LIMIT.cursorSide) {
    throw new RfbError(
      "too_large",
      "rectangle",
      `got a cursor of ${width}x${height}, expected at most ${LIMIT.cursorSide}x${LIMIT.cursorSide}`,
    );
  }
}

/** Bytes of a picture of 1 bit a pixel, rows padded to bytes. */
function maskBytes({ width, height }: Size): number {
  return ((width + 7) >> 3) * height;
}

function maskReader(bytes: Uint8Array, start: number, { width }: Size): (x: number, y: number) => boolean {
  const stride = (width + 7) >> 3;
  return (x, y) => ((bytes[start + y * stride + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0;
}

function wordAt(bytes: Uint8Array, at: number): number {
  return OPAQUE | (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}

/** `words` are opaque pixels; those that are not shown lose their alpha. */
function cursorOf(
  header: CursorHeader,
  words: Uint32Array<ArrayBuffer>,
  isShown: (i: number, x: number, y: number) => boolean,
): Cursor {
  const { width } = header;
  const rgba = new Uint8Array(words.buffer);
  for (let i = 0; i < words.length; i++) {
    if (!isShown(i, i % width, Math.floor(i / width))) rgba[i * 4 + 3] = 0;
  }
  return withHotspot(header, rgba);
}

/** The hotspot is clamped into the picture. */
function withHotspot({ width, height, hotspotX, hotspotY }: CursorHeader, rgba: Uint8Array): Cursor {
  return {
    width,
    height,
    hotspotX: Math.min(hotspotX, width - 1),
    hotspotY: Math.min(hotspotY, height - 1),
    rgba,
  };
}
