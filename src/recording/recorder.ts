import { hash } from "node:crypto";
import type { Clock } from "../desktop/clock.ts";
import type { Desktop } from "../desktop/desktop.ts";
import type { Watcher } from "../desktop/view.ts";
import { rectOfSize, type Size } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import { BEST_GRAIN, type Grain, PictureEncoder } from "../protocols/recording/picture-encoder.ts";
import { BLOCK_KIND } from "./block.ts";
import type { BlockLog } from "./block-log.ts";
import { CapturePace, type PaceLimits } from "./capture-pace.ts";
import { RecordingError } from "./error.ts";
import { PictureGroup } from "./picture-group.ts";
import type { RecordingCounts } from "./summary.ts";
import type { TrackEvent } from "./track-entry.ts";
import { TrackTap } from "./track-tap.ts";
import { writeTracks } from "./tracks.ts";

/** All that happened is written so often: what a kill may lose. */
const FLUSH_MS = 1_000;
/** Raw bytes that are written at once, without waiting for the second to pass. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** While so much waits for the disk no picture is taken: the next one has it all. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
const BEHIND_MS = 200;
const FLOOR_CHECK_MS = 10_000;
/** After the disk refused, it is asked again so often. */
const RETRY_MS = 5_000;

export interface RecorderPorts {
  readonly clock: Clock;
  /** Free bytes where the recording is written. */
  freeBytes(): Promise<number>;
  /** Nothing can be written, and later again. */
  failed(error: Error): void;
  recovered(): void;
  onBug(error: unknown): void;
}

export interface RecorderOptions extends PaceLimits {
  /** With less free on the disk nothing is written. */
  readonly floorBytes: number;
  readonly grain?: Grain;
}

/**
 * Records one desktop: its pixels as a watcher of its own, what happens beside them as a listener. It takes what
 * changed the moment it did, unless it did a moment ago, and hands the bytes to a log that works aside.
 */
export class Recorder {
  readonly #desktop: Desktop;
  readonly #log: BlockLog;
  readonly #ports: RecorderPorts;
  readonly #options: RecorderOptions;
  readonly #startMs: number;
  readonly #tap: TrackTap;
  readonly #pace: CapturePace;
  readonly #group = new PictureGroup();
  readonly #encoder: PictureEncoder;
  readonly #offDesktop: () => void;
  #watcher: Watcher | null = null;
  #size: Size = { width: 0, height: 0 };
  #isWaking = false;
  #cancelWake: (() => void) | null = null;
  #cancelHot: (() => void) | null = null;
  #cancelFlush: (() => void) | null = null;
  /** The block that is being filled. */
  #block = { isKey: false, frames: 0, fromMs: 0, toMs: 0, changedPixels: 0 };
  #frames = 0;
  /** Since when nothing is written; null: all is well. */
  #gap: { readonly fromMs: number; readonly reason: string } | null = null;
  #retryAtMs = 0;
  #retrying: Promise<void> | null = null;
  #floorAtMs: number;
  #isClosed = false;

