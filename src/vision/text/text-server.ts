import type { LineInk } from "../cut/cut-line.ts";
import { Elements } from "../elements/elements.ts";
import { VisionError } from "../error.ts";
import type { LineWords } from "../ocr-messages.ts";
import { EngineLines } from "./engine-lines.ts";
import { findText } from "./find-text.ts";
import { LineCache } from "./line-cache.ts";
import { type StillPicture, TextIndex } from "./text-index.ts";
import type { FromTextThread, TextAnswer, TextQuestion, ToTextThread } from "./text-messages.ts";

/** The text of one desktop, kept by what it is told, and answers about it: one after the other, as they were asked. */
export class TextServer {
  readonly #tell: (message: FromTextThread) => void;
  /** Lines say the same whatever size the desktop has. */
  readonly #cache = new LineCache();
  readonly #lines: EngineLines;
  readonly #asked = new Map<number, AbortController>();
  readonly #elements = new Elements();
  #index: TextIndex | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(tell: (message: FromTextThread) => void) {
    this.#tell = tell;
    this.#lines = new EngineLines(tell);
  }

  take(message: ToTextThread): void {
    switch (message.kind) {
      case "size":
        this.#index = new TextIndex(message.size, this.#cache);
        return;
      case "pixels":
        for (const move of message.copies) this.#index?.copy(move);
        for (const { rect, pixels } of message.parts) this.#index?.paint(rect, pixels);
        return;
      case "ask": {
        const { id, generation, question } = message;
        const asked = new AbortController();
        this.#asked.set(id, asked);
        const index = this.#index;
        // At once: by the time others are answered the picture is another one.
        index?.settle(generation);
        const isOfShapes = question.kind === "elements" || question.kind === "element";
        const still = isOfShapes ? (index?.still() ?? null) : null;
        this.#last = this.#last.then(() => this.#answer(id, index, still, question, asked.signal));
        return;
      }
      case "cancel":
        this.#asked.get(message.id)?.abort();
        return;
      case "words":
      case "unread":
        this.#lines.take(message);
        return;
    }
  }

  async #answer(
    id: number,
    index: TextIndex | null,
    still: StillPicture | null,
    question: TextQuestion,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      signal.throwIfAborted();
      if (index === null) throw new VisionError("engine_failed", "there is no picture to read");
      this.#tell({ kind: "answer", id, answer: await this.#find(index, still, question, signal) });
    } catch (cause) {
      const isKnown = cause instanceof VisionError;
      const fault = isKnown ? cause : new VisionError("engine_failed", "the text could not be read");
      this.#tell({ kind: "failed", id, fault: { code: fault.code, message: fault.message } });
    } finally {
      this.#asked.delete(id);
    }
  }

  async #find(
    index: TextIndex,
    still: StillPicture | null,
    question: TextQuestion,
    signal: AbortSignal,
  ): Promise<TextAnswer> {
    const read = (lines: readonly LineInk[]): Promise<LineWords> => this.#lines.read(lines);
    switch (question.kind) {
      case "now":
        return { kind: "now", answer: await index.lines(question.area, read, signal) };
      case "since": {
        const { generation, area } = question;
        return { kind: "since", answer: await index.since(generation, area, read, signal) };
      }
      case "elements":
      case "element": {
        if (still === null) throw new VisionError("engine_failed", "there is no picture to look at");
        const looked = { still, read, signal };
        if (question.kind === "elements") {
          const answer = await this.#elements.now(looked, question);
          return { kind: "elements", answer, nextNumber: this.#elements.nextNumber };
        }
        const answer = await this.#elements.find(looked, question);
        return { kind: "element", answer, nextNumber: this.#elements.nextNumber };
      }
      case "find": {
        const { lines, generation: at } = await index.lines(question.area, read, signal);
        return { kind: "find", answer: { generation: at, matches: findText(lines, question.query) } };
      }
    }
  }
}
