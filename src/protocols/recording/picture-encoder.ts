import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";
import type { CopyMove, Picture } from "../../framebuffer/picture.ts";
import { intersectRects, isEmptyRect, type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { PICTURE_FLAG, PICTURE_HEADER_BYTES, PICTURE_OP, RECORD_CELL } from "./picture-format.ts";
import { MAX_TILE_BYTES, TilePacker } from "./tile.ts";

/** Of a cell: more than this share changed, and all of it is written, so that it can be shown again later. */
const WHOLE_CELL = 0.5;
const FIRST_CAPACITY = 64 * 1024;
/** Memory kept from chunk to chunk. */
const KEEP_CAPACITY = 1024 * 1024;
const AGAIN_BYTES = 1 + 2 + 2 + 4;
const MOVE_BYTES = 1 + 6 * 2;

export interface PictureToEncode {
  readonly picture: Picture;
  /** Ignored for a key, which is whole. */
  readonly damage: Region;
  /** Moves that come before the damage. None for a key. */
  readonly copies: readonly CopyMove[];
  readonly atMs: number;
  readonly generation: number;
  readonly isKey: boolean;
  readonly isPartial: boolean;
}

/** How changes are written: the choices that docs/adr/0007-recording-format.md measures. */
export interface Grain {
  /** Every changed cell is written whole. */
  readonly isTile: boolean;
  /** What was written since the key is not written again. */
  readonly isShared: boolean;
}

/** What changed of a cell is written, or all where most did, and nothing twice. */
const BEST_GRAIN: Grain = Object.freeze({ isTile: false, isShared: true });

/** Writes pictures into a chunk: what changed, cell by cell; what was written since the key is only named. */
export class PictureEncoder {
  readonly #digest: (bytes: Uint8Array) => string;
  readonly #grain: Grain;
  readonly #packer = new TilePacker();
  /** Numbers of the tiles written since the key, by digest. */
  readonly #known = new Map<string, number>();
  #tiles = 0;
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  /** `digest`: of a record, such that nobody can make another with the same. */
  constructor(digest: (bytes: Uint8Array) => string, grain: Grain = BEST_GRAIN) {
    this.#digest = digest;
    this.#grain = grain;
  }

  /** Bytes that wait to be taken. */
  get length(): number {
    return this.#length;
  }

  /** Appends one picture; gives its bytes. The pixels are taken before this returns. */
  add(input: PictureToEncode): number {
    const { picture, isKey, isPartial, copies } = input;
    if (isKey) {
      this.#known.clear();
      this.#tiles = 0;
    }
    const start = this.#length;
    this.#reserve(PICTURE_HEADER_BYTES);
    this.#length += PICTURE_HEADER_BYTES;
    let records = 0;
    for (const move of isKey ? [] : copies) {
      this.#move(move);
      records++;
    }
    const damage = isKey ? Region.of(rectOfSize(picture)) : input.damage;
    records += this.#paint(picture, damage, isKey);
    const head = new DataView(this.#bytes.buffer, start, PICTURE_HEADER_BYTES);
    head.setUint32(0, this.#length - start - 4);
    head.setUint32(4, input.atMs);
    head.setUint32(8, input.generation >>> 0);
    head.setUint8(12, (isKey ? PICTURE_FLAG.key : 0) | (isPartial ? PICTURE_FLAG.partial : 0));
    head.setUint8(13, 0);
    head.setUint16(14, picture.width);
    head.setUint16(16, picture.height);
    head.setUint32(18, records);
    return this.#length - start;
  }

  /** Hands over all that was appended since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > KEEP_CAPACITY) this.#bytes = new Uint8Array(FIRST_CAPACITY);
    return taken;
  }

  #paint(picture: Picture, damage: Region, isWhole: boolean): number {
    const columns = Math.ceil(picture.width / RECORD_CELL);
    const cells = new Map<number, { bounds: Rect; area: number }>();
    for (const rect of damage.rects) spread(intersectRects(rect, rectOfSize(picture)), columns, cells);
    for (const [index, { bounds, area }] of cells) {
      const cell = cellOf(index, columns, picture);
      const isMost = area >= WHOLE_CELL * cell.width * cell.height;
      this.#tile(picture, isWhole || this.#grain.isTile || isMost ? cell : bounds);
    }
    return cells.size;
  }

  #tile(picture: Picture, rect: Rect): void {
    load(picture, rect, this.#packer.words);
    this.#reserve(MAX_TILE_BYTES);
    const at = this.#length;
    const end = this.#packer.pack(this.#bytes, at, rect.x, rect.y, rect.width, rect.height);
    this.#length = end;
    if (this.#bytes[at] === PICTURE_OP.solid) return;
    if (this.#grain.isShared && end - at > AGAIN_BYTES) {
      // Its size is part of what is compared, its place is not: it stands in the four bytes after the operation.
      const digest = `${this.#bytes[at]}${this.#digest(this.#bytes.subarray(at + 5, end))}`;
      const known = this.#known.get(digest);
      if (known !== undefined) {
        this.#length = at;
        this.#again(rect, known);
        return;
      }
      this.#known.set(digest, this.#tiles);
    }
    this.#tiles++;
  }

  #again({ x, y }: Rect, tile: number): void {
    const view = this.#view(AGAIN_BYTES);
    view.setUint8(0, PICTURE_OP.again);
    view.setUint16(1, x);
    view.setUint16(3, y);
    view.setUint32(5, tile);
  }

  #move({ fromX, fromY, to }: CopyMove): void {
    const view = this.#view(MOVE_BYTES);
    view.setUint8(0, PICTURE_OP.move);
    [fromX, fromY, to.x, to.y, to.width, to.height].forEach((value, i) => {
      view.setUint16(1 + 2 * i, value);
    });
  }

  /** The next bytes, to be written at once. */
  #view(count: number): DataView {
    this.#reserve(count);
    const view = new DataView(this.#bytes.buffer, this.#length, count);
    this.#length += count;
    return view;
  }

  #reserve(count: number): void {
    if (this.#bytes.length - this.#length >= count) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Adds a rectangle to the bounds of each cell that it touches. */
function spread(rect: Rect, columns: number, cells: Map<number, { bounds: Rect; area: number }>): void {
  if (isEmptyRect(rect)) return;
  const right = rect.x + rect.width;
  const bottom = rect.y + rect.height;
  for (let row = Math.floor(rect.y / RECORD_CELL); row * RECORD_CELL < bottom; row++) {
    for (let column = Math.floor(rect.x / RECORD_CELL); column * RECORD_CELL < right; column++) {
      const x = Math.max(rect.x, column * RECORD_CELL);
      const y = Math.max(rect.y, row * RECORD_CELL);
      const width = Math.min(right, (column + 1) * RECORD_CELL) - x;
      const height = Math.min(bottom, (row + 1) * RECORD_CELL) - y;
      const index = row * columns + column;
      const cell = cells.get(index);
      const area = width * height;
      if (cell === undefined) cells.set(index, { bounds: { x, y, width, height }, area });
      else {
        const old = cell.bounds;
        const left = Math.min(x, old.x);
        const top = Math.min(y, old.y);
        cell.bounds = {
          x: left,
          y: top,
          width: Math.max(x + width, old.x + old.width) - left,
          height: Math.max(y + height, old.y + old.height) - top,
        };
        cell.area += area;
      }
    }
  }
}

function cellOf(index: number, columns: number, { width, height }: Picture): Rect {
  const x = (index % columns) * RECORD_CELL;
  const y = Math.floor(index / columns) * RECORD_CELL;
  return { x, y, width: Math.min(RECORD_CELL, width - x), height: Math.min(RECORD_CELL, height - y) };
}

/** Copies a rectangle's pixels to `words`, row after row. */
function load(picture: Picture, rect: Rect, words: Uint32Array): void {
  const { bytes, offset, strideBytes } = picture.pixels(rect);
  const start = bytes.byteOffset + offset;
  const { width, height } = rect;
  if (start % BYTES_PER_PIXEL === 0 && strideBytes % BYTES_PER_PIXEL === 0) {
    const stride = strideBytes / BYTES_PER_PIXEL;
    const source = new Uint32Array(bytes.buffer, start, stride * (height - 1) + width);
    for (let y = 0, to = 0; y < height; y++) {
      for (let x = 0, from = y * stride; x < width; x++) words[to++] = source[from++]!;
    }
    return;
  }
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = offset + y * strideBytes; x < width; x++, from += BYTES_PER_PIXEL) {
      words[to++] = bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | 0xff000000;
    }
  }
}
