import type { PlainPicture } from "../../../framebuffer/plain-picture.ts";
import type { Size } from "../../../framebuffer/rect.ts";
import type { OverlayInfo, RecordingInfo, TimelineInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { OverlayLayer } from "../viewer/overlay-layer.ts";
import { Stage } from "../viewer/stage.ts";
import { ChunkPlayer, type ShownFrame } from "./chunk-player.ts";
import { HitLayer } from "./hit-layer.ts";
import { indexAt, type Span } from "./moments.ts";
import { type OverlayEntry, overlaysAt } from "./overlay-track.ts";
import { afterEvent, type Playback, type PlaybackEvent, passedOver, startOf } from "./playback.ts";
import { PointerLayer } from "./pointer-layer.ts";
import { fetchChunk, fetchChunks, fetchPlaces, fetchRun, isGone } from "./recording-address.ts";

/** What a player tells its page. */
export interface PlayerEvents {
  playback(playback: Playback): void;
  /** The picture of a moment is on the canvas. */
  shown(atMs: number, frame: { readonly atMs: number; readonly isPartial: boolean }): void;
  /** The recording grew, or ended. */
  grew(isGrowing: boolean): void;
  /** Playing passed over an idle span. */
  skipped(span: Span): void;
  /** The spans that it would pass over are other ones. */
  idle(spans: readonly Span[]): void;
  failed(error: unknown): void;
}

export interface PlayerOptions {
  readonly recording: RecordingInfo;
  readonly events: PlayerEvents;
}

/** How often a running recording is asked how far it has come. */
const GROW_MS = 1000;
/** What is fetched ahead, of playing time. */
const AHEAD_MS = 4000;

/**
 * One recording in one element: a canvas with the picture, the pointer and the overlays above it. Seeking is latest
 * wins: what was asked for while a picture was being painted is painted next, what lay between is left out.
 */
export class Player {
  readonly #stage: Stage;
  readonly #events: PlayerEvents;
  readonly #chunks: ChunkPlayer;
  readonly #canvas = document.createElement("canvas");
  readonly #pen = this.#canvas.getContext("2d", { alpha: false });
  readonly #pointer: PointerLayer;
  readonly #hits: HitLayer;
  readonly #closing = new AbortController();
  readonly #layer = new OverlayLayer({ changed: () => {}, closeAsked: () => {} });
  #image: ImageData | null = null;
  #imageOf: PlainPicture | null = null;
  #size: Size;
  #playback: Playback;
  #idle: readonly Span[] = [];
  #moments: readonly number[] = [];
  #overlays: readonly OverlayEntry[] = [];
  #resizes: readonly Extract<TimelineInfo["entries"][number], { type: "resize" }>[] = [];
  #drawnOverlays = "";
  #shownMs: number | null = null;
  #isPainting = false;
  #animation = 0;
  #lastTickMs = 0;
  #growTimer: number | undefined;
  #isClosed = false;

  /** `stage` must be positioned and have a size of its own. */
  constructor(stage: HTMLElement, { recording, events }: PlayerOptions) {
    this.#stage = new Stage(stage, () => this.#layout());
    this.#events = events;
    this.#size = { width: recording.width, height: recording.height };
    const { id } = recording;
    this.#chunks = new ChunkPlayer(
      {
        chunks: (fromMs, toMs, signal) => fetchChunks(id, fromMs, toMs, signal),
        chunk: (index, signal) => fetchChunk(id, index, signal),
        run: (atMs, signal) => fetchRun(id, atMs, signal),
      },
      recording.duration_ms,
    );
    this.#pointer = new PointerLayer(recording.id);
    this.#hits = new HitLayer({
      places: (words, ms) => fetchPlaces(id, words, ms, this.#closing.signal),
    });
    this.#playback = startOf(recording.duration_ms, recording.state === "recording");
    this.#canvas.className = "player-canvas";
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", t`The recorded screen of ${recording.name ?? recording.title}`);
    this.#stage.surface.append(this.#canvas, this.#hits.element, this.#pointer.element, this.#layer.element);
    this.#layout();
    if (this.#playback.isGrowing) this.#awaitGrowth();
  }

  get playback(): Playback {
    return this.#playback;
  }

  set areOverlaysShown(areShown: boolean) {
    this.#layer.element.hidden = !areShown;
  }

  /** Where these words stand in the picture is marked; empty: nothing is. */
  set words(words: string) {
    this.#hits.words = words;
  }

  /** What happened beside the pixels, sorted by beginning. */
  set entries(entries: TimelineInfo["entries"]) {
    this.#overlays = entries.filter((entry) => entry.type === "overlay");
    this.#resizes = entries.filter((entry) => entry.type === "resize");
    this.#moments = entries.filter((entry) => entry.type !== "resize").map((entry) => entry.at_ms);
    this.#drawnOverlays = "";
    this.#drawOverlays(this.#shownMs ?? 0);
  }

  dispatch(event: PlaybackEvent): void {
    const before = this.#playback;
    this.#playback = afterEvent(before, event, this.#idle);
    if (this.#playback === before) return;
    // First: what must be fetched is on its way while the page draws itself.
    this.#paint();
    this.#events.playback(this.#playback);
    const passed = event.type === "tick" ? passedOver(before, this.#playback, this.#idle) : null;
    if (passed) this.#events.skipped(passed);
    if (this.#playback.isPlaying && !before.isPlaying) this.#animate();
  }

  /** Paints where the player stands, if that is not what is shown. */
  refresh(): void {
    this.#paint();
  }

  /** Goes to the next or previous change of the picture. */
  async step(by: 1 | -1): Promise<void> {
    this.dispatch({ type: "pause" });
    const { positionMs } = this.#playback;
    const shownAtMs = await (by === 1
      ? this.#chunks.frameAfter(positionMs)
      : this.#chunks.frameBefore(positionMs));
    if (shownAtMs !== null) this.dispatch({ type: "seek", toMs: shownAtMs });
  }

  close(): void {
    this.#isClosed = true;
    this.#closing.abort();
    clearTimeout(this.#growTimer);
    cancelAnimationFrame(this.#animation);
    this.#pointer.close();
    this.#chunks.close();
    this.#stage.close();
  }

  #animate(): void {
    this.#lastTickMs = performance.now();
    const tick = (nowMs: number): void => {
      if (this.#isClosed || !this.#playback.isPlaying) return;
      // A page that was hidden gets no frames: what it missed is not played in one leap.
      const elapsedMs = Math.min(1000, Math.max(0, nowMs - this.#lastTickMs));
      this.#lastTickMs = nowMs;
      this.dispatch({ type: "tick", elapsedMs });
      this.#animation = requestAnimationFrame(tick);
    };
    cancelAnimationFrame(this.#animation);
    this.#animation = requestAnimationFrame(tick);
  }

  #paint(): void {
    if (this.#isPainting || this.#isClosed || this.#shownMs === this.#playback.positionMs) return;
    this.#isPainting = true;
    this.#paintLatest().then(
      () => {
        this.#isPainting = false;
        // What was asked for just as the last picture was done.
        this.#paint();
      },
      (error: unknown) => {
        this.#isPainting = false;
        if (this.#isClosed) return;
        this.#playback = { ...this.#playback, isPlaying: false, isLive: false };
        // The picture of another moment is not that of this one.
        this.#shownMs = null;
        this.#imageOf = null;
        this.#canvas.width = this.#size.width;
        this.#events.playback(this.#playback);
        this.#events.failed(error);
        this.#learn(this.#playback.positionMs);
      },
    );
  }

  async #paintLatest(): Promise<void> {
    while (!this.#isClosed && this.#shownMs !== this.#playback.positionMs) {
      const { positionMs, isPlaying, speed } = this.#playback;
      const shown = await this.#chunks.frameAt(positionMs);
      if (this.#isClosed) return;
      this.#shownMs = positionMs;
      if (shown) this.#draw(shown);
      this.#pointer.show(positionMs);
      this.#drawOverlays(positionMs);
      this.#hits.show(positionMs, this.#size);
      this.#findIdle();
      if (shown) this.#events.shown(positionMs, shown);
      this.#learn(positionMs);
      if (isPlaying) this.#chunks.prefetch({ fromMs: positionMs, toMs: positionMs + AHEAD_MS * speed });
    }
  }

  /** What lies around a moment is asked for once its picture is there: nothing shall come before that. */
  #learn(ms: number): void {
    this.#chunks.learn(ms).then(
      () => {
        if (!this.#isClosed) this.#findIdle();
      },
      () => {}, // the next picture asks again
    );
  }

  #findIdle(): void {
    const idle = this.#chunks.idle(this.#moments);
    if (idle === this.#idle) return;
    this.#idle = idle;
    this.#events.idle(idle);
  }

  #draw({ frame, painted }: ShownFrame): void {
    if (frame !== this.#imageOf || this.#image?.data.buffer !== frame.bytes.buffer) {
      this.#imageOf = frame;
      const { bytes, width, height } = frame;
      const view = new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#image = new ImageData(view, width, height);
      this.#canvas.width = frame.width;
      this.#canvas.height = frame.height;
      this.#size = { width: frame.width, height: frame.height };
      this.#layout();
      this.#pen?.putImageData(this.#image, 0, 0);
      return;
    }
    if (painted === null) {
      this.#pen?.putImageData(this.#image, 0, 0);
      return;
    }
    for (const { x, y, width, height } of painted) {
      this.#pen?.putImageData(this.#image, 0, 0, x, y, width, height);
    }
  }

  #drawOverlays(ms: number): void {
    const overlays = overlaysAt(this.#overlays, ms);
    const drawn = JSON.stringify(overlays);
    if (drawn === this.#drawnOverlays) return;
    this.#drawnOverlays = drawn;
    this.#receive(overlays, ms);
  }

  #receive(overlays: readonly OverlayInfo[], ms: number): void {
    const resize =
      this.#resizes[
        indexAt(
          this.#resizes.map(({ at_ms }) => at_ms),
          ms,
        )
      ];
    this.#layer.receive({
      type: "sync_state",
      desktop_id: "",
      ...this.#size,
      monitors: resize?.monitors ?? [],
      // In a replay nothing can be taken away: no overlay has a button.
      overlays: overlays.map((overlay) => ({ ...overlay, click_through: true })),
    });
  }

  #layout(): void {
    const plan = this.#stage.layOut({ desktop: this.#size, zoom: "fit", crop: null });
    if (!plan) return;
    this.#stage.surface.style.setProperty("--player-scale", String(plan.scale));
    this.#layer.place(this.#size, plan.scale);
  }

  #awaitGrowth(): void {
    this.#growTimer = setTimeout(() => {
      this.#chunks.grow().then(
        (isGrowing) => this.#grew(isGrowing),
        (error: unknown) => {
          if (this.#isClosed) return;
          // The server may be away for a moment; what was recorded meanwhile is told then.
          if (isGone(error)) this.#events.failed(error);
          else this.#awaitGrowth();
        },
      );
    }, GROW_MS);
  }

  #grew(isGrowing: boolean): void {
    if (this.#isClosed) return;
    this.#pointer.forget();
    this.dispatch({ type: "grew", durationMs: this.#chunks.durationMs, isGrowing });
    this.#events.grew(isGrowing);
    if (isGrowing) this.#awaitGrowth();
  }
}
