import { watch } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../platform/clock.ts";
import type { AuditEntry } from "../audit-event.ts";
import { CURRENT } from "../log-files.ts";
import { type Cursor, readCursor, writeCursor } from "./cursor.ts";
import { bytesBehind, readBehind } from "./log-reader.ts";
import { type Receiver, ReceiverError } from "./receiver.ts";

export interface ForwarderOptions {
  /** Where the log and the cursor lie. */
  readonly dir: string;
  readonly receiver: Receiver;
  readonly clock: Clock;
  /** `enforced`: while more waits than `spoolBytes` nothing is done that must be told. `best_effort`: the oldest is passed over. */
  readonly delivery: "enforced" | "best_effort";
  /** What may wait, in bytes of the log. */
  readonly spoolBytes: number;
  record(entry: AuditEntry): void;
  /** Once when the receiver begins to fail, and once when it works again. */
  onChange?(isWorking: boolean, error: unknown): void;
}

const MOST_LINES = 512;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;
const CLOSE_WITHIN_MS = 2000;

/** How one receiver of the log is served. */
export interface ForwardState {
  readonly name: string;
  readonly isWorking: boolean;
  /** More waits than may. */
  readonly isFull: boolean;
  readonly waitingBytes: number;
  /** Lines that it was not sent or refused, since the start. */
  readonly dropped: number;
}

/**
 * Sends the log to one receiver, in order. The log itself is what waits on the disk, and a cursor tells how much of it
 * the receiver has: it moves only after the receiver's yes. Who is killed between sends some again, which the receiver
 * sees by `event_id` and `chain.seq`.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #cursorPath: string;
  #isFailing = false;
  #isClosed = false;
  #waitingBytes = 0;
  #dropped = 0;
  #most = MOST_LINES;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: (() => void) | null = null;
  #pump: Promise<void> | null = null;
  /** What the receiver has, while the cursor's file cannot be written: on a full disk nothing is sent again and again. */
  #unstored: { readonly cursor: Cursor; readonly lost: number } | null = null;
  /** Something was written since the pump last looked. */
  #isNew = false;
  #stopWatching = (): void => {};

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#cursorPath = join(options.dir, `audit.cursor.${options.receiver.name}`);
  }

  /** Begins with what waits since the last time; commands of other processes write to the log too. */
  open(): void {
    try {
      const watcher = watch(this.#options.dir, { persistent: false }, (_event, name) => {
        if (name === CURRENT) this.written();
      });
      // Without it lines of other processes are sent with the next one of ours.
      watcher.on("error", () => watcher.close());
      this.#stopWatching = () => watcher.close();
    } catch {
      // Likewise.
    }
    this.written();
  }

  get state(): ForwardState {
    const { receiver, spoolBytes } = this.#options;
    return {
      name: receiver.name,
      isWorking: !this.#isFailing,
      isFull: this.#waitingBytes > spoolBytes,
      waitingBytes: this.#waitingBytes,
      dropped: this.#dropped,
    };
  }

  /** Why nothing must be done that would have to be told; null where it may. */
  get refusal(): string | null {
    const { isFull, name } = this.state;
    if (!isFull || this.#options.delivery !== "enforced") return null;
    return `more than audit.spool_mb waits for the ${name} receiver of the audit log: bring it back, or set audit.delivery to best_effort`;
  }

  /** There is more in the log. */
  written(): void {
    if (this.#isClosed) return;
    this.#isNew = true;
    this.#pump ??= this.#run().finally(() => {
      this.#pump = null;
      if (this.#isNew && !this.#isFailing) this.written();
    });
  }

  /** Resolves when all that can be sent now is sent, or the receiver failed. */
  async flush(): Promise<void> {
    while (this.#pump !== null) await this.#pump;
  }

  /** Sends what is left, for two seconds at most; what is not sent by then is sent after the next start. */
  async close(): Promise<void> {
    this.#stopWatching();
    this.#cancelRetry?.();
    let cancel = (): void => {};
    const tooLong = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(CLOSE_WITHIN_MS, resolve);
    });
    if (!this.#isFailing) {
      this.written();
      await Promise.race([this.flush(), tooLong]);
    }
    cancel();
    this.#isClosed = true;
    this.#cancelRetry?.();
  }

  async #run(): Promise<void> {
    const { dir, delivery, spoolBytes } = this.#options;
    try {
      while (!this.#isClosed) {
        this.#isNew = false;
        const unstored = this.#unstored;
        const cursor = unstored?.cursor ?? (await readCursor(this.#cursorPath));
        this.#waitingBytes = await bytesBehind(dir, cursor);
        if (this.#waitingBytes > spoolBytes && delivery === "best_effort" && unstored === null) {
          await this.#passOver(cursor);
          continue;
        }
        // It is tried again when its time comes; what waits meanwhile is counted alone.
        if (this.#cancelRetry !== null) return;
        if (unstored !== null) {
          await this.#had(unstored.cursor, unstored.lost);
          continue;
        }
        const batch = await readBehind(dir, cursor, this.#most);
        if (batch.lines.length === 0) return;
        const { refused } = await this.#options.receiver.send(batch.lines);
        await this.#had(batch.cursor, refused + batch.missing);
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  async #had(cursor: Cursor, lost: number): Promise<void> {
    this.#unstored = { cursor, lost };
    await writeCursor(this.#cursorPath, cursor);
    this.#unstored = null;
    this.#tellLost(lost);
    this.#most = Math.min(MOST_LINES, this.#most * 2);
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#isFailing) this.#options.onChange?.(true, null);
    this.#isFailing = false;
  }

  /** Leaves out the oldest until half of what may wait does, so that this is not done for each line anew. */
  async #passOver(from: Cursor): Promise<void> {
    const { dir, spoolBytes } = this.#options;
    let cursor = from;
    let lost = 0;
    while ((await bytesBehind(dir, cursor)) > spoolBytes / 2) {
      const batch = await readBehind(dir, cursor, MOST_LINES);
      if (batch.lines.length === 0) break;
      lost += batch.missing + batch.lines.length;
      cursor = batch.cursor;
    }
    await writeCursor(this.#cursorPath, cursor);
    this.#tellLost(lost);
  }

  #tellLost(lost: number): void {
    if (lost === 0) return;
    this.#dropped += lost;
    const { receiver, record } = this.#options;
    record({ type: "audit.gap", severity: "error", action: receiver.name, counts: { dropped: lost } });
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) this.#options.onChange?.(false, error);
    this.#isFailing = true;
    const { pauseMs, isTooLarge } =
      error instanceof ReceiverError ? error : { pauseMs: 0, isTooLarge: false };
    if (isTooLarge) this.#most = Math.max(1, Math.floor(this.#most / 2));
    if (this.#isClosed) return;
    const waitMs = Math.min(LONGEST_RETRY_MS, Math.max(pauseMs, this.#retryMs));
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    this.#cancelRetry?.();
    this.#cancelRetry = this.#options.clock.after(
      waitMs,
      () => {
        this.#cancelRetry = null;
        this.written();
      },
      { isIdle: true },
    );
  }
}
