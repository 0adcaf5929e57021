import type { MessagePort } from "node:worker_threads";
import { Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import type { EncoderAnswer, EncoderTask, FromEncoders, ToEncoders } from "./encoder-messages.ts";
import { PictureBlockEncoder } from "./picture-encoder.ts";

/** The thread's side: the encoders of all recordings, by their numbers. */
export class EncoderThread {
  readonly #port: MessagePort;
  readonly #encoders = new Map<number, PictureBlockEncoder>();

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(): void {
    this.#port.on("message", (message: ToEncoders) => this.#hear(message));
  }

  #hear(message: ToEncoders): void {
    switch (message.kind) {
      case "open":
        this.#encoders.set(message.encoder, new PictureBlockEncoder(message.key));
        break;
      case "task": {
        const { id, encoder, task } = message;
        this.#answer(id, this.#work(this.#encoders.get(encoder), task));
        break;
      }
      case "close":
        this.#encoders.delete(message.encoder);
        break;
      case "ping":
        this.#tell({ kind: "pong" });
        break;
    }
  }

  async #work(encoder: PictureBlockEncoder | undefined, task: EncoderTask): Promise<EncoderAnswer> {
    if (encoder === undefined) throw new Error("got a task for an encoder that is closed");
    switch (task.kind) {
      case "frame": {
        const { memory, width, height } = task.frame;
        const frame = Framebuffer.over(memory, width, height);
        // The system hands out memory when it is first written, page by page: that is done here and not where others wait.
        frame.fill(frame.rect, OPAQUE);
        encoder.show(frame);
        return { kind: "ready" };
      }
      case "add":
        return { kind: "added", added: encoder.add(task.note) };
      case "cut":
        return { kind: "cut", batch: encoder.cut() };
      case "encode":
        return { kind: "encoded", block: await encoder.encode(task.batch, task.place) };
    }
  }

  #answer(id: number, work: Promise<EncoderAnswer>): void {
    work.then(
      (answer) => {
        const moved = answer.kind === "encoded" ? [answer.block.bytes.buffer] : [];
        this.#tell({ kind: "answer", id, answer }, moved);
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : "no reason was given";
        this.#tell({ kind: "answer", id, answer: { kind: "failed", message } });
      },
    );
  }

  #tell(message: FromEncoders, moved: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(message, [...moved]);
  }
}
