import type { Rect } from "../../framebuffer/rect.ts";
import type { ElementFound, ElementsNow } from "../elements/element.ts";
import { VisionError } from "../error.ts";
import { DesktopText, type TextDesktop, type TextPorts } from "./desktop-text.ts";
import type { TextFound, TextNow, TextQuery, TextSince } from "./text-line.ts";

/** Each holds a thread with a copy of its desktop's picture. */
const MOST_TEXTS = 4;

/** Nobody asked for so long: what was read is forgotten. */
const IDLE_MS = 120_000;

interface Kept {
  readonly text: DesktopText;
  /** Questions that are not answered yet. */
  asking: number;
  cancelTimer(): void;
}

/** Ids of elements begin with when their process began, in seconds since then. */
const IDS_SINCE_MS = Date.UTC(2026);
const DIGITS = 36;

/** The texts of desktops, each kept while somebody asks for it. */
export class DesktopTexts {
  readonly #ports: TextPorts;
  /** By desktop; who was asked least lately comes first. */
  readonly #kept = new Map<string, Kept>();

  /** `startedAt`: of this process. INVARIANT: what an earlier one gave an id to is named by no id of this one. */
  constructor(ports: Omit<TextPorts, "numbers">, startedAt: Date) {
    const seconds = Math.max(0, Math.floor((startedAt.getTime() - IDS_SINCE_MS) / 1000));
    this.#ports = { ...ports, numbers: { prefix: `${seconds.toString(DIGITS)}-`, next: 1 } };
  }

  /** How many are kept now. */
  get count(): number {
    return this.#kept.size;
  }

  /** See DesktopText. Rejects with VisionError, also too_many where too many others are being read. */
  now(desktop: TextDesktop, area: Rect | null, signal: AbortSignal): Promise<TextNow> {
    return this.#ask(desktop, (text) => text.now(area, signal));
  }

  since(
    desktop: TextDesktop,
    generation: number,
    area: Rect | null,
    signal: AbortSignal,
  ): Promise<TextSince> {
    return this.#ask(desktop, (text) => text.since(generation, area, signal));
  }

  find(desktop: TextDesktop, query: TextQuery, area: Rect | null, signal: AbortSignal): Promise<TextFound> {
    return this.#ask(desktop, (text) => text.find(query, area, signal));
  }

  elements(desktop: TextDesktop, area: Rect | null, signal: AbortSignal): Promise<ElementsNow> {
    return this.#ask(desktop, (text) => text.elements(area, signal));
  }

  element(desktop: TextDesktop, id: string, signal: AbortSignal): Promise<ElementFound> {
    return this.#ask(desktop, (text) => text.element(id, signal));
  }

  close(): void {
    for (const id of [...this.#kept.keys()]) this.#end(id);
  }

  async #ask<Answer>(desktop: TextDesktop, ask: (text: DesktopText) => Promise<Answer>): Promise<Answer> {
    const { id } = desktop;
    // What is kept may be shown no longer: the desktop says so.
    desktop.view("agent");
    const kept = this.#keep(desktop);
    kept.cancelTimer();
    kept.asking++;
    try {
      return await ask(kept.text);
    } finally {
      kept.asking--;
      if (this.#kept.get(id) === kept && kept.asking === 0) {
        if (kept.text.isClosed) this.#end(id);
        else kept.cancelTimer = this.#ports.timer.after(IDLE_MS, () => this.#end(id));
      }
    }
  }

  #keep(desktop: TextDesktop): Kept {
    const { id } = desktop;
    const known = this.#kept.get(id);
    if (known !== undefined && !known.text.isClosed) {
      this.#kept.delete(id);
      this.#kept.set(id, known);
      return known;
    }
    if (known !== undefined) this.#end(id);
    if (this.#kept.size >= MOST_TEXTS) {
      const idle = [...this.#kept].find(([, { asking }]) => asking === 0);
      if (idle === undefined) {
        throw new VisionError(
          "too_many",
          `the texts of ${MOST_TEXTS} desktops are being read, expected fewer`,
        );
      }
      this.#end(idle[0]);
    }
    const kept: Kept = { text: new DesktopText(desktop, this.#ports), asking: 0, cancelTimer: () => {} };
    this.#kept.set(id, kept);
    return kept;
  }

  #end(id: string): void {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    kept?.cancelTimer();
    kept?.text.close();
  }
}
