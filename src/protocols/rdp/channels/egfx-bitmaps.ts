import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect, type Size } from "../../../framebuffer/rect.ts";
import { badData, cutOff } from "../codecs/bad-data.ts";
import { ClearCodec } from "../codecs/clear-codec.ts";
import { losesColour, planar } from "../codecs/planar.ts";
import { Progressive } from "../codecs/progressive.ts";
import { RemoteFx } from "../codecs/remotefx.ts";
import { RdpError } from "../error.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { CODEC, readRect } from "./egfx-messages.ts";
import type { Surface, Surfaces } from "./egfx-surface.ts";
import type { WorkLimit } from "./egfx-work.ts";

/** PIXEL_FORMAT_XRGB_8888 and _ARGB_8888, MS-RDPEGFX 2.2.1.4. Alpha is not kept: nothing lies behind a desktop. */
const PIXEL_FORMATS: readonly number[] = [0x20, 0x21];

/** Bitmap data that arrives for surfaces, and the state of its codecs. */
export class SurfaceBitmaps {
  readonly #surfaces: Surfaces;
  readonly #work: WorkLimit;
  readonly #clear = new ClearCodec();
  readonly #remoteFx: RemoteFx;
  readonly #progressive: Progressive;
  #isLossy = false;

  /** `output`: the desktop as large as it is at any time. */
  constructor(surfaces: Surfaces, work: WorkLimit, output: Size) {
    this.#surfaces = surfaces;
    this.#work = work;
    const spend = (pixels: number): void => work.spend(pixels);
    this.#remoteFx = new RemoteFx(spend);
    this.#progressive = new Progressive(output, spend);
  }

  /** True once a codec was used that does not give back the exact pixels. */
  get isLossy(): boolean {
    return this.#isLossy || this.#clear.isLossy;
  }

  /**
   * RDPGFX_WIRE_TO_SURFACE_PDU_1, 2.2.2.1: surfaceId (2), codecId (2), pixelFormat (1), destRect (8),
   * bitmapDataLength (4), bitmapData.
   */
  wireToSurface1(from: LittleEndianReader): void {
    const surface = this.#surfaces.at(from.u16());
    const codec = from.u16();
    checkFormat(from.u8());
    const rect = readRect(from);
    const data = from.take(from.u32());
    surface.check(rect);
    if (areaOfRect(rect) === 0) return;
    this.#work.spend(areaOfRect(rect));
    switch (codec) {
      case CODEC.uncompressed:
        paintUncompressed(data, surface.pixels, rect);
        break;
      case CODEC.planar:
        paintPlanar(data, surface.pixels, rect);
        this.#isLossy ||= losesColour(data);
        break;
      case CODEC.clear:
        this.#clear.decode(data, surface.pixels, rect);
        break;
      case CODEC.remoteFx:
        this.#isLossy = true;
        surface.change(this.#remoteFx.decode(data, surface.pixels, rect));
        return;
      case CODEC.alpha:
        return;
      default:
        throw unknownCodec(codec);
    }
    surface.change([rect]);
  }

  /**
   * RDPGFX_WIRE_TO_SURFACE_PDU_2, 2.2.2.2: surfaceId (2), codecId (2), codecContextId (4), pixelFormat (1),
   * bitmapDataLength (4), bitmapData.
   */
  wireToSurface2(from: LittleEndianReader): void {
    const surface = this.#surfaces.at(from.u16());
    const codec = from.u16();
    const contextId = from.u32();
    checkFormat(from.u8());
    const data = from.take(from.u32());
    if (codec !== CODEC.progressive) throw unknownCodec(codec);
    this.#isLossy = true;
    surface.change(this.#progressive.decode(data, surface.pixels, surface.id, contextId));
  }

  /** A codec context is deleted, or with null all of a surface that is. */
  forget(surface: Surface, contextId: number | null): void {
    this.#progressive.forget(surface.id, contextId);
  }
}

function checkFormat(format: number): void {
  if (!PIXEL_FORMATS.includes(format))
    throw badData(`pixel format 0x${format.toString(16)}, expected 0x20 or 0x21`);
}

function unknownCodec(codec: number): RdpError {
  return new RdpError("unsupported", "graphics", `got codec ${codec}, expected one that was not declined`);
}

function paintPlanar(data: Uint8Array, to: Framebuffer, { x, y, width, height }: Rect): void {
  const { words, bytes, width: step } = to;
  planar(data, width, height, { words, bytes, first: y * step + x, step });
}

/** Pixels of 4 bytes, blue first, rows top down (MS-RDPEGFX 2.2.2.1, RDPGFX_CODECID_UNCOMPRESSED). */
function paintUncompressed(data: Uint8Array, to: Framebuffer, rect: Rect): void {
  const { x, y, width, height } = rect;
  if (data.length < width * height * 4) throw cutOff("uncompressed");
  let from = 0;
  for (let row = y; row < y + height; row++) {
    const start = row * to.width + x;
    for (let at = start; at < start + width; at++, from += 4) {
      to.words[at] = (data[from + 2]! | (data[from + 1]! << 8) | (data[from]! << 16) | OPAQUE) >>> 0;
    }
  }
}
