import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../framebuffer/picture.ts";
import { systemClock } from "../../platform/clock.ts";
import { openThread } from "../../platform/worker-thread.ts";
import { copyPixels, copyRows } from "../pixels.ts";
import type { Aside } from "../strip-set.ts";
import type {
  EncodedStrips,
  EncodingTask,
  FromEncoder,
  StripPixels,
  ToEncoder,
} from "./encoding-messages.ts";
import { EncodingLostError } from "./error.ts";

/** The loop has a core of its own; more threads than this only take memory: a few pictures are made at a time. */
const MOST_THREADS = Math.max(1, Math.min(8, availableParallelism() - 1));

/** Tasks of one thread at a time: the next one is there when the loop has no turn for it yet. */
const TASKS_AHEAD = 2;

/** A thread with tasks that says nothing for so long hangs: a task takes milliseconds. */
const HANGS_MS = 30_000;

/** Memory for pixels is taken in multiples of this, so that strips of other pictures find it of use. */
const SPARE_STEP = 64 * 1024;

/** Kept for the next pictures: two of full HD, whose 68 strips take two steps each. */
const MOST_SPARE_BYTES = 18 * 1024 * 1024;

export interface EncodingTimer {
  after(delayMs: number, call: () => void): () => void;
}

/** A copy of a strip's pixels: in the memory of `old` where that is as large, else in the pool's, or in new memory. */
export function takeStrip(
  pool: EncodingPool | null,
  pixels: Pixels,
  { width, rows }: Pick<StripPixels, "width" | "rows">,
  old: StripPixels | undefined,
): StripPixels {
  if (old?.width === width && old.rows === rows) {
    copyRows(pixels, width, rows, old.rgba);
    return old;
  }
  return pool?.take(pixels, width, rows) ?? { rgba: copyPixels(pixels, width, rows), width, rows };
}

interface Job {
  readonly id: number;
  readonly task: EncodingTask;
  resolve(encoded: EncodedStrips): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  isReady: boolean;
  cancelWatch(): void;
}

/**
 * Threads that compress strips of pictures: as many as cores, less the loop's. They are opened when there is work for
 * them, and stay, since opening one takes longer than encoding a picture. Until one is ready the loop does the work.
 */
export class EncodingPool {
  readonly #timer: EncodingTimer;
  readonly #openWorker: () => Worker;
  readonly #most: number;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  /** Given back by threads: memory that was never used costs more to fill than to copy into, and is collected. */
  readonly #spare: ArrayBuffer[] = [];
  #next = 1;

  constructor(timer: EncodingTimer, openWorker: () => Worker, most = MOST_THREADS) {
    this.#timer = timer;
    this.#openWorker = openWorker;
    this.#most = most;
  }

