import type { Scene } from "../../compositor/scene.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { publishDamage } from "../../framebuffer/publish.ts";
import {
  EMPTY_RECT,
  intersectRects,
  isEmptyRect,
  type Rect,
  rectOfSize,
  type Size,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { equalScreens, type Screen } from "../../framebuffer/screen.ts";
import { ScrollSeeker } from "../../framebuffer/scroll-seeker.ts";
import type { Clock } from "../../platform/clock.ts";
import type { LockKeys } from "../link.ts";
import type { Audience } from "../view.ts";
import { AudienceDisplay } from "./audience-display.ts";
import { AUDIENCES, Layers, type RealChange, type ShownChanges } from "./layers.ts";
import { type MaskSource, NOTHING_HIDDEN } from "./mask-source.ts";

const NO_SIZE: Size = Object.freeze({ width: 0, height: 0 });

export interface DisplayEvents {
  /** What is kept from whom; absent: nothing from anybody. */
  readonly maskSource?: MaskSource;
  /** Pixels of this may be painted over, right after the call. */
  painting?(region: Region): void;
  /** Pixels differ from before: what of them each audience is shown, and the generation that has them. */
  changed(changes: ShownChanges, generation: number): void;
  resized(size: Size, screens: readonly Screen[]): void;
  /** After a (re)connect some pixels have come: how much of the picture, 0 to 1. */
  received?(part: number): void;
  /** After a (re)connect every pixel has come once. */
  whole(): void;
  /** The number of watchers changed. */
  watched(): void;
}

/**
 * The picture of a desktop as everybody sees it: only whole updates, kept while the target is away.
 * While an update comes its memory is apart from the decoder's, so a torn one is never seen.
 */
export class Display {
  readonly scene: Scene;
  readonly #clock: Clock;
  readonly #events: DisplayEvents;
  readonly #maskSource: MaskSource;
  readonly #shown: Readonly<Record<Audience, AudienceDisplay>>;
  readonly #layers: Layers;
  readonly #scrolls = new ScrollSeeker();
  #frame: Framebuffer | null = null;
  #screens: readonly Screen[] = [];
  /** As they were last told. */
  #toldScreens: readonly Screen[] = [];
  #cursor: Cursor | null = null;
  #drawnPointer: Rect | null = null;
  /** The lights of the target's keyboard, as it told them; null before. */
  locks: LockKeys | null = null;
  #generation = 0;
  #sizedSince = 0;
  /** Until a new connection has painted every pixel the old picture is shown. */
  #isFresh = false;

  constructor(scene: Scene, clock: Clock, events: DisplayEvents) {
    this.scene = scene;
    this.#clock = clock;
    this.#events = events;
    const { maskSource = NOTHING_HIDDEN } = events;
    this.#maskSource = maskSource;
    const shown = (audience: Audience): AudienceDisplay =>
      new AudienceDisplay(
        audience,
        scene,
        () => this.#frame,
        () => events.watched(),
      );
    this.#shown = { agent: shown("agent"), viewer: shown("viewer"), recording: shown("recording") };
    this.#layers = new Layers(this.#shown, maskSource);
    scene.on(({ damage }) => this.#eachShown((one) => one.watchers.updateOverlays(damage)));
  }

  /** False before the first picture. */
  get hasPicture(): boolean {
    return this.#frame !== null;
  }

  /** All pixels, to find what masks follow; null before the first picture. What anybody is shown comes from `shownTo`. */
  get unmasked(): Framebuffer | null {
    return this.#frame;
  }

  /** What this audience is shown. */
  shownTo(audience: Audience): AudienceDisplay {
    return this.#shown[audience];
  }

  get size(): Size {
    return this.#frame === null ? NO_SIZE : { width: this.#frame.width, height: this.#frame.height };
  }

  get bounds(): Rect {
    return this.#frame?.rect ?? EMPTY_RECT;
  }

  get screens(): readonly Screen[] {
    return this.#screens;
  }

  get cursor(): Cursor | null {
    return this.#cursor;
  }

  set cursor(cursor: Cursor | null) {
    this.#cursor = cursor;
  }

  /** Where the target may have drawn the pointer into the picture itself; null: nowhere. */
  get drawnPointer(): Rect | null {
    const area = this.#drawnPointer === null ? EMPTY_RECT : intersectRects(this.#drawnPointer, this.bounds);
    return isEmptyRect(area) ? null : area;
  }

  /** The target may have drawn it there. */
  pointerDrawn(area: Rect | null): void {
    this.#drawnPointer = area;
  }

  get generation(): number {
    return this.#generation;
  }

  /** The generation since which the picture has its size. */
  get sizedSince(): number {
    return this.#sizedSince;
  }

  /** Who watches, of all audiences. */
  get watcherCount(): number {
    return AUDIENCES.reduce((sum, audience) => sum + this.#shown[audience].watchers.count, 0);
  }

  /** False from a connection's loss until the next one has painted everything. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** The target is gone: the picture stays as it was. */
  lost(): void {
    this.#isFresh = false;
    this.locks = null;
  }

  /** A connection begins: nothing of its picture is known yet. */
  begin(screens: readonly Screen[]): void {
    this.#isFresh = false;
    this.#screens = screens;
    this.#drawnPointer = null;
  }

  /** The decoder's picture has a new size or other monitors; undefined: the link is gone. */
  resize(decoded: Framebuffer | undefined, screens: readonly Screen[]): void {
    if (decoded === undefined) return;
    this.#screens = screens;
    if (this.#isFresh && !this.#adoptSize(decoded)) this.#tellScreens();
  }

  /** One whole update was decoded, as LinkEvents tells it; undefined: the link is gone. */
  update(decoded: Framebuffer | undefined, painted: Region, copies: readonly CopyMove[], missing = 0): void {
    if (decoded === undefined) return;
    if (!this.#isFresh) {
      if (missing > 0) {
        const pixels = decoded.width * decoded.height;
        this.#events.received?.((pixels - missing) / pixels);
        return;
      }
      const isSame = equalScreens(this.#screens, this.#toldScreens);
      const isNew = this.#adoptSize(decoded);
      if (!isNew && !isSame) this.#tellScreens();
      this.#isFresh = true;
      this.#publish(decoded, Region.of(decoded.rect), [], isNew);
      this.#rest(decoded);
      this.#events.whole();
      return;
    }
    this.#publish(decoded, painted, copies);
    this.#rest(decoded);
  }

  /** What was decoded is shown: until the target paints again one picture is enough. */
  #rest(decoded: Framebuffer): void {
    if (this.#frame !== null) decoded.rest(this.#frame);
  }

  /** Something else is hidden from somebody: pictures show that from now on. */
  remask(): void {
    const frame = this.#frame;
    if (frame === null || this.#paintMoved().isEmpty) return;
    this.#generation++;
    this.#tell(frame, { damage: Region.empty, painted: Region.empty, copies: [], moves: [] });
  }

  /** `isNew`: all is painted, and nothing was shown in this size before. */
  #publish(decoded: Framebuffer, painted: Region, copies: readonly CopyMove[], isNew = false): void {
    const frame = this.#frame;
    if (frame === null) return;
    const found = copies.length === 0 && !isNew ? this.#scrolls.find(frame, decoded, painted) : null;
    const moved = targetsOf(copies);
    const touched = painted.union(moved);
    decoded.complete(touched);
    this.#events.painting?.(touched);
    const isTaken = isNew && frame.adopt(decoded);
    const changedByPaint = isTaken ? painted : publishDamage(decoded, frame, painted);
    const changedByMove = publishDamage(decoded, frame, moved.subtract(painted));
    const damage = changedByPaint.union(changedByMove);
    if (damage.isEmpty) return;
    this.#generation++;
    // INVARIANT: before anybody is shown anything of this update the masks lie where they belong in it.
    this.#maskSource.follow(frame, damage, found === null ? copies : [found.move]);
    this.#paintMoved();
    if (found !== null) {
      const repainted = changedByPaint.subtract(Region.of(found.move.to)).union(found.rest);
      const moves = [found.move];
      this.#tell(frame, { damage, painted: repainted, copies: moves, moves });
    } else if (changedByMove.isEmpty) {
      this.#tell(frame, { damage, painted: changedByPaint, copies: [], moves: copies });
    } else {
      // Whoever is sent the moves needs what was painted over their targets, changed or not: a move undoes it.
      const repainted = changedByPaint.union(painted.intersect(moved));
      this.#tell(frame, { damage, painted: repainted, copies, moves: copies });
    }
  }

  /** What masks cover and uncover is painted over as well. */
  #paintMoved(): Region {
    const { moved } = this.#layers;
    if (!moved.isEmpty) this.#events.painting?.(moved);
    return moved;
  }

  #tell(frame: Framebuffer, change: RealChange): void {
    const nowMs = this.#clock.nowMs();
    const coverage = change.copies.length === 0 ? Region.empty : this.scene.coverage;
    const changes = this.#layers.update(frame, change, (shown, { painted, copies }) => {
      if (!painted.isEmpty || copies.length > 0) shown.changedAtMs = nowMs;
      shown.watchers.update(painted, copies, coverage);
    });
    this.#events.changed(changes, this.#generation);
  }

  #eachShown(act: (shown: AudienceDisplay) => void): void {
    for (const audience of AUDIENCES) act(this.#shown[audience]);
  }

  /** False where it has that size already. */
  #adoptSize(decoded: Framebuffer): boolean {
    const { width, height } = decoded;
    const frame = this.#frame;
    if (frame === null) this.#frame = new Framebuffer(width, height, { hasKernels: true });
    else if (frame.width === width && frame.height === height) return false;
    else frame.resize(width, height);
    this.#maskSource.layOut(rectOfSize({ width, height }), this.#screens);
    if (this.#frame !== null) this.#layers.reset(this.#frame);
    this.scene.resize({ width, height });
    const nowMs = this.#clock.nowMs();
    this.#eachShown((shown) => {
      shown.watchers.reset(rectOfSize({ width, height }));
      shown.changedAtMs = nowMs;
    });
    this.#generation++;
    this.#sizedSince = this.#generation;
    this.#toldScreens = this.#screens;
    this.#events.resized({ width, height }, this.#screens);
    return true;
  }

  /** Other monitors within the same size: who sees one of them may see another part of the picture now. */
  #tellScreens(): void {
    this.#maskSource.layOut(this.bounds, this.#screens);
    this.remask();
    this.#eachShown(({ watchers }) => watchers.reset(this.bounds));
    this.#toldScreens = this.#screens;
    this.#events.resized(this.size, this.#screens);
  }
}
