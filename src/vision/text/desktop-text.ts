import type { Worker } from "node:worker_threads";
import type { Desktop } from "../../desktop/desktop.ts";
import type { PaintedPart } from "../../desktop/masks/text-reader.ts";
import type { Audience, View, Watcher } from "../../desktop/view.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import { areaOfRect, type Rect, rect, type Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import { openThread } from "../../platform/worker-thread.ts";
import type { ElementFound, ElementsNow } from "../elements/element.ts";
import { VisionError } from "../error.ts";
import type { OcrPool, OcrTimer } from "../ocr-pool.ts";
import { readByEngine } from "./engine-lines.ts";
import type { TextFound, TextNow, TextQuery, TextSince } from "./text-line.ts";
import type {
  ElementsTerms,
  FromTextThread,
  TextAnswer,
  TextQuestion,
  ToTextThread,
} from "./text-messages.ts";

/** What is needed of a desktop whose text is kept. */
export type TextDesktop = Pick<Desktop, "id" | "view" | "generation" | "size" | "periodic">;

/** The thread that keeps a text, or what stands for it in tests. */
export interface TextThread {
  post(message: ToTextThread, moved: readonly ArrayBuffer[]): void;
  /** `lost`: it ended by itself. */
  on(told: (message: FromTextThread) => void, lost: () => void): void;
  end(): void;
}

export interface TextPorts {
  readonly reader: Pick<OcrPool, "readLines">;
  readonly timer: OcrTimer;
  /** For whom it is kept: as they are shown the desktop. Default agent. */
  readonly audience?: Audience;
  readonly openThread?: () => TextThread;
  /** Numbers of elements go on where those of texts that are kept no more ended; `prefix`: before each, in its id. */
  readonly numbers: { readonly prefix: string; next: number };
}

/** Pixels copied in one turn of the event loop: half a millisecond. */
const MOST_COPIED = 512 * 1024;
/** Pixels kept of a desktop, and a byte of mask for each. */
const MOST_PIXELS = 8192 * 4096;
/** Rectangles of one change: more of them cost more than what lies between. */
const MOST_RECTS = 64;
/**
 * While somebody waits and no engine reads for it, the thread says something within this time, or it hangs. How long engines
 * may work is watched where they do (`ocr-pool.ts`): waiting for them is no fault, however long the queue is.
 */
const HANGS_MS = 50_000;

interface Asked {
  resolve(answer: TextAnswer): void;
  reject(error: unknown): void;
}

/**
 * The text of one desktop as its audience may see it. Kept in a thread from the first question on, brought up to date when
 * somebody asks: in between, what changes is only noted.
 */
export class DesktopText {
  readonly #desktop: TextDesktop;
  readonly #ports: TextPorts;
  readonly #view: View;
  readonly #thread: TextThread;
  readonly #watcher: Watcher;
  readonly #asked = new Map<number, Asked>();
  readonly #ending = new AbortController();
  #size: Size | null = null;
  #feeding: Promise<number> | null = null;
  #next = 1;
  /** Questions of the thread that engines have not answered. */
  #reading = 0;
  #stopWatch = (): void => {};

