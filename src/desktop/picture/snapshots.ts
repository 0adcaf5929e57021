import { composeCursor, maskedPicture } from "../../compositor/compose.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import {
  areaOfRect,
  boundRects,
  equalRects,
  holdsRect,
  intersectRects,
  isEmptyRect,
  type Rect,
  rectOfSize,
  type Size,
  translateRect,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { jpegStripFormat } from "../../imaging/jpeg/jpeg-strip-format.ts";
import type { LivePorts } from "../../imaging/live-picture.ts";
import { cropOf, equalSizes, ResizedError } from "../../imaging/pixels.ts";
import { pngStripFormat } from "../../imaging/png/png-strip-format.ts";
import { scalePicture } from "../../imaging/scale/scale.ts";
import { StripSet } from "../../imaging/strip-set.ts";
import { webpFormat } from "../../imaging/webp/webp.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { loopTurns } from "../../platform/loop-turns.ts";
import { RefusedError } from "../error.ts";
import {
  AUDIENCES,
  type Audience,
  byAudience,
  type ImageFormat,
  type Snapshot,
  type SnapshotPart,
  type SnapshotRequest,
} from "../view.ts";
import { type AudienceDisplay, noPictureYet } from "./audience-display.ts";
import { DamageJournal } from "./damage-journal.ts";
import type { Display } from "./display.ts";
import { fitSize, scaledSize } from "./fit.ts";
import type { ShownChanges } from "./layers.ts";
import { LivePictures } from "./live-pictures.ts";
import { pictureLine } from "./picture-scheduler.ts";

/** The longest wait for a screen that does not come to rest. */
const MAX_STABLE_WAIT_MS = 10_000;
const DEFAULT_QUALITY = 80;
/** Pictures kept beside the live ones: crops, pictures with the pointer and WebP, of the present moment. */
const MAX_KEPT = 8;
/** Smaller pictures are made at once; larger ones hold a copy of their pixels, and wait in line. */
const SMALL_PIXELS = 256 * 256;
/** Changes are answered in so many parts at most … */
const MAX_PARTS = 16;
/** … and in parts only where these hold at most this share of the pixels. */
const MOST_CHANGED = 0.5;
/** How often a picture is begun anew because the desktop has another size meanwhile. */
const MOST_SIZES = 5;
const NO_BYTES = new Uint8Array(0);

export type SnapshotPorts = LivePorts;

/** What decides a picture's bytes, beside the moment. */
interface Variant {
  readonly shown: AudienceDisplay;
  readonly region: Rect;
  readonly size: Size;
  readonly format: ImageFormat;
  readonly quality: number | null;
  readonly withOverlays: boolean;
  readonly withCursor: boolean;
}

/**
 * Pictures of one desktop. The whole screen as PNG or JPEG, at the sizes asked for, is kept alive and re-encoded only
 * where it changed; everything else is made when asked for and kept until the next change.
 */
export class Snapshots {
  readonly #display: Display;
  readonly #ports: SnapshotPorts & { readonly clock: Clock };
  readonly #live: LivePictures;
  readonly #journals = byAudience(() => new DamageJournal());
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  /** Told of damage: pictures whose pixels are being taken. */
  readonly #taking = new Set<(damage: Region) => void>();
  #pointer: () => { readonly x: number; readonly y: number };

  constructor(
    display: Display,
    ports: SnapshotPorts & { readonly clock: Clock },
    pointer: () => { readonly x: number; readonly y: number },
  ) {
    this.#display = display;
    this.#ports = ports;
    this.#pointer = pointer;
    this.#live = new LivePictures(ports.clock, ports, display.scene);
    display.scene.on(({ damage }) => this.#tellTaking(damage));
  }

  /** Pixels changed, in the display's present generation. */
  invalidate(changes: ShownChanges): void {
    const { generation } = this.#display;
    for (const audience of AUDIENCES) this.#journals[audience].add(generation, changes[audience].damage);
    const [damage, ...others] = new Set(AUDIENCES.map((audience) => changes[audience].damage));
    const all = this.#display.scene.spread(
      others.reduce((sum, other) => sum.union(other), damage ?? Region.empty),
    );
    this.#live.invalidate(all);
    this.#tellTaking(all);
  }

