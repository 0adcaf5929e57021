import { equalRects, type Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { View, Watcher } from "../view.ts";

/** A place where a text stands, as whoever reads the screen tells it. */
export interface TextPlace {
  readonly text: string;
  readonly rect: Rect;
}

export interface TextPlaces {
  readonly generation: number;
  readonly places: readonly TextPlace[];
}

/** What looks for a text, and where that stood when the subscriber came. */
export interface WatchedText {
  look(signal: AbortSignal): Promise<TextPlaces>;
  readonly before: readonly TextPlace[];
}

export interface TextChanged extends TextPlace {
  readonly type: "text_appeared" | "text_gone";
  readonly generation: number;
}

/** Between two looks, at least: what moves all the time is not read all the time. */
const LEAST_PAUSE_MS = 250;
/** After a look that failed, as where the engine was lost. */
const RETRY_MS = 2000;

/** Looks for a text whenever the screen changed, one look at a time, and tells what came and went; what moved did neither. */
export class TextWatch {
  readonly #text: WatchedText;
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #tell: (changed: TextChanged) => void;
  readonly #watcher: Watcher;
  readonly #ending = new AbortController();
  #before: readonly TextPlace[];
  #isBusy = false;
  #cancelPause = (): void => {};

  constructor(
    view: Pick<View, "watch">,
    text: WatchedText,
    { clock, debounceMs }: { readonly clock: Clock; readonly debounceMs: number },
    tell: (changed: TextChanged) => void,
  ) {
    this.#text = text;
    this.#before = text.before;
    this.#clock = clock;
    this.#pauseMs = Math.max(LEAST_PAUSE_MS, debounceMs);
    this.#tell = tell;
    this.#watcher = view.watch(() => this.#wake());
    this.#wake();
  }

  close(): void {
    this.#ending.abort();
    this.#cancelPause();
    this.#watcher.close();
  }

  #wake(): void {
    if (this.#isBusy || this.#ending.signal.aborted) return;
    this.#isBusy = true;
    this.#watcher.take();
    this.#text.look(this.#ending.signal).then(
      ({ places, generation }) => {
        if (!this.#ending.signal.aborted) this.#compare(places, generation);
        this.#pause(this.#pauseMs, false);
      },
      () => this.#pause(RETRY_MS, true),
    );
  }

  #pause(durationMs: number, isFailed: boolean): void {
    if (this.#ending.signal.aborted) return;
    this.#cancelPause = this.#clock.after(durationMs, () => {
      this.#isBusy = false;
      if (isFailed || !this.#watcher.pending.isEmpty) this.#wake();
    });
  }

  #compare(now: readonly TextPlace[], generation: number): void {
    for (const place of without(this.#before, now)) this.#tell({ type: "text_gone", ...place, generation });
    for (const place of without(now, this.#before))
      this.#tell({ type: "text_appeared", ...place, generation });
    this.#before = now;
  }
}

/** What has no counterpart: the same text at the same place, else at any. */
function without(places: readonly TextPlace[], others: readonly TextPlace[]): TextPlace[] {
  const left = [...others];
  const take = (isSame: (other: TextPlace) => boolean): boolean => {
    const at = left.findIndex(isSame);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const moved = places.filter(
    (place) => !take(({ text, rect }) => text === place.text && equalRects(rect, place.rect)),
  );
  return moved.filter((place) => !take(({ text }) => text === place.text));
}
