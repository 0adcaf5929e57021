import type { CopyMove } from "../../framebuffer/picture.ts";
import type { PixelFormat } from "../../framebuffer/pixel-format.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { MadeUpdate, PixelStyle, RectWork } from "../../protocols/rfb/server/rfb-server.ts";

const MAX_BYTES = 32 * 1024 * 1024;

/** What an entry takes beside its bytes: its key, its place in the map, the array. */
const ENTRY_BYTES = 300;

/** Messages and updates kept of one picture: viewers of a few kinds. */
const MAX_MESSAGES = 8;

/** Regions with the pointer's: viewers that have it drawn in are few numbers behind each other. */
const MAX_UNIONS = 16;

/** Parts of a message up to so many bytes are compared by what is in them. */
const SMALL_BYTES = 1024;

/** What a viewer is owed. The same objects, where it is the same: viewers in step share them. */
export interface Owed {
  /** What of the picture is drawn. */
  readonly layers: string;
  readonly painted: Region;
  readonly copies: readonly CopyMove[];
}

/**
 * Encoded rectangles of one desktop's picture as it is now, shared by all its viewers: encode once, send to all.
 * A newer picture makes every older one useless, since all viewers get the newest; so only the newest is kept.
 */
export class ViewerRectCache {
  readonly #maxBytes: number;
  readonly #bodies = new Map<string, Uint8Array>();
  #messages: { readonly parts: readonly Uint8Array[]; readonly bytes: Uint8Array }[] = [];
  #updates: { readonly owed: Owed; readonly update: MadeUpdate }[] = [];
  #unions: { readonly painted: Region; readonly more: Region; readonly both: Region }[] = [];
  #stamp = "";
  #sizeBytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * A body as it was made before, or as `encode` makes it; null where it makes none now. `stamp` names the picture,
   * `layers` what of it is drawn.
   */
  get(stamp: string, layers: string, work: RectWork, encode: () => Uint8Array | null): Uint8Array | null {
    this.#turnTo(stamp);
    const key = keyOf(layers, work);
    const known = this.#bodies.get(key);
    if (known !== undefined) return known;
    // A copy, since an encoder's memory may be twice as long as what is in it.
    const body = encode()?.slice() ?? null;
    if (body === null) return null;
    this.#bodies.set(key, body);
    this.#sizeBytes += body.length + ENTRY_BYTES;
    this.#trim();
    return body;
  }

  /** True where an update that was made for the same picture and damage does for `repeat`, which then has sent it. */
  repeat(stamp: string, owed: Owed, repeat: (update: MadeUpdate) => boolean): boolean {
    if (stamp !== this.#stamp) return false;
    for (const { owed: other, update } of this.#updates) {
      const isSame = other.painted === owed.painted && other.copies === owed.copies;
      if (isSame && other.layers === owed.layers && repeat(update)) return true;
    }
    return false;
  }

  /** An update that others may get as it is. */
  keep(stamp: string, owed: Owed, update: MadeUpdate): void {
    this.#turnTo(stamp);
    this.#updates.push({ owed, update });
    if (this.#updates.length > MAX_MESSAGES) this.#updates.shift();
  }

  /** What is painted of a picture, with more: the same object for the same two, so that viewers share it. */
  union(stamp: string, painted: Region, more: Region): Region {
    if (more.isEmpty) return painted;
    this.#turnTo(stamp);
    const known = this.#unions.find((other) => other.painted === painted && other.more.equals(more));
    if (known !== undefined) return known.both;
    const both = painted.union(more);
    this.#unions.push({ painted, more, both });
    if (this.#unions.length > MAX_UNIONS) this.#unions.shift();
    return both;
  }

  /** The parts of an update as one message: an earlier one where that had the same bodies and bytes. */
  join(parts: readonly Uint8Array[]): Uint8Array {
    for (const known of this.#messages) if (isSame(known.parts, parts)) return known.bytes;
    const bytes = Buffer.concat(parts);
    this.#messages.push({ parts, bytes });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    return bytes;
  }

  clear(): void {
    this.#messages = [];
    this.#updates = [];
    this.#unions = [];
    this.#bodies.clear();
    this.#sizeBytes = 0;
  }

  #turnTo(stamp: string): void {
    if (stamp === this.#stamp) return;
    this.clear();
    this.#stamp = stamp;
  }

  #trim(): void {
    for (const [key, body] of this.#bodies) {
      if (this.#sizeBytes <= this.#maxBytes) return;
      this.#bodies.delete(key);
      this.#sizeBytes -= body.length + ENTRY_BYTES;
    }
  }
}

/** True where the parts are the same bytes; large ones only where they are the same memory. */
function isSame(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((part, i) => {
    const other = b[i];
    if (part === other) return true;
    return other !== undefined && part.length < SMALL_BYTES && Buffer.compare(part, other) === 0;
  });
}

function keyOf(layers: string, { style, rect }: RectWork): string {
  return `${layers} ${styleKey(style)} ${rect.x} ${rect.y} ${rect.width} ${rect.height}`;
}

/** Viewers keep their style, so its key is made once for each. */
const styleKeys = new WeakMap<PixelStyle, string>();

function styleKey(style: PixelStyle): string {
  const known = styleKeys.get(style);
  if (known !== undefined) return known;
  const { encoding, format, jpegQuality, compressLevel } = style;
  const key = `${encoding.number} ${formatKey(format)} ${jpegQuality} ${compressLevel}`;
  styleKeys.set(style, key);
  return key;
}

function formatKey(format: PixelFormat): string {
  const { bitsPerPixel, depth, isBigEndian, redMax, greenMax, blueMax } = format;
  const { redShift, greenShift, blueShift } = format;
  const order = isBigEndian ? "b" : "l";
  return [bitsPerPixel, depth, order, redMax, greenMax, blueMax, redShift, greenShift, blueShift].join();
}
