import type { Notice, PushLink, PushMessage, PushSubject } from "./notice.ts";

/** Of what a receiver is told, and where its links lead. */
export interface PushWish {
  readonly subjects: readonly PushSubject[];
  /** Ids; absent: of all desktops, and of questions about none. */
  readonly desktops?: readonly string[];
  readonly link: PushLink;
}

/** A place that messages for people are sent to. */
export interface PushReceiver {
  /** In the log and the audit log, where no address stands: it may be a secret. */
  readonly name: string;
  wants(notice: Notice): boolean;
  /** null: none. Made once for each notice. */
  linkOf(notice: Notice): string | null;
  /** Resolves once it was taken. Throws PushError. */
  send(message: PushMessage): Promise<void>;
}

/** The receiver did not take a message. */
export class PushError extends Error {
  override readonly name = "PushError";
  /** It will never take this one. */
  readonly isFinal: boolean;
  /** It asked for so long a pause; 0: it said nothing. */
  readonly pauseMs: number;
  /** Of its answer; null where there was none. */
  readonly status: number | null;

  constructor(
    message: string,
    {
      isFinal = false,
      pauseMs = 0,
      status = null,
      cause,
    }: { isFinal?: boolean; pauseMs?: number; status?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isFinal = isFinal;
    this.pauseMs = pauseMs;
    this.status = status;
  }
}

/** Whether a wish covers a notice. */
export function isWanted({ subjects, desktops }: PushWish, { subject, desktop }: Notice): boolean {
  if (!subjects.includes(subject)) return false;
  return desktops === undefined || (desktop !== null && desktops.includes(desktop.id));
}