  /** The desktop has another size since the display's present generation. */
  resized(): void {
    for (const audience of AUDIENCES) this.#journals[audience].reset(this.#display.generation);
    this.#live.clear();
  }

  /** The desktop is gone: nothing is kept. */
  close(): void {
    this.#live.clear();
    this.#kept.clear();
  }

  /** Throws RefusedError invalid_parameters or out_of_bounds, target_down without a picture, cancelled. */
  async take(audience: Audience, request: SnapshotRequest): Promise<Snapshot> {
    const shown = this.#display.shownTo(audience);
    const isStable = await this.#awaitStable(shown, request.stableMs ?? 0, request.signal);
    if (request.withOverlays === true) await this.#display.scene.whenPainted();
    const { region, scale = 1 } = request;
    const unchanged = this.#unchanged(shown, request, isStable);
    if (unchanged !== null) return unchanged;
    if (region !== undefined && areaOfRect(region) * Math.max(1, scale) ** 2 <= SMALL_PIXELS)
      return await this.#takeNow(shown, request, isStable);
    const { ownerId = "", urgency = "look", signal = new AbortController().signal } = request;
    return await pictureLine.run(
      ownerId,
      signal,
      async () => {
        // Taking pixels copies megabytes: of many who ask at once one does so in a turn, with what is said of them.
        const turn = loopTurns.claim();
        if (turn !== null) await turn;
        for (let size = 1; ; size++) {
          try {
            return await this.#takeNow(shown, request, isStable);
          } catch (error) {
            if (!(error instanceof ResizedError) || size === MOST_SIZES) throw error;
          }
        }
      },
      urgency,
    );
  }

  #tellTaking(damage: Region): void {
    for (const invalidate of this.#taking) invalidate(damage);
  }