  constructor(desktop: Desktop, log: BlockLog, options: RecorderOptions, ports: RecorderPorts) {
    this.#desktop = desktop;
    this.#log = log;
    this.#ports = ports;
    this.#options = options;
    this.#startMs = ports.clock.nowMs();
    this.#floorAtMs = this.#startMs + FLOOR_CHECK_MS;
    this.#pace = new CapturePace(options, ports.clock);
    this.#encoder = new PictureEncoder(
      (bytes) => hash("sha256", bytes, "base64"),
      options.grain ?? BEST_GRAIN,
    );
    this.#tap = new TrackTap(desktop, () => this.nowMs);
    this.#offDesktop = desktop.on((event) => {
      if (event.type === "state" || event.type === "resize") this.#attach();
      else if (event.type === "update") this.#pace.changed(event.damage);
    });
    this.#attach();
    this.#waitForFlush();
  }

  /** Since the recording began, whole milliseconds. */
  get nowMs(): number {
    return Math.max(0, Math.floor(this.#ports.clock.nowMs() - this.#startMs));
  }

  get counts(): RecordingCounts {
    return { ...this.#tap.counts, frames: this.#frames };
  }

  /** Of the last picture; 0x0 before the first. */
  get size(): Size {
    return this.#size;
  }

  /** Whether nothing can be written now. */
  get isFailing(): boolean {
    return this.#gap !== null;
  }

  note(event: TrackEvent): void {
    this.#tap.add(event);
  }

  /** Writes what waits, for who reads along: resolves when it can be read, or cannot be written. */
  async flush(): Promise<void> {
    if (this.#isClosed) return;
    // A picture that only waits for the rate is taken now; one that waits for the budget is not.
    this.#capture(this.#pace.waitMs <= 1000 / this.#options.maxFps);
    await Promise.all(this.#flush(false));
  }

  /** Takes what is left and writes it. Rejects with RecordingError disk_full, or what else the disk said. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#cancelFlush?.();
    await this.#retry();
    this.#capture(true);
    this.#isClosed = true;
    this.#offDesktop();
    this.#cancelWake?.();
    this.#cancelHot?.();
    this.#cancelFlush?.();
    this.#watcher?.close();
    this.#tap.close();
    await Promise.all(this.#flush());
    if (this.#gap !== null) throw new RecordingError("disk_full", `the end is missing: ${this.#gap.reason}`);
    await this.#log.finish(this.nowMs);
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
    this.#isWaking = true;
    const waitMs = this.#log.pendingBytes > MAX_PENDING_BYTES ? BEHIND_MS : this.#pace.waitMs;
    const go = (): void => {
      this.#isWaking = false;
      this.#cancelWake = null;
      try {
        this.#capture(false);
      } catch (error) {
        this.#ports.onBug(error);
      }
    };
    if (waitMs === 0) queueMicrotask(go);
    else this.#cancelWake = this.#ports.clock.after(waitMs, go);
  }

  /** `isLast`: all that waits, whatever it costs. */
  #capture(isLast: boolean): void {
    const watcher = this.#watcher;
    if (watcher === null || this.#isClosed || this.#gap !== null || watcher.pending.isEmpty) return;
    if (!isLast && (this.#pace.waitMs > 0 || this.#log.pendingBytes > MAX_PENDING_BYTES)) {
      this.#wake();
      return;
    }
    const view = this.#desktop.view("recording");
    const bounds = rectOfSize(view);
    const isResized = view.width !== this.#size.width || view.height !== this.#size.height;
    if (isResized) {
      this.#group.reset();
      this.#pace.resized();
      this.#size = { width: view.width, height: view.height };
    }
    const taken = watcher.take();
    const changed = taken.painted.clip(bounds);
    const moved = Region.from(taken.copies.map(({ to }) => to));
    const area = bounds.width * bounds.height;
    const isKey = this.#group.needsKey(changed.area + moved.area, area);
    const hot = this.#pace.hotPart(changed);
    const isHotLater = !isLast && !isKey && !hot.isEmpty && this.#pace.hotWaitMs > 0;
    const damage = isHotLater ? changed.subtract(hot) : changed;
    if (isHotLater) watcher.putBack(hot);
    if (isKey || !damage.isEmpty || taken.copies.length > 0) {
      if (isKey) void this.#closeBlock();
      const atMs = this.nowMs;
      const rawBytes = this.#encoder.add({
        picture: view.picture(false),
        damage,
        copies: taken.copies,
        atMs,
        generation: view.generation,
        isKey,
        isPartial: isHotLater,
      });
      const before = this.#block;
      this.#block = {
        isKey: before.isKey || isKey,
        frames: before.frames + 1,
        fromMs: before.frames === 0 ? atMs : before.fromMs,
        toMs: atMs,
        changedPixels: before.changedPixels + (isKey ? changed.area : damage.area + moved.area),
      };
      this.#frames++;
      this.#group.added(isKey, rawBytes, area);
      this.#pace.took(rawBytes, !isHotLater && !hot.isEmpty);
      if (this.#encoder.length > MAX_WAITING_BYTES) void this.#closeBlock();
    }
    if (isHotLater) this.#wakeForHot();
  }

  /** What was put back is looked at again when its turn comes, whatever else happens meanwhile. */
  #wakeForHot(): void {
    if (this.#cancelHot !== null) return;
    this.#cancelHot = this.#ports.clock.after(Math.max(1, this.#pace.hotWaitMs), () => {
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
      if (!this.#isClosed) void Promise.all(this.#flush());
    } finally {
      if (!this.#isClosed) this.#waitForFlush();
    }
  }

  /** Hands all that waits to the log; where nothing does, a sign of life. */
  #flush(hasBeat = true): Promise<void>[] {
    if (this.#gap !== null) return [];
    const written: Promise<void>[] = [];
    const pictures = this.#closeBlock();
    if (pictures !== null) written.push(pictures);
    const entries = this.#tap.take();
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
      written.push(this.#append({ kind: BLOCK_KIND.beat, fromMs: atMs, toMs: atMs, raw: new Uint8Array(0) }));
    }
    return written;
  }

  /** Hands the pictures that wait to the log. */
  #closeBlock(): Promise<void> | null {
    if (this.#encoder.length === 0) return null;
    const raw = this.#encoder.take();
    const block = this.#block;
    this.#block = { isKey: false, frames: 0, fromMs: 0, toMs: 0, changedPixels: 0 };
    this.#group.closedBlock();
    const wrote = this.#pace.closedBlock();
    return this.#append({ kind: BLOCK_KIND.pictures, ...block, raw }, (bytes) => wrote(raw.length, bytes));
  }

  /** Resolves when it is written, or was not: then there is a gap. */
  async #append(
    content: Parameters<BlockLog["append"]>[0],
    wrote: (bytes: number) => void = () => undefined,
  ): Promise<void> {
    try {
      wrote(await this.#log.append(content));
    } catch (error) {
      this.#fail(error);
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
    );
  }

  /** Nothing is taken until the disk writes again. */
  #fail(cause: unknown): void {
    if (this.#gap !== null) return;
    const error = cause instanceof Error ? cause : new Error("the disk refused", { cause });
    const isFull = "code" in error && (error.code === "ENOSPC" || error.code === "disk_full");
    this.#gap = { fromMs: this.nowMs, reason: isFull ? "disk full" : "disk failed" };
    this.#retryAtMs = this.#ports.clock.nowMs() + RETRY_MS;
    this.#cancelWake?.();
    this.#cancelWake = null;
    this.#isWaking = false;
    // What was taken but not written is lost with its block; the next picture is whole again.
    this.#encoder.take();
    this.#group.reset();
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
    this.#log.recover();
    try {
      await this.#log.append({
        kind: BLOCK_KIND.beat,
        fromMs: this.nowMs,
        toMs: this.nowMs,
        raw: new Uint8Array(0),
      });
    } catch {
      return; // still full: asked again later
    }
    this.#gap = null;
    this.#tap.add({ type: "gap", ...gap });
    this.#ports.recovered();
    this.#wake();
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
