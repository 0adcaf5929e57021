import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { RefusedError } from "../desktop/error.ts";
import type { Clock } from "../platform/clock.ts";
import type { AuditEntry } from "./audit-event.ts";
import { auditEvent } from "./audit-event.ts";
import type { AuditSink } from "./sink.ts";
import { FileSink, StreamSink } from "./sink.ts";

const AUDIT_SINKS = ["file", "stdout", "stderr", "off"] as const;
export type AuditSinkName = (typeof AUDIT_SINKS)[number];

/** Lines waiting for the sink; about 5 MiB. Beyond it new ones are counted instead of kept. */
const MAX_WAITING = 10_000;
/** One write to the sink. */
const MAX_BATCH = 512;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;
/** How long closing waits for a sink that does not take what is left. */
const CLOSE_WITHIN_MS = 5000;
/** How long who must be written down waits for a sink that does not answer. */
const SECURED_WITHIN_MS = 5000;

export interface AuditOptions {
  readonly sink: AuditSink | null;
  readonly clock: Clock;
  readonly version: string;
  /** Called once when the sink starts to fail, and once when it works again. */
  readonly onSinkChange?: (isWorking: boolean, error: unknown) => void;
  readonly maxWaiting?: number;
}

/** Who waits until all up to a number is written. */
interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: RefusedError) => void;
}

/**
 * The audit log: one JSON object a line. `record` never waits and never throws; what a failing sink made us drop
 * is told by an `audit.gap` event with the exact number. Who must not act unwritten waits for `secured` first.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #maxWaiting: number;
  #waiting: string[] = [];
  #dropped = 0;
  /** Lines that came in, and those of them that are written. */
  #recorded = 0;
  #written = 0;
  #waiters: Waiter[] = [];
  #retryMs = FIRST_RETRY_MS;
  #isFailing = false;
  #isClosed = false;
  #cancelRetry: (() => void) | null = null;
  #pump: Promise<void> | null = null;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
  }

  record(entry: AuditEntry): void {
    if (this.#options.sink === null || this.#isClosed) return;
    if (this.#waiting.length >= this.#maxWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#push(entry);
    if (!this.#isFailing) this.#start();
  }

  /** Whether the sink took what it was last given. */
  get isWorking(): boolean {
    return !this.#isFailing;
  }

  /**
   * Resolves once all that was recorded so far is written; a failing sink is tried again at once. Throws RefusedError
   * audit_down where it could not be: what it told of must not be done.
   */
  secured(): Promise<void> {
    if (this.#options.sink === null || this.#isClosed) return Promise.resolve();
    if (this.#dropped === 0 && this.#written === this.#recorded) return Promise.resolve();
    const isDropped = this.#dropped > 0;
    let cancel = (): void => {};
    const secured = new Promise<void>((resolve, reject) => {
      if (isDropped) return reject(unwritten());
      this.#waiters.push({ upTo: this.#recorded, resolve, reject });
      cancel = this.#options.clock.after(SECURED_WITHIN_MS, () => reject(unwritten()));
    });
    this.#start();
    return secured.finally(() => cancel());
  }

  /** Resolves when all that was recorded so far is written, or the sink failed to take it. */
  async flush(): Promise<void> {
    this.#start();
    await this.#pump;
  }

  /** Writes what is left, for five seconds at most, and closes the sink. */
  async close(): Promise<void> {
    const { sink, clock } = this.#options;
    if (sink === null || this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelRetry?.();
    let cancel = (): void => {};
    const tooLong = new Promise<void>((resolve) => {
      cancel = clock.after(CLOSE_WITHIN_MS, resolve);
    });
    const ending = this.flush()
      .then(() => sink.close())
      // The sink's failure was told through onSinkChange already, and nobody is left to act on it.
      .catch(() => undefined);
    await Promise.race([ending, tooLong]);
    cancel();
  }

  #line(entry: AuditEntry): string {
    const { clock, version } = this.#options;
    return `${JSON.stringify(auditEvent(entry, { id: randomUUID(), at: clock.date(), version }))}\n`;
  }

  #push(entry: AuditEntry): void {
    this.#waiting.push(this.#line(entry));
    this.#recorded += 1;
  }

  #start(): void {
    if (this.#pump === null && this.#options.sink !== null) this.#pump = this.#drain(this.#options.sink);
  }

  async #drain(sink: AuditSink): Promise<void> {
    // Lets a burst gather into one write.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#dropped > 0) {
      if (this.#dropped > 0 && this.#waiting.length < this.#maxWaiting) {
        const dropped = this.#dropped;
        this.#dropped = 0;
        this.#push({ type: "audit.gap", severity: "error", counts: { dropped } });
      }
      const batch = this.#waiting.slice(0, MAX_BATCH);
      try {
        await sink.write(batch.join(""));
      } catch (error) {
        this.#failed(error);
        break;
      }
      this.#waiting = this.#waiting.slice(batch.length);
      this.#worked(batch.length);
    }
    // Before anything else runs: what is recorded from here on begins a new one.
    this.#pump = null;
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) this.#options.onSinkChange?.(false, error);
    this.#isFailing = true;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiters) reject(unwritten(error));
    if (this.#isClosed) return;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#options.clock.after(this.#retryMs, () => this.#start());
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #worked(lines: number): void {
    this.#written += lines;
    const isWritten = ({ upTo }: Waiter): boolean => upTo <= this.#written;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => !isWritten(waiter));
    for (const waiter of waiters) if (isWritten(waiter)) waiter.resolve();
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#isFailing) this.#options.onSinkChange?.(true, null);
    this.#isFailing = false;
  }
}

function unwritten(cause?: unknown): RefusedError {
  return new RefusedError(
    "audit_down",
    "the audit log cannot be written, and nothing is done that it would not tell of",
    { cause },
  );
}

/** The sink that an option names. With MCP on stdio stdout belongs to the protocol, so it means stderr there. */
export function auditSink(
  name: AuditSinkName,
  place: { readonly dataDir: string; readonly path?: string; readonly isStdoutTaken: boolean },
): AuditSink | null {
  switch (name) {
    case "file":
      return new FileSink(place.path ?? join(place.dataDir, "audit.ndjson"));
    case "stdout":
      return new StreamSink(place.isStdoutTaken ? process.stderr : process.stdout);
    case "stderr":
      return new StreamSink(process.stderr);
    case "off":
      return null;
  }
}
