import type { Rect } from "../../../framebuffer/rect.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { badData, tooLarge } from "./bad-data.ts";
import { checkQuantisation, type Quantisation, readQuantisation } from "./quantisation.ts";
import { checkRectCount } from "./tile-painter.ts";
import { BANDS, TILE_SIDE } from "./wavelet.ts";

/** Block types, MS-RDPEGFX 2.2.4.2.1. */
const BLOCK = {
  sync: 0xccc0,
  frameBegin: 0xccc1,
  frameEnd: 0xccc2,
  context: 0xccc3,
  region: 0xccc4,
  tileSimple: 0xccc5,
  tileFirst: 0xccc6,
  tileUpgrade: 0xccc7,
} as const;

const BLOCK_HEADER_BYTES = 6;
const SYNC_MAGIC = 0xcaccacca;
const HAS_SUBBAND_DIFFING = 0x01;
const IS_REDUCED = 0x01;
const IS_DIFFERENCE = 0x01;
/** The quality of a tile that nothing will be added to. */
const FULL_QUALITY = 0xff;
const NOTHING_LEFT: Quantisation = new Uint8Array(BANDS);
/** Tiles of one message, read before the first is painted: twice what the largest picture has. */
const MOST_TILES = 16_384;

/** Quantisation of luma, blue and red chroma. */
export type Quantisations = readonly [Quantisation, Quantisation, Quantisation];

interface TilePlace {
  /** In tiles. */
  readonly column: number;
  readonly row: number;
  readonly isReduced: boolean;
  /** Quantisation of the tile at its best. */
  readonly quantisations: Quantisations;
  /** What this pass leaves out beyond that, for later passes. */
  readonly leftOut: Quantisations;
}

/** A tile sent anew (simple or first): three components of RLGR1 data. */
export interface NewTile extends TilePlace {
  readonly kind: "new";
  readonly isDifference: boolean;
  /** More passes may follow. */
  readonly isUpgradable: boolean;
  readonly data: readonly Uint8Array[];
}

/** A pass that refines a tile: for each component the SRL data, then the raw data. */
export interface TileUpgrade extends TilePlace {
  readonly kind: "upgrade";
  readonly data: readonly { readonly srl: Uint8Array; readonly raw: Uint8Array }[];
}

/** What a progressive bitmap stream says. */
export interface ProgressiveMessage {
  /** From its context block; null where it has none. */
  readonly hasSubbandDiffing: boolean | null;
  /** Where tiles are painted: those of all its regions, because regions of a frame share tiles. */
  readonly rects: readonly Rect[];
  readonly tiles: readonly (NewTile | TileUpgrade)[];
}

/** RFX_PROGRESSIVE_BITMAP_STREAM, MS-RDPEGFX 2.2.4.2. Throws RdpError `bad_data` or `too_large`. */
export function readProgressive(bytes: Uint8Array): ProgressiveMessage {
  const from = new LittleEndianReader(bytes, "graphics");
  const rects: Rect[] = [];
  const tiles: (NewTile | TileUpgrade)[] = [];
  let hasSubbandDiffing: boolean | null = null;
  let isInFrame = false;
  while (from.left > 0) {
    const { type, body } = readBlock(from);
    switch (type) {
      case BLOCK.sync:
        if (body.u32() !== SYNC_MAGIC)
          throw badData("a progressive sync without its magic, expected 0xcaccacca");
        break;
      case BLOCK.context:
        body.skip(1 /* ctxId */);
        checkSide(body.u16());
        hasSubbandDiffing = (body.u8() & HAS_SUBBAND_DIFFING) !== 0;
        break;
      case BLOCK.frameBegin:
        isInFrame = true;
        break;
      case BLOCK.frameEnd:
        isInFrame = false;
        break;
      case BLOCK.region:
        // Section 2.2.4.2.1.5: outside a frame it is ignored.
        if (isInFrame) readRegion(body, rects, tiles);
        break;
      default:
        throw badData(`a progressive block of type 0x${type.toString(16)}, expected a known one`);
    }
  }
  return { hasSubbandDiffing, rects, tiles };
}

