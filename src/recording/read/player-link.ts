import { LinkError, type RefusedError } from "../../desktop/error.ts";
import type { Link, LinkEvents, Showing } from "../../desktop/link.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { Clock } from "../../platform/clock.ts";
import { LostPartError } from "../library/refused.ts";
import type { Step } from "./frame-seeker.ts";
import type { RecordingReader } from "./reader.ts";

/** A picture of a replay that goes fast is not shown more often. */
const LEAST_STEP_MS = 40;
/** At the end of what is there a running recording is looked at again so often. */
const LIVE_STEP_MS = 500;
const MIN_SPEED = 0.25;
const MAX_SPEED = 16;

/** Where a replay stands. */
export interface PlayerState {
  readonly positionMs: number;
  readonly durationMs: number;
  readonly isPlaying: boolean;
  readonly speed: number;
}

/**
 * A recording as a target: viewers, screenshots and all that reads a desktop work on it. It stands still until it is
 * played, and takes no input.
 */
export class PlayerLink implements Link {
  readonly isExact = true;
  readonly inputRefusal =
    "this desktop is a replay of a recording and takes no input: act on the live desktop instead";
  readonly framebuffer = new Framebuffer(1, 1);
  readonly #openRecording: () => Promise<RecordingReader>;
  readonly #clock: Clock;
  #events: LinkEvents | null = null;
  #recording: RecordingReader | null = null;
  #positionMs: number;
  /** Of the clock, when it stood there. */
  #atMs = 0;
  #isPlaying = false;
  #speed = 1;
  #hasPainted = false;
  #cancelStep: (() => void) | null = null;
  /** The step under way; the next one waits for it. */
  #stepping: Promise<void> = Promise.resolve();

  /** `startMs`: where it stands at first. */
  constructor(openRecording: () => Promise<RecordingReader>, startMs: number, clock: Clock) {
    this.#openRecording = openRecording;
    this.#positionMs = startMs;
    this.#clock = clock;
  }

  /** Whether somebody is shown it. */
  get isOpen(): boolean {
    return this.#events !== null;
  }

  get description(): string {
    const recording = this.#recording;
    return recording === null ? "replay" : `replay of ${recording.summary.id}`;
  }

  get state(): PlayerState {
    return {
      positionMs: this.#now,
      durationMs: this.#recording?.summary.durationMs ?? 0,
      isPlaying: this.#isPlaying,
      speed: this.#speed,
    };
  }

  open(events: LinkEvents): void {
    this.#events = events;
    this.#begin().catch((error: unknown) => this.#end(error));
  }