  /** Throws RefusedError target_down where there is no picture yet. */
  constructor(desktop: TextDesktop, ports: TextPorts) {
    this.#desktop = desktop;
    this.#ports = ports;
    this.#view = desktop.view(ports.audience ?? "agent");
    this.#watcher = this.#view.watch(() => undefined, { isPassive: true });
    this.#thread = (ports.openThread ?? openTextThread)();
    this.#thread.on(
      (message) => this.#told(message),
      () => this.close(new VisionError("engine_lost", "the thread that keeps the text ended")),
    );
  }

  get isClosed(): boolean {
    return this.#ending.signal.aborted;
  }

  /** What is shown in an area, null for all, as of now. Rejects with VisionError. */
  async now(area: Rect | null, signal: AbortSignal): Promise<TextNow> {
    const told = await this.#ask({ kind: "now", area }, signal);
    if (told.kind !== "now") throw unexpected();
    return told.answer;
  }

  /** What is otherwise than at a generation of an earlier answer. */
  async since(generation: number, area: Rect | null, signal: AbortSignal): Promise<TextSince> {
    const told = await this.#ask({ kind: "since", generation, area }, signal);
    if (told.kind !== "since") throw unexpected();
    return told.answer;
  }

  async find(query: TextQuery, area: Rect | null, signal: AbortSignal): Promise<TextFound> {
    const told = await this.#ask({ kind: "find", query, area }, signal);
    if (told.kind !== "find") throw unexpected();
    return told.answer;
  }

  /** What may be pressed or filled in, in an area. What changes by itself, as a caret, is not part of it. */
  async elements(area: Rect | null, signal: AbortSignal): Promise<ElementsNow> {
    const told = await this.#ask({ kind: "elements", area, ...this.#terms() }, signal);
    if (told.kind !== "elements") throw unexpected();
    this.#numbered(told.nextNumber);
    return told.answer;
  }

  /** A known element where it is now; rejects with VisionError element_gone, element_changed, element_unknown. */
  async element(id: string, signal: AbortSignal): Promise<ElementFound> {
    const told = await this.#ask({ kind: "element", id, ...this.#terms() }, signal);
    if (told.kind !== "element") throw unexpected();
    this.#numbered(told.nextNumber);
    return told.answer;
  }

  #terms(): ElementsTerms {
    const { prefix, next } = this.#ports.numbers;
    return { except: this.#desktop.periodic().rects, prefix, firstNumber: next };
  }

  #numbered(nextNumber: number): void {
    const { numbers } = this.#ports;
    numbers.next = Math.max(numbers.next, nextNumber);
  }

  /** Whoever waits is told why. */
  close(reason = new VisionError("engine_lost", "the text is not kept any more")): void {
    if (this.isClosed) return;
    this.#ending.abort(reason);
    this.#stopWatch();
    this.#watcher.close();
    this.#thread.end();
    for (const asked of this.#asked.values()) asked.reject(reason);
    this.#asked.clear();
  }

  async #ask(question: TextQuestion, signal: AbortSignal): Promise<TextAnswer> {
    this.#ending.signal.throwIfAborted();
    signal.throwIfAborted();
    // Up to date first: what nobody looked at for a while may be old.
    await this.#view.snapshot({ signal, region: rect(0, 0, 1, 1) });
    this.#feeding ??= this.#feed().finally(() => {
      this.#feeding = null;
    });
    const generation = await this.#feeding;
    signal.throwIfAborted();
    this.#ending.signal.throwIfAborted();
    const id = this.#next++;
    return await new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#settled(id);
        this.#post({ kind: "cancel", id });
        reject(signal.reason);
      };
      signal.addEventListener("abort", cancel, { once: true });
      const settled = (): void => signal.removeEventListener("abort", cancel);
      this.#asked.set(id, {
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      if (this.#asked.size === 1) this.#watch();
      this.#post({ kind: "ask", id, generation, question });
    });
  }

  /** Hands the thread what changed, some in each turn; resolves with the generation that it has then. */
  async #feed(): Promise<number> {
    for (;;) {
      this.#ending.signal.throwIfAborted();
      const { size } = this.#desktop;
      const { painted, copies } = this.#watcher.take();
      if (this.#size?.width !== size.width || this.#size.height !== size.height) {
        if (areaOfRect({ x: 0, y: 0, ...size }) > MOST_PIXELS) {
          this.#watcher.putBack(painted);
          throw new VisionError(
            "too_large",
            `the desktop is ${size.width}x${size.height}, expected at most ${MOST_PIXELS} pixels: give ocr_screenshot a region`,
          );
        }
        this.#size = { ...size };
        this.#post({ kind: "size", size: this.#size });
      }
      const { parts, left } = this.#copy(painted.clip({ x: 0, y: 0, ...size }));
      this.#watcher.putBack(left);
      this.#post(
        { kind: "pixels", copies, parts },
        parts.map(({ pixels }) => pixels.buffer),
      );
      if (this.#watcher.pending.isEmpty) return this.#desktop.generation;
      await nextTurn();
    }
  }

  /** Pixels of a region as far as one turn has time for them, and what is left. */
  #copy(region: Region): { readonly parts: PaintedPart[]; readonly left: Region } {
    const { rects } = region;
    const waiting = rects.length > MOST_RECTS ? [...coverOf(rects, MOST_RECTS)] : rects;
    const parts: PaintedPart[] = [];
    const picture = this.#view.picture(false);
    let room = MOST_COPIED;
    while (room > 0) {
      const next = waiting.shift();
      if (next === undefined) break;
      const rows = Math.min(next.height, Math.max(1, Math.floor(room / next.width)));
      const part = { ...next, height: rows };
      if (rows < next.height) waiting.unshift({ ...next, y: next.y + rows, height: next.height - rows });
      const { bytes, offset, strideBytes } = picture.pixels(part);
      const pixels = new Uint8Array(areaOfRect(part) * 4);
      for (let y = 0; y < rows; y++) {
        const from = offset + y * strideBytes;
        pixels.set(bytes.subarray(from, from + part.width * 4), y * part.width * 4);
      }
      parts.push({ rect: part, pixels });
      room -= areaOfRect(part);
    }
    return { parts, left: Region.from(waiting) };
  }

  /** From now on, if there is anything to wait for. */
  #watch(): void {
    this.#stopWatch();
    if (this.isClosed || this.#asked.size === 0 || this.#reading > 0) return;
    const hangs = `the thread that keeps the text said nothing for ${HANGS_MS / 1000} s: give a smaller region`;
    this.#stopWatch = this.#ports.timer.after(HANGS_MS, () =>
      this.close(new VisionError("engine_lost", hangs)),
    );
  }

  #told(message: FromTextThread): void {
    this.#taken(message);
    this.#watch();
  }

  #taken(message: FromTextThread): void {
    switch (message.kind) {
      case "answer":
        this.#settled(message.id)?.resolve(message.answer);
        return;
      case "failed":
        this.#settled(message.id)?.reject(new VisionError(message.fault.code, message.fault.message));
        return;
      case "read": {
        const ownerId = `text of ${this.#desktop.id} for ${this.#ports.audience ?? "agent"}`;
        this.#reading++;
        readByEngine(this.#ports.reader, message, ownerId, this.#ending.signal).then(
          (answer) => {
            this.#reading--;
            this.#post(answer);
            this.#watch();
          },
          () => undefined,
        );
      }
    }
  }

  #settled(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#stopWatch();
    return asked;
  }

  #post(message: ToTextThread, moved: readonly ArrayBuffer[] = []): void {
    if (!this.isClosed) this.#thread.post(message, moved);
  }
}

const unexpected = (): VisionError =>
  new VisionError("engine_failed", "the text came as the answer to another question");

function openTextThread(): TextThread {
  const worker: Worker = openThread("text-worker", import.meta.url);
  return {
    post: (message, moved) => worker.postMessage(message, moved),
    on(told, lost) {
      worker.on("message", told);
      worker.on("error", lost);
      worker.on("exit", lost);
    },
    end() {
      worker.terminate().catch(() => undefined);
    },
  };
}
