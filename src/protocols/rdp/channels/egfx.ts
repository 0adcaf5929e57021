import {
  ACCEPTABLE_SIZES,
  type Framebuffer,
  isAcceptableSize,
  OPAQUE,
} from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, intersectRects, isEmptyRect, type Rect, type Size } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import { MOST_MESSAGE_BYTES, Zgfx } from "../codecs/zgfx.ts";
import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { SurfaceBitmaps } from "./egfx-bitmaps.ts";
import { BitmapCache } from "./egfx-cache.ts";
import {
  COMMAND,
  capabilitiesAdvertise,
  frameAcknowledge,
  readMessage,
  readPoints,
  readRect,
  readRects,
} from "./egfx-messages.ts";
import { type Surface, Surfaces } from "./egfx-surface.ts";
import { WorkLimit } from "./egfx-work.ts";

/** The dynamic channel of the graphics pipeline. */
export const GRAPHICS_CHANNEL = "Microsoft::Windows::RDS::Graphics";

/** A message may hold two uncompressed pictures of the whole output, and as much beside. */
const PICTURES_IN_MESSAGE = 2;
const SPARE_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Changed places of the output that one update tells apart. */
const MOST_DAMAGE_RECTS = 256;

/** What one message of the graphics channel did. */
export interface GraphicsUpdate {
  /** What changed on the output, in its pixels. */
  readonly damage: Region;
  /** Messages to send back on the channel, in order. */
  readonly replies: readonly Uint8Array[];
  /** The output's new size, where the host changed it. */
  readonly resized: Size | null;
}

/**
 * The client's side of the graphics pipeline, MS-RDPEGFX: surfaces off the screen that hosts draw on with several codecs,
 * shown on the output a frame at a time, so that the output never holds half a frame. H.264 is declined.
 *
 * Throws RdpError: the host broke the protocol, or asked for more than our limits, and the connection ends.
 */
export class GraphicsPipeline {
  readonly #output: Framebuffer;
  readonly #bulk = new Zgfx();
  readonly #surfaces: Surfaces;
  readonly #cache = new BitmapCache();
  readonly #work = new WorkLimit();
  readonly #bitmaps: SurfaceBitmaps;
  #isInFrame = false;
  #framesDecoded = 0;
  #damage: Rect[] = [];
  #replies: Uint8Array[] = [];
  #resized: Size | null = null;

  /** Frames are shown on `output`, which is resized as the host says. */
  constructor(output: Framebuffer) {
    this.#output = output;
    this.#surfaces = new Surfaces(output);
    this.#bitmaps = new SurfaceBitmaps(this.#surfaces, this.#work, output);
  }

  /** True once the host sent pixels by a codec that does not give them back exactly. */
  get isLossy(): boolean {
    return this.#bitmaps.isLossy;
  }

