import type { Desktop } from "../../desktop/desktop.ts";
import type { Watcher } from "../../desktop/view.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { BLOCK_KIND } from "../format/block.ts";
import { writeTracks } from "../format/event-codec.ts";
import type { TrackEvent } from "../format/event-entry.ts";
import type { RecordingCounts } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import type { ChainPlace } from "./block-encoder.ts";
import { type BlockContent, type BlockWriter, beatAt } from "./block-writer.ts";
import { CaptureRate } from "./capture-rate.ts";
import type { PictureBatch, RecordingEncoder } from "./encoder.ts";
import { EventRecorder } from "./event-recorder.ts";
import type { RecorderOptions, RecorderPorts } from "./recorder-ports.ts";
import { ShownTimes } from "./shown-times.ts";

/** All that happened is written so often: what a kill may lose. */
const FLUSH_MS = 1_000;
/** While so much waits for the disk no picture is taken: the next one has it all. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
const BEHIND_MS = 200;
const FLOOR_CHECK_MS = 10_000;
/** After the disk refused, it is asked again so often. */
const RETRY_MS = 5_000;
/** So many pixels are copied in a fraction of a millisecond. */
const LITTLE_PIXELS = 256 * 1024;
/** Of a screen that changes while the last picture of it is copied: so often it is tried to have it whole. */
const LAST_TRIES = 3;

/**
 * Records one desktop: its pixels as a watcher of its own, what happens beside them as a listener. It copies what
 * changed the moment it did, unless it did a moment ago, into the frame of an encoder, which encodes it aside; the block
 * writer writes what it made.
 */
export class Recorder {
  readonly #desktop: Desktop;
  readonly #writer: BlockWriter;
  readonly #ports: RecorderPorts;
  readonly #options: RecorderOptions;
  readonly #startMs: number;
  readonly #eventRecorder: EventRecorder;
  readonly #captureRate: CaptureRate;
  readonly #shown = new ShownTimes();
  readonly #offDesktop: () => void;
  #encoder: RecordingEncoder;
  #watcher: Watcher | null = null;
  #size: Size = { width: 0, height: 0 };
  /** The picture under way. */
  #capturing: Promise<void> | null = null;
  /** There was damage meanwhile. */
  #isMissed = false;
  /** The last picture was copied in several turns, and what was shown changed between them. */
  #isTorn = false;
  #isWaking = false;
  #cancelWake: (() => void) | null = null;
  #cancelHot: (() => void) | null = null;
  #cancelFlush: (() => void) | null = null;
  #frames = 0;
  /** Since when nothing is written; null: all is well. */
  #gap: { readonly fromMs: number; readonly reason: string } | null = null;
  #retryAtMs = 0;
  #retrying: Promise<void> | null = null;
  #floorAtMs: number;
  #isClosed = false;

