import type { Clock } from "../../platform/clock.ts";
import type { CaptureRateLimits } from "./capture-rate.ts";
import type { CopyScheduler } from "./copy-scheduler.ts";
import type { RecordingEncoder } from "./encoder.ts";

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
