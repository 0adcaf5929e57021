import type { MessagePort } from "node:worker_threads";
import { Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import type { FromScribes, ScribeAnswer, ScribeTask, ToScribes } from "./encoder-messages.ts";
import { PictureScribe } from "./picture-encoder.ts";

/** The thread's side: the scribes of all recordings, by their numbers. */
export class ScribeThread {
  readonly #port: MessagePort;
  readonly #scribes = new Map<number, PictureScribe>();

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(): void {
    this.#port.on("message", (message: ToScribes) => this.#hear(message));
  }

  #hear(message: ToScribes): void {
    switch (message.kind) {
      case "open":
        this.#scribes.set(message.scribe, new PictureScribe(message.key));
        break;
      case "task": {
        const { id, scribe, task } = message;
        this.#answer(id, this.#work(this.#scribes.get(scribe), task));
        break;
      }
      case "close":
        this.#scribes.delete(message.scribe);
        break;
      case "ping":
        this.#tell({ kind: "pong" });
        break;
    }
  }

  async #work(scribe: PictureScribe | undefined, task: ScribeTask): Promise<ScribeAnswer> {
    if (scribe === undefined) throw new Error("got a task for a scribe that is closed");
    switch (task.kind) {
      case "frame": {
        const { memory, width, height } = task.frame;
        const frame = Framebuffer.over(memory, width, height);
        // The system hands out memory when it is first written, page by page: that is done here and not where others wait.
        frame.fill(frame.rect, OPAQUE);
        scribe.show(frame);
        return { kind: "ready" };
      }
      case "add":
        return { kind: "added", added: scribe.add(task.note) };
      case "cut":
        return { kind: "cut", batch: scribe.cut() };
      case "press":
        return { kind: "pressed", block: await scribe.press(task.batch, task.place) };
    }
  }

  #answer(id: number, work: Promise<ScribeAnswer>): void {
    work.then(
      (answer) => {
        const moved = answer.kind === "pressed" ? [answer.block.bytes.buffer] : [];
        this.#tell({ kind: "answer", id, answer }, moved);
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : "no reason was given";
        this.#tell({ kind: "answer", id, answer: { kind: "failed", message } });
      },
    );
  }

  #tell(message: FromScribes, moved: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(message, [...moved]);
  }
}