  /** The longest message that an output of this size needs; a longer one is refused. */
  get mostMessageBytes(): number {
    const pictureBytes = areaOfRect(this.#output.rect) * 4;
    return Math.min(MOST_MESSAGE_BYTES, PICTURES_IN_MESSAGE * pictureBytes + SPARE_MESSAGE_BYTES);
  }

  /** Frames shown so far. */
  get framesDecoded(): number {
    return this.#framesDecoded;
  }

  /** The first message, to be sent when the host opened the channel. */
  start(): Uint8Array {
    return capabilitiesAdvertise();
  }

  /** A whole message of the channel. */
  receive(message: Uint8Array): GraphicsUpdate {
    this.#work.reset();
    const from = new LittleEndianReader(this.#bulk.decompress(message, this.mostMessageBytes), "graphics");
    while (from.left > 0) {
      const { command, body } = readMessage(from);
      this.#obey(command, body);
    }
    if (!this.#isInFrame) this.#show();
    const update = {
      damage: Region.from(this.#damage).simplified(MOST_DAMAGE_RECTS),
      replies: this.#replies,
      resized: this.#resized,
    };
    this.#damage = [];
    this.#replies = [];
    this.#resized = null;
    return update;
  }

  #obey(command: number, from: LittleEndianReader): void {
    switch (command) {
      case COMMAND.wireToSurface1:
        this.#bitmaps.wireToSurface1(from);
        break;
      case COMMAND.wireToSurface2:
        this.#bitmaps.wireToSurface2(from);
        break;
      case COMMAND.solidFill:
        this.#solidFill(from);
        break;
      case COMMAND.surfaceToSurface:
        this.#surfaceToSurface(from);
        break;
      case COMMAND.surfaceToCache:
        this.#surfaceToCache(from);
        break;
      case COMMAND.cacheToSurface:
        this.#cacheToSurface(from);
        break;
      case COMMAND.evictCacheEntry:
        this.#cache.evict(from.u16());
        break;
      case COMMAND.startFrame:
        this.#isInFrame = true;
        break;
      case COMMAND.endFrame:
        this.#endFrame(from.u32());
        break;
      default:
        this.#arrange(command, from);
    }
  }

  /** Commands about the surfaces themselves. */
  #arrange(command: number, from: LittleEndianReader): void {
    switch (command) {
      case COMMAND.createSurface:
        // surfaceId (2), width (2), height (2), pixelFormat (1), 2.2.2.9
        this.#surfaces.create(from.u16(), from.u16(), from.u16());
        break;
      case COMMAND.deleteSurface: {
        const surface = this.#surfaces.at(from.u16());
        this.#surfaces.delete(surface.id);
        this.#bitmaps.forget(surface, null);
        break;
      }
      case COMMAND.deleteEncodingContext:
        this.#bitmaps.forget(this.#surfaces.at(from.u16()), from.u32());
        break;
      case COMMAND.resetGraphics:
        this.#resetGraphics(from);
        break;
      case COMMAND.mapSurfaceToOutput:
        this.#mapToOutput(from);
        break;
      case COMMAND.mapSurfaceToWindow:
        // A window of its own, for remote applications: nothing of it is on the desktop.
        this.#surfaces.at(from.u16()).origin = null;
        break;
      case COMMAND.capabilitiesConfirm:
      case COMMAND.cacheImportReply:
        break;
      case COMMAND.mapSurfaceToScaledOutput:
      case COMMAND.mapSurfaceToScaledWindow:
        throw new RdpError(
          "unsupported",
          "graphics",
          "got a scaled surface, expected none before version 10.6",
        );
      default:
        throw new RdpError(
          "unknown_message",
          "graphics",
          `graphics command ${command}, expected a known one`,
        );
    }
  }

  /** RDPGFX_RESET_GRAPHICS_PDU, 2.2.2.14: width (4), height (4), monitors, padding. */
  #resetGraphics(from: LittleEndianReader): void {
    const width = from.u32();
    const height = from.u32();
    if (!isAcceptableSize({ width, height })) {
      throw new RdpError(
        "bad_size",
        "graphics",
        `got a desktop of ${width}x${height} pixels, expected ${ACCEPTABLE_SIZES}`,
      );
    }
    this.#work.spend(width * height);
    this.#output.resize(width, height);
    this.#resized = { width, height };
    this.#damage = [this.#output.rect];
  }

  /** RDPGFX_MAP_SURFACE_TO_OUTPUT_PDU, 2.2.2.15: surfaceId (2), reserved (2), outputOriginX (4), outputOriginY (4). */
  #mapToOutput(from: LittleEndianReader): void {
    const surface = this.#surfaces.at(from.u16());
    from.skip(2 /* reserved */);
    surface.origin = { x: from.u32(), y: from.u32() };
    surface.change([surface.pixels.rect]);
  }

