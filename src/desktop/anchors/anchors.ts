import type { Remover, Scene, SceneEvent } from "../../compositor/scene.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { equalRects, holdsRect, type Point, type Rect } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";
import { Listeners } from "../listeners.ts";
import { type AudienceDisplay, noPictureYet } from "../picture/audience-display.ts";
import { Anchor, type AnchorPlace, type AnchorSearch } from "./anchor.ts";

import type { OwnAnchors } from "./own-anchors.ts";
import { ToldAnchor } from "./told-anchor.ts";

export type { AnchorPlace, AnchorSearch } from "./anchor.ts";

/** Anchors of one owner, each of up to 256 KiB of pixels … */
export const ANCHOR_LIMIT = 32;
/** … and of all owners of one desktop: then who has most gives one up for who has fewer. */
export const ANCHOR_LIMIT_IN_ALL = 64;

/** So many that were given up are told from those that never were. */
const GIVEN_UP_REMEMBERED = 1000;

/** Searches made at once: each takes a few milliseconds at most. The next ones wait for a turn. */
const SEARCHES_AT_ONCE = 2;

/** What was not found is looked for again only when the screen changed, and not more often than this. */
const RETRY_MS = 200;

export interface AnchorPorts {
  readonly clock: Clock;
  /** To agents, whose anchors they are. */
  readonly shown: Pick<AudienceDisplay, "frame">;
  /** False where the target sends approximations of its pixels. */
  isExact(): boolean;
  onBug(error: unknown): void;
}

/** An overlay that goes where its anchor goes. */
interface Rider {
  /** Of its anchor. */
  readonly key: string;
  /** Where the anchor was when the overlay was last put. */
  readonly at: Rect;
}

/** What is remembered by its looks, and what others tell the place of. */
type AnyAnchor = Anchor | ToldAnchor;

/**
 * What of one desktop is remembered by its looks and followed as it moves. Each update costs a look at the anchors it
 * touches: the target's own moves first, then the place where it stood, then a search of the whole picture.
 */
export class Anchors {
  readonly #ports: AnchorPorts;
  readonly #scene: Scene;
  readonly #all = new Map<string, AnyAnchor>();
  readonly #riders = new Map<string, Rider>();
  readonly #wanted = new Set<AnyAnchor>();
  /** What was added or asked for longest ago first. */
  readonly #used = new Set<AnyAnchor>();
  /** Keys of anchors that made room for other owners'. */
  readonly #givenUp = new Set<string>();
  readonly #listeners: Listeners<AnchorPlace>;
  #cancelTurn: (() => void) | null = null;

