import type { Worker } from "node:worker_threads";
import type { Size } from "../framebuffer/rect.ts";
import { openThread } from "../platform/worker-thread.ts";
import type { LineInk } from "./cut/cut-line.ts";
import { VisionError } from "./error.ts";
import type { EngineChoice } from "./ocr-engine.ts";
import type { FromOcrThread, LineWords, OcrLine, OcrTask, PictureTask, ToOcrThread } from "./ocr-messages.ts";
import { ocrLineOf } from "./read-line.ts";
import { languagesOf } from "./tesseract-program.ts";

/** Each takes a core while it reads, and the memory of an engine with its models. */
const MOST_THREADS = 2;

/** Pixels read at once: full of small text they take half a minute, and clients wait one. */
const MOST_PIXELS = 2560 * 1600;
/** Pixels a side: the engine counts them in 15 bits, and is given lines up to twice as long. */
const MOST_SIDE = 16_383;

/** Tasks of one owner that run or wait: the others have their turns. */
const MOST_OF_ONE = 4;
/** Of all owners together: each that waits holds a picture file. */
const MOST_IN_ALL = 24;

/** A full screen of small text takes many seconds: what takes longer hangs. */
const HANGS_MS = 50_000;

/** Nobody asked for so long: an engine with its models is memory. */
const IDLE_MS = 60_000;

export interface OcrTimer {
  after(delayMs: number, call: () => void): () => void;
}

/** For whom something is read, and in what languages, the most likely first. */
interface ReadFor {
  /** Owners take turns. */
  readonly ownerId: string;
  readonly languages: readonly string[];
}

/** A picture to read. */
export interface OcrRequest extends Omit<PictureTask, "kind">, ReadFor {
  /** Of the picture in the file. */
  readonly size: Size;
}

/** Lines to read that are cut already. */
export interface LinesRequest extends ReadFor {
  readonly lines: readonly LineInk[];
}

/** Throws VisionError too_large for more than is read at once. */
export function checkReadable({ width, height }: Size): void {
  if (width * height <= MOST_PIXELS && Math.max(width, height) <= MOST_SIDE) return;
  throw new VisionError(
    "too_large",
    `got ${width}x${height}, expected at most ${MOST_PIXELS} pixels, and ${MOST_SIDE} a side: give a region`,
  );
}

interface Job {
  readonly id: number;
  readonly ownerId: string;
  readonly task: OcrTask;
  resolve(lines: LineWords): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
  cancelTimer(): void;
}

/**
 * Threads that read text from pictures, each with an engine of its own: opened when there is work for them, ended when
 * there was none for a while. A thread reads one picture at a time.
 */
export class OcrPool {
  readonly #timer: OcrTimer;
  readonly #engine: EngineChoice;
  readonly #openWorker: () => Worker;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #next = 1;
  #isClosed = false;

  constructor(
    timer: OcrTimer,
    engine: EngineChoice = { kind: "embedded" },
    openWorker = (): Worker => openThread("ocr-worker", import.meta.url),
  ) {
    this.#timer = timer;
    this.#engine = engine;
    this.#openWorker = openWorker;
  }

  /** How many threads there are now. */
  get threads(): number {
    return this.#threads.size;
  }

  /**
   * The lines of text in a picture, in reading order. Rejects with VisionError, or with the signal's reason: what is
   * read then is given up with its thread.
   */
  async read(
    { size, ownerId, file, part, languages }: OcrRequest,
    signal: AbortSignal,
  ): Promise<readonly OcrLine[]> {
    checkReadable(part ?? size);
    // A copy of its own: what is sent of a view is all of the memory it lies in.
    const task = { kind: "picture", file: Uint8Array.from(file), part, languages } as const;
    const lines = await this.#run(task, ownerId, signal);
    return lines.flatMap((words) => ocrLineOf(words) ?? []);
  }

  /** The words of each line, in its place. Rejects as `read` does. */
  async readLines({ lines, ownerId, languages }: LinesRequest, signal: AbortSignal): Promise<LineWords> {
    return await this.#run({ kind: "lines", lines, languages }, ownerId, signal);
  }

