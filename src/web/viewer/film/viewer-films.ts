import { holdsRect, type Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Film, FilmPicture, FilmViewer } from "./film.ts";
import type { FilmSet } from "./film-set.ts";

/** A viewer that owes so many pictures to its socket is too slow for others' pace. */
const MOST_QUEUED = 8;
/** And gets JPEG for so long, which leaves out what it cannot keep up with. */
const FALLEN_MS = 10_000;

interface ViewerFilmsPorts {
  readonly clock: Clock;
  /** What of the desktop the viewer sees; null where it shows no films. */
  visible(): Rect | null;
  /** There is something to send. */
  schedule(): void;
  /** The viewer may not show the newest there. */
  owed(rect: Rect): void;
}

/** One viewer's half of films: which it shows, and the pictures of them that wait to be sent, each in its order. */
export class ViewerFilms implements FilmViewer {
  readonly #ports: ViewerFilmsPorts;
  /** Those that it shows, and what waits of each. */
  readonly #on = new Map<Film, FilmPicture[]>();
  #set: FilmSet | null = null;
  #region = Region.empty;
  #fallenAtMs = Number.NEGATIVE_INFINITY;

  constructor(ports: ViewerFilmsPorts) {
    this.#ports = ports;
  }

  /** Follows the films of the picture that the viewer sees now: those of another one end for it at once. */
  follow(set: FilmSet | null): void {
    const wanted = this.#ports.visible() === null ? null : set;
    if (wanted === this.#set) return;
    this.close();
    this.#set = wanted;
    wanted?.join(this);
  }

  /** What films show: nothing else is sent there. */
  get region(): Region {
    return this.#region;
  }

  /** Of them those that move: what is sent exactly there is out of date at once. */
  get moving(): Region {
    return Region.from([...this.#on.keys()].filter(({ isMoving }) => isMoving).map(({ rect }) => rect));
  }

  /** What is to be sent besides. */
  without(painted: Region): Region {
    return this.#set?.without(painted, this.#region) ?? painted;
  }

  get hasPictures(): boolean {
    if (this.#on.size === 0) return false;
    for (const queue of this.#on.values()) if (queue.length > 0) return true;
    return false;
  }

  get isHungry(): boolean {
    return this.#on.size > 0 && !this.hasPictures;
  }

  get isJoining(): boolean {
    return this.#isFit && [...(this.#set?.films ?? [])].some((film) => this.#mayShow(film));
  }

  show(film: Film, pictures: readonly FilmPicture[], isKey: boolean): void {
    const queue = this.#on.get(film);
    if (isKey && (queue !== undefined || (this.#isFit && this.#mayShow(film)))) {
      this.#on.set(film, [...pictures]);
      this.#count();
    } else if (queue === undefined) return;
    else if (queue.length >= MOST_QUEUED) {
      this.#fallenAtMs = this.#ports.clock.nowMs();
      this.ended(film, true);
      return;
    } else queue.push(...pictures);
    this.#ports.schedule();
  }

  ended(film: Film, isOwed: boolean): void {
    const queue = this.#on.get(film);
    if (queue === undefined) return;
    this.#on.delete(film);
    this.#count();
    if (isOwed || queue.length > 0) this.#ports.owed(film.rect);
  }

  /** What waits to be sent, of films that lie in what the viewer asked for. */
  take(asked: Region): readonly FilmPicture[] {
    const taken: FilmPicture[] = [];
    for (const [film, queue] of [...this.#on]) {
      if (!film.isFit() || !asked.holds(film.rect)) continue;
      taken.push(...queue.splice(0));
    }
    return taken;
  }

  /** They went: the next ones may be made. */
  took(): void {
    this.#set?.step();
  }

  close(): void {
    const set = this.#set;
    this.#set = null;
    for (const film of [...this.#on.keys()]) this.ended(film, true);
    set?.leave(this);
  }

  get #isFit(): boolean {
    return this.#ports.clock.nowMs() - this.#fallenAtMs >= FALLEN_MS;
  }

  #mayShow(film: Film): boolean {
    const visible = this.#ports.visible();
    return !this.#on.has(film) && visible !== null && holdsRect(visible, film.rect);
  }

  #count(): void {
    this.#region = Region.from([...this.#on.keys()].map(({ rect }) => rect));
  }
}
