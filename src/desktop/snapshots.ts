import { composeCursor, composePicture } from "../compositor/compose.ts";
import { equalRects, holdsRect, isEmptyRect, type Rect, type Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import { encodeJpeg } from "../imaging/jpeg.ts";
import { encodePng } from "../imaging/png.ts";
import { PngStrips } from "../imaging/png-strips.ts";
import { scalePicture } from "../imaging/scale.ts";
import { encodeWebp } from "../imaging/webp.ts";
import type { Deflate, JpegCodec } from "../protocols/platform.ts";
import type { Picture } from "../protocols/rfb/screen.ts";
import { type Clock, delay } from "./clock.ts";
import type { Display } from "./display.ts";
import { RefusedError } from "./error.ts";
import { FramePicture } from "./frame-picture.ts";
import type { ImageFormat, Snapshot, SnapshotRequest } from "./view.ts";

/** The longest wait for a screen that does not come to rest. */
const MAX_STABLE_WAIT_MS = 10_000;
const DEFAULT_QUALITY = 80;
/** Pictures kept beside the two live PNGs: crops, scales and other formats of the present moment. */
const MAX_KEPT = 8;

export interface SnapshotPorts {
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
}

/** What decides a picture's bytes, beside the moment. */
interface Variant {
  readonly region: Rect;
  readonly size: Size;
  readonly format: ImageFormat;
  readonly quality: number | null;
  readonly withOverlays: boolean;
  readonly withCursor: boolean;
}

/**
 * Pictures of one desktop. The whole screen as PNG, with and without overlays, is kept alive and re-encoded only
 * where it changed; everything else is made when asked for and kept until the next change.
 */
export class Snapshots {
  readonly #display: Display;
  readonly #ports: SnapshotPorts & { readonly clock: Clock };
  readonly #plain: PngStrips;
  readonly #overlaid: PngStrips;
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  #pointer: () => { readonly x: number; readonly y: number };

  constructor(
    display: Display,
    ports: SnapshotPorts & { readonly clock: Clock },
    pointer: () => { readonly x: number; readonly y: number },
  ) {
    this.#display = display;
    this.#ports = ports;
    this.#pointer = pointer;
    this.#plain = new PngStrips(ports.deflate);
    this.#overlaid = new PngStrips(ports.deflate);
    display.scene.on(({ damage }) => this.#overlaid.invalidate(damage));
  }

  invalidate(damage: Region): void {
    this.#plain.invalidate(damage);
    this.#overlaid.invalidate(damage);
  }

  /** Throws RefusedError invalid_parameters or out_of_bounds, target_down without a picture, cancelled. */
  async take(request: SnapshotRequest): Promise<Snapshot> {
    const isStable = await this.#awaitStable(request.stableMs ?? 0, request.signal);
    const { clock } = this.#ports;
    const { frame, generation, changedAtMs, isFresh } = this.#display;
    if (frame === null)
      throw new RefusedError("target_down", "there is no picture yet: wait until the target is live");
    const variant = this.#variantOf(request, frame);
    const facts = {
      format: variant.format,
      ...variant.size,
      region: variant.region,
      generation,
      isStable,
      isStale: !isFresh,
      frameAgeMs: Math.round(clock.nowMs() - changedAtMs),
      takenAt: clock.date().toISOString(),
    };
    return { ...facts, bytes: await this.#bytesOf(variant, frame.rect) };
  }

  #variantOf(request: SnapshotRequest, size: Size): Variant {
    const whole = { x: 0, y: 0, width: size.width, height: size.height };
    const region = request.region ?? whole;
    if (isEmptyRect(region) || !holdsRect(whole, region)) {
      throw new RefusedError(
        "out_of_bounds",
        `got the region ${region.width}x${region.height} at ${region.x},${region.y}, expected one within ${size.width}x${size.height}`,
      );
    }
    const scale = request.scale ?? 1;
    if (!(scale > 0 && scale <= 1)) {
      throw new RefusedError(
        "invalid_parameters",
        `got the scale ${scale}, expected more than 0 and at most 1`,
      );
    }
    const format = request.format ?? "png";
    return {
      region,
      size: {
        width: Math.max(1, Math.round(region.width * scale)),
        height: Math.max(1, Math.round(region.height * scale)),
      },
      format,
      quality: format === "png" ? null : (request.quality ?? (format === "jpeg" ? DEFAULT_QUALITY : null)),
      withOverlays: request.withOverlays ?? false,
      withCursor: request.withCursor ?? false,
    };
  }

  #bytesOf(variant: Variant, whole: Rect): Promise<Uint8Array> {
    const { region, size, format, withOverlays, withCursor } = variant;
    const isWhole = equalRects(region, whole) && size.width === whole.width && size.height === whole.height;
    if (isWhole && format === "png" && !withCursor) {
      const strips = withOverlays ? this.#overlaid : this.#plain;
      return strips.encode(this.#picture(withOverlays));
    }
    const key = this.#keyOf(variant);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const made = this.#encode(variant);
    this.#kept.set(key, made);
    made.catch(() => this.#kept.delete(key));
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return made;
  }

  async #encode({ region, size, format, quality, withOverlays, withCursor }: Variant): Promise<Uint8Array> {
    const { cursor } = this.#display;
    const { x, y } = this.#pointer();
    const flat = this.#picture(withOverlays);
    const drawn = withCursor && cursor !== null ? composeCursor(flat, cursor, x, y) : flat;
    const isScaled = size.width !== region.width || size.height !== region.height;
    const picture = isScaled ? await scalePicture(drawn, region, size) : drawn;
    const rect = isScaled ? { x: 0, y: 0, ...size } : region;
    switch (format) {
      case "png":
        return encodePng(picture, rect);
      case "jpeg":
        return encodeJpeg(this.#ports.jpeg, picture, rect, quality ?? DEFAULT_QUALITY);
      case "webp":
        return encodeWebp(picture, rect, quality);
    }
  }

  /** Same key, same pixels. */
  #keyOf(variant: Variant): string {
    const { generation, scene } = this.#display;
    const { x, y } = this.#pointer();
    const moment = [
      generation,
      variant.withOverlays ? scene.version : 0,
      variant.withCursor ? `${x},${y}` : "",
    ];
    return JSON.stringify([moment, variant]);
  }

  #picture(withOverlays: boolean): Picture {
    const { frame, scene } = this.#display;
    if (frame === null)
      throw new RefusedError("target_down", "there is no picture yet: wait until the target is live");
    return withOverlays && scene.overlays.length > 0 ? composePicture(frame, scene) : new FramePicture(frame);
  }

  /** True once nothing changed for `stableMs`; false when the screen did not come to rest in time. */
  async #awaitStable(stableMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const { clock } = this.#ports;
    const untilMs = clock.nowMs() + Math.max(stableMs, MAX_STABLE_WAIT_MS);
    // What was at rest before the call counts only from the call on: the caller may just have acted.
    const sinceMs = clock.nowMs();
    for (;;) {
      const nowMs = clock.nowMs();
      const restMs = nowMs - Math.max(sinceMs, this.#display.changedAtMs);
      if (restMs >= stableMs) return true;
      if (nowMs >= untilMs) return false;
      try {
        await delay(clock, Math.min(stableMs - restMs, untilMs - nowMs), signal);
      } catch (cause) {
        throw new RefusedError("cancelled", "the call was cancelled", { cause });
      }
    }
  }
}