  /** Whether a thread waits for work or works; opens one where there is none. */
  get isReady(): boolean {
    if (this.#threads.size === 0) this.#open();
    return [...this.#threads].some(({ isReady }) => isReady);
  }

  /** The task's pixels are handed over. Rejects with EncodingLostError where the thread ends meanwhile. */
  run(task: EncodingTask): Promise<EncodedStrips> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: this.#next++, task, resolve, reject });
      this.#fill();
    });
  }

  /** The pool as a format of strips has it. `taskOf`: the task for strips; `stripsOf`: what it gave, null where it is another's. */
  aside<Strip>(
    taskOf: (strips: readonly StripPixels[]) => EncodingTask,
    stripsOf: (encoded: EncodedStrips) => readonly Strip[] | null,
  ): Aside<StripPixels, Strip> {
    const isReady = (): boolean => this.isReady;
    return {
      get isReady() {
        return isReady();
      },
      compress: async (taken) => {
        const encoded = await this.run(taskOf(taken));
        const strips = stripsOf(encoded);
        if (strips === null) throw new Error(`got ${encoded.kind} strips from another task`);
        return strips;
      },
    };
  }

  /** Resolves when all threads are gone; whoever waits is told. The next task opens one again. */
  async close(): Promise<void> {
    const threads = [...this.#threads];
    for (const thread of threads) this.#lost(thread, new EncodingLostError("encoding has ended"));
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  /** Pixels of a strip in memory that `run` hands over. */
  take(pixels: Pixels, width: number, rows: number): StripPixels {
    const sizeBytes = width * BYTES_PER_PIXEL * rows;
    const at = this.#spare.findLastIndex(
      ({ byteLength }) => byteLength >= sizeBytes && byteLength < sizeBytes + 2 * SPARE_STEP,
    );
    const [spare] = at < 0 ? [] : this.#spare.splice(at, 1);
    const buffer = spare ?? new ArrayBuffer(Math.ceil(sizeBytes / SPARE_STEP) * SPARE_STEP);
    const rgba = new Uint8Array(buffer, 0, sizeBytes);
    copyRows(pixels, width, rows, rgba);
    return { rgba, width, rows };
  }

  #keepSpare(memory: readonly ArrayBuffer[]): void {
    this.#spare.push(...memory);
    let bytes = this.#spare.reduce((sum, { byteLength }) => sum + byteLength, 0);
    // The oldest first: pictures of another size are asked for now.
    while (bytes > MOST_SPARE_BYTES) bytes -= this.#spare.shift()?.byteLength ?? bytes;
  }

  #fill(): void {
    while (this.#waiting.length > 0) {
      const ready = [...this.#threads].filter(({ isReady, jobs }) => isReady && jobs.size < TASKS_AHEAD);
      const thread = ready.find(({ jobs }) => jobs.size === 0) ?? ready[0];
      const isOpening = [...this.#threads].some(({ isReady }) => !isReady);
      if (thread?.jobs.size !== 0 && !isOpening && this.#threads.size < this.#most) this.#open();
      if (thread === undefined) break;
      const job = this.#waiting.shift();
      if (job !== undefined) this.#begin(thread, job);
    }
    if (this.#threads.size === 0) this.#refuseWaiting(new EncodingLostError("there is no encoding thread"));
  }

  #begin(thread: Thread, job: Job): void {
    thread.jobs.set(job.id, job);
    const message: ToEncoder = { id: job.id, task: job.task };
    thread.worker.postMessage(
      message,
      job.task.strips.map(({ rgba }) => rgba.buffer),
    );
    this.#watch(thread);
  }

  /** Where no thread can be had the loop goes on doing the work. */
  #open(): void {
    let worker: Worker;
    try {
      worker = this.#openWorker();
    } catch {
      return;
    }
    // Only work keeps the process alive.
    worker.unref();
    const thread: Thread = { worker, jobs: new Map(), isReady: false, cancelWatch: () => {} };
    this.#threads.add(thread);
    worker.on("message", (message: FromEncoder) => {
      // Of a thread that is being ended nothing counts any more.
      if (!this.#threads.has(thread)) return;
      if (message.kind === "ready") thread.isReady = true;
      else {
        const job = thread.jobs.get(message.id);
        thread.jobs.delete(message.id);
        if (message.kind === "done") {
          this.#keepSpare(message.memory);
          job?.resolve(message.encoded);
        } else job?.reject(new Error(`encoding failed: ${message.message}`));
      }
      this.#watch(thread);
      this.#fill();
    });
    worker.on("error", (cause) =>
      this.#lost(thread, new EncodingLostError("an encoding thread failed", { cause })),
    );
    worker.on("exit", () => this.#lost(thread, new EncodingLostError("an encoding thread ended")));
  }

  #watch(thread: Thread): void {
    thread.cancelWatch();
    thread.cancelWatch = () => {};
    if (thread.jobs.size === 0) {
      thread.worker.unref();
      return;
    }
    thread.worker.ref();
    thread.cancelWatch = this.#timer.after(HANGS_MS, () => {
      this.#lost(thread, new EncodingLostError(`an encoding thread said nothing for ${HANGS_MS / 1000} s`));
      thread.worker.terminate().catch(() => undefined);
    });
  }

  /** What ran there is lost with its pixels; what waits goes to the others, or back to who asked. */
  #lost(thread: Thread, error: EncodingLostError): void {
    if (!this.#threads.delete(thread)) return;
    thread.cancelWatch();
    this.#spare.length = 0;
    for (const job of thread.jobs.values()) job.reject(error);
    thread.jobs.clear();
    if ([...this.#threads].some(({ isReady }) => isReady)) this.#fill();
    else this.#refuseWaiting(error);
  }

  #refuseWaiting(error: EncodingLostError): void {
    for (const job of this.#waiting.splice(0)) job.reject(error);
  }
}

/** The pool of the process: cores are shared by all who encode, whichever desktop or recording it is for. */
export const encodingPool = new EncodingPool(systemClock, () =>
  openThread("encoding-worker", import.meta.url),
);