  /** `encoder`: the first; it is closed with the recorder. */
  constructor(
    desktop: Desktop,
    writer: BlockWriter,
    encoder: RecordingEncoder,
    options: RecorderOptions,
    ports: RecorderPorts,
  ) {
    this.#desktop = desktop;
    this.#writer = writer;
    this.#ports = ports;
    this.#options = options;
    this.#startMs = ports.clock.nowMs();
    this.#floorAtMs = this.#startMs + FLOOR_CHECK_MS;
    this.#captureRate = new CaptureRate(options, ports.clock);
    this.#encoder = encoder;
    this.#eventRecorder = new EventRecorder(desktop, () => this.nowMs);
    this.#offDesktop = desktop.on((event) => {
      if (event.type === "state" || event.type === "resize") this.#attach();
      else if (event.type === "update") this.#captureRate.changed(event.damage);
    });
    this.#attach();
    this.#waitForFlush();
  }

  /** Since the recording began, whole milliseconds. */
  get nowMs(): number {
    return Math.max(0, Math.floor(this.#ports.clock.nowMs() - this.#startMs));
  }

  get counts(): RecordingCounts {
    return { ...this.#eventRecorder.counts, frames: this.#frames };
  }

  /** Of the last picture; 0x0 before the first. */
  get size(): Size {
    return this.#size;
  }

  /** Whether nothing can be written now. */
  get isFailing(): boolean {
    return this.#gap !== null;
  }

  /** When the picture was taken that has all of a generation; null: it is still to be taken. */
  shownSince(generation: number): number | null {
    return this.#shown.since(
      generation,
      this.#capturing !== null || this.#watcher?.pending.isEmpty === false,
    );
  }

  note(event: TrackEvent): void {
    this.#eventRecorder.add(event);
  }

  /** Writes what waits, for who reads along: resolves when it can be read, or cannot be written. */
  async flush(): Promise<void> {
    if (this.#isClosed) return;
    await this.#capturing;
    // A picture that only waits for the rate is taken now; one that waits for the budget is not.
    await this.#capture(this.#captureRate.waitMs <= 1000 / this.#options.maxFps);
    await Promise.all(await this.#flush(false));
  }

  /** Takes what is left and writes it. Rejects with RecordingError disk_full, or what else the disk said. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#cancelFlush?.();
    await this.#retry();
    for (let i = 0; i < LAST_TRIES; i++) {
      await this.#capturing;
      await this.#capture(true);
      if (!this.#isTorn) break;
    }
    this.#isClosed = true;
    this.#offDesktop();
    this.#cancelWake?.();
    this.#cancelHot?.();
    this.#cancelFlush?.();
    this.#watcher?.close();
    this.#eventRecorder.close();
    await Promise.all(await this.#flush());
    this.#encoder.close();
    if (this.#gap !== null) throw new RecordingError("disk_full", `the end is missing: ${this.#gap.reason}`);
    await this.#writer.finish(this.nowMs);
  }

  /** Watches from the first picture on. */
  #attach(): void {
    if (this.#watcher !== null || this.#desktop.size.width === 0) return;
    this.#watcher = this.#desktop.view("recording").watch(() => this.#wake());
    this.#wake();
  }

  /** Takes a picture as soon as that is allowed: at once, after the update that is being told of now. */
  #wake(): void {
    if (this.#isWaking || this.#isClosed || this.#gap !== null) return;
    if (this.#capturing !== null) {
      this.#isMissed = true;
      return;
    }
    this.#isWaking = true;
    const waitMs = this.#writer.pendingBytes > MAX_PENDING_BYTES ? BEHIND_MS : this.#captureRate.waitMs;
    const go = (): void => {
      this.#isWaking = false;
      this.#cancelWake = null;
      void this.#capture(false);
    };
    if (waitMs === 0) this.#soon(go);
    else this.#cancelWake = this.#ports.clock.after(waitMs, go);
  }

  /** In the turn of the update where that is little; much has a turn of its own, for the update took its time already. */
  #soon(go: () => void): void {
    const area = this.#watcher?.pending.area ?? 0;
    if (area <= LITTLE_PIXELS) queueMicrotask(go);
    else void this.#ports.turns.next().then(go);
  }

  /** Takes a picture, unless one is under way. `isLast`: all that waits, whatever it costs. Never rejects. */
  #capture(isLast: boolean): Promise<void> {
    this.#capturing ??= this.#take(isLast)
      .catch((error: unknown) => this.#fail(error, "recorder failed"))
      .finally(() => {
        this.#capturing = null;
        if (!this.#isMissed) return;
        this.#isMissed = false;
        this.#wake();
      });
    return this.#capturing;
  }

  async #take(isLast: boolean): Promise<void> {
    const watcher = this.#watcher;
    if (watcher === null || this.#isClosed || this.#gap !== null || watcher.pending.isEmpty) return;
    if (!isLast && (this.#captureRate.waitMs > 0 || this.#writer.pendingBytes > MAX_PENDING_BYTES)) {
      this.#isMissed = true;
      return;
    }
    const view = this.#desktop.view("recording");
    const isNew = await this.#fit(view);
    const { frame } = this.#encoder;
    if (frame === null || view.width !== frame.width || view.height !== frame.height) {
      this.#isMissed = true; // it got yet another size
      return;
    }
    const taken = watcher.take();
    const changed = isNew ? Region.of(frame.rect) : taken.painted.clip(frame.rect);
    const copies = isNew ? [] : taken.copies;
    const hot = this.#captureRate.hotPart(changed);
    const isHotLater = !isLast && !isNew && !hot.isEmpty && this.#captureRate.hotWaitMs > 0;
    const damage = isHotLater ? changed.subtract(hot) : changed;
    if (isHotLater) {
      watcher.putBack(hot);
      this.#wakeForHot();
    }
    if (damage.isEmpty && copies.length === 0) return;
    const atMs = this.nowMs;
    const { generation } = view;
    this.#captureRate.began(!isHotLater && !hot.isEmpty);
    if (!(await this.#ports.turns.copyAll(view, frame, damage.union(targetsOf(copies))))) return;
    this.#isTorn = view.generation !== generation;
    if (this.#isTorn) {
      // Moves are from pixels that are not all as they were: what came meanwhile counts as painted.
      const after = watcher.take();
      watcher.putBack(after.painted.union(targetsOf(after.copies)));
    }
    const { rects } = damage;
    const isPartial = isHotLater || this.#isTorn;
    const added = await this.#encoder.add({ damage: rects, copies, atMs, generation, isPartial });
    if (added.before !== null) void this.#writeBatch(added.before);
    this.#frames++;
    this.#shown.add(generation, atMs);
    this.#captureRate.took(added.rawBytes);
    if (added.after !== null) void this.#writeBatch(added.after);
  }

  /** Gives the encoder a frame of the desktop's size; true where it is a new one. */
  async #fit({ width, height }: Size): Promise<boolean> {
    const { frame } = this.#encoder;
    if (frame !== null && frame.width === width && frame.height === height) return false;
    await this.#encoder.resize({ width, height });
    this.#captureRate.resized();
    this.#size = { width, height };
    return true;
  }

  /** What was put back is looked at again when its turn comes, whatever else happens meanwhile. */
  #wakeForHot(): void {
    if (this.#cancelHot !== null) return;
    this.#cancelHot = this.#ports.clock.after(Math.max(1, this.#captureRate.hotWaitMs), () => {
      this.#cancelHot = null;
      this.#wake();
    });
  }

  #waitForFlush(): void {
    this.#cancelFlush = this.#ports.clock.after(FLUSH_MS, () => {
      this.#tick().catch((error: unknown) => this.#ports.onBug(error));
    });
  }

  async #tick(): Promise<void> {
    try {
      const nowMs = this.#ports.clock.nowMs();
      if (this.#gap !== null) {
        if (nowMs >= this.#retryAtMs) await this.#retry();
      } else if (nowMs >= this.#floorAtMs) {
        this.#floorAtMs = nowMs + FLOOR_CHECK_MS;
        await this.#checkFloor();
      }
      if (!this.#isClosed) void Promise.all(await this.#flush());
    } finally {
      if (!this.#isClosed) this.#waitForFlush();
    }
  }

  /** Hands all that waits to the writer; where nothing does, a sign of life. Gives what resolves when it is written. */
  async #flush(hasBeat = true): Promise<readonly Promise<void>[]> {
    const written: Promise<void>[] = [];
    const pictures = await this.#cut();
    if (this.#gap !== null) return [];
    if (pictures !== null) written.push(this.#writeBatch(pictures));
    const entries = this.#eventRecorder.take();
    const atMs = this.nowMs;
    if (entries.length > 0) {
      const raw = writeTracks(entries);
      written.push(
        this.#append({
          kind: BLOCK_KIND.tracks,
          fromMs: entries[0]?.atMs ?? atMs,
          toMs: entries.at(-1)?.atMs ?? atMs,
          raw,
        }),
      );
    }
    if (written.length === 0 && hasBeat) {
      written.push(this.#append(beatAt(atMs)));
    }
    return written;
  }

  async #cut(): Promise<PictureBatch | null> {
    if (this.#gap !== null) return null;
    try {
      return await this.#encoder.cut();
    } catch (error) {
      this.#fail(error, "recorder failed");
      return null;
    }
  }

  /** Hands pictures to the writer. */
  #writeBatch(batch: PictureBatch): Promise<void> {
    const wrote = this.#captureRate.closedBlock();
    const encoder = this.#encoder;
    const raw = { length: batch.rawBytes, encode: (place: ChainPlace) => encoder.encode(batch, place) };
    const { isKey, frames, fromMs, toMs, changedPixels } = batch;
    const about = { kind: BLOCK_KIND.pictures, isKey, frames, fromMs, toMs, changedPixels };
    return this.#append({ ...about, raw }, (bytes) => wrote(batch.rawBytes, bytes));
  }

  /** Resolves when it is written, or was not: then there is a gap. */
  async #append(content: BlockContent, wrote: (bytes: number) => void = () => undefined): Promise<void> {
    try {
      wrote(await this.#writer.append(content));
    } catch (error) {
      this.#fail(error, "disk failed");
    }
  }

  async #checkFloor(): Promise<void> {
    const { floorBytes } = this.#options;
    const free = await this.#ports.freeBytes();
    if (free >= floorBytes) return;
    this.#fail(
      new RecordingError(
        "disk_full",
        `the disk has ${mebibytes(free)} MiB free, expected at least ${mebibytes(floorBytes)}`,
      ),
      "disk full",
    );
  }

  /** Nothing is taken until it can be written again. */
  #fail(cause: unknown, reason: string): void {
    if (this.#gap !== null) return;
    const error = cause instanceof Error ? cause : new Error(reason, { cause });
    const isFull = "code" in error && error.code === "ENOSPC";
    this.#gap = { fromMs: this.nowMs, reason: isFull ? "disk full" : reason };
    this.#retryAtMs = this.#ports.clock.nowMs() + RETRY_MS;
    this.#cancelWake?.();
    this.#cancelWake = null;
    this.#isWaking = false;
    // What was taken but not written is lost with its encoder.
    this.#encoder.close();
    this.#ports.failed(error);
  }

  /** Ends the gap where the disk writes again. */
  #retry(): Promise<void> {
    this.#retrying ??= this.#tryAgain().finally(() => {
      this.#retrying = null;
    });
    return this.#retrying;
  }

  async #tryAgain(): Promise<void> {
    const gap = this.#gap;
    if (gap === null) return;
    this.#retryAtMs = this.#ports.clock.nowMs() + RETRY_MS;
    if ((await this.#ports.freeBytes()) < this.#options.floorBytes) return;
    this.#writer.recover();
    try {
      await this.#writer.append(beatAt(this.nowMs));
    } catch {
      return; // still full: asked again later
    }
    this.#gap = null;
    // The first picture of a new encoder is whole.
    this.#encoder = this.#ports.openEncoder();
    this.#eventRecorder.add({ type: "gap", ...gap });
    this.#ports.recovered();
    this.#wake();
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