  /** Without a turn, for it takes no pixels; null where there is something to show. */
  #unchanged(shown: AudienceDisplay, request: SnapshotRequest, isStable: boolean): Snapshot | null {
    const { size, hasPicture } = this.#display;
    if (!hasPicture || request.sinceGeneration === undefined) return null;
    const variant = this.#variantOf(shown, request, size);
    if (this.#changedSince(request, variant)?.isEmpty !== true) return null;
    return { ...this.#factsOf(variant, isStable), bytes: NO_BYTES, isUnchanged: true };
  }

  async #takeNow(shown: AudienceDisplay, request: SnapshotRequest, isStable: boolean): Promise<Snapshot> {
    const { bounds, hasPicture } = this.#display;
    if (!hasPicture) throw noPictureYet();
    if (request.changes !== undefined)
      return await this.#takeChanges(shown, request, request.changes, isStable);
    const variant = this.#variantOf(shown, request, bounds);
    const changed = this.#changedSince(request, variant);
    // A crop that is scaled as well has no pixels of its own to tell apart.
    const hasParts =
      request.isWhole !== true &&
      (equalSizes(variant.region, variant.size) ||
        (equalRects(variant.region, bounds) && !isEnlarged(variant)));
    const rects = changed === null || !hasParts ? [] : partsOf(changed, variant.region);
    const facts = this.#factsOf(variant, isStable);
    if (rects.length === 0) return { ...facts, bytes: await this.#bytesOf(variant, bounds) };
    return { ...facts, bytes: NO_BYTES, isUnchanged: false, parts: await this.#encodeParts(variant, rects) };
  }

  /** In parts where these are less than what holds them all; whole where it is not known what changed. */
  async #takeChanges(
    shown: AudienceDisplay,
    request: SnapshotRequest,
    changes: NonNullable<SnapshotRequest["changes"]>,
    isStable: boolean,
  ): Promise<Snapshot> {
    const { bounds: whole } = this.#display;
    const later = this.changedSince(shown.audience, changes.generation);
    const rects = later === null ? [whole] : [...changes.rects, ...later.rects];
    const inside = rects.map((r) => intersectRects(r, whole)).filter((r) => !isEmptyRect(r));
    const parts = coverOf(inside.length === 0 ? [whole] : inside, MAX_PARTS);
    const region = parts.reduce(boundRects);
    const native = this.#variantOf(shown, { ...request, region }, whole);
    const isNative = equalSizes(native.region, native.size);
    const variant = isNative ? native : this.#variantOf(shown, { ...request, region: whole }, whole);
    const facts = this.#factsOf(variant, isStable);
    if (parts.length === 1 && isNative) return { ...facts, bytes: await this.#bytesOf(variant, whole) };
    return { ...facts, bytes: NO_BYTES, parts: await this.#encodeParts(variant, parts) };
  }

  /** What of an audience's picture changed after a generation, until another; null where that is not known. */
  changedSince(audience: Audience, generation: number, until?: number): Region | null {
    return generation > this.#display.generation ? null : this.#journals[audience].since(generation, until);
  }

  /** What is new within the variant's region; null where that is not known. */
  #changedSince(request: SnapshotRequest, variant: Variant): Region | null {
    const { sinceGeneration, untold = Region.empty } = request;
    const { shown, region, withOverlays, withCursor } = variant;
    if (sinceGeneration === undefined || withOverlays || withCursor) return null;
    return this.changedSince(shown.audience, sinceGeneration)?.union(untold).clip(region) ?? null;
  }

  #factsOf(variant: Variant, isStable: boolean): Omit<Snapshot, "bytes"> {
    const { clock } = this.#ports;
    const { generation, isFresh } = this.#display;
    const { changedAtMs } = variant.shown;
    return {
      format: variant.format,
      ...variant.size,
      region: variant.region,
      generation,
      isStable,
      isStale: !isFresh,
      frameAgeMs: Math.round(clock.nowMs() - changedAtMs),
      takenAt: clock.date().toISOString(),
    };
  }

  /** A picture of each rectangle (desktop pixels), of what the variant shows. */
  async #encodeParts(variant: Variant, rects: readonly Rect[]): Promise<SnapshotPart[]> {
    const { shown, region, size, format, quality } = variant;
    const source = shown.picture(false);
    const isNative = equalSizes(region, size);
    const live = isNative ? null : this.#live.of(shown, source, size, false);
    const picture = live === null ? source : await live.picture(source);
    return await Promise.all(
      rects.map(async (changed) => {
        const drawn = live === null ? changed : live.placeOf(changed);
        const rect = live === null ? changed : live.shownBy(drawn);
        const place = live === null ? translateRect(drawn, -region.x, -region.y) : drawn;
        return { rect, place, bytes: await this.#encodeRect(picture, drawn, format, quality, live === null) };
      }),
    );
  }

  #variantOf(shown: AudienceDisplay, request: SnapshotRequest, size: Size): Variant {
    const whole = { x: 0, y: 0, width: size.width, height: size.height };
    const region = request.region ?? whole;
    if (isEmptyRect(region) || !holdsRect(whole, region)) {
      throw new RefusedError(
        "out_of_bounds",
        `got the region ${region.width}x${region.height} at ${region.x},${region.y}, expected one within ${size.width}x${size.height}`,
      );
    }
    const scale = request.scale ?? 1;
    const fit = request.fit ?? "none";
    if (fit !== "none" && scale !== 1) {
      throw new RefusedError(
        "invalid_parameters",
        `got fit ${fit} and the scale ${scale}, expected one of them`,
      );
    }
    const format = request.format ?? "png";
    return {
      shown,
      region,
      size: fit === "none" ? scaledSize(region, scale) : fitSize(region, fit),
      format,
      quality: format === "png" ? null : (request.quality ?? (format === "jpeg" ? DEFAULT_QUALITY : null)),
      withOverlays: request.withOverlays ?? false,
      withCursor: request.withCursor ?? false,
    };
  }

