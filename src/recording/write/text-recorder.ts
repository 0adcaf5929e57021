import type { Desktop } from "../../desktop/desktop.ts";
import { overlapRects, type Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TrackEvent } from "../format/event-entry.ts";
import type { ShownText, TextReader } from "./recorder-ports.ts";
import { TextLines } from "./text-lines.ts";

/** So often text is read at most: what stood for less may be missed. */
const LEAST_WAIT_MS = 1_000;
/** Of the time at most one part in so many is spent reading. */
const REST_SHARE = 2;
/** More text a second, as JSON before it is deflated, is read less often instead. */
const BYTES_PER_MS = 8;
/** What could not be read is tried again after so long. */
const RETRY_MS = 30_000;
/** All lines that stand are said again after so long, so that what a moment showed is found without reading from the start. */
export const RESTATE_TEXT_MS = 600_000;
/** A picture that shows what was read is awaited so often, so long. */
const PICTURE_TRIES = 20;
const PICTURE_WAIT_MS = 100;
/** What was not read is waited for when the recording ends. */
const LAST_READ_MS = 2_000;

/** What is needed of the recorder of the same desktop. */
interface PictureRecorder {
  readonly nowMs: number;
  shownSince(generation: number): number | null;
  note(event: TrackEvent): void;
  flush(): Promise<void>;
}

/** Notes which lines of text a desktop shows while it is recorded. Nothing is read while nothing changes. */
export class TextRecorder {
  readonly #desktop: Pick<Desktop, "hiddenFrom">;
  readonly #reader: TextReader;
  readonly #recorder: PictureRecorder;
  readonly #clock: Pick<Clock, "nowMs" | "after">;
  readonly #lines = new TextLines();
  readonly #off: () => void;
  readonly #ending = new AbortController();
  /** Something changed since text was read. */
  #isDirty = true;
  #reading: Promise<void> | null = null;
  #cancelWait: (() => void) | null = null;
  #isClosed = false;

  /** `reader` is closed with it. */
  constructor(
    desktop: Pick<Desktop, "on" | "hiddenFrom">,
    reader: TextReader,
    recorder: PictureRecorder,
    clock: Pick<Clock, "nowMs" | "after">,
  ) {
    this.#desktop = desktop;
    this.#reader = reader;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#off = desktop.on(({ type }) => {
      if (type === "update" || type === "masks" || type === "resize") this.#changed();
    });
    this.#wait(LEAST_WAIT_MS);
  }

  /** Reads what is not read yet, if that takes no longer than a moment. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#off();
    this.#cancelWait?.();
    const cancel = this.#clock.after(LAST_READ_MS, () => this.#ending.abort(new Error("the recording ends")));
    await this.#reading;
    if (this.#isDirty) {
      await this.#recorder.flush();
      await this.#read();
    }
    cancel();
    this.#reader.close();
  }

  #changed(): void {
    this.#isDirty = true;
    if (this.#cancelWait === null && this.#reading === null) this.#begin();
  }

  /** Reads again not before so long, and then when something changed. */
  #wait(ms: number): void {
    if (this.#isClosed) return;
    this.#cancelWait = this.#clock.after(ms, () => {
      this.#cancelWait = null;
      if (this.#isDirty) this.#begin();
    });
  }

  #begin(): void {
    if (this.#isClosed) return;
    this.#reading = this.#read().then((waitMs) => {
      this.#reading = null;
      this.#wait(waitMs);
    });
  }

  /** Gives how long to wait for the next time. Never rejects. */
  async #read(): Promise<number> {
    this.#isDirty = false;
    const beganMs = this.#clock.nowMs();
    try {
      const shown = await this.#reader.now(this.#ending.signal);
      const tookMs = this.#clock.nowMs() - beganMs;
      const bytes = this.#note(shown, await this.#shownSince(shown.generation));
      return Math.max(LEAST_WAIT_MS, tookMs * REST_SHARE, bytes / BYTES_PER_MS);
    } catch {
      // Whoever reads says why; the recording goes on without text.
      this.#isDirty = true;
      return RETRY_MS;
    }
  }

  async #shownSince(generation: number): Promise<number> {
    for (let tries = 0; tries < PICTURE_TRIES && !this.#ending.signal.aborted; tries++) {
      const atMs = this.#recorder.shownSince(generation);
      if (atMs !== null) return atMs;
      await new Promise<void>((resolve) => this.#clock.after(PICTURE_WAIT_MS, resolve));
    }
    return this.#recorder.nowMs;
  }

  /** Gives the bytes that were noted. */
  #note({ lines }: ShownText, shownMs: number): number {
    // What was masked while it was read may not be in a picture of the recording.
    const hidden = this.#desktop.hiddenFrom("recording");
    const isShown = ({ rect }: { readonly rect: Rect }): boolean =>
      !hidden.some((place) => overlapRects(place, rect));
    const isDue = this.#recorder.nowMs - this.#lines.restatedMs >= RESTATE_TEXT_MS;
    const entry = this.#lines.follow(lines.filter(isShown), shownMs, isDue);
    if (entry === null) return 0;
    this.#recorder.note(entry);
    return JSON.stringify(entry).length;
  }
}
