import type { Watcher } from "../../../desktop/view.ts";
import { movedArea, targetsOf } from "../../../framebuffer/copy-move.ts";
import { areaOfRect, boundRects, EMPTY_RECT, type Rect, type Size } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import { ByteWriter } from "../../../protocols/byte-writer.ts";
import type { EncodeBudget } from "../encode-budget.ts";
import type { FedView } from "../viewed-desktop.ts";
import type { FilmEncoder } from "./film-encoder.ts";

/** So often it is looked whether a film still runs. */
const LOOK_MS = 2000;
/** Fewer changes in that time are no film. */
const LEAST_CHANGES = 3;
/** One that changed so long ago moves, or waits for a busy machine: to send all of it exactly costs as much as seconds of it. */
const MOVING_MS = 1000;
/** Given to the encoder and not out yet: one is encoded while the next one is copied. */
const MOST_WAITING = 2;
/** Nobody joins sooner after the last one did: each time all get a picture of many times the bytes. */
const BETWEEN_JOINS_MS = 3000;
/** One that comes no nearer than two pictures to the one that runs takes over all the same. */
const MOST_HELD = 8;
/** H.264 rectangle, rfbproto: reset the context of this rectangle before decoding. */
const RESET_CONTEXT = 1;

/** A picture of a film as RFB sends it: encoding 50 of rfbproto. */
export interface FilmPicture {
  readonly rect: Rect;
  /** U32 length, U32 flags, the NAL units. */
  readonly body: Uint8Array;
}

/** One viewer of a film. */
export interface FilmViewer {
  /** It would show another picture at once. */
  readonly isHungry: boolean;
  /** It waits for a picture that needs none before it. */
  readonly isJoining: boolean;
  /** The next of its pictures, in order. `isKey`: they need none before them, and are the first that who joins gets. */
  show(film: Film, pictures: readonly FilmPicture[], isKey: boolean): void;
  /** There is no film any more. `isOwed`: what it was shown last may not be the newest. */
  ended(film: Film, isOwed: boolean): void;
}

type Encoder = Pick<FilmEncoder, "waiting" | "put" | "close">;

export interface FilmPorts {
  readonly clock: Clock;
  readonly budget: EncodeBudget;
  /** null: no encoder can be had now. */
  openEncoder(
    size: Size,
    on: { encoded(picture: Uint8Array): void; failed(error: Error): void },
  ): Encoder | null;
  /** Ended, for whatever reason. */
  closed(film: Film): void;
}

/** An encoder with the numbers of the pictures that it was given. */
interface Run {
  readonly encoder: Encoder;
  readonly numbers: number[];
  /** What came out before it took over from the one that runs. */
  readonly held: Uint8Array[];
}

/**
 * An area that moves like a film, encoded once for all who see the same of the desktop. Viewers pace it: the next picture
 * is made when one of them could show it. An encoder begins with a key picture and makes no other, so who joins gets a
 * new one: it is given the same pictures as the old one, and takes over when it has come as far.
 *
 * INVARIANT: a picture that was made while something else was hidden in the area is never shown: the film ends before,
 * and the next one begins with a key picture.
 */
export class Film {
  readonly rect: Rect;
  readonly #ports: FilmPorts;
  readonly #view: FedView;
  readonly #withOverlays: boolean;
  readonly #viewers: ReadonlySet<FilmViewer>;
  readonly #watcher: Watcher;
  readonly #hidden: Region;
  readonly #size: string;
  #run: Run | null = null;
  #next: Run | null = null;
  #nextSinceMs = Number.NEGATIVE_INFINITY;
  /** What changed and is in no picture that was given to an encoder. */
  #isDirty = true;
  #isDue = false;
  #changes = 0;
  #changedAtMs: number;
  #changed: Rect = EMPTY_RECT;
  /** In that time, in pixels: what was painted anew, and what only moved. */
  #painted = 0;
  #moved = 0;
  #number = 0;
  /** Of the newest picture that was shown. */
  #shown = 0;
  #isClosed = false;
  #cancelLook: () => void;

  /** `viewers`: of the same picture, kept up to date by who owns the film. */
  constructor(
    ports: FilmPorts,
    view: FedView,
    withOverlays: boolean,
    rect: Rect,
    viewers: ReadonlySet<FilmViewer>,
  ) {
    this.rect = rect;
    this.#ports = ports;
    this.#view = view;
    this.#withOverlays = withOverlays;
    this.#viewers = viewers;
    this.#hidden = view.hidden.clip(rect);
    this.#size = sizeOf(view);
    this.#watcher = view.watch(() => this.#soon(), { withOverlays, isPassive: true });
    this.#watcher.take();
    this.#changedAtMs = ports.clock.nowMs();
    this.#cancelLook = ports.clock.after(LOOK_MS, () => this.#look());
  }

  /** False where it has not changed for some time. */
  get isMoving(): boolean {
    return this.#ports.clock.nowMs() - this.#changedAtMs < MOVING_MS;
  }

