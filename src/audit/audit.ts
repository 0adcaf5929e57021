import { randomUUID } from "node:crypto";
import { RefusedError } from "../desktop/error.ts";
import type { Clock } from "../platform/clock.ts";
import type { AuditEntry, AuditEvent, AuditedFleet, AuditLabels } from "./audit-event.ts";
import { auditEvent } from "./audit-event.ts";
import { ChainKey } from "./chain-key.ts";
import { type AuditRotation, ChainedFile } from "./chained-file.ts";
import type { AuditSink } from "./sink.ts";
import { StreamSink } from "./sink.ts";

const AUDIT_SINKS = ["file", "stdout", "stderr", "off"] as const;
export type AuditSinkName = (typeof AUDIT_SINKS)[number];

/** Events waiting for the sink; about 10 MiB. Beyond it new ones are counted instead of kept. */
const MAX_WAITING = 10_000;
/** One write to the sink. */
const MAX_BATCH = 512;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;
/** How long closing waits for a sink that does not take what is left. */
const CLOSE_WITHIN_MS = 5000;
/** How long who must be written down waits for a sink that does not answer. */
const SECURED_WITHIN_MS = 5000;
/** A checkpoint is written after so many events, and so long after the first one since the last. */
const CHECKPOINT_EVENTS = 1000;
const CHECKPOINT_MS = 60_000;

export interface AuditOptions extends AuditLabels {
  readonly sink: AuditSink | null;
  readonly clock: Clock;
  /** Called once when the sink starts to fail, and once when it works again. */
  readonly onSinkChange?: (isWorking: boolean, error: unknown) => void;
  /** Why nothing must be done that would have to be told, though it can be written; null where it may. */
  readonly refusal?: () => string | null;
  /** Called after each write to the sink. */
  readonly onWritten?: () => void;
  /** Whether checkpoints are written: by who lives long and has a sink that signs them. */
  readonly hasCheckpoints?: boolean;
  readonly maxWaiting?: number;
}

/** Who waits until all up to a number is written. */
interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: RefusedError) => void;
}

/**
 * The audit log. `record` never waits and never throws; what a failing sink made us drop
 * is told by an `audit.gap` event with the exact number. Who must not act unwritten waits for `secured` first.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #maxWaiting: number;
  #waiting: AuditEvent[] = [];
  #dropped = 0;
  /** Events that came in, and those of them that are written. */
  #recorded = 0;
  #written = 0;
  #waiters: Waiter[] = [];
  #retryMs = FIRST_RETRY_MS;
  #isFailing = false;
  #isClosed = false;
  #cancelRetry: (() => void) | null = null;
  /** Events since the last checkpoint, and what makes the next one when its time comes. */
  #unsigned = 0;
  #cancelCheckpoint: (() => void) | null = null;
  #pump: Promise<void> | null = null;
  /** Of which fleet this server is; null: it is alone. */
  fleet: AuditedFleet | null = null;

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
    if (this.#options.hasCheckpoints === true) this.#count();
    if (!this.#isFailing) this.#start();
  }

  /** How many events wait for the sink, and how many it made us drop that are not told yet. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.#waiting.length, dropped: this.#dropped };
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
    const refusal = this.#options.refusal?.() ?? null;
    if (refusal !== null) return Promise.reject(new RefusedError("audit_down", refusal));
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
    if (this.#unsigned > 0) this.#checkpoint();
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

  #push(entry: AuditEntry): void {
    const { clock, version, deployment, tenant, redact } = this.#options;
    const labels = { version, deployment, tenant, redact, fleet: this.fleet };
    this.#waiting.push(auditEvent(entry, { id: randomUUID(), at: clock.date(), ...labels }));
    this.#recorded += 1;
  }

  /** Nothing is timed while nothing happens. */
  #count(): void {
    this.#unsigned += 1;
    if (this.#unsigned >= CHECKPOINT_EVENTS) this.#checkpoint();
    else this.#cancelCheckpoint ??= this.#options.clock.after(CHECKPOINT_MS, () => this.#checkpoint());
  }

  #checkpoint(): void {
    this.#cancelCheckpoint?.();
    this.#cancelCheckpoint = null;
    this.#push({ type: "audit.checkpoint", counts: { events: this.#unsigned } });
    this.#unsigned = 0;
    if (!this.#isFailing) this.#start();
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
        await sink.write(batch);
      } catch (error) {
        this.#failed(error);
        break;
      }
      this.#waiting = this.#waiting.slice(batch.length);
      this.#worked(batch.length);
      this.#options.onWritten?.();
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

/**
 * The sink that an option names. With MCP on stdio stdout belongs to the protocol, so it means stderr there. Throws
 * AuditError for a key that cannot be used.
 */
export async function openAuditSink(
  name: AuditSinkName,
  place: {
    readonly dataDir: string;
    readonly isStdoutTaken: boolean;
    readonly key: string | null;
    readonly rotation: AuditRotation;
    readonly clock: Clock;
    readonly labels: AuditLabels;
  },
): Promise<AuditSink | null> {
  const { clock, labels } = place;
  switch (name) {
    case "file":
      return new ChainedFile({
        dir: place.dataDir,
        key: await ChainKey.open(place.dataDir, place.key),
        clock,
        rotation: place.rotation,
        stamp: (entry) => auditEvent(entry, { id: randomUUID(), at: clock.date(), ...labels }),
      });
    case "stdout":
      return new StreamSink(place.isStdoutTaken ? process.stderr : process.stdout);
    case "stderr":
      return new StreamSink(process.stderr);
    case "off":
      return null;
  }
}
