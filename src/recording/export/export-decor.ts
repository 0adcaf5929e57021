import { composeCursor, composePicture } from "../../compositor/compose.ts";
import type { Overlay } from "../../compositor/overlay.ts";
import type { PlacedOverlay } from "../../compositor/placed-overlay.ts";
import { shapeOf } from "../../compositor/shapes/list.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { intersectRects, isEmptyRect, type Rect, rectOfSize, type Size } from "../../framebuffer/rect.ts";
import { copyRows } from "../../imaging/pixels.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import type { TrackEntry } from "../format/event-entry.ts";
import type { RecordedFrame, RecordingReader } from "../read/reader.ts";

/** Tracks are read by spans of so long: hours of them need not be in memory at once. */
const SPAN_MS = 60_000;
const MAX_CURSOR_SIDE = 512;
/** Painted in one turn of the event loop: of a blur over full HD some milliseconds. */
const STRIP_ROWS = 128;

/** What is painted over the recorded pixels. */
export interface DecorOptions {
  readonly hasOverlays: boolean;
  readonly hasPointer: boolean;
}

/** Overlays and pointer as they stood, painted over the pictures of an export. Moments are asked for in order. */
export class ExportDecor {
  readonly #reader: Pick<RecordingReader, "events">;
  readonly #options: DecorOptions;
  readonly #overlays = new Map<string, Overlay>();
  #placed: readonly PlacedOverlay[] | null = null;
  #monitors: readonly Rect[] = [];
  #pointer: { readonly x: number; readonly y: number } | null = null;
  #cursor: Cursor | null = null;
  /** Read and not passed yet, in order, and until when all is read. */
  #ahead: TrackEntry[] = [];
  #readMs = 0;
  #frame = new Framebuffer(1, 1);

  constructor(reader: Pick<RecordingReader, "events">, options: DecorOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** When something that is painted changes within a span. */
  async times(fromMs: number, toMs: number): Promise<readonly number[]> {
    const { hasOverlays, hasPointer } = this.#options;
    if (!hasOverlays && !hasPointer) return [];
    const entries = await this.#reader.events(fromMs, toMs);
    return entries
      .filter(({ type }) =>
        type === "overlays_shown" || type === "overlays_gone"
          ? hasOverlays
          : hasPointer && (type === "pointer" || type === "click" || type === "cursor"),
      )
      .map(({ atMs }) => atMs);
  }

  /** The frame's pixels at a moment, with what is wished for over them; its own where nothing is. */
  async paint(frame: RecordedFrame, atMs: number): Promise<Uint8Array> {
    const { hasOverlays, hasPointer } = this.#options;
    if (!hasOverlays && !hasPointer) return frame.rgba;
    await this.#pass(atMs);
    const placed = hasOverlays ? this.#placedOn(frame) : [];
    const cursor = hasPointer && this.#pointer !== null ? this.#cursor : null;
    if (placed.length === 0 && cursor === null) return frame.rgba;
    const { width, height } = frame;
    const below = this.#frame;
    if (below.width !== width || below.height !== height) below.resize(width, height);
    below.bytes.set(frame.rgba);
    const composed = composePicture(below, { placed });
    const { x, y } = this.#pointer ?? { x: 0, y: 0 };
    const picture = cursor === null ? composed : composeCursor(composed, cursor, x, y);
    const rgba = new Uint8Array(width * height * 4);
    for (let top = 0; top < height; top += STRIP_ROWS) {
      if (top > 0) await nextTurn();
      const strip = { x: 0, y: top, width, height: Math.min(STRIP_ROWS, height - top) };
      copyRows(picture.pixels(strip), width, strip.height, rgba.subarray(top * width * 4));
    }
    return rgba;
  }

  /** Follows the tracks until a moment. */
  async #pass(atMs: number): Promise<void> {
    for (;;) {
      const [next] = this.#ahead;
      if (next !== undefined && next.atMs > atMs) return;
      if (next !== undefined) {
        this.#ahead.shift();
        this.#take(next);
      } else if (this.#readMs > atMs) return;
      else {
        const fromMs = this.#readMs;
        this.#readMs += SPAN_MS;
        this.#ahead = [...(await this.#reader.events(fromMs, this.#readMs - 1))];
      }
    }
  }

  #take(entry: TrackEntry): void {
    switch (entry.type) {
      case "overlays_shown":
        // One that is told again is the last one drawn.
        for (const overlay of entry.overlays) {
          this.#overlays.delete(overlay.id);
          this.#overlays.set(overlay.id, overlay);
        }
        this.#placed = null;
        break;
      case "overlays_gone":
        for (const id of entry.ids) this.#overlays.delete(id);
        this.#placed = null;
        break;
      case "resize":
        this.#monitors = entry.screens.map(({ rect }) => rect);
        this.#placed = null;
        break;
      case "pointer":
      case "click":
        this.#pointer = { x: entry.x, y: entry.y };
        break;
      case "cursor":
        this.#cursor = cursorOf(entry);
        break;
      default:
    }
  }

  #placedOn(size: Size): readonly PlacedOverlay[] {
    this.#placed ??= [...this.#overlays.values()].flatMap((overlay) => {
      const shape = shapeOf(overlay.kind);
      const whole = rectOfSize(size);
      const room = intersectRects(this.#monitors[overlay.monitorIndex] ?? whole, whole);
      // A kind of a later version, or one that lies outside after a resize, is not drawn.
      if (shape === undefined || isEmptyRect(room)) return [];
      const bounds = intersectRects(shape.bounds(overlay, room), whole);
      return isEmptyRect(bounds) ? [] : [{ overlay, shape, room, bounds }];
    });
    return this.#placed;
  }
}

function cursorOf({
  width,
  height,
  hotspotX,
  hotspotY,
  rgba,
}: Extract<TrackEntry, { type: "cursor" }>): Cursor | null {
  if (rgba === null || width < 1 || height < 1 || width > MAX_CURSOR_SIDE || height > MAX_CURSOR_SIDE)
    return null;
  const bytes = Buffer.from(rgba, "base64");
  return bytes.length === width * height * 4 ? { width, height, hotspotX, hotspotY, rgba: bytes } : null;
}
