import type { LineInk } from "../cut/cut-line.ts";
import { VisionError, type VisionErrorCode } from "../error.ts";
import { CellReader, withUnknown } from "../glyphs/cell-reader.ts";
import type { LineWords, OcrWord } from "../ocr-messages.ts";
import type { LinesRequest } from "../ocr-pool.ts";
import { type Begun, isAsBefore, restOf } from "./line-begun.ts";

export interface Fault {
  readonly code: VisionErrorCode;
  readonly message: string;
}

/** Lines for an engine; an answer of this id follows. */
export interface EngineQuestion {
  readonly kind: "read";
  readonly id: number;
  readonly lines: readonly LineInk[];
}

export type EngineAnswer =
  | { readonly kind: "words"; readonly id: number; readonly words: LineWords }
  | { readonly kind: "unread"; readonly id: number; readonly fault: Fault };

/** Menus and terminals speak English also where their users do not; German models know its letters as well. */
export const LIVE_LANGUAGES = ["deu", "eng"] as const;

interface Reading {
  resolve(words: LineWords): void;
  reject(error: unknown): void;
}

/** Lines that a thread has read by engines in other threads, which it reaches by the main one. */
export class EngineLines {
  readonly #tell: (question: EngineQuestion) => void;
  readonly #readings = new Map<number, Reading>();
  #cells: Promise<CellReader> | null = null;
  #opened: CellReader | null = null;
  #next = 1;

  constructor(tell: (question: EngineQuestion) => void) {
    this.#tell = tell;
  }

  /** Loads the letters that are known. */
  async open(): Promise<void> {
    await this.#open();
  }

  /** The words of a line all of whose letters are known, at once; null where an engine is needed, or `open` is not done. */
  readAtOnce(line: LineInk): readonly OcrWord[] | null {
    return this.#opened?.read([line])[0] ?? null;
  }

  async #open(): Promise<CellReader> {
    this.#cells ??= CellReader.open();
    this.#opened = await this.#cells;
    return this.#opened;
  }

  /** Letters in cells are known; only other lines are read by an engine, and their letters learned. */
  async read(lines: readonly LineInk[]): Promise<LineWords> {
    const cells = await this.#open();
    const known = cells.read(lines);
    const unknown = lines.filter((_, index) => known[index] === null);
    const read = cells.learn(unknown, await this.#readByEngine(unknown));
    return withUnknown(known, read);
  }

  /**
   * The words of one line whose beginning is known: an engine takes as long as a line is wide. Null where what is read again
   * is not read alike: then only the whole line says what it is. Nothing is learned from it.
   */
  async readOn(line: LineInk, begun: Begun): Promise<readonly OcrWord[] | null> {
    const cells = await this.#open();
    const [rest = []] = await this.#readByEngine([restOf(line, begun.from)]);
    const words = cells.corrected(line, [...begun.words, ...rest]);
    return rest.length > 0 && isAsBefore(begun, words) ? words : null;
  }

  take(answer: EngineAnswer): void {
    const reading = this.#readings.get(answer.id);
    this.#readings.delete(answer.id);
    if (answer.kind === "words") reading?.resolve(answer.words);
    else reading?.reject(new VisionError(answer.fault.code, answer.fault.message));
  }

  #readByEngine(lines: readonly LineInk[]): Promise<LineWords> {
    if (lines.length === 0) return Promise.resolve([]);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#readings.set(id, { resolve, reject });
      this.#tell({ kind: "read", id, lines });
    });
  }
}

/** On the main thread: has the lines read, and gives the answer for the thread that asked. */
export async function readByEngine(
  reader: { readLines(request: LinesRequest, signal: AbortSignal): Promise<LineWords> },
  { id, lines }: EngineQuestion,
  ownerId: string,
  signal: AbortSignal,
): Promise<EngineAnswer> {
  try {
    const words = await reader.readLines({ lines, ownerId, languages: LIVE_LANGUAGES }, signal);
    return { kind: "words", id, words };
  } catch (cause) {
    const code = cause instanceof VisionError ? cause.code : "engine_failed";
    const message = cause instanceof VisionError ? cause.message : "the OCR engine failed on a line";
    return { kind: "unread", id, fault: { code, message } };
  }
}