  async #run(task: OcrTask, ownerId: string, signal: AbortSignal): Promise<LineWords> {
    signal.throwIfAborted();
    this.#admit(ownerId);
    return await new Promise((resolve, reject) => {
      const job: Job = {
        id: this.#next++,
        ownerId,
        task,
        resolve: (lines) => {
          signal.removeEventListener("abort", cancel);
          resolve(lines);
        },
        reject: (error) => {
          signal.removeEventListener("abort", cancel);
          reject(error);
        },
      };
      const cancel = (): void => this.#cancel(job, signal.reason);
      signal.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(job);
      this.#fill();
    });
  }

  /** Names of the languages that can be read. Rejects with VisionError engine_missing, engine_failed. */
  async languages(): Promise<readonly string[]> {
    return await languagesOf(this.#engine);
  }

  /** Resolves when all threads are gone; whoever waits is told. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = new VisionError("engine_lost", "reading has ended");
    for (const job of this.#waiting.splice(0)) job.reject(ended);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, ended)));
  }

  #admit(ownerId: string): void {
    if (this.#isClosed) throw new VisionError("engine_lost", "reading has ended");
    const running = [...this.#threads].flatMap(({ job }) => (job === null ? [] : [job]));
    const jobs = [...running, ...this.#waiting];
    const own = jobs.filter((job) => job.ownerId === ownerId).length;
    if (own < MOST_OF_ONE && jobs.length < MOST_IN_ALL) return;
    const [got, most] = own < MOST_OF_ONE ? ["pictures", MOST_IN_ALL] : ["of your pictures", MOST_OF_ONE];
    throw new VisionError("too_many", `${most} ${got} are being read or wait, expected fewer at once`);
  }

  #fill(): void {
    while (this.#waiting.length > 0) {
      let thread = [...this.#threads].find(({ job }) => job === null);
      if (thread === undefined && this.#threads.size < MOST_THREADS) {
        try {
          thread = this.#open();
        } catch (cause) {
          if (this.#threads.size > 0) return;
          const error = new VisionError("engine_failed", "the engine's thread could not be opened", {
            cause,
          });
          for (const job of this.#waiting.splice(0)) job.reject(error);
        }
      }
      if (thread === undefined) return;
      const job = this.#takeNext();
      if (job !== undefined) this.#begin(thread, job);
    }
  }

  /** Of an owner for whom nothing is read now, else whoever waited longest. */
  #takeNext(): Job | undefined {
    const served = new Set([...this.#threads].map(({ job }) => job?.ownerId));
    const at = this.#waiting.findIndex(({ ownerId }) => !served.has(ownerId));
    return this.#waiting.splice(Math.max(0, at), 1)[0];
  }

  #open(): Thread {
    const worker = this.#openWorker();
    const thread: Thread = { worker, job: null, cancelTimer: () => {} };
    this.#threads.add(thread);
    worker.on("message", (message: FromOcrThread) => this.#answered(thread, message));
    worker.on("error", (cause) => this.#lost(thread, "the engine's thread failed", cause));
    worker.on("exit", () => this.#lost(thread, "the engine's thread ended"));
    return thread;
  }

  #begin(thread: Thread, job: Job): void {
    thread.cancelTimer();
    thread.job = job;
    // Only work keeps the process alive.
    thread.worker.ref();
    const message: ToOcrThread = { id: job.id, engine: this.#engine, task: job.task };
    thread.worker.postMessage(message);
    thread.cancelTimer = this.#timer.after(HANGS_MS, () =>
      this.#lost(thread, `the engine took more than ${HANGS_MS / 1000} s: give a smaller region`),
    );
  }

  #answered(thread: Thread, message: FromOcrThread): void {
    const { job } = thread;
    // Of a thread that is being ended nothing counts any more.
    if (!this.#threads.has(thread) || job?.id !== message.id) return;
    // An engine that failed may go on failing, as WebAssembly does after a trap: the next picture gets another.
    if (message.kind === "failed" && message.code === "engine_failed") {
      this.#end(thread, new VisionError(message.code, message.message)).catch(() => undefined);
      this.#fill();
      return;
    }
    thread.job = null;
    thread.cancelTimer();
    thread.worker.unref();
    thread.cancelTimer = this.#timer.after(IDLE_MS, () => {
      this.#end(thread, null).catch(() => undefined);
    });
    if (message.kind === "done") job.resolve(message.lines);
    else job.reject(new VisionError(message.code, message.message));
    this.#fill();
  }

  #cancel(job: Job, reason: unknown): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      job.reject(reason);
      return;
    }
    // The engine cannot be interrupted: it ends with its thread.
    const thread = [...this.#threads].find((one) => one.job === job);
    if (thread === undefined) return;
    this.#end(thread, reason).catch(() => undefined);
    this.#fill();
  }

  /** What it read is lost; what waits goes to the others, or to a new one. */
  #lost(thread: Thread, message: string, cause?: unknown): void {
    if (!this.#threads.has(thread)) return;
    this.#end(thread, new VisionError("engine_lost", message, { cause })).catch(() => undefined);
    this.#fill();
  }

  async #end(thread: Thread, error: unknown): Promise<void> {
    this.#threads.delete(thread);
    thread.cancelTimer();
    thread.job?.reject(error);
    thread.job = null;
    await thread.worker.terminate();
  }
}
