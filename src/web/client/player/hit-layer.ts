import type { Rect, Size } from "../../../framebuffer/rect.ts";
import type { RecordedTextInfo } from "../../api/api.ts";
import type { Span } from "./moments.ts";

/** While it plays, the next places are asked for so often at most. */
const ASK_MS = 250;
/** Where the answer does not say until when it holds, the next moment is asked for after so much of the recording. */
const HOLDS_MS = 1000;

export interface HitLayerPorts {
  /** Where words stand at a moment. */
  places(words: string, ms: number): Promise<RecordedTextInfo>;
}

/** Boxes around what was found, over the picture of the moment that is shown. */
export class HitLayer {
  readonly element = document.createElement("div");
  readonly #ports: HitLayerPorts;
  #words = "";
  #wantMs = 0;
  #size: Size = { width: 0, height: 0 };
  #told: (Span & { readonly boxes: readonly Rect[] }) | null = null;
  #isAsking = false;

  constructor(ports: HitLayerPorts) {
    this.#ports = ports;
    this.element.className = "player-hits-layer";
    this.element.setAttribute("aria-hidden", "true");
  }

  /** What is looked for; empty: nothing. */
  set words(words: string) {
    if (words === this.#words) return;
    this.#words = words;
    this.#told = null;
    this.#draw();
  }

  /** `size`: of the picture, desktop pixels. */
  show(ms: number, size: Size): void {
    this.#wantMs = ms;
    this.#size = size;
    this.#draw();
  }

  #draw(): void {
    const told = this.#told;
    const isKnown = told !== null && told.fromMs <= this.#wantMs && this.#wantMs < told.toMs;
    const { width, height } = this.#size;
    this.element.replaceChildren(
      ...(isKnown ? told.boxes : []).map((box) => {
        const mark = document.createElement("div");
        mark.className = "player-hit";
        mark.style.left = `${(100 * box.x) / width}%`;
        mark.style.top = `${(100 * box.y) / height}%`;
        mark.style.width = `${(100 * box.width) / width}%`;
        mark.style.height = `${(100 * box.height) / height}%`;
        return mark;
      }),
    );
    if (!isKnown && this.#words !== "" && !this.#isAsking) this.#ask();
  }

  #ask(): void {
    this.#isAsking = true;
    const words = this.#words;
    const ms = this.#wantMs;
    const told = this.#ports.places(words, ms).then(
      ({ until_ms, lines }) => ({
        // What stood before is not asked about: it may have stood elsewhere.
        ...{ fromMs: ms, toMs: until_ms ?? ms + HOLDS_MS },
        boxes: lines.map(({ box }) => box),
      }),
      // No boxes; a later moment asks again.
      () => ({ fromMs: ms, toMs: ms + HOLDS_MS, boxes: [] }),
    );
    void told.then((answer) => {
      if (words === this.#words) this.#told = answer;
      const isLate = words !== this.#words || this.#wantMs < answer.fromMs || this.#wantMs >= answer.toMs;
      if (!isLate) {
        this.#isAsking = false;
        this.#draw();
        return;
      }
      setTimeout(() => {
        this.#isAsking = false;
        this.#draw();
      }, ASK_MS);
    });
  }
}
