import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { intersectRects, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { badData } from "./bad-data.ts";
import { checkQuantisation, dequantise, type Quantisation, readQuantisation } from "./quantisation.ts";
import { decodeRlgr, type RlgrKind } from "./rlgr.ts";
import { checkRectCount, TilePainter } from "./tile-painter.ts";
import { PLAIN_WAVELET, TILE_SIDE } from "./wavelet.ts";

/** Block types, MS-RDPRFX 2.2.2.1.1. */
const BLOCK = {
  sync: 0xccc0,
  codecVersions: 0xccc1,
  channels: 0xccc2,
  context: 0xccc3,
  frameBegin: 0xccc4,
  frameEnd: 0xccc5,
  region: 0xccc6,
  extension: 0xccc7,
} as const;

const BLOCK_HEADER_BYTES = 6;
const SYNC_MAGIC = 0xcaccacca;
const TILE_SET = 0xcac2;
const TILE = 0xcac3;
/** blockType, blockLen, three quantisation indices, xIdx, yIdx and three lengths. */
const TILE_HEADER_BYTES = 6 + 3 + 4 + 6;
const ENTROPY_SHIFT = 10;
const ENTROPY_MASK = 0x0f;
const ENTROPY_RLGR1 = 0x01;
const ENTROPY_RLGR3 = 0x04;

/**
 * RemoteFX, MS-RDPRFX 2.2.2 and 3.1.8: lossy tiles of 64 x 64 pixels. A message is a list of blocks; all that a tile
 * needs, its tile set says, so nothing is kept from message to message.
 */
export class RemoteFx {
  readonly #painter: TilePainter;

  /** `spend` is told the work of each tile, in pixels, before it is done, and may throw. */
  constructor(spend: (pixels: number) => void) {
    this.#painter = new TilePainter(spend);
  }

  /**
   * Paints a message with its origin at the top left corner of `at`, within it; returns where. Throws RdpError
   * `bad_data` or `too_large`.
   */
  decode(bytes: Uint8Array, to: Framebuffer, at: Rect): Rect[] {
    const from = new LittleEndianReader(bytes, "graphics");
    let clip: readonly Rect[] = [];
    while (from.left > 0) {
      const type = from.u16();
      const length = from.u32();
      if (length < BLOCK_HEADER_BYTES)
        throw badData(`a remotefx block of ${length} bytes, expected 6 or more`);
      const block = from.part(length - BLOCK_HEADER_BYTES);
      switch (type) {
        case BLOCK.sync:
          checkSync(block);
          break;
        case BLOCK.region:
          clip = readRegion(block, at);
          break;
        case BLOCK.extension:
          this.#tileSet(block, to, at, clip);
          break;
        case BLOCK.codecVersions:
        case BLOCK.channels:
        case BLOCK.context:
        case BLOCK.frameBegin:
        case BLOCK.frameEnd:
          break;
        default:
          throw badData(`a remotefx block of type 0x${type.toString(16)}, expected a known one`);
      }
    }
    return this.#painter.takePainted();
  }

  /** TS_RFX_TILESET, MS-RDPRFX 2.2.2.3.4. */
  #tileSet(from: LittleEndianReader, to: Framebuffer, at: Rect, clip: readonly Rect[]): void {
    from.skip(2 /* codecId, channelId */);
    const subtype = from.u16();
    if (subtype !== TILE_SET)
      throw badData(`remotefx extension 0x${subtype.toString(16)}, expected a tile set`);
    from.skip(2 /* idx */);
    const kind = entropyOf(from.u16());
    const quantisations = from.u8();
    const side = from.u8();
    if (side !== TILE_SIDE) throw badData(`remotefx tiles of ${side} pixels, expected ${TILE_SIDE}`);
    const count = from.u16();
    from.skip(4 /* tilesDataSize */);
    const tables: Quantisation[] = [];
    for (let i = 0; i < quantisations; i++) tables.push(checkQuantisation(readQuantisation(from, false)));
    for (let i = 0; i < count; i++) this.#tile(from, to, at, clip, kind, tables);
  }

  /** TS_RFX_TILE, MS-RDPRFX 2.2.2.3.4.1. */
  #tile(
    from: LittleEndianReader,
    to: Framebuffer,
    at: Rect,
    clip: readonly Rect[],
    kind: RlgrKind,
    tables: readonly Quantisation[],
  ): void {
    const type = from.u16();
    if (type !== TILE) throw badData(`remotefx block 0x${type.toString(16)} among tiles, expected a tile`);
    const length = from.u32();
    if (length < TILE_HEADER_BYTES) throw badData(`a remotefx tile of ${length} bytes, expected more`);
    const tile = from.part(length - BLOCK_HEADER_BYTES);
    const { y, cb, cr } = this.#painter.begin();
    const indices = [tile.u8(), tile.u8(), tile.u8()];
    const x = tile.u16() * TILE_SIDE;
    const top = tile.u16() * TILE_SIDE;
    const lengths = [tile.u16(), tile.u16(), tile.u16()];
    for (const [i, component] of [y, cb, cr].entries()) {
      const table = tables[indices[i] ?? 0];
      if (table === undefined)
        throw badData(`remotefx quantisation ${indices[i]}, expected one of ${tables.length}`);
      decodeRlgr(kind, tile.take(lengths[i] ?? 0), component);
      dequantise(component, PLAIN_WAVELET, table);
      PLAIN_WAVELET.inverse(component);
    }
    this.#painter.paint(to, at.x + x, at.y + top, clip);
  }
}

function checkSync(from: LittleEndianReader): void {
  const magic = from.u32();
  if (magic !== SYNC_MAGIC) throw badData(`remotefx magic 0x${magic.toString(16)}, expected 0xcaccacca`);
}

/** TS_RFX_REGION, MS-RDPRFX 2.2.2.3.3: what of the tiles is painted; without rectangles all of it. */
function readRegion(from: LittleEndianReader, at: Rect): Rect[] {
  from.skip(3 /* codecId, channelId, regionFlags */);
  const count = from.u16();
  checkRectCount(count);
  if (count === 0) return [at];
  const rects: Rect[] = [];
  for (let i = 0; i < count; i++) {
    const x = at.x + from.u16();
    const y = at.y + from.u16();
    const part = intersectRects(at, { x, y, width: from.u16(), height: from.u16() });
    if (!isEmptyRect(part)) rects.push(part);
  }
  return rects;
}

function entropyOf(properties: number): RlgrKind {
  const entropy = (properties >> ENTROPY_SHIFT) & ENTROPY_MASK;
  if (entropy === ENTROPY_RLGR1) return 1;
  if (entropy === ENTROPY_RLGR3) return 3;
  throw badData(`remotefx entropy coding ${entropy}, expected rlgr1 or rlgr3`);
}
