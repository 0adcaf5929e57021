import type { Scene } from "../../compositor/scene.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { publishDamage, publishMoved } from "../../framebuffer/publish.ts";
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
import { ScrollSeeker } from "../../framebuffer/scroll/scroll-seeker.ts";
import { finish, type Steps } from "../../framebuffer/steps.ts";
import type { Clock } from "../../platform/clock.ts";
import { overTurns } from "../../platform/turn-steps.ts";
import type { LockKeys, Showing } from "../link.ts";
import { AUDIENCES, type Audience, byAudience, type Watcher, type WatchOptions } from "../view.ts";
import { AudienceDisplay } from "./audience-display.ts";
import { KindWatchers } from "./kind-watchers.ts";
import {
  AdoptableCopy,
  type Difference,
  differenceFinder,
  findingMoves,
  LARGE_PIXELS,
  paintsAll,
} from "./large-update.ts";
import { Layers, type RealChange, type ShownChanges } from "./layers.ts";
import { type MaskSource, NOTHING_HIDDEN } from "./mask-source.ts";

const NO_SIZE: Size = Object.freeze({ width: 0, height: 0 });

export interface DisplayEvents {
  /** What is kept from whom; absent: nothing from anybody. */
  readonly maskSource?: MaskSource;
  /** Pixels of this may be painted over, after the call or in some turns. */
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
 *
 * INVARIANT: a large update is compared over turns of the event loop, while all are shown the picture before it; what is
 * shown then changes at once, by taking over the memory in which the update was decoded.
 */
export class Display {
  readonly scene: Scene;
  readonly #clock: Clock;
  readonly #events: DisplayEvents;
  readonly #maskSource: MaskSource;
  readonly #shown: Readonly<Record<Audience, AudienceDisplay>>;
  readonly #layers: Layers;
  readonly #kindWatchers: KindWatchers;
  readonly #scrolls = new ScrollSeeker();
  readonly #differenceOf = differenceFinder(this.#scrolls, (part) => this.#events.painting?.(part));
  /** Of what a thread decodes. */
  readonly #copy = new AdoptableCopy();
  readonly #largePixels: number;
  /** A large update that is not shown yet: what differs at most. */
  #underWay: { readonly region: Region } | null = null;
  #frame: Framebuffer | null = null;
  #screens: readonly Screen[] = [];
  /** As they were last told. */
  #toldScreens: readonly Screen[] = [];
  #cursor: Cursor | null = null;
  #drawnPointer: Rect | null = null;
  /** Of a pointer that the target draws no more: the update that takes it out of the picture is to come, or was decoded. */
  #pointerLeaves: "told" | "decoded" | null = null;
  /** The lights of the target's keyboard, as it told them; null before. */
  locks: LockKeys | null = null;
  #generation = 0;
  #sizedSince = 0;
  /** Until a new connection has painted every pixel the old picture is shown. */
  #isFresh = false;

  /** `largePixels`: updates of more are shown over turns of the event loop. */
  constructor(scene: Scene, clock: Clock, events: DisplayEvents, largePixels = LARGE_PIXELS) {
    this.scene = scene;
    this.#largePixels = largePixels;
    this.#clock = clock;
    this.#events = events;
    const { maskSource = NOTHING_HIDDEN } = events;
    this.#maskSource = maskSource;
    this.#shown = byAudience((audience) => {
      const watched = (): void => events.watched();
      return new AudienceDisplay(audience, scene, () => this.#frame, watched);
    });
    this.#kindWatchers = new KindWatchers((audience, options, onDamage) =>
      this.#shown[audience].watchers.add(this.bounds, options, onDamage),
    );
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

  /** See View.kind. */
  kindOf(audience: Audience): Audience {
    return this.#maskSource.kindOf(audience);
  }