  constructor(scene: Scene, ports: AnchorPorts) {
    this.#ports = ports;
    this.#scene = scene;
    this.#listeners = new Listeners(ports.onBug);
    scene.on((event) => this.#onScene(event));
  }

  /** In the order in which they were added. */
  get all(): readonly AnchorPlace[] {
    return [...this.#all.values()].map(({ place }) => place);
  }

  /** Those of one owner, whose ids are its own: others can neither see nor replace them. */
  of(ownerId: string): OwnAnchors {
    const key = (id: string): string => keyOf({ ownerId, id });
    return {
      add: (rect, id) => this.#add(ownerId, id ?? this.#freeId(ownerId), rect),
      follow: (rect, how) => this.#follow(ownerId, rect, how),
      release: (id) => this.#release(key(id)),
      get: (id) => this.#known(key(id), id).place,
      find: (id, search = {}) => this.#find(this.#known(key(id), id), search),
      scrollOf: (id) => this.#known(key(id), id).scroll,
      scrollIn: (area) => this.#scrollIn(ownerId, area),
      remove: (id, by = null) => this.#remove(key(id), by),
    };
  }

  /** Told whenever an anchor's place or status changed; the returned function ends it. */
  on(listener: (place: AnchorPlace) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Pixels changed; `copies` are the moves among them, in order. */
  update(damage: Region, copies: readonly CopyMove[]): void {
    const { frame } = this.#ports.shown;
    if (frame === null || this.#all.size === 0) return;
    const damaged = damage.rects;
    for (const anchor of this.#all.values()) {
      if (anchor.isUntouchedBy(damaged, copies)) continue;
      let isFollowed = false;
      this.#change(anchor, () => {
        isFollowed = anchor.follow(frame, copies, this.#ports.isExact());
      });
      if (!isFollowed) this.#wanted.add(anchor);
    }
    this.#searchWanted(true);
  }

  /** The desktop has another size. */
  resized(): void {
    for (const anchor of this.#all.values()) {
      this.#change(anchor, () => anchor.lose());
      this.#wanted.add(anchor);
    }
  }

  close(): void {
    this.#cancelTurn?.();
    this.#cancelTurn = null;
    for (const anchor of this.#all.values()) endOf(anchor);
    this.#all.clear();
    this.#riders.clear();
    this.#wanted.clear();
    this.#used.clear();
    this.#givenUp.clear();
    this.#listeners.clear();
  }

  /** `isNew`: what was found until just now is looked for at once; what is lost waits for the next retry. */
  #searchWanted(isNew: boolean): void {
    const { frame } = this.#ports.shown;
    if (frame === null) return;
    let left = SEARCHES_AT_ONCE;
    let hasFresh = false;
    for (const anchor of [...this.#wanted]) {
      const isFresh = anchor.place.status === "found";
      if (isNew && !isFresh) continue;
      if (left === 0) {
        hasFresh = true;
        break;
      }
      left--;
      this.#wanted.delete(anchor);
      this.#change(anchor, () => anchor.search(frame, {}));
    }
    if (this.#wanted.size === 0 || this.#cancelTurn !== null) return;
    this.#cancelTurn = this.#ports.clock.after(hasFresh ? 0 : RETRY_MS, () => {
      this.#cancelTurn = null;
      this.#searchWanted(false);
    });
  }

  /** Does something to an anchor and tells what came of it. */
  #change(anchor: AnyAnchor, act: () => void): void {
    const before = anchor.place;
    act();
    const { place } = anchor;
    const isSame =
      before.status === place.status && before.confidence === place.confidence && before.why === place.why;
    const isThere =
      before.rect === null ? place.rect === null : place.rect !== null && equalRects(before.rect, place.rect);
    if (!isSame || !isThere) this.#told(anchor);
  }

  #told(anchor: AnyAnchor): void {
    for (const [overlayId, rider] of this.#riders) {
      if (rider.key === keyOf(anchor)) this.#carry(overlayId, rider, anchor.place.rect);
    }
    this.#listeners.tell(anchor.place);
  }

  /** Moves an overlay by as much as its anchor; hides it while that is nowhere. */
  #carry(overlayId: string, { key, at }: Rider, rect: Rect | null): void {
    if (rect === null) {
      this.#scene.hide(overlayId);
      return;
    }
    this.#riders.set(overlayId, { key, at: rect });
    const by = { width: rect.width - at.width, height: rect.height - at.height };
    if (this.#scene.move(overlayId, rect.x - at.x, rect.y - at.y, by) === null)
      this.#riders.delete(overlayId);
  }

  /** An overlay drawn with an anchor's id goes with it from then on. */
  #onScene(event: SceneEvent): void {
    if (event.type === "cleared" || (event.type === "removed" && !event.isMove)) {
      const gone = event.type === "cleared" ? event.overlays : [event.overlay];
      for (const { id } of gone) this.#left(id);
    }
    if (event.type !== "created") return;
    const { id, ownerId, anchorId } = event.overlay;
    if (anchorId === undefined || anchorId === null || this.#riders.has(id)) return;
    const key = keyOf({ ownerId, id: anchorId });
    const anchor = this.#all.get(key);
    if (anchor === undefined) return;
    this.#riders.set(id, { key, at: anchor.lastRect });
    if (anchor.place.rect === null) this.#scene.hide(id);
  }

  #left(overlayId: string): void {
    const rider = this.#riders.get(overlayId);
    if (rider === undefined) return;
    this.#riders.delete(overlayId);
    this.#release(rider.key);
  }

  #release(key: string): void {
    const anchor = this.#all.get(key);
    const isUnused = ![...this.#riders.values()].some((rider) => rider.key === key);
    if (anchor instanceof ToldAnchor && anchor.isOfOverlays && isUnused) this.#remove(key, null);
  }