  /** RDPGFX_SOLIDFILL_PDU, 2.2.2.4: surfaceId (2), fillPixel (blue, green, red, alpha), rectangles. */
  #solidFill(from: LittleEndianReader): void {
    const surface = this.#surfaces.at(from.u16());
    const blue = from.u8();
    const green = from.u8();
    const red = from.u8();
    from.skip(1 /* alpha */);
    const rects = readRects(from);
    for (const rect of rects) {
      surface.check(rect);
      this.#work.spend(areaOfRect(rect));
      surface.pixels.fill(rect, red | (green << 8) | (blue << 16) | OPAQUE);
    }
    surface.change(rects);
  }

  /** RDPGFX_SURFACE_TO_SURFACE_PDU, 2.2.2.5: surfaceIdSrc (2), surfaceIdDest (2), rectSrc (8), points. */
  #surfaceToSurface(from: LittleEndianReader): void {
    const source = this.#surfaces.at(from.u16());
    const target = this.#surfaces.at(from.u16());
    const rect = readRect(from);
    source.check(rect);
    for (const { x, y } of readPoints(from)) {
      const to = { x, y, width: rect.width, height: rect.height };
      target.check(to);
      this.#work.spend(areaOfRect(rect));
      if (source === target) target.pixels.copy(rect.x, rect.y, to);
      else copyBetween(source.pixels, rect, target.pixels, to);
      target.change([to]);
    }
  }

  /** RDPGFX_SURFACE_TO_CACHE_PDU, 2.2.2.6: surfaceId (2), cacheKey (8), cacheSlot (2), rectSrc (8). */
  #surfaceToCache(from: LittleEndianReader): void {
    const surface = this.#surfaces.at(from.u16());
    from.skip(8 /* cacheKey */);
    const slot = from.u16();
    const rect = readRect(from);
    surface.check(rect);
    this.#work.spend(areaOfRect(rect));
    this.#cache.store(slot, surface.pixels, rect);
  }

  /** RDPGFX_CACHE_TO_SURFACE_PDU, 2.2.2.7: cacheSlot (2), surfaceId (2), points. */
  #cacheToSurface(from: LittleEndianReader): void {
    const slot = from.u16();
    const surface = this.#surfaces.at(from.u16());
    for (const point of readPoints(from)) {
      const rect = this.#cache.rectAt(slot, point);
      surface.check(rect);
      this.#work.spend(areaOfRect(rect));
      this.#cache.paint(slot, surface.pixels, point);
      surface.change([rect]);
    }
  }

  /** RDPGFX_END_FRAME_PDU, 2.2.2.12. Hosts stop after a few frames that were not acknowledged (GNOME 43: two). */
  #endFrame(frameId: number): void {
    this.#isInFrame = false;
    this.#show();
    this.#framesDecoded = (this.#framesDecoded + 1) >>> 0;
    this.#replies.push(frameAcknowledge(frameId, this.#framesDecoded));
  }

  /** Brings what was painted on surfaces to the output. */
  #show(): void {
    for (const surface of this.#surfaces.all()) this.#showSurface(surface);
  }

  #showSurface(surface: Surface): void {
    const { origin, pixels } = surface;
    const changes = surface.takeChanges();
    if (origin === null) return;
    for (const rect of changes) {
      const on = intersectRects(this.#output.rect, { ...rect, x: rect.x + origin.x, y: rect.y + origin.y });
      if (isEmptyRect(on)) continue;
      copyBetween(pixels, { ...on, x: on.x - origin.x, y: on.y - origin.y }, this.#output, on);
      this.#damage.push(on);
    }
  }
}

/** Copies `rect` of one picture to the place `to`, of the same size, of another. */
function copyBetween(source: Framebuffer, rect: Rect, target: Framebuffer, to: Rect): void {
  for (let row = 0; row < rect.height; row++) {
    const from = (rect.y + row) * source.width + rect.x;
    target.words.set(source.words.subarray(from, from + rect.width), (to.y + row) * target.width + to.x);
  }
}