  /** What this audience is owed, of the picture of its kind, whichever that is meanwhile. */
  watch(audience: Audience, options: WatchOptions, onDamage: () => void): Watcher {
    return this.#kindWatchers.add(() => this.kindOf(audience), options, onDamage);
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

  /** The target may have drawn it there. One that it draws no more is in the picture until the next update is shown. */
  pointerDrawn(area: Rect | null): void {
    this.#pointerLeaves = area === null && this.#drawnPointer !== null ? "told" : null;
    if (this.#pointerLeaves === null) this.#setDrawnPointer(area);
  }

  #setDrawnPointer(area: Rect | null): void {
    this.#drawnPointer = area;
    this.#maskSource.pointerDrawn(area);
  }

  get generation(): number {
    return this.#generation;
  }

  /** The generation since which the picture has its size. */
  get sizedSince(): number {
    return this.#sizedSince;
  }

  /** Who watches, of all audiences, but for the passive. */
  get watcherCount(): number {
    return AUDIENCES.reduce((sum, audience) => sum + this.#shown[audience].watchers.count, 0);
  }

  /** False from a connection's loss until the next one has painted everything. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** The target is gone: the picture stays as it was. */
  lost(): void {
    this.#underWay = null;
    this.#isFresh = false;
    this.locks = null;
  }

  /** A connection begins: nothing of its picture is known yet. */
  begin(screens: readonly Screen[]): void {
    this.#underWay = null;
    this.#isFresh = false;
    this.#screens = screens;
    this.pointerDrawn(null);
  }

  /** The decoder's picture has a new size or other monitors; undefined: the link is gone. */
  resize(decoded: Framebuffer | undefined, screens: readonly Screen[]): void {
    if (decoded === undefined) return;
    this.#screens = screens;
    // What was to be shown in the old size comes with the next update.
    if (this.#underWay !== null) this.#underWay = { region: this.#underWay.region };
    if (this.#isFresh && !this.#adoptSize(decoded)) this.#tellScreens();
  }

  /**
   * One whole update was decoded, as LinkEvents tells it and with its answer; undefined: the link is gone. An update that
   * comes before the last one is shown is shown with it.
   */
  update(
    decoded: Framebuffer | undefined,
    painted: Region,
    copies: readonly CopyMove[],
    missing = 0,
  ): Showing | undefined {
    if (decoded === undefined) return;
    if (this.#pointerLeaves !== null) this.#pointerLeaves = "decoded";
    if (!this.#isFresh) {
      if (missing === 0) return this.#show(decoded, Region.of(decoded.rect), []);
      const pixels = decoded.width * decoded.height;
      this.#events.received?.((pixels - missing) / pixels);
      return;
    }
    const waiting = this.#underWay;
    if (waiting === null) return this.#show(decoded, painted, copies);
    return this.#show(decoded, painted.union(targetsOf(copies)).union(waiting.region), []);
  }

  #show(decoded: Framebuffer, painted: Region, copies: readonly CopyMove[]): Showing | undefined {
    const touched = painted.union(targetsOf(copies));
    const isTaken = !this.#isOfSize(decoded) && decoded.isAdoptable;
    if (isTaken || touched.area <= this.#largePixels) {
      this.#underWay = null;
      decoded.complete(painted);
      // Where all is painted anew its memory is taken over, and a look at some rows tells most of what differs.
      const shown = !isTaken && paintsAll(decoded, painted, copies) ? this.#frame : null;
      const known = shown === null ? null : finish(this.#differenceOf(decoded, shown, painted, copies));
      this.#finishUpdate(decoded, decoded, painted, copies, known);
      return;
    }
    const underWay = { region: touched };
    this.#underWay = underWay;
    const steps = this.#showing(decoded, painted, copies);
    return { done: overTurns("targets", steps, () => this.#underWay !== underWay) };
  }

  *#showing(decoded: Framebuffer, painted: Region, copies: readonly CopyMove[]): Steps<void> {
    const shown = this.#isOfSize(decoded) ? this.#frame : null;
    let next = decoded;
    if (decoded.isAdoptable) yield* decoded.completing();
    else next = yield* this.#copy.of(decoded, shown, painted.union(targetsOf(copies)));
    const known = shown === null ? null : yield* this.#differenceOf(next, shown, painted, copies);
    if (known !== null) yield* this.#layers.preparing(next, known.damage);
    this.#underWay = null;
    this.#finishUpdate(decoded, next, painted, copies, known);
  }

  #isOfSize({ width, height }: Size): boolean {
    return this.#frame !== null && this.#frame.width === width && this.#frame.height === height;
  }

  /** `next`: a picture that shows what `decoded` does. `known`: what it changes, where that is known. */
  #finishUpdate(
    decoded: Framebuffer,
    next: Framebuffer,
    painted: Region,
    copies: readonly CopyMove[],
    known: Difference | null,
  ): void {
    const isFirst = !this.#isFresh;
    let isNew = false;
    if (isFirst) {
      const isSame = equalScreens(this.#screens, this.#toldScreens);
      isNew = this.#adoptSize(decoded);
      if (!isNew && !isSame) this.#tellScreens();
      this.#isFresh = true;
    }
    this.#publish(next, painted, copies, isNew, known);
    if (this.#pointerLeaves === "decoded") {
      this.#pointerLeaves = null;
      this.#setDrawnPointer(null);
    }
    // What was decoded is shown: until the target paints again one picture is enough.
    if (this.#frame !== null) decoded.rest(this.#frame);
    if (isFirst) this.#events.whole();
  }

  /** Something else is hidden from somebody: pictures show that from now on. */
  remask(): void {
    const frame = this.#frame;
    this.#kindWatchers.turn();
    if (frame === null || this.#paintMoved().isEmpty) return;
    this.#generation++;
    this.#tell(frame, { damage: Region.empty, painted: Region.empty, copies: [], moves: [] });
  }

  /** `isNew`: all is painted, and nothing was shown in this size before. `known`: as #finishUpdate has it. */
  #publish(
    decoded: Framebuffer,
    painted: Region,
    copies: readonly CopyMove[],
    isNew: boolean,
    known: Difference | null,
  ): void {
    const frame = this.#frame;
    if (frame === null) return;
    const moved = targetsOf(copies);
    const isLookedAt = known === null && !isNew;
    const found = isLookedAt
      ? finish(findingMoves(decoded, frame, painted, copies, this.#scrolls))
      : (known?.found ?? null);
    this.#events.painting?.(known?.damage ?? painted.union(moved));
    const isTaken = (isNew || known !== null) && frame.adopt(decoded);
    const [byPaint, byMove] = [known?.byPaint ?? painted, known?.byMove ?? moved.subtract(painted)];
    const changedByMove = isTaken ? byMove : publishMoved(decoded, frame, byMove);
    const changedByPaint = isTaken ? byPaint : publishDamage(decoded, frame, byPaint);
    const damage = known !== null && isTaken ? known.damage : changedByPaint.union(changedByMove);
    if (damage.isEmpty) return;
    this.#generation++;
    // Whoever is sent the moves needs what was painted over their targets, changed or not: a move undoes it.
    const told: RealChange = changedByMove.isEmpty
      ? { damage, painted: changedByPaint, copies: [], moves: copies }
      : { damage, painted: changedByPaint.union(painted.intersect(moved)), copies, moves: copies };
    const change: RealChange =
      found === null
        ? told
        : {
            damage,
            painted: changedByPaint.subtract(targetsOf(found.moves)).union(found.rest),
            copies: found.moves,
            moves: found.moves,
          };
    // INVARIANT: before anybody is shown anything of this update the masks lie where they belong in it. What joined moves
    // bring besides is there already: what was found there stays found.
    this.#maskSource.follow(frame, damage, copies.length === 0 ? change : told);
    this.#paintMoved();
    this.#tell(frame, change);
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
      shown.watchers.update(painted, copies, coverage, (changed) => this.scene.spread(changed));
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