function readBlock(from: LittleEndianReader): { readonly type: number; readonly body: LittleEndianReader } {
  const type = from.u16();
  const length = from.u32();
  if (length < BLOCK_HEADER_BYTES)
    throw badData(`a progressive block of ${length} bytes, expected 6 or more`);
  return { type, body: from.part(length - BLOCK_HEADER_BYTES) };
}

function checkSide(side: number): void {
  if (side !== TILE_SIDE) throw badData(`progressive tiles of ${side} pixels, expected ${TILE_SIDE}`);
}

/** RFX_PROGRESSIVE_REGION, MS-RDPEGFX 2.2.4.2.1.5. */
function readRegion(from: LittleEndianReader, rects: Rect[], tiles: (NewTile | TileUpgrade)[]): void {
  checkSide(from.u8());
  const rectCount = from.u16();
  const tableCount = from.u8();
  const passCount = from.u8();
  const isReduced = (from.u8() & IS_REDUCED) !== 0;
  const tileCount = from.u16();
  const tileBytes = from.u32();
  checkRectCount(rects.length + rectCount);
  if (tiles.length + tileCount > MOST_TILES) {
    throw tooLarge(
      `${tiles.length + tileCount} progressive tiles in a message, expected at most ${MOST_TILES}`,
    );
  }
  for (let i = 0; i < rectCount; i++) {
    rects.push({ x: from.u16(), y: from.u16(), width: from.u16(), height: from.u16() });
  }
  const tables: Quantisation[] = [];
  for (let i = 0; i < tableCount; i++) tables.push(checkQuantisation(readQuantisation(from, true)));
  const passes: Quantisations[] = [];
  for (let i = 0; i < passCount; i++) {
    from.skip(1 /* quality, in percent */);
    passes.push([readQuantisation(from, true), readQuantisation(from, true), readQuantisation(from, true)]);
  }
  const body = from.part(tileBytes);
  for (let i = 0; i < tileCount; i++) tiles.push(readTile(body, isReduced, tables, passes));
}

/** RFX_PROGRESSIVE_TILE_SIMPLE, _FIRST and _UPGRADE, MS-RDPEGFX 2.2.4.2.1.5.3 to 5. */
function readTile(
  from: LittleEndianReader,
  isReduced: boolean,
  tables: readonly Quantisation[],
  passes: readonly Quantisations[],
): NewTile | TileUpgrade {
  const { type, body } = readBlock(from);
  const isUpgrade = type === BLOCK.tileUpgrade;
  if (!isUpgrade && type !== BLOCK.tileSimple && type !== BLOCK.tileFirst) {
    throw badData(`progressive block 0x${type.toString(16)} among tiles, expected a tile`);
  }
  const quantisations = [
    tableAt(tables, body.u8()),
    tableAt(tables, body.u8()),
    tableAt(tables, body.u8()),
  ] as const;
  const column = body.u16();
  const row = body.u16();
  const isDifference = !isUpgrade && (body.u8() & IS_DIFFERENCE) !== 0;
  const quality = type === BLOCK.tileSimple ? FULL_QUALITY : body.u8();
  const leftOut = quality === FULL_QUALITY ? NOTHING : tableAt(passes, quality);
  const place = { column, row, isReduced, quantisations, leftOut };
  if (isUpgrade) {
    const lengths = [0, 1, 2].map(() => ({ srl: body.u16(), raw: body.u16() }));
    const data = lengths.map(({ srl, raw }) => ({ srl: body.take(srl), raw: body.take(raw) }));
    return { kind: "upgrade", ...place, data };
  }
  const lengths = [body.u16(), body.u16(), body.u16()];
  body.skip(2 /* tailLen */);
  const data = lengths.map((length) => body.take(length));
  return { kind: "new", ...place, isDifference, isUpgradable: type === BLOCK.tileFirst, data };
}

const NOTHING: Quantisations = [NOTHING_LEFT, NOTHING_LEFT, NOTHING_LEFT];

function tableAt<Table>(tables: readonly Table[], index: number): Table {
  const table = tables[index];
  if (table === undefined)
    throw badData(`progressive quantisation ${index}, expected one of ${tables.length}`);
  return table;
}
