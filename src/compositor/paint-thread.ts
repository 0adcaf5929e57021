import type { Worker } from "node:worker_threads";
import type { Annotation } from "./annotate.ts";
import type { FromPainter, PaintAnswer, PaintTask, ToPainter } from "./paint-messages.ts";
import type { Painter } from "./painter.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";
import type { Raster } from "./raster.ts";

/** Beside this module lies the thread's entry, paint-worker. */
export const PAINT_THREAD_URL = import.meta.url;

/** Tasks in the thread at a time, each of another owner: long ones give way to others between two marks. */
const MOST_AT_ONCE = 4;
/** Annotations of one owner that wait: each holds a picture. Overlays that wait are bounded by the scene. */
const MOST_WAITING = 4;
/** A task that takes longer hangs: the thread is ended, and another one opened for the next. */
const HANGS_MS = 30_000;
/** Nobody asked for so long: the thread and its fonts are memory. */
const IDLE_MS = 60_000;

export interface PaintTimer {
  after(delayMs: number, call: () => void): () => void;
}

interface Job {
  readonly id: number;
  readonly ownerId: string;
  readonly task: PaintTask;
  resolve(answer: PaintAnswer): void;
  reject(error: unknown): void;
}

/**
 * A Painter in a thread of its own, opened when first needed: painting never holds the loop that desktops and viewers
 * live by. Owners take turns, one task of each at a time.
 */
export class PaintThread implements Painter {
  readonly #openWorker: () => Worker;
  readonly #timer: PaintTimer;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Map<number, Job>();
  #worker: Worker | null = null;
  #cancelTimer: () => void = () => {};
  #next = 1;
  #isClosed = false;

  constructor(timer: PaintTimer, openWorker: () => Worker) {
    this.#timer = timer;
    this.#openWorker = openWorker;
  }

  async raster({ overlay, room, bounds }: PlacedOverlay): Promise<Raster> {
    const answer = await this.#ask(overlay.ownerId, { kind: "raster", overlay, room, bounds }).done;
    if (answer.kind !== "raster") throw unexpected(answer);
    return answer.raster;
  }

  async annotate(
    ownerId: string,
    file: Uint8Array,
    annotations: readonly Annotation[],
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    signal.throwIfAborted();
    const own = this.#waiting.get(ownerId) ?? [];
    if (own.filter(({ task }) => task.kind === "annotate").length >= MOST_WAITING) {
      throw new RangeError(`${MOST_WAITING} of your annotated pictures wait: expected fewer at once`);
    }
    const { job, done } = this.#ask(ownerId, {
      kind: "annotate",
      // A copy of its own: what is sent of a view is all of the memory it lies in.
      file: Uint8Array.from(file),
      annotations,
    });
    const cancel = (): void => this.#cancel(job, signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answer = await done;
      if (answer.kind !== "file") throw unexpected(answer);
      return answer.file;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Resolves when the thread is gone; whoever waits is told. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#lost(worker, new Error("painting has ended"));
    for (const jobs of this.#waiting.values())
      for (const job of jobs) job.reject(new Error("painting has ended"));
    this.#waiting.clear();
    await worker?.terminate();
  }

  #ask(ownerId: string, task: PaintTask): { readonly job: Job; readonly done: Promise<PaintAnswer> } {
    let made: Job | null = null;
    const done = new Promise<PaintAnswer>((resolve, reject) => {
      made = { id: this.#next++, ownerId, task, resolve, reject };
    });
    if (made === null) throw new Error("a promise did not begin");
    const job: Job = made;
    if (this.#isClosed) job.reject(new Error("painting has ended"));
    else {
      const own = this.#waiting.get(ownerId) ?? [];
      own.push(job);
      this.#waiting.set(ownerId, own);
      this.#fill();
    }
    return { job, done };
  }

  /** Begins what may run now: of each owner one task, those first who waited longest. */
  #fill(): void {
    for (const [ownerId, jobs] of [...this.#waiting]) {
      if (this.#running.size >= MOST_AT_ONCE) break;
      if ([...this.#running.values()].some((job) => job.ownerId === ownerId)) continue;
      const job = jobs.shift();
      this.#waiting.delete(ownerId);
      // Behind all others from now on.
      if (jobs.length > 0) this.#waiting.set(ownerId, jobs);
      if (job !== undefined) this.#begin(job);
    }
    this.#watch();
  }

  #begin(job: Job): void {
    this.#running.set(job.id, job);
    try {
      this.#worker ??= this.#open();
      this.#tell({ kind: "task", id: job.id, task: job.task });
    } catch (error) {
      this.#running.delete(job.id);
      job.reject(error);
    }
  }

  #tell(message: ToPainter): void {
    this.#worker?.postMessage(message);
  }

  #open(): Worker {
    const worker = this.#openWorker();
    worker.unref();
    worker.on("message", ({ id, answer }: FromPainter) => {
      const job = this.#running.get(id);
      if (job === undefined) return;
      this.#running.delete(id);
      if (answer.kind === "failed") job.reject(new Error(`painting failed: ${answer.message}`));
      else job.resolve(answer);
      this.#fill();
    });
    worker.on("error", (cause) => this.#lost(worker, new Error("the painting thread failed", { cause })));
    worker.on("exit", () => this.#lost(worker, new Error("the painting thread ended")));
    return worker;
  }

  /** Nobody waits for a job any more; one that runs ends before its next mark. */
  #cancel(job: Job, reason: unknown): void {
    if (this.#running.has(job.id)) this.#tell({ kind: "cancel", id: job.id });
    const own = this.#waiting.get(job.ownerId);
    const at = own?.indexOf(job) ?? -1;
    if (at >= 0) own?.splice(at, 1);
    if (own?.length === 0) this.#waiting.delete(job.ownerId);
    job.reject(reason);
  }

  #watch(): void {
    this.#cancelTimer();
    const worker = this.#worker;
    if (worker === null) return;
    const isBusy = this.#running.size > 0;
    this.#cancelTimer = this.#timer.after(isBusy ? HANGS_MS : IDLE_MS, () => {
      this.#lost(worker, new Error(`the painting thread said nothing for ${HANGS_MS / 1000} s`));
      worker.terminate().catch(() => undefined);
    });
  }

  /** What ran there fails; what waits gets another thread. */
  #lost(worker: Worker | null, error: Error): void {
    if (worker === null || this.#worker !== worker) return;
    this.#worker = null;
    this.#cancelTimer();
    const failed = [...this.#running.values()];
    this.#running.clear();
    for (const job of failed) job.reject(error);
    if (!this.#isClosed) this.#fill();
  }
}

function unexpected({ kind }: PaintAnswer): Error {
  return new Error(`got the answer ${kind} to another question`);
}
