import type { Worker } from "node:worker_threads";
import { BYTES_PER_PIXEL, Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import { ThreadWatchdog } from "../../platform/thread-watchdog.ts";
import { openThread } from "../../platform/worker-thread.ts";
import type { ChainPlace, EncodedBlock } from "./block-encoder.ts";
import type {
  AddedPicture,
  PictureBatch,
  PictureNote,
  RecordingEncoder,
  RecordingEncoders,
} from "./encoder.ts";
import type { EncoderAnswer, EncoderTask, FromEncoders, ToEncoders } from "./encoder-messages.ts";

interface Waiting {
  readonly encoder: number;
  resolve(answer: EncoderAnswer): void;
  reject(error: Error): void;
}

/**
 * Encoders that work in a thread of their own, one for all recordings: encoding, hashing and encrypting never hold the
 * loop that desktops and viewers live by. The thread is opened for the first encoder and ended with the last. Whatever
 * happens to it rejects what its encoders were asked; whoever opens one then gets a new thread.
 */
export class EncoderClient implements RecordingEncoders {
  readonly #clock: Clock;
  readonly #isKept: boolean;
  readonly #openWorker: () => Worker;
  readonly #open = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  #thread: { readonly worker: Worker; readonly watch: ThreadWatchdog } | null = null;
  #ending: Promise<unknown> = Promise.resolve();
  /** Why there is no thread. */
  #fault: unknown = null;
  #encoders = 0;
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

  open(key: Uint8Array | null): RecordingEncoder {
    const encoder = ++this.#encoders;
    this.#open.add(encoder);
    if (this.#thread === null) this.#begin();
    if (this.#thread === null) this.#open.delete(encoder);
    // A copy: a key may lie in memory that it shares with others.
    this.#tell({ kind: "open", encoder, key: key === null ? null : Uint8Array.from(key) });
    return new WorkerEncoder(
      (task) => this.#ask(encoder, task),
      () => this.#leave(encoder),
    );
  }

  /** Resolves when the thread is gone. */
  async close(): Promise<void> {
    this.#end(new Error("recording has ended"));
    await this.#ending;
  }

  /** What is wrong where no thread can be had is told to whoever asks an encoder for something. */
  #begin(): void {
    let worker: Worker;
    try {
      worker = this.#openWorker();
    } catch (cause) {
      this.#fault = cause;
      return;
    }
    const watch = new ThreadWatchdog(
      this.#clock,
      () => this.#tell({ kind: "ping" }),
      () => this.#lost(worker, new Error("the thread of the recorder hangs")),
    );
    worker.on("message", (message: FromEncoders) => {
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

  #tell(message: ToEncoders): void {
    this.#thread?.worker.postMessage(message);
  }

  #ask(encoder: number, task: EncoderTask): Promise<EncoderAnswer> {
    if (!this.#open.has(encoder)) {
      return Promise.reject(new Error("the recorder's thread has gone", { cause: this.#fault }));
    }
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { encoder, resolve, reject });
      this.#tell({ kind: "task", encoder, id, task });
    });
  }

  #answered(id: number, answer: EncoderAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (answer.kind === "failed") waiting?.reject(new Error(`the recorder failed: ${answer.message}`));
    else waiting?.resolve(answer);
  }

  #leave(encoder: number): void {
    if (!this.#open.delete(encoder)) return;
    this.#tell({ kind: "close", encoder });
    for (const [id, waiting] of this.#waiting) {
      if (waiting.encoder !== encoder) continue;
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

class WorkerEncoder implements RecordingEncoder {
  readonly #line: (task: EncoderTask) => Promise<EncoderAnswer>;
  readonly #leave: () => void;
  #frame: Framebuffer | null = null;

  constructor(line: (task: EncoderTask) => Promise<EncoderAnswer>, leave: () => void) {
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

  async encode(batch: PictureBatch, place: ChainPlace): Promise<EncodedBlock> {
    const answer = await this.#line({ kind: "encode", batch, place });
    if (answer.kind !== "encoded") throw unexpected(answer);
    return answer.block;
  }

  close(): void {
    this.#leave();
  }
}

function unexpected({ kind }: EncoderAnswer): Error {
  return new Error(`got the answer ${kind} to another question`);
}
