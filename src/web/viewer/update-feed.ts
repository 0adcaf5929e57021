import type { Audience, Change, Watcher } from "../../desktop/view.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import type { CopyMove, Picture } from "../../framebuffer/picture.ts";
import { areaOfRect, type Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import { isJpeg } from "../../protocols/rfb/server/rect-encoder.ts";
import type { PixelStyle, RectWork, RfbServer } from "../../protocols/rfb/server/rfb-server.ts";
import type { EncodeBudget } from "./encode-budget.ts";
import type { FilmSet } from "./film/film-set.ts";
import { ViewerFilms } from "./film/viewer-films.ts";
import { PaintedPointer, type PointedDesktop } from "./pointer.ts";
import type { ViewerRectCache } from "./rect-cache.ts";
import type { FedView } from "./viewed-desktop.ts";

/** What was sent as JPEG and stood still for one to two of these is sent again exactly. */
const TURN_MS = 350;
/** An update that is not encoded after so many turns goes in parts: others' may have pushed it out of the cache. */
const MAX_TRIES = 64;
const NO_MOVES: readonly CopyMove[] = [];

interface FedDesktop extends PointedDesktop {
  readonly generation: number;
  readonly viewers: number;
  readonly scene: { readonly version: number };
  view(audience: Audience): FedView;
}

export interface ViewerFeedParts {
  readonly desktop: FedDesktop;
  /** As whom the viewer sees it: an agent's token does not show more to a viewer than to its agent. */
  readonly audience: Audience;
  /** Overlays drawn into the picture. */
  readonly isComposited: boolean;
  /** Of the desktop: one for all its viewers who see the same picture, which View.kind names. */
  cacheOf(kind: Audience): ViewerRectCache;
  /** Films of that picture; null where nothing encodes them. */
  filmsOf?(kind: Audience): FilmSet | null;
  /** Where this viewer shows films; null where it shows none. */
  filmArea?(): Rect | null;
  readonly clock: Clock;
  /** Of the event loop: one for all viewers. */
  readonly budget: EncodeBudget;
  /** True where nothing waits to be sent: then there is room for what is not urgent. */
  isDrained(): boolean;
  /** All that changed so long ago or later is sent. */
  updated?(delayMs: number): void;
  /** There may be something to pump, soon. */
  schedule(): void;
  /** Pumps at once. */
  pump(): void;
}

/** One viewer's pixels: takes what changed from the desktop and hands it to the viewer's server. */
export class ViewerFeed {
  readonly #parts: ViewerFeedParts;
  readonly #view: FedView;
  readonly #watcher: Watcher;
  readonly #pointer: PaintedPointer;
  readonly #cost = new PixelCost();
  readonly films: ViewerFilms;
  /** The watcher has something for us. */
  #isDamaged = true;
  /** Since when; null while nothing is owed. */
  #damagedAtMs: number | null = null;
  /** Something was due that this turn had no time for. */
  #isHeldUp = false;
  /** The picture that an update is being encoded of, of which nothing was sent yet. */
  #preparing: string | null = null;
  /** Turns that went by since. */
  #tries = 0;
  /** The picture changed before an update of it was encoded, or that took too long. */
  #isOvertaken = false;
  /** What the pointer covered or uncovered and no update has shown yet. */
  #pointed = Region.empty;
  #waitsForTurn = false;
  #waitsForDrain = false;
  #generation = -1;
  #version = -1;
  #stampOfPicture = "";
  #cancelTurn: (() => void) | null = null;

  constructor(parts: ViewerFeedParts) {
    this.#parts = parts;
    this.#pointer = new PaintedPointer(parts.desktop);
    this.films = new ViewerFilms({
      clock: parts.clock,
      visible: () => parts.filmArea?.() ?? null,
      schedule: () => parts.schedule(),
      owed: (rect) => {
        this.#putBack(Region.of(rect));
        parts.schedule();
      },
    });
    this.#view = parts.desktop.view(parts.audience);
    this.#watcher = this.#view.watch(() => this.#onDamage(), { withOverlays: parts.isComposited });
  }

  /** True where the viewer may be sent more as soon as what was sent has left. */
  get waitsForDrain(): boolean {
    return this.#waitsForDrain;
  }

  /** True where `pump` would find nothing to send: no damage, nothing to tell, and the pointer is where it was. */
  isSettled(server: RfbServer): boolean {
    return (
      !this.#isDamaged &&
      !this.#isHeldUp &&
      !server.hasNews &&
      !server.hasRefinement &&
      this.#pointed.isEmpty &&
      !this.films.hasPictures &&
      this.#pointer.isAsDesktop(!server.drawsCursor)
    );
  }

  /** Makes one update of the newest picture for a viewer that wants one, or goes on with the one that it gets. */
  pump(server: RfbServer): void {
    const { width, height } = this.#view;
    const { size } = server;
    if (size.width !== width || size.height !== height) server.resize(width, height, this.#view.screens);
    this.films.follow(this.#filmSet);
    const { painted, copies } = this.#owed(server.drawsCursor);
    this.#isHeldUp = false;
    this.#waitsForDrain = false;
    const isNew = !painted.isEmpty || copies.length > 0 || server.hasNews || this.films.hasPictures;
    if (isNew || server.hasRefinement) this.#send(server, painted, copies);
    else {
      this.#took();
      this.#damagedAtMs = null;
    }
    if (this.#isHeldUp) this.#waitForTurn();
    this.#armTurn(server);
  }

  /** A body of the picture as it is now, encoded for the first viewer that needs it and shared with the others. */
  encodeOnce(work: RectWork, encode: () => Uint8Array): Uint8Array | null {
    const { desktop, isComposited } = this.#parts;
    const cache = this.#cache;
    const timed = (): Uint8Array | null => this.#timed(work, encode);
    if (desktop.viewers < 2) return timed();
    return cache.get(this.#stamp(), isComposited, this.#pointerIn(work.rect), work, timed);
  }

  /** What `encodeOnce` has at hand of the picture as it is now. */
  encodedRects(style: PixelStyle): readonly Rect[] {
    const { desktop, isComposited } = this.#parts;
    const cache = this.#cache;
    if (desktop.viewers < 2) return [];
    return cache.rects(this.#stamp(), isComposited, style, (rect) => this.#pointerIn(rect));
  }

  /** The parts of an update as one message, shared with those who get the same. */
  join(parts: readonly Uint8Array[]): Uint8Array {
    return this.#cache.join(parts);
  }

  get #filmSet(): FilmSet | null {
    return this.#parts.filmsOf?.(this.#view.kind) ?? null;
  }

  get #cache(): ViewerRectCache {
    return this.#parts.cacheOf(this.#view.kind);
  }

  close(): void {
    this.#cancelTurn?.();
    this.films.close();
    this.#watcher.close();
  }

  /** The first viewer of a kind makes the update of a picture; those that are owed the same get the same bytes. */
  #send(server: RfbServer, painted: Region, copies: readonly CopyMove[]): void {
    const { desktop, isComposited } = this.#parts;
    const cache = this.#cache;
    const isShared = desktop.viewers > 1;
    const hasPictures = this.films.hasPictures;
    const owed = { layers: this.#layers + this.#pointer.name, painted, copies };
    if (isShared && !hasPictures && cache.repeat(this.#stamp(), owed, (update) => server.repeat(update))) {
      this.#took();
      this.#tellUpdated();
      this.#waitsForDrain = server.hasRefinement;
      return;
    }
    const picture = this.#pointer.over(this.#view.picture(isComposited), this.#view.hidden);
    if (isShared && !this.#isPrepared(server, picture, painted, copies)) return;
    this.#took();
    const left = server.update(picture, painted, copies);
    if (hasPictures && !this.films.hasPictures) this.films.took();
    if (isShared && server.made !== null) cache.keep(this.#stamp(), owed, server.made);
    // Whatever it stopped for, a half update is gone on with.
    if (server.isUpdateOpen) this.#isHeldUp = true;
    this.#isOvertaken &&= !left.isEmpty || server.isUpdateOpen;
    if (left.isEmpty && !server.isUpdateOpen) this.#tellUpdated();
    if (left.isEmpty && !server.hasRefinement) return;
    if (!left.isEmpty) this.#putBack(left);
    if (left.isEmpty && this.#parts.isDrained()) server.refine(picture);
    // What a refinement had no room for goes with the next one: with continuous updates nobody asks for it.
    this.#waitsForDrain = !left.isEmpty || server.hasRefinement;
  }

  #onDamage(): void {
    this.#isDamaged = true;
    this.#damagedAtMs ??= this.#parts.clock.nowMs();
    this.#parts.schedule();
  }

  #tellUpdated(): void {
    const { clock, updated } = this.#parts;
    if (this.#damagedAtMs !== null) updated?.(clock.nowMs() - this.#damagedAtMs);
    this.#damagedAtMs = null;
  }

  #putBack(left: Region): void {
    this.#isDamaged = true;
    this.#watcher.putBack(left);
  }

  /** null where this turn of the event loop has no time left. */
  #timed({ rect, style }: RectWork, encode: () => Uint8Array): Uint8Array | null {
    const { clock, budget } = this.#parts;
    const pixels = areaOfRect(rect);
    if (!budget.hasTimeFor(this.#cost.msOf(pixels))) {
      this.#isHeldUp = true;
      return null;
    }
    const startedAtMs = clock.nowMs();
    const body = encode();
    const ms = clock.nowMs() - startedAtMs;
    this.#cost.took(pixels, ms);
    budget.took(ms);
    if (isJpeg(body, style.encoding.number)) this.#filmSet?.wasJpeg(rect);
    return body;
  }

  /** Names the picture as it is now. */
  #stamp(): string {
    const { generation, scene } = this.#parts.desktop;
    if (generation !== this.#generation || scene.version !== this.#version) {
      this.#generation = generation;
      this.#version = scene.version;
      this.#stampOfPicture = `${generation}.${scene.version}`;
    }
    return this.#stampOfPicture;
  }

  #waitForTurn(): void {
    if (this.#waitsForTurn) return;
    this.#waitsForTurn = true;
    this.#parts.budget.next(() => {
      this.#waitsForTurn = false;
      if (this.#preparing !== null) this.#tries++;
      this.#parts.pump();
    });
  }

  /**
   * True where all of an update is encoded, or is to go in parts. What viewers share goes whole, so that one makes it
   * and the others repeat it, however many turns it takes; parts are each viewer's own. Where the picture changes
   * faster than it is encoded, parts show more of it.
   */
  #isPrepared(server: RfbServer, picture: Picture, painted: Region, copies: readonly CopyMove[]): boolean {
    if (!server.isPlain) return true;
    const stamp = this.#stamp();
    const isOfAnother = this.#preparing !== null && this.#preparing !== stamp;
    if (isOfAnother || this.#tries >= MAX_TRIES) this.#isOvertaken = true;
    if (this.#isOvertaken || server.prepare(picture, painted, copies)) return true;
    this.#preparing = stamp;
    return false;
  }

  /** What the viewer was owed is sent. */
  #took(): void {
    this.#watcher.take();
    this.#isDamaged = false;
    this.#isHeldUp = false;
    this.#preparing = null;
    this.#tries = 0;
    this.#pointed = Region.empty;
  }

  /** What the viewer has not seen, with what the pointer covers and uncovers where it is drawn in. */
  #owed(drawsCursor: boolean): Change {
    const { painted, copies } = this.#watcher.owed;
    const cache = this.#cache;
    this.#pointed = this.#pointed.union(this.#pointer.look(!drawsCursor));
    const pointed = this.#pointed;
    // A film shows another picture than the one that moved.
    const films = this.films.region;
    const isMoved =
      copies.length > 0 &&
      copies.some(({ fromX, fromY, to }) => {
        const from = { ...to, x: fromX, y: fromY };
        return [pointed, films].some((area) => area.overlaps(to) || area.overlaps(from));
      });
    if (!isMoved && !this.#pointer.isMovedBy(copies))
      return { painted: this.films.without(cache.union(this.#stamp(), painted, pointed)), copies };
    const moved = targetsOf(copies);
    const all = cache.union(this.#stamp(), painted, pointed.union(moved));
    return { painted: this.films.without(all), copies: NO_MOVES };
  }

  get #layers(): string {
    return this.#parts.isComposited ? "overlays" : "bare";
  }

  #pointerIn(rect: Rect): string {
    return this.#pointer.touches(rect) ? this.#pointer.name : "";
  }

  /** One timer at most, and only while the viewer has something that standing still would make due. */
  #armTurn(server: RfbServer): void {
    if (this.#cancelTurn !== null || !server.isTurnDue) return;
    this.#cancelTurn = this.#parts.clock.after(TURN_MS, () => {
      this.#cancelTurn = null;
      server.turn(this.films.moving);
      this.#armTurn(server);
      this.#parts.schedule();
    });
  }
}

/** Milliseconds a pixel, before it is known how long pixels take: of text, on a slow machine. */
const FIRST_MS_PER_PIXEL = 1e-5;

/** What fewer pixels than this take is the rectangle's: a caret says nothing of what a page will take. */
const LEAST_PIXELS = 8192;

/** How fast a dear piece is forgotten: what is below a photograph is often more of it. */
const FORGET = 0.99;

/** How long pixels took one viewer to encode of late, and so how long they will take. */
export class PixelCost {
  #msPerPixel = FIRST_MS_PER_PIXEL;

  /** What so many pixels will take, in milliseconds. */
  msOf(pixels: number): number {
    return pixels * this.#msPerPixel;
  }

  /** So many pixels were encoded in so many milliseconds. */
  took(pixels: number, ms: number): void {
    this.#msPerPixel = Math.max(ms / Math.max(LEAST_PIXELS, pixels), this.#msPerPixel * FORGET);
  }
}