  /** A viewer took a picture, came, or wants to join: there may be something to make. */
  step(): void {
    if (this.#isClosed || !this.#isAsBegun()) return;
    this.#openNext();
    this.#capture();
  }

  /** True where it shows what may be shown: else it has ended. */
  isFit(): boolean {
    return !this.#isClosed && this.#isAsBegun();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelLook();
    this.#watcher.close();
    const isOwed = this.#isDirty || (this.#run?.numbers.length ?? 0) > 0;
    for (const run of [this.#run, this.#next]) run?.encoder.close();
    for (const viewer of this.#viewers) viewer.ended(this, isOwed);
    this.#ports.closed(this);
  }

  /** The desktop tells everybody first; then what came in one go is one picture. */
  #soon(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    this.#ports.budget.soon(() => {
      this.#isDue = false;
      if (this.#isClosed || !this.#isAsBegun()) return;
      const { painted, copies } = this.#watcher.take();
      const { bounds, isEmpty } = painted.union(targetsOf(copies)).clip(this.rect);
      if (isEmpty) return;
      this.#isDirty = true;
      this.#changes++;
      this.#changedAtMs = this.#ports.clock.nowMs();
      this.#changed = boundRects(this.#changed, bounds);
      this.#painted += painted.areaWithin(this.rect);
      this.#moved += movedArea(copies, this.rect);
      this.step();
    });
  }

  #isAsBegun(): boolean {
    const isSame =
      sizeOf(this.#view) === this.#size && this.#view.hidden.clip(this.rect).equals(this.#hidden);
    if (!isSame) this.close();
    return isSame;
  }

  #openNext(): void {
    if (this.#next !== null || ![...this.#viewers].some(({ isJoining }) => isJoining)) return;
    const nowMs = this.#ports.clock.nowMs();
    if (nowMs - this.#nextSinceMs < BETWEEN_JOINS_MS) return;
    this.#nextSinceMs = nowMs;
    const numbers: number[] = [];
    const encoder = this.#ports.openEncoder(this.rect, {
      encoded: (picture) => this.#onEncoded(numbers, picture),
      failed: () => this.close(),
    });
    if (encoder === null) {
      if (this.#run === null) this.close();
      return;
    }
    this.#next = { encoder, numbers, held: [] };
    // Who joins is owed a picture, changed or not.
    this.#isDirty = true;
  }

  #capture(): void {
    if (!this.#isDirty) return;
    const runs = [this.#run, this.#next].filter((run) => run !== null);
    const free = runs.filter(({ encoder }) => encoder.waiting < MOST_WAITING);
    const isWanted = [...this.#viewers].some(({ isHungry, isJoining }) => isHungry || isJoining);
    if (free.length === 0 || !isWanted) return;
    const { clock, budget } = this.#ports;
    const startedAtMs = clock.nowMs();
    const rgba = this.#copy();
    budget.took(clock.nowMs() - startedAtMs);
    this.#isDirty = false;
    this.#number++;
    for (const { encoder, numbers } of free) {
      numbers.push(this.#number);
      encoder.put(rgba);
    }
  }

  #copy(): Uint8Array {
    const { width, height } = this.rect;
    const { bytes, offset, strideBytes } = this.#view.picture(this.#withOverlays).pixels(this.rect);
    const rowBytes = width * 4;
    const rgba = Buffer.allocUnsafe(rowBytes * height);
    for (let y = 0; y < height; y++) {
      const from = offset + y * strideBytes;
      rgba.set(bytes.subarray(from, from + rowBytes), y * rowBytes);
    }
    return rgba;
  }

  #onEncoded(of: readonly number[], nals: Uint8Array): void {
    const run = [this.#run, this.#next].find((other) => other?.numbers === of);
    if (this.#isClosed || !this.#isAsBegun() || run === undefined || run === null) return;
    const number = run.numbers.shift() ?? 0;
    if (run === this.#run) {
      this.#shown = number;
      this.#show([nals], false);
    } else {
      run.held.push(nals);
      if (this.#run === null || number >= this.#shown || run.held.length === MOST_HELD) {
        this.#run?.encoder.close();
        this.#run = run;
        this.#next = null;
        this.#shown = number;
        this.#show(run.held.splice(0), true);
      }
    }
    this.step();
  }

  #show(encoded: readonly Uint8Array[], isKey: boolean): void {
    const pictures = encoded.map((nals, nth) => {
      const flags = isKey && nth === 0 ? RESET_CONTEXT : 0;
      const body = new ByteWriter(8 + nals.length).u32(nals.length).u32(flags).put(nals).bytes();
      return { rect: this.rect, body };
    });
    for (const viewer of [...this.#viewers]) viewer.show(this, pictures, isKey);
  }

  /** One that stands still or shrank ends: what is sent exactly is sharper. One that is moved, as a page is: a move costs nothing. */
  #look(): void {
    const isLarge = 2 * areaOfRect(this.#changed) >= areaOfRect(this.rect);
    if (this.#changes < LEAST_CHANGES || !isLarge || 2 * this.#moved >= this.#painted) {
      this.close();
      return;
    }
    this.#changes = 0;
    this.#painted = 0;
    this.#moved = 0;
    this.#changed = EMPTY_RECT;
    this.#cancelLook = this.#ports.clock.after(LOOK_MS, () => this.#look());
    this.step();
  }
}

function sizeOf({ width, height }: FedView): string {
  return `${width}x${height}`;
}
