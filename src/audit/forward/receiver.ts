import type { SentLine } from "./log-reader.ts";

/** A place beside the log itself to which its lines are sent. */
export interface Receiver {
  /** In messages and file names: http, syslog, otlp. */
  readonly name: string;
  /**
   * Resolves once the receiver has said that it has them, with how many of them it said it refuses for good. Rejects
   * where that is not known; then they are sent again.
   */
  send(lines: readonly SentLine[]): Promise<{ readonly refused: number }>;
}

/** The receiver did not take what it was sent. */
export class ReceiverError extends Error {
  override readonly name = "ReceiverError";
  /** It asked for so long a pause; 0: it said nothing. */
  readonly pauseMs: number;
  /** It was too much at a time. */
  readonly isTooLarge: boolean;

  constructor(
    message: string,
    {
      pauseMs = 0,
      isTooLarge = false,
      cause,
    }: { pauseMs?: number; isTooLarge?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.pauseMs = pauseMs;
    this.isTooLarge = isTooLarge;
  }
}

/** One that does not answer is one that is down. */
export const ANSWER_WITHIN_MS = 10_000;
