import type { Worker } from "node:worker_threads";
import { BYTES_PER_PIXEL, Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import { WorkerWatch } from "../../platform/thread-watchdog.ts";
import { openThread } from "../../platform/worker-thread.ts";
import type { ChainPlace, PressedBlock } from "./block-encoder.ts";
import type { AddedPicture, PictureBatch, PictureNote, Scribe, Scribes } from "./encoder.ts";
import type { FromScribes, ScribeAnswer, ScribeTask, ToScribes } from "./encoder-messages.ts";

interface Waiting {
  readonly scribe: number;
  resolve(answer: ScribeAnswer): void;
  reject(error: Error): void;
}

/**
 * Scribes that work in a thread of their own, one for all recordings: encoding, hashing and encrypting never hold the
 * loop that desktops and viewers live by. The thread is opened for the first scribe and ended with the last. Whatever
 * happens to it rejects what its scribes were asked; whoever opens one then gets a new thread.
 */
export class FarScribes implements Scribes {
  readonly #clock: Clock;
  readonly #isKept: boolean;
  readonly #openWorker: () => Worker;
  readonly #open = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  #thread: { readonly worker: Worker; readonly watch: WorkerWatch } | null = null;
  #ending: Promise<unknown> = Promise.resolve();
  /** Why there is no thread. */
  #fault: unknown = null;
  #scribes = 0;
  #tasks = 0;

  /**
   * `isKept`: the thread is opened now and stays, for who begins to record when an agent acts. `openWorker`: default, the
   * thread of encoder-worker.ts.
   */
  constructor(
    clock: Clock,
    isKept: boolean,
    openWorker = (): Worker => openThread("encoder-worker", import.meta.url),
  ) {
    this.#clock = clock;
    this.#isKept = isKept;
    this.#openWorker = openWorker;
    if (isKept) this.#begin();
  }

  open(key: Uint8Array | null): Scribe {
    const scribe = ++this.#scribes;
    this.#open.add(scribe);
    if (this.#thread === null) this.#begin();
    if (this.#thread === null) this.#open.delete(scribe);
    // A copy: a key may lie in memory that it shares with others.
    this.#tell({ kind: "open", scribe, key: key === null ? null : Uint8Array.from(key) });
    return new FarScribe(
      (task) => this.#ask(scribe, task),
      () => this.#leave(scribe),
    );
  }

  /** Resolves when the thread is gone. */
  async close(): Promise<void> {
    this.#end(new Error("recording has ended"));
    await this.#ending;
  }

  /** What is wrong where no thread can be had is told to whoever asks a scribe for something. */
  #begin(): void {
    let worker: Worker;
    try {
      worker = this.#openWorker();
    } catch (cause) {
      this.#fault = cause;
      return;
    }
    const watch = new WorkerWatch(
      this.#clock,
      () => this.#tell({ kind: "ping" }),
      () => this.#lost(worker, new Error("the thread of the recorder hangs")),
    );
    worker.on("message", (message: FromScribes) => {
      watch.heard();
      if (message.kind === "answer") this.#answered(message.id, message.answer);
    });
    worker.on("error", (cause) =>
      this.#lost(worker, new Error("the thread of the recorder failed", { cause })),
    );
    worker.on("exit", () => this.#lost(worker, new Error("the thread of the recorder ended")));
    watch.start();
    this.#thread = { worker, watch };
  }

  #tell(message: ToScribes): void {
    this.#thread?.worker.postMessage(message);
  }

  #ask(scribe: number, task: ScribeTask): Promise<ScribeAnswer> {
    if (!this.#open.has(scribe)) {
      return Promise.reject(new Error("the recorder's thread has gone", { cause: this.#fault }));
    }
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { scribe, resolve, reject });
      this.#tell({ kind: "task", scribe, id, task });
    });
  }

  #answered(id: number, answer: ScribeAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (answer.kind === "failed") waiting?.reject(new Error(`the recorder failed: ${answer.message}`));
    else waiting?.resolve(answer);
  }

  #leave(scribe: number): void {
    if (!this.#open.delete(scribe)) return;
    this.#tell({ kind: "close", scribe });
    for (const [id, waiting] of this.#waiting) {
      if (waiting.scribe !== scribe) continue;
      this.#waiting.delete(id);
      waiting.reject(new Error("the recorder was closed"));
    }
    if (this.#open.size === 0 && !this.#isKept) this.#end(new Error("the recorder was closed"));
  }

  #lost(worker: Worker, error: Error): void {
    if (this.#thread?.worker === worker) this.#end(error);
  }

  #end(error: Error): void {
    const thread = this.#thread;
    this.#thread = null;
    this.#fault = error;
    this.#open.clear();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
    if (thread === null) return;
    thread.watch.stop();
    const before = this.#ending;
    this.#ending = Promise.all([before, thread.worker.terminate()]);
  }
}

class FarScribe implements Scribe {
  readonly #line: (task: ScribeTask) => Promise<ScribeAnswer>;
  readonly #leave: () => void;
  #frame: Framebuffer | null = null;

  constructor(line: (task: ScribeTask) => Promise<ScribeAnswer>, leave: () => void) {
    this.#line = line;
    this.#leave = leave;
  }

  get frame(): Framebuffer | null {
    return this.#frame;
  }

  async resize({ width, height }: Size): Promise<void> {
    this.#frame = null;
    const memory = new SharedArrayBuffer(width * height * BYTES_PER_PIXEL);
    const answer = await this.#line({ kind: "frame", frame: { memory, width, height } });
    if (answer.kind !== "ready") throw unexpected(answer);
    this.#frame = Framebuffer.over(memory, width, height);
  }

  async add(note: PictureNote): Promise<AddedPicture> {
    const answer = await this.#line({ kind: "add", note });
    if (answer.kind !== "added") throw unexpected(answer);
    return answer.added;
  }

  async cut(): Promise<PictureBatch | null> {
    const answer = await this.#line({ kind: "cut" });
    if (answer.kind !== "cut") throw unexpected(answer);
    return answer.batch;
  }

  async press(batch: PictureBatch, place: ChainPlace): Promise<PressedBlock> {
    const answer = await this.#line({ kind: "press", batch, place });
    if (answer.kind !== "pressed") throw unexpected(answer);
    return answer.block;
  }

  close(): void {
    this.#leave();
  }
}

function unexpected({ kind }: ScribeAnswer): Error {
  return new Error(`got the answer ${kind} to another question`);
}