  #bytesOf(variant: Variant, whole: Rect): Promise<Uint8Array> {
    const { shown, region, size, format, quality, withOverlays, withCursor } = variant;
    if (equalRects(region, whole) && format !== "webp" && !withCursor && !isEnlarged(variant)) {
      const live = this.#live.of(shown, whole, size, withOverlays);
      const source = shown.picture(withOverlays);
      return format === "png" ? live.png(source) : live.jpeg(source, quality ?? DEFAULT_QUALITY);
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

  async #encode(variant: Variant): Promise<Uint8Array> {
    const { shown, region, size, format, quality, withOverlays, withCursor } = variant;
    const { cursor } = this.#display;
    const { x, y } = this.#pointer();
    const flat = shown.picture(withOverlays);
    const pointed = withCursor && cursor !== null ? composeCursor(flat, cursor, x, y) : flat;
    // Where the pointer is says what happens there.
    const drawn = pointed === flat ? flat : maskedPicture(pointed, shown.hidden);
    const isScaled = size.width !== region.width || size.height !== region.height;
    const picture = isScaled ? await scalePicture(drawn, region, size) : drawn;
    return this.#encodeRect(picture, isScaled ? rectOfSize(size) : region, format, quality, !isScaled);
  }

  /** `isDesktop`: the picture is the desktop's, which may change while its pixels are taken; else it has no damage. */
  async #encodeRect(
    picture: Picture,
    rect: Rect,
    format: ImageFormat,
    quality: number | null,
    isDesktop: boolean,
  ): Promise<Uint8Array> {
    const crop = cropOf(picture, rect);
    const strips = this.#stripsOf(crop, format, quality);
    if (!isDesktop) return await strips.encodeNow(crop);
    const invalidate = (damage: Region): void => strips.invalidate(damage.translate(-rect.x, -rect.y));
    this.#taking.add(invalidate);
    try {
      return await strips.encode(crop);
    } finally {
      this.#taking.delete(invalidate);
    }
  }

  #stripsOf(
    size: Size,
    format: ImageFormat,
    quality: number | null,
  ): Pick<StripSet<unknown, unknown>, "invalidate" | "encode" | "encodeNow"> {
    const { deflate, jpeg, encoding = null } = this.#ports;
    switch (format) {
      case "png":
        return new StripSet(size, pngStripFormat(size, deflate, encoding));
      case "jpeg":
        return new StripSet(size, jpegStripFormat(size, jpeg, quality ?? DEFAULT_QUALITY, encoding));
      case "webp":
        return new StripSet(size, webpFormat(size, quality));
    }
  }

  /** Same key, same pixels. */
  #keyOf({ shown, ...variant }: Variant): string {
    const { generation, scene } = this.#display;
    const { x, y } = this.#pointer();
    const moment = [
      generation,
      variant.withOverlays ? scene.version : 0,
      variant.withCursor ? `${x},${y}` : "",
    ];
    return JSON.stringify([shown.name, moment, variant]);
  }

  /** True once nothing changed for `stableMs`; false when the screen did not come to rest in time. */
  async #awaitStable(
    shown: AudienceDisplay,
    stableMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { clock } = this.#ports;
    const untilMs = clock.nowMs() + Math.max(stableMs, MAX_STABLE_WAIT_MS);
    // What was at rest before the call counts only from the call on: the caller may just have acted.
    const sinceMs = clock.nowMs();
    for (;;) {
      const nowMs = clock.nowMs();
      const restMs = nowMs - Math.max(sinceMs, shown.changedAtMs);
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

/** Larger than what it shows: such a picture is not kept alive, for its size. */
function isEnlarged({ region, size }: Variant): boolean {
  return size.width > region.width || size.height > region.height;
}

/** The rectangles to answer with; none where the whole is the better answer. */
function partsOf(changed: Region, region: Rect): readonly Rect[] {
  if (changed.area > MOST_CHANGED * areaOfRect(region)) return [];
  const parts = coverOf(changed.rects, MAX_PARTS);
  return parts.reduce((sum, r) => sum + areaOfRect(r), 0) > MOST_CHANGED * areaOfRect(region) ? [] : parts;
}
