import type { Size } from "../../../framebuffer/rect.ts";
import type { RecordingInfo } from "../../api/api.ts";
import { below } from "../shell/base-path.ts";
import { frameAddress } from "./recording-address.ts";
import { nearestOf, thumbnailStepMs } from "./thumbnail-places.ts";

/** CSS pixels; twice as many are fetched for screens that have them. */
const THUMBNAIL_WIDTH = 220;
/** Of the whole recording, fetched when a hand first comes near: something is there at once wherever it goes. */
const COARSE = 16;
/** A picture is some 150 KB in memory. */
const KEPT = 200;

/**
 * The small picture under a hand that moves over a timeline, on a canvas: the nearest one that is there at once, the
 * right one as soon as it has come. One is fetched at a time, the latest wish first.
 */
export class ScrubThumbnails {
  readonly element = document.createElement("canvas");
  readonly #recording: RecordingInfo;
  readonly #pen = this.element.getContext("2d", { alpha: false });
  /** By moment, the oldest use first. */
  readonly #images = new Map<number, HTMLImageElement>();
  #coarse: number[] = [];
  #wanted: number | null = null;
  #isFetching = false;
  #isClosed = false;

  constructor(recording: RecordingInfo) {
    this.#recording = recording;
    this.element.width = THUMBNAIL_WIDTH * 2;
    this.element.height = heightFor(this.element.width, recording);
    this.element.className = "timeline-thumbnail";
  }

  /** A hand comes near: the coarse ones are fetched while it has no wish. */
  near(durationMs: number): void {
    if (this.#images.size > 0 || this.#coarse.length > 0) return;
    const stepMs = thumbnailStepMs(durationMs);
    this.#coarse = Array.from({ length: COARSE }, (_, i) => {
      return Math.floor((durationMs * (i + 0.5)) / COARSE / stepMs) * stepMs;
    });
    this.#fetch();
  }

  /** Shows the picture of a moment, or its neighbour until it has come. */
  show(ms: number, durationMs: number): void {
    const stepMs = thumbnailStepMs(durationMs);
    this.#wanted = Math.floor(Math.max(0, Math.min(ms, durationMs)) / stepMs) * stepMs;
    const nearest = nearestOf(this.#images.keys(), this.#wanted);
    if (nearest !== null) this.#draw(nearest);
    this.#fetch();
  }

  close(): void {
    this.#isClosed = true;
    this.#images.clear();
  }

  #draw(ms: number): void {
    const image = this.#images.get(ms);
    if (!image) return;
    this.#images.delete(ms);
    this.#images.set(ms, image);
    const { width } = this.element;
    // Before the first picture nobody knew the size, and a desktop may be resized on the way.
    const height = heightFor(width, { width: image.naturalWidth, height: image.naturalHeight });
    if (this.element.height !== height) this.element.height = height;
    this.#pen?.drawImage(image, 0, 0, width, height);
    this.element.dataset["atMs"] = String(ms);
  }

  #fetch(): void {
    if (this.#isFetching || this.#isClosed) return;
    const isMissing = this.#wanted !== null && !this.#images.has(this.#wanted);
    const ms = isMissing ? this.#wanted : this.#coarse.pop();
    if (ms === null || ms === undefined) return;
    this.#isFetching = true;
    const image = new Image();
    image.src = below(frameAddress(this.#recording.id, { atMs: ms, maxWidth: this.element.width }));
    image.decode().then(
      () => this.#arrived(ms, image),
      // Scrubbing goes on without it; the next move asks again.
      () => {
        if (this.#wanted === ms) this.#wanted = null;
        this.#isFetching = false;
        this.#fetch();
      },
    );
  }

  #arrived(ms: number, image: HTMLImageElement): void {
    this.#isFetching = false;
    if (this.#isClosed) return;
    this.#images.set(ms, image);
    for (const oldest of this.#images.keys()) {
      if (this.#images.size <= KEPT) break;
      this.#images.delete(oldest);
    }
    const wanted = this.#wanted;
    if (wanted !== null) {
      const nearest = nearestOf(this.#images.keys(), wanted);
      if (nearest !== null) this.#draw(nearest);
    }
    this.#fetch();
  }
}

function heightFor(width: number, of: Size): number {
  return Math.max(1, Math.round((width * of.height) / Math.max(1, of.width)));
}