  /** Goes on from where it stands. */
  play(): void {
    if (this.#isPlaying) return;
    this.#atMs = this.#clock.nowMs();
    this.#isPlaying = true;
    this.#wait();
  }

  pause(): void {
    this.#positionMs = this.#now;
    this.#isPlaying = false;
    this.#cancelStep?.();
    this.#cancelStep = null;
  }

  /**
   * Shows another moment, clamped to what is there; resolves when it is shown. Rejects with RefusedError node_unreachable where it lies in
   * a part of a whole that cannot be read now: then black is.
   */
  async seek(ms: number): Promise<void> {
    const end = this.#recording?.summary.durationMs ?? Number.POSITIVE_INFINITY;
    this.#positionMs = Math.max(0, Math.min(ms, end));
    this.#atMs = this.#clock.nowMs();
    const lost = await this.#show();
    if (lost !== null) throw lost;
  }

  /** Clamped to 0.25 to 16. */
  setSpeed(speed: number): void {
    this.#positionMs = this.#now;
    this.#atMs = this.#clock.nowMs();
    this.#speed = Math.max(MIN_SPEED, Math.min(MAX_SPEED, speed));
  }

  follow(): void {
    // Every picture is at hand, watched or not.
  }

  refresh(): void {
    this.#show().catch((error: unknown) => this.#end(error));
  }

  /** A recording has no target to ask. */
  barrier(): Promise<void> {
    return Promise.resolve();
  }

  latest(): Promise<void> {
    return this.#stepping;
  }

  pointer(): void {
    // Refused before it comes here: see inputRefusal.
  }

  key(): void {
    // As the pointer.
  }

  clipboard(): void {
    // As the pointer.
  }

  resize(): boolean {
    return false;
  }

  close(): void {
    this.#events = null;
    this.#cancelStep?.();
    this.#cancelStep = null;
    const recording = this.#recording;
    this.#recording = null;
    recording?.close().catch(() => undefined); // read only: nothing is lost
  }

  get #now(): number {
    if (!this.#isPlaying) return this.#positionMs;
    const passedMs = (this.#clock.nowMs() - this.#atMs) * this.#speed;
    const end = this.#recording?.summary.durationMs ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#positionMs + passedMs, Math.max(end, this.#positionMs));
  }

  async #begin(): Promise<void> {
    const recording = await this.#openRecording();
    if (this.#events === null) {
      await recording.close();
      return;
    }
    this.#recording = recording;
    await this.#step(recording, this.#positionMs, ({ frame }) => {
      this.framebuffer.resize(frame.width, frame.height);
      this.#events?.ready({ name: recording.summary.title, screens: this.#screens });
    });
    await this.#show();
  }

  /** Paints the present moment, after the step under way; why it cannot be read where it is black. */
  #show(): Promise<RefusedError | null> {
    const shown = this.#stepping.then(async () => {
      const recording = this.#recording;
      if (recording === null) return null;
      let showing: Showing | undefined;
      const lost = await this.#step(recording, this.#now, (step) => {
        showing = this.#paint(step);
      });
      // What comes after it is another picture in every pixel.
      if (lost !== null) this.#hasPainted = false;
      await showing?.done;
      return lost;
    });
    this.#stepping = shown.then(
      () => undefined,
      () => undefined, // whoever asked is told
    );
    return shown;
  }

  /** A step, black where the moment lies in a part of a whole that cannot be read now. */
  async #step(
    recording: RecordingReader,
    ms: number,
    use: (step: Pick<Step, "frame" | "damage">) => void,
  ): Promise<RefusedError | null> {
    try {
      await recording.step(ms, use);
      return null;
    } catch (error) {
      if (!(error instanceof LostPartError)) throw error;
      const { width, height } = recording.summary;
      use({ frame: new Framebuffer(width, height), damage: null });
      return error;
    }
  }

  #paint({ frame, damage }: Pick<Step, "frame" | "damage">): Showing | undefined {
    const events = this.#events;
    if (events === null) return;
    const target = this.framebuffer;
    const isResized = target.width !== frame.width || target.height !== frame.height;
    if (isResized) target.resize(frame.width, frame.height);
    // The first update after `ready` is of every pixel.
    const isWhole = damage === null || isResized || !this.#hasPainted;
    const painted = isWhole ? Region.of(target.rect) : damage;
    if (painted.isEmpty) return;
    this.#hasPainted = true;
    target.words.set(frame.words);
    if (isResized) events.resize(this.#screens);
    return events.update({ painted, copies: [], missing: 0 });
  }

  get #screens(): readonly Screen[] {
    return [{ id: 1, rect: this.framebuffer.rect, flags: 0 }];
  }

  #wait(): void {
    const isAtEnd = this.#now >= this.state.durationMs;
    this.#cancelStep = this.#clock.after(isAtEnd ? LIVE_STEP_MS : LEAST_STEP_MS, () => {
      this.#cancelStep = null;
      this.#advance().catch((error: unknown) => this.#end(error));
    });
  }

  async #advance(): Promise<void> {
    await this.#show();
    const recording = this.#recording;
    if (recording === null || !this.#isPlaying) return;
    if (this.#now >= recording.summary.durationMs && recording.summary.state !== "recording") this.pause();
    else if (this.#cancelStep === null) this.#wait();
  }

  #end(cause: unknown): void {
    const events = this.#events;
    if (events === null) return;
    this.close();
    const message = cause instanceof Error ? cause.message : "the recording cannot be read";
    const error = new LinkError("protocol_error", message, { cause, isFinal: true });
    events.closed(error);
  }
}
