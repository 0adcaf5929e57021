import { LivelyAreas } from "../../../desktop/masks/lively-areas.ts";
import type { Watcher } from "../../../desktop/view.ts";
import { movedArea } from "../../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../../framebuffer/picture.ts";
import {
  areaOfRect,
  boundRects,
  EMPTY_RECT,
  holdsRect,
  intersectRects,
  overlapRects,
  type Rect,
  rectOfSize,
} from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { FedView } from "../viewed-desktop.ts";
import { Film, type FilmPorts, type FilmViewer } from "./film.ts";

/** What is kept of rectangles that went as JPEG. */
const KEPT_MS = 2000;
const MOST_KEPT = 512;
/** Rectangles. */
const MOST_MOVED = 64;
/** What went as JPEG for less is no film yet: a window opens, a page scrolls. */
const LEAST_MS = 700;
const LEAST_PICTURES = 4;
const BETWEEN_LOOKS_MS = 250;
/** Pixels; smaller ones are not worth a process, larger ones take too long to copy in a turn of the event loop. */
const LEAST_SIDE = 96;
const LEAST_AREA = 160 * 120;
const MOST_AREA = 1920 * 1088;
/** Its sides lie on multiples of this: what changes is told so. */
const GRID = 16;
/** At a time, of one picture. */
const MOST_FILMS = 2;

/** Films of one picture of a desktop, that of one kind of viewers, with overlays or without. */
export class FilmSet {
  readonly #ports: Omit<FilmPorts, "closed">;
  readonly #view: FedView;
  readonly #withOverlays: boolean;
  readonly #viewers = new Set<FilmViewer>();
  readonly #films = new Set<Film>();
  #lively = new LivelyAreas();
  /** What was painted since it last went as JPEG. */
  #moved = Region.empty;
  #watcher: Watcher | null = null;
  /** What moved and went as JPEG of late, oldest first. */
  #jpegs: { readonly rect: Rect; readonly atMs: number }[] = [];
  /** What only moved of late, oldest first: a page that scrolls shows other pictures all the time, and is no film. */
  #moves: { readonly copies: readonly CopyMove[]; readonly atMs: number }[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** The last answer of `without`: viewers in step share it. */
  #without = { painted: Region.empty, films: Region.empty, left: Region.empty };

  constructor(ports: Omit<FilmPorts, "closed">, view: FedView, withOverlays: boolean) {
    this.#ports = ports;
    this.#view = view;
    this.#withOverlays = withOverlays;
  }

  /** Those that run. */
  get films(): ReadonlySet<Film> {
    return this.#films;
  }

  join(viewer: FilmViewer): void {
    this.#viewers.add(viewer);
    if (this.#watcher === null) {
      const options = { withOverlays: this.#withOverlays, isPassive: true };
      this.#watcher = this.#view.watch(() => undefined, options);
      this.#watcher.take();
    }
    this.step();
  }

  leave(viewer: FilmViewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size > 0) return;
    for (const film of [...this.#films]) film.close();
    this.#watcher?.close();
    this.#watcher = null;
    this.#jpegs = [];
    this.#moves = [];
    this.#lively = new LivelyAreas();
    this.#moved = Region.empty;
  }

  /** A viewer could show more, or wants to join. */
  step(): void {
    for (const film of [...this.#films]) film.step();
  }

  /** A rectangle of the newest picture was encoded as JPEG. */
  wasJpeg(rect: Rect): void {
    if (this.#watcher === null) return;
    const nowMs = this.#ports.clock.nowMs();
    // A viewer that came, or whose film ended, is owed more than what moves.
    const moved = this.#take(rect, nowMs);
    if (moved.isEmpty) return;
    // What is text goes as it is, and not as JPEG.
    this.#lively.add(moved, Region.empty, nowMs, () => true);
    for (const part of moved.rects) this.#jpegs.push({ rect: part, atMs: nowMs });
    for (const list of [this.#jpegs, this.#moves]) {
      const kept = list.findIndex(({ atMs }) => atMs > nowMs - KEPT_MS);
      list.splice(0, Math.max(kept, list.length - MOST_KEPT));
    }
    if (nowMs - this.#lookedAtMs < BETWEEN_LOOKS_MS) return;
    this.#lookedAtMs = nowMs;
    for (const area of this.#lively.filmsAt(nowMs)) this.#find(area, nowMs);
  }

  /** What is to be sent besides films; the same object for the same two. */
  without(painted: Region, films: Region): Region {
    if (films.isEmpty || !films.rects.some((film) => painted.overlaps(film))) return painted;
    const known = this.#without;
    if (known.painted === painted && known.films.equals(films)) return known.left;
    const left = painted.subtract(films);
    this.#without = { painted, films, left };
    return left;
  }

  /** What was painted in a rectangle since it was last asked for. */
  #take(rect: Rect, atMs: number): Region {
    if (this.#watcher === null) return Region.empty;
    const { painted, copies } = this.#watcher.take();
    if (copies.length > 0) this.#moves.push({ copies, atMs });
    const all = this.#moved.union(painted).simplified(MOST_MOVED);
    this.#moved = all.subtract(Region.of(rect));
    return all.clip(rect);
  }

  /** Opens a film where an area is one; in place of those that it reaches into and that are too small. */
  #find(area: Rect, nowMs: number): void {
    const jpegs = this.#jpegs.filter(({ rect }) => overlapRects(rect, area));
    const times = new Set(jpegs.map(({ atMs }) => atMs));
    const [first] = jpegs;
    if (first === undefined || nowMs - first.atMs < LEAST_MS || times.size < LEAST_PICTURES) return;
    const bounds = jpegs.reduce((all, { rect }) => boundRects(all, intersectRects(rect, area)), EMPTY_RECT);
    const painted = jpegs.reduce((sum, { rect }) => sum + areaOfRect(intersectRects(rect, bounds)), 0);
    const moved = this.#moves.reduce((sum, { copies }) => sum + movedArea(copies, bounds), 0);
    if (2 * moved >= painted) return;
    const near = [...this.#films].filter(({ rect }) => overlapRects(rect, bounds));
    if (near.some(({ rect }) => holdsRect(rect, bounds))) return;
    const place = onGrid(
      near.reduce((all, { rect }) => boundRects(all, rect), bounds),
      rectOfSize(this.#view),
    );
    const size = areaOfRect(place);
    if (Math.min(place.width, place.height) < LEAST_SIDE || size < LEAST_AREA || size > MOST_AREA) return;
    if (this.#films.size - near.length >= MOST_FILMS) return;
    for (const film of near) film.close();
    const film = new Film(
      { ...this.#ports, closed: (ended) => this.#films.delete(ended) },
      this.#view,
      this.#withOverlays,
      place,
      this.#viewers,
    );
    this.#films.add(film);
    film.step();
  }
}

/** On the grid, within the picture, and of even sides. */
function onGrid({ x, y, width, height }: Rect, within: Rect): Rect {
  const [left, top] = [Math.floor(x / GRID) * GRID, Math.floor(y / GRID) * GRID];
  const right = Math.ceil((x + width) / GRID) * GRID;
  const bottom = Math.ceil((y + height) / GRID) * GRID;
  const place = intersectRects({ x: left, y: top, width: right - left, height: bottom - top }, within);
  return { ...place, width: place.width & ~1, height: place.height & ~1 };
}
