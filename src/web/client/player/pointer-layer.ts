import type { PointerTrackInfo } from "../../api/api.ts";
import { indexAt } from "./moments.ts";
import { fetchPointer } from "./recording-address.ts";

/** The pointer is read by spans of so long. */
const SPAN_MS = 60_000;
/** Spans kept; a minute of them holds some thousand moves at most. */
const KEPT_SPANS = 20;

type Shape = PointerTrackInfo["shapes"][number];

interface PointerSpan {
  readonly track: PointerTrackInfo;
  readonly moveTimes: readonly number[];
  readonly shapeTimes: readonly number[];
}

/** The pointer of the recorded desktop, over its picture, in desktop pixels. */
export class PointerLayer {
  readonly element = document.createElement("canvas");
  readonly #id: string;
  readonly #spans = new Map<number, Promise<PointerSpan>>();
  readonly #closing = new AbortController();
  #drawn: Shape | null = null;
  #wantMs = 0;

  constructor(recordingId: string) {
    this.#id = recordingId;
    this.element.className = "player-pointer";
    this.element.setAttribute("aria-hidden", "true");
    this.element.hidden = true;
  }

  /** Shows it as it was; what came in late for an earlier moment is left. */
  show(ms: number): void {
    this.#wantMs = ms;
    const number = Math.floor(ms / SPAN_MS);
    this.#span(number).then(
      (span) => {
        if (Math.floor(this.#wantMs / SPAN_MS) === number) this.#place(span, this.#wantMs);
      },
      // A replay without its pointer is still a replay; the next moment asks again.
      () => {
        this.element.hidden = true;
      },
    );
  }

  /** What was read of a recording that still grows is out of date. */
  forget(): void {
    this.#spans.clear();
  }

  close(): void {
    this.#closing.abort();
    this.#spans.clear();
  }

  #span(number: number): Promise<PointerSpan> {
    const known = this.#spans.get(number);
    if (known) return known;
    const fromMs = number * SPAN_MS;
    const loading = fetchPointer(this.#id, fromMs, fromMs + SPAN_MS, this.#closing.signal).then((track) => ({
      track,
      moveTimes: track.moves.map(([atMs]) => atMs),
      shapeTimes: track.shapes.map(({ at_ms }) => at_ms),
    }));
    for (const oldest of this.#spans.keys()) {
      if (this.#spans.size < KEPT_SPANS) break;
      this.#spans.delete(oldest);
    }
    this.#spans.set(number, loading);
    loading.catch(() => this.#spans.delete(number));
    return loading;
  }

  #place({ track, moveTimes, shapeTimes }: PointerSpan, ms: number): void {
    const move = track.moves[indexAt(moveTimes, ms)];
    const shape = track.shapes[indexAt(shapeTimes, ms)];
    const isShown = move !== undefined && shape !== undefined && shape.rgba !== null && this.#draw(shape);
    this.element.hidden = !isShown;
    if (!isShown) return;
    const [, x, y] = move;
    this.element.style.transform = `translate(${x - shape.hotspot_x}px, ${y - shape.hotspot_y}px)`;
  }

  /** False for a shape of no size, or whose pixels are not as many as it says. */
  #draw(shape: Shape): boolean {
    const { width, height, rgba } = shape;
    if (shape === this.#drawn) return true;
    if (rgba === null || width < 1 || height < 1 || width > 512 || height > 512) return false;
    const bytes = Uint8ClampedArray.from(atob(rgba), (letter) => letter.charCodeAt(0));
    if (bytes.length !== width * height * 4) return false;
    this.element.width = width;
    this.element.height = height;
    this.element.getContext("2d")?.putImageData(new ImageData(bytes, width, height), 0, 0);
    this.#drawn = shape;
    return true;
  }
}
