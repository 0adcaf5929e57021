import type { Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CaptureRateLimits } from "./capture-rate.ts";
import type { CopyScheduler } from "./copy-scheduler.ts";
import type { RecordingEncoder } from "./encoder.ts";

/** The lines of text that a desktop shows to who looks at its recordings. */
export interface ShownText {
  /** Of the desktop, as in a View. */
  readonly generation: number;
  readonly lines: readonly {
    /** Words with blanks between them. */
    readonly text: string;
    readonly rect: Rect;
    readonly words: readonly { readonly rect: Rect }[];
  }[];
}

/** Reads the text of one desktop while that is recorded; what is masked from recordings is never in it. */
export interface TextReader {
  /** All lines of now. Rejects where they cannot be read, and with the signal's reason. */
  now(signal: AbortSignal): Promise<ShownText>;
  close(): void;
}

/** What a recorder needs of the appliance. */
export interface RecorderPorts {
  readonly clock: Clock;
  readonly turns: CopyScheduler;
  /** Another one, after one failed. */
  openEncoder(): RecordingEncoder;
  /** Free bytes where the recording is written. */
  freeBytes(): Promise<number>;
  /** Nothing can be written, and later again. */
  failed(error: Error): void;
  recovered(): void;
  onBug(error: unknown): void;
}

export interface RecorderOptions extends CaptureRateLimits {
  /** With less free on the disk nothing is written. */
  readonly floorBytes: number;
}
