import type { View, Watcher } from "../../desktop/view.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { PixelFormat } from "../../framebuffer/pixel-format.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { EncodedUpdate, PixelStyle, RectWork } from "../../protocols/rfb/server/rfb-server.ts";
import { joinToFrame } from "./ws-frame.ts";

/** Bytes of encoded rectangles that are kept, for pictures with overlays and for those without each. */
const MAX_BYTES = 16 * 1024 * 1024;

/** What an entry takes beside its bytes: its key, its place in the map, the objects. */
const ENTRY_BYTES = 400;

/** A body that nobody needed for so many changes of the picture is let go: viewers are seldom further behind. */
const KEPT_CHANGES = 8;

/** An update is cut by at most so many rectangles that are encoded. */
const MAX_KNOWN = 64;

/** Messages and updates kept of one picture: viewers of a few kinds. */
const MAX_MESSAGES = 8;

/** Regions with the pointer's: viewers that have it drawn in are few numbers behind each other. */
const MAX_UNIONS = 16;

/** Parts of a message up to so many bytes are compared by what is in them. */
const SMALL_BYTES = 1024;

/** What a viewer is owed. The same objects, where it is the same: viewers in step share them. */
export interface OwedDamage {
  /** What of the picture is drawn. */
  readonly layers: string;
  readonly painted: Region;
  readonly copies: readonly CopyMove[];
}

/** Encoded rectangles of a desktop's picture, with overlays or without: each for as long as nothing in it changes. */
class Bodies {
  readonly #watcher: Watcher;
  readonly #maxBytes: number;
  /** Least used first. */
  readonly #bodies = new Map<
    string,
    { readonly work: RectWork; readonly pointer: string; readonly body: Uint8Array; readonly usedAt: number }
  >();
  #isDamaged = true;
  #stamp = "";
  #changes = 0;
  sizeBytes = 0;

  constructor(view: Pick<View, "watch">, withOverlays: boolean, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#watcher = view.watch(
      () => {
        this.#isDamaged = true;
      },
      { withOverlays },
    );
  }

  get(pointer: string, work: RectWork, encode: () => Uint8Array | null): Uint8Array | null {
    const key = keyOf(pointer, work);
    const known = this.#bodies.get(key);
    if (known !== undefined) {
      this.#bodies.delete(key);
      this.#bodies.set(key, { ...known, usedAt: this.#changes });
      return known.body;
    }
    const body = encode();
    if (body === null) return null;
    this.#bodies.set(key, { work, pointer, body, usedAt: this.#changes });
    this.sizeBytes += body.length + ENTRY_BYTES;
    for (const oldest of this.#bodies.keys()) {
      if (this.sizeBytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
    return body;
  }

  /** Those of a style that are there, the last used first. */
  rects(style: PixelStyle, pointerIn: (rect: Rect) => string): Rect[] {
    const rects: Rect[] = [];
    const key = styleKey(style);
    for (const { work, pointer } of this.#bodies.values()) {
      if (styleKey(work.style) === key && pointerIn(work.rect) === pointer) rects.push(work.rect);
    }
    return rects.reverse().slice(0, MAX_KNOWN);
  }

  close(): void {
    this.#watcher.close();
  }

  /** Forgets what changed. A monitor that was moved to other pixels damages nothing: so `stamp` names the picture. */
  turnTo(stamp: string): void {
    if (this.#isDamaged || stamp !== this.#stamp) this.#forgetChanged();
    this.#stamp = stamp;
  }

  #forgetChanged(): void {
    this.#isDamaged = false;
    this.#changes++;
    const { painted, copies } = this.#watcher.take();
    const changed = painted.union(targetsOf(copies));
    for (const [key, { work, usedAt }] of this.#bodies) {
      if (usedAt < this.#changes - KEPT_CHANGES || changed.overlaps(work.rect)) this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.sizeBytes -= (this.#bodies.get(key)?.body.length ?? 0) + ENTRY_BYTES;
    this.#bodies.delete(key);
  }
}

/**
 * What is encoded of one desktop's picture, shared by all its viewers: encode once, send to all. Rectangles are known
 * until something in them changes, so that those who are behind by some changes share them with those who are not;
 * messages and updates are of the newest picture alone, since all viewers get that.
 */
export class ViewerRectCache {
  readonly #view: Pick<View, "watch">;
  readonly #maxBytes: number;
  /** By whether overlays are drawn in. */
  readonly #bodies = new Map<boolean, Bodies>();
  #messages: { readonly parts: readonly Uint8Array[]; readonly bytes: Uint8Array }[] = [];
  #updates: { readonly owed: OwedDamage; readonly update: EncodedUpdate }[] = [];
  #unions: { readonly painted: Region; readonly more: Region; readonly both: Region }[] = [];
  #stamp = "";

  /** `view`: of the desktop, which tells what changes. */
  constructor(view: Pick<View, "watch">, maxBytes = MAX_BYTES) {
    this.#view = view;
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return [...this.#bodies.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /**
   * A body as it was made before, or as `encode` makes it; null where it makes none now. `stamp` names the picture,
   * `pointer` what is drawn over it besides.
   */
  get(
    stamp: string,
    withOverlays: boolean,
    pointer: string,
    work: RectWork,
    encode: () => Uint8Array | null,
  ): Uint8Array | null {
    return this.#bodiesOf(stamp, withOverlays).get(pointer, work, encode);
  }

  /** Rectangles of which there are bodies; `pointerIn` names what is drawn over each besides. */
  rects(
    stamp: string,
    withOverlays: boolean,
    style: PixelStyle,
    pointerIn: (rect: Rect) => string,
  ): readonly Rect[] {
    return this.#bodiesOf(stamp, withOverlays).rects(style, pointerIn);
  }

  /** True where an update that was made for the same picture and damage does for `repeat`, which then has sent it. */
  repeat(stamp: string, owed: OwedDamage, repeat: (update: EncodedUpdate) => boolean): boolean {
    if (stamp !== this.#stamp) return false;
    for (const { owed: other, update } of this.#updates) {
      const isSame = other.painted === owed.painted && other.copies === owed.copies;
      if (isSame && other.layers === owed.layers && repeat(update)) return true;
    }
    return false;
  }

  /** An update that others may get as it is. */
  keep(stamp: string, owed: OwedDamage, update: EncodedUpdate): void {
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
    const bytes = joinToFrame(parts);
    this.#messages.push({ parts, bytes });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    return bytes;
  }

  /** Nobody looks any more. */
  clear(): void {
    this.#forget();
    for (const bodies of this.#bodies.values()) bodies.close();
    this.#bodies.clear();
  }

  #bodiesOf(stamp: string, withOverlays: boolean): Bodies {
    const bodies = this.#bodies.get(withOverlays) ?? new Bodies(this.#view, withOverlays, this.#maxBytes);
    this.#bodies.set(withOverlays, bodies);
    bodies.turnTo(stamp);
    return bodies;
  }

  #turnTo(stamp: string): void {
    if (stamp === this.#stamp) return;
    this.#forget();
    this.#stamp = stamp;
  }

  #forget(): void {
    this.#messages = [];
    this.#updates = [];
    this.#unions = [];
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

function keyOf(pointer: string, { style, rect }: RectWork): string {
  return `${pointer} ${styleKey(style)} ${rect.x} ${rect.y} ${rect.width} ${rect.height}`;
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
