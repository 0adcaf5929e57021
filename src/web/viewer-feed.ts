import type { Clock } from "../desktop/clock.ts";
import type { View, Watcher } from "../desktop/view.ts";
import { areaOfRect, type Size, snapRect } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { CopyMove } from "../protocols/rfb/screen.ts";
import type { RectWork, RfbServer } from "../protocols/rfb/server/rfb-server.ts";
import { PaintedPointer, type PointedDesktop } from "./viewer-pointer.ts";
import type { ViewerRectCache } from "./viewer-rect-cache.ts";
import { ViewerSlices } from "./viewer-slices.ts";

/** Damage grows to this grid, so that viewers whose damage differs a little still share what is encoded. */
const GRID = 16;
/** What was sent as JPEG and stood still for one to two of these is sent again exactly. */
const TURN_MS = 350;

export interface FedDesktop extends PointedDesktop {
  readonly generation: number;
  readonly viewers: number;
  readonly scene: { readonly version: number };
  view(audience: "viewer"): View;
}

export interface ViewerFeedParts {
  readonly desktop: FedDesktop;
  /** Overlays drawn into the picture. */
  readonly isComposited: boolean;
  /** Of the desktop: one for all its viewers. */
  readonly cache: ViewerRectCache;
  readonly clock: Clock;
  /** True where nothing waits to be sent: then there is room for what is not urgent. */
  isDrained(): boolean;
  /** There may be something to pump. */
  schedule(): void;
}

/** One viewer's pixels: takes what changed from the desktop and hands it to the viewer's server. */
export class ViewerFeed {
  readonly #parts: ViewerFeedParts;
  readonly #view: View;
  readonly #watcher: Watcher;
  readonly #pointer: PaintedPointer;
  readonly #slices = new ViewerSlices();
  /** The viewer is sent updates without asking for each, so that a large one may be cut into several. */
  #isFlowing = false;
  #cancelTurn: (() => void) | null = null;

  constructor(parts: ViewerFeedParts) {
    this.#parts = parts;
    this.#pointer = new PaintedPointer(parts.desktop);
    this.#view = parts.desktop.view("viewer");
    this.#watcher = this.#view.watch(() => parts.schedule(), { withOverlays: parts.isComposited });
  }

  /** Makes one update of the newest picture for a viewer that wants one. */
  pump(server: RfbServer): void {
    const { width, height, screens } = this.#view;
    if (server.size.width !== width || server.size.height !== height) server.resize(width, height, screens);
    const { painted, copies } = this.#take(server.drawsCursor);
    const picture = this.#pointer.over(this.#view.picture(this.#parts.isComposited));
    const due = snap(painted, this.#view);
    const now = this.#isFlowing ? this.#slices.take(due) : due;
    const later = due.subtract(now);
    const left = server.update(picture, now, copies);
    // Only continuous updates are counted in flight. A viewer that asks for each would wait a way and back for each part.
    if (server.updatesInFlight > 0) this.#isFlowing = true;
    if (!left.isEmpty || !later.isEmpty) this.#watcher.putBack(left.union(later));
    else if (this.#parts.isDrained()) server.refine(picture);
    if (!later.isEmpty) setImmediate(() => this.#parts.schedule());
    this.#armTurn(server);
  }

  /** A body of the picture as it is now, encoded for the first viewer that needs it and shared with the others. */
  encodeOnce(work: RectWork, encode: () => Uint8Array): Uint8Array {
    const { desktop, isComposited, cache } = this.#parts;
    const timed = (): Uint8Array => this.#timed(work, encode);
    if (desktop.viewers < 2 || this.#pointer.touches(work.rect)) return timed();
    const stamp = `${desktop.generation}.${desktop.scene.version}`;
    return cache.get(stamp, isComposited ? "overlays" : "bare", work, timed);
  }

  close(): void {
    this.#cancelTurn?.();
    this.#watcher.close();
  }

  #timed({ rect }: RectWork, encode: () => Uint8Array): Uint8Array {
    const { clock } = this.#parts;
    const startedAtMs = clock.nowMs();
    const body = encode();
    this.#slices.took(areaOfRect(rect), clock.nowMs() - startedAtMs);
    return body;
  }

  /** What the viewer has not seen, with what the pointer covers and uncovers where it is drawn in. */
  #take(drawsCursor: boolean): { readonly painted: Region; readonly copies: readonly CopyMove[] } {
    const { painted, copies } = this.#watcher.take();
    const isPointer = (move: CopyMove): boolean => this.#pointer.isMovedBy(move);
    const wasMoved = copies.some(isPointer);
    const pointed = this.#pointer.look(!drawsCursor);
    if (!wasMoved && !copies.some(isPointer)) return { painted: painted.union(pointed), copies };
    const moved = Region.from(copies.map(({ to }) => to));
    return { painted: painted.union(pointed).union(moved), copies: [] };
  }

  /** One timer at most, and only while the viewer has something that standing still would make due. */
  #armTurn(server: RfbServer): void {
    if (this.#cancelTurn !== null || !server.isTurnDue) return;
    this.#cancelTurn = this.#parts.clock.after(TURN_MS, () => {
      this.#cancelTurn = null;
      server.turn();
      this.#armTurn(server);
      this.#parts.schedule();
    });
  }
}

function snap(region: Region, size: Size): Region {
  return Region.from(region.rects.map((rect) => snapRect(rect, GRID, size)));
}