  #follow(
    ownerId: string,
    rect: Rect,
    { id, isOfOverlays, ended }: { id: string; isOfOverlays: boolean; ended: () => void },
  ): (rect: Rect | null, why: string | null) => void {
    const before = this.#all.get(keyOf({ ownerId, id }));
    // What somebody asked for by itself stays without overlays.
    const isOwn = before instanceof ToldAnchor && !before.isOfOverlays;
    const anchor = new ToldAnchor(id, ownerId, rect, { isOfOverlays: isOfOverlays && !isOwn, ended });
    this.#put(anchor, () => anchor);
    return (place, why) => {
      if (this.#all.get(keyOf(anchor)) === anchor) this.#change(anchor, () => anchor.tell(place, why));
    };
  }

  #add(ownerId: string, id: string, rect: Rect): AnchorPlace {
    const frame = this.#frame();
    return this.#put({ ownerId, id }, () => this.#make(id, ownerId, frame, rect));
  }

  #put({ ownerId, id }: Pick<AnyAnchor, "ownerId" | "id">, make: () => AnyAnchor): AnchorPlace {
    const key = keyOf({ ownerId, id });
    const replaced = this.#all.get(key);
    const givenUp = replaced === undefined ? this.#roomFor(ownerId) : null;
    const anchor = make();
    if (givenUp !== null) this.#giveUp(givenUp);
    if (replaced !== undefined) this.#forget(replaced);
    this.#all.set(key, anchor);
    this.#givenUp.delete(key);
    this.#touch(anchor);
    this.#told(anchor);
    return anchor.place;
  }

  /**
   * What has to go so that an owner can have one more; null where there is room. Throws RefusedError too_many where the
   * owner has as many as anybody.
   */
  #roomFor(ownerId: string): AnyAnchor | null {
    const counts = new Map<string, number>();
    for (const anchor of this.#all.values())
      counts.set(anchor.ownerId, (counts.get(anchor.ownerId) ?? 0) + 1);
    const own = counts.get(ownerId) ?? 0;
    if (own >= ANCHOR_LIMIT) {
      throw new RefusedError(
        "too_many",
        `you have ${ANCHOR_LIMIT} anchors on this desktop, the most allowed: remove one (remove_anchor) or reuse its id`,
      );
    }
    if (this.#all.size < ANCHOR_LIMIT_IN_ALL) return null;
    const most = Math.max(...counts.values());
    if (own === most) {
      throw new RefusedError(
        "too_many",
        `the desktop has ${ANCHOR_LIMIT_IN_ALL} anchors of all its agents, the most allowed, and nobody has more than you: remove one of yours (remove_anchor) or reuse its id`,
      );
    }
    return [...this.#used].find((anchor) => counts.get(anchor.ownerId) === most) ?? null;
  }

  #giveUp(anchor: AnyAnchor): void {
    const key = keyOf(anchor);
    this.#remove(key, null);
    this.#givenUp.add(key);
    const [oldest] = this.#givenUp;
    if (oldest !== undefined && this.#givenUp.size > GIVEN_UP_REMEMBERED) this.#givenUp.delete(oldest);
  }

  #touch(anchor: AnyAnchor): void {
    this.#used.delete(anchor);
    this.#used.add(anchor);
  }

  #forget(anchor: AnyAnchor): void {
    this.#wanted.delete(anchor);
    this.#used.delete(anchor);
    endOf(anchor);
  }

  #remove(key: string, by: Remover | null): readonly string[] | null {
    const anchor = this.#all.get(key);
    this.#givenUp.delete(key);
    if (anchor === undefined) return null;
    this.#forget(anchor);
    this.#all.delete(key);
    const riders = [...this.#riders].filter(([, rider]) => rider.key === key).map(([overlayId]) => overlayId);
    for (const overlayId of riders) this.#riders.delete(overlayId);
    if (anchor.place.rect !== null) return [];
    return riders.filter((overlayId) => this.#scene.remove(overlayId, by) !== null);
  }

  #known(key: string, id: string): AnyAnchor {
    const anchor = this.#all.get(key);
    if (anchor === undefined) {
      const why = this.#givenUp.has(key)
        ? "it was given up so that other agents have room, add it again (add_anchor)"
        : "expected one of add_anchor";
      throw new RefusedError("not_found", `got the anchor ${JSON.stringify(id)}: ${why}`);
    }
    this.#touch(anchor);
    return anchor;
  }

  #find(anchor: AnyAnchor, search: AnchorSearch): AnchorPlace {
    const frame = this.#frame();
    this.#wanted.delete(anchor);
    this.#change(anchor, () => {
      const isStill = search.area === undefined && anchor.follow(frame, [], this.#ports.isExact());
      if (!isStill) anchor.search(frame, search);
    });
    return anchor.place;
  }

  #scrollIn(ownerId: string, area: Rect): Point | null {
    let common: Point | null = null;
    for (const anchor of this.#all.values()) {
      const { ownerId: of, place, scroll } = anchor;
      if (
        of !== ownerId ||
        anchor instanceof ToldAnchor ||
        place.rect === null ||
        !holdsRect(area, place.rect)
      )
        continue;
      if (scroll === null) return null;
      if (common !== null && (common.x !== scroll.x || common.y !== scroll.y)) return null;
      common = scroll;
    }
    return common;
  }

  #make(id: string, ownerId: string, frame: Framebuffer, rect: Rect): Anchor {
    try {
      return new Anchor(id, ownerId, frame, rect);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new RefusedError("invalid_parameters", cause.message, { cause });
    }
  }

  #frame(): Framebuffer {
    const { frame } = this.#ports.shown;
    if (frame === null) throw noPictureYet();
    return frame;
  }

  #freeId(ownerId: string): string {
    let nth = 1;
    while (this.#all.has(keyOf({ ownerId, id: `anchor-${nth}` }))) nth++;
    return `anchor-${nth}`;
  }
}

function endOf(anchor: AnyAnchor): void {
  if (anchor instanceof ToldAnchor) anchor.ended();
}

function keyOf({ ownerId, id }: { readonly ownerId: string; readonly id: string }): string {
  return `${ownerId}\n${id}`;
}
