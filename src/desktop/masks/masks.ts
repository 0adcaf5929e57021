import { randomUUID } from "node:crypto";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { EMPTY_RECT, intersectRects, isEmptyRect, type Rect, translateRect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import { RefusedError } from "../error.ts";
import type { MaskSource } from "../picture/mask-source.ts";
import { type Audience, byAudience, type Change, isAmong, isViewer, VIEWER_AUDIENCES } from "../view.ts";
import { EchoCover } from "./echo-cover.ts";
import { ElementPlaces, type ElementPlacesPorts, type ElementTerms } from "./element-places.ts";
import { EVERYWHERE, type Mask, type MaskSpec, type MaskState } from "./mask.ts";
import { MarkFollower } from "./mask-mark.ts";
import { Redaction, type RedactionPorts } from "./redaction.ts";
import type { NamedTerms } from "./text-reader.ts";

/** Masks of one desktop, and of them those that follow something: each is looked for in what changes. */
export const MASK_LIMIT = 64;
export const FOLLOWING_LIMIT = 8;

/** A mask as it is kept: with its id, so that who knows it finds it again. */
export interface StoredMask extends MaskSpec {
  readonly id: string;
  readonly createdAt: string;
}

/** One that a desktop begins with. */
export interface FirstMask extends StoredMask {
  readonly isConfigured: boolean;
}

/** What the configuration hides. */
export interface ConfiguredMask extends Omit<MaskSpec, "mark"> {
  /** Id or name; null: on every desktop. */
  readonly desktop: string | null;
}

interface Entry {
  readonly mask: FirstMask;
  readonly follower: MarkFollower | null;
}

export interface MasksPorts extends Omit<RedactionPorts, "changed">, Pick<ElementPlacesPorts, "latest"> {
  now(): Date;
  /** Something else is hidden from somebody, and is not to be seen any more when this returns. */
  changed(): void;
  /** What is followed is elsewhere, in the update that is being published. */
  moved(): void;
}

/** What is hidden on one desktop, and from whom. */
export class Masks implements MaskSource {
  readonly #ports: MasksPorts;
  readonly #entries = new Map<string, Entry>();
  #bounds: Rect = EMPTY_RECT;
  #screens: readonly Screen[] = [];
  readonly #redaction: Redaction;
  /** What secrets leave on the screen as they are typed. */
  readonly echo: EchoCover;
  /** Of pages that are seen here. */
  readonly elements: ElementPlaces;
  /** From whom all is hidden, whatever the masks. */
  #blind: readonly Audience[] = [];
  #hidden: Readonly<Record<Audience, Region>> = byAudience(() => Region.empty);
  #held: Readonly<Record<Audience, Region>> = byAudience(() => Region.empty);
  #kinds: Readonly<Record<Audience, Audience>>;

  /** `first`: those that are there from the beginning. */
  constructor(ports: MasksPorts, first: readonly FirstMask[] = []) {
    this.#ports = ports;
    for (const mask of first) this.#entries.set(mask.id, entryOf(mask));
    this.#kinds = this.#grouped();
    const changed = (): void => {
      this.#lay();
      ports.changed();
    };
    this.echo = new EchoCover({
      ...ports,
      changed: () => {
        changed();
        ports.moved();
      },
    });
    this.#redaction = new Redaction({ ...ports, changed });
    this.elements = new ElementPlaces({ ...ports, changed });
    this.#redaction.terms = this.#terms;
  }

  /** In the order in which they were added, the configured ones first. */
  get all(): readonly Mask[] {
    return [...this.#entries.values()].map((entry) => this.#told(entry));
  }

  /** Those that outlast the process by a file of ours. */
  get kept(): readonly StoredMask[] {
    return [...this.#entries.values()].filter(({ mask }) => !mask.isConfigured).map(({ mask }) => mask);
  }

  hiddenFrom(audience: Audience): Region {
    return this.#hidden[audience];
  }

  heldFor(audience: Audience): Region {
    return this.#held[audience];
  }

  get lastRead(): Framebuffer | null {
    return this.#redaction.lastRead;
  }

  kindOf(audience: Audience): Audience {
    return this.#kinds[audience];
  }

  /** By the ids of those that look for text, and whether elements of pages are looked for. */
  readFor(audience: Audience): string {
    const ids = this.#textMasks(audience).map(({ id }) => id);
    return [...ids, ...(this.elements.isFor(audience) ? ["elements"] : [])].join(" ");
  }

  /** The elements of pages that masks hide. */
  get elementTerms(): readonly ElementTerms[] {
    return [...this.#entries.values()].flatMap(({ mask: { id, element, audiences } }) =>
      element === undefined ? [] : [{ maskId: id, selector: element, audiences }],
    );
  }

  close(): void {
    this.#redaction.close();
    this.elements.close();
  }

  /** Where something is hidden from an audience now, mask by mask. */
  placesFrom(audience: Audience): readonly Rect[] {
    if (isAmong(this.#blind, audience)) return isEmptyRect(this.#bounds) ? [] : [this.#bounds];
    const within = (rects: readonly Rect[]): readonly Rect[] =>
      rects.map((rect) => intersectRects(rect, this.#bounds)).filter((rect) => !isEmptyRect(rect));
    const elements = this.elements.hidden.filter(
      ({ maskId, audiences }) => !this.#entries.has(maskId ?? "") && isAmong(audiences, audience),
    );
    const byMasks = this.all.flatMap(({ audiences, places }) => (isAmong(audiences, audience) ? places : []));
    return [...byMasks, ...within(elements.map(({ rect }) => rect)), ...within(this.echo.places)];
  }

  /** Whether anything is hidden from an audience, or a mask may hide something from it at any moment. */
  mayHide(audience: Audience): boolean {
    const isMasked = [...this.#entries.values()].some(({ mask }) => isAmong(mask.audiences, audience));
    return isMasked || this.placesFrom(audience).length > 0;
  }

  /** Hides everything from these and no others, beside the masks, until it is called again; done when it returns. */
  hideAll(audiences: readonly Audience[]): void {
    this.#blind = audiences;
    this.#kinds = this.#grouped();
    this.#lay();
    this.#ports.changed();
  }

  /** One that can be put here, and is not yet. Throws RefusedError too_many, invalid_parameters. */
  make(spec: MaskSpec): StoredMask {
    const all = [...this.#entries.values()];
    if (all.length >= MASK_LIMIT)
      throw new RefusedError("too_many", `there are ${MASK_LIMIT} masks, the most allowed: remove one first`);
    if (spec.mark !== null && all.filter(({ follower }) => follower !== null).length >= FOLLOWING_LIMIT) {
      throw new RefusedError(
        "too_many",
        `there are ${FOLLOWING_LIMIT} masks that follow something, the most allowed: remove one first`,
      );
    }
    if (spec.mark !== null && (spec.text ?? spec.element) !== undefined) {
      throw new RefusedError(
        "invalid_parameters",
        "got an anchor with a text or an element, expected one of them",
      );
    }
    if (spec.mark !== null && spec.monitor !== null) {
      throw new RefusedError("invalid_parameters", "got a monitor and an anchor, expected one of them");
    }
    return { ...spec, id: randomUUID(), createdAt: this.#ports.now().toISOString() };
  }

  /** Hidden when this returns. Throws as `make`. */
  add(spec: MaskSpec): Mask {
    return this.put(this.make(spec));
  }

  /** Hidden when this returns. */
  put(stored: StoredMask): Mask {
    const mask = { ...stored, isConfigured: false };
    const entry = entryOf(mask);
    this.#entries.set(mask.id, entry);
    this.#changed(mask);
    return this.#told(entry);
  }

  /** Throws RefusedError not_found, and permission_denied for one of the configuration. */
  remove(id: string): Mask {
    const entry = this.#removable(id);
    const told = this.#told(entry);
    this.#entries.delete(id);
    this.#changed(entry.mask);
    return told;
  }

  /** Throws what `remove` would. */
  checkRemovable(id: string): void {
    this.#removable(id);
  }

  #removable(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined)
      throw new RefusedError("not_found", "no such mask: list the masks to see their ids");
    if (entry.mask.isConfigured) {
      throw new RefusedError(
        "permission_denied",
        "the configuration, or what is shown here, says that this is hidden: no mask of the configuration is removed here",
      );
    }
    return entry;
  }

  #changed({ text }: MaskSpec): void {
    this.#kinds = this.#grouped();
    if (text !== undefined) this.#redaction.terms = this.#terms;
    this.#lay();
    this.#ports.changed();
  }

  follow(real: Framebuffer, damage: Region, change: Change): void {
    this.#redaction.follow(real, change);
    const hasOtherEcho = this.echo.follow(real, change);
    let hasMoved = false;
    for (const { follower } of this.#entries.values()) {
      if (follower?.update(real, damage) === true) hasMoved = true;
    }
    const isUnproven = this.elements.follow(damage, change.copies);
    if (hasMoved || isUnproven || hasOtherEcho || this.#redaction.isActive) this.#lay();
    if (hasMoved) this.#ports.moved();
  }

  pointerDrawn(area: Rect | null): void {
    this.#redaction.drawnPointer = area;
  }

  layOut(bounds: Rect, screens: readonly Screen[]): void {
    this.#bounds = bounds;
    this.#screens = screens;
    for (const { follower } of this.#entries.values()) follower?.lose();
    this.#redaction.layOut(bounds);
    this.echo.layOut(bounds);
    this.#lay();
  }

  #lay(): void {
    const of = (laid: (audience: Audience) => Region): Readonly<Record<Audience, Region>> => {
      const known = new Map<Audience, Region>();
      return byAudience((audience) => {
        const kind = this.kindOf(audience);
        const region = known.get(kind) ?? laid(kind);
        known.set(kind, region);
        return region;
      });
    };
    this.#hidden = of((kind) => {
      const { unread, held } = this.#redaction;
      const places = Region.from(this.placesFrom(kind)).union(this.elements.unprovenFor(kind));
      return sameOr(this.#hidden[kind], places.union(this.#ofText(unread.subtract(held), kind)));
    });
    this.#held = of((kind) => {
      const { held } = this.#redaction;
      return sameOr(this.#held[kind], this.#ofText(held, kind).subtract(this.#hidden[kind]));
    });
  }

  /** People of which roles are kept from the same. */
  #grouped(): Readonly<Record<Audience, Audience>> {
    const entries = [...this.#entries.values()];
    const alike = (a: Audience, b: Audience): boolean =>
      entries.every(({ mask: { audiences } }) => isAmong(audiences, a) === isAmong(audiences, b)) &&
      isAmong(this.#blind, a) === isAmong(this.#blind, b);
    return byAudience((audience) =>
      isViewer(audience) ? (VIEWER_AUDIENCES.find((other) => alike(other, audience)) ?? audience) : audience,
    );
  }

  get #terms(): readonly NamedTerms[] {
    return [...this.#entries.values()].flatMap(({ mask: { id, text } }) =>
      text === undefined ? [] : [{ id, ...text }],
    );
  }

  #textMasks(audience: Audience): readonly FirstMask[] {
    return [...this.#entries.values()]
      .map(({ mask }) => mask)
      .filter(({ text, audiences }) => text !== undefined && isAmong(audiences, audience));
  }

  /** What of a region lies where text is looked for on this audience's behalf. */
  #ofText(region: Region, audience: Audience): Region {
    if (region.isEmpty) return region;
    return this.#textMasks(audience).reduce((all, mask) => {
      const [area = EMPTY_RECT] = this.#areasOf(mask, null);
      return all.union(region.clip(area));
    }, Region.empty);
  }

  #told({ mask, follower }: Entry): Mask {
    return { ...mask, state: stateOf(mask, follower), places: this.#placesOf(mask, follower) };
  }

  #placesOf(mask: FirstMask, follower: MarkFollower | null): readonly Rect[] {
    if (mask.element !== undefined) {
      return this.elements.hidden
        .flatMap(({ maskId, rect }) => (maskId === mask.id ? [intersectRects(rect, this.#bounds)] : []))
        .filter((place) => !isEmptyRect(place));
    }
    const areas = this.#areasOf(mask, follower);
    if (mask.text === undefined) return areas;
    const [area = EMPTY_RECT] = areas;
    return this.#redaction
      .placesOf(mask.id)
      .map((place) => intersectRects(place, area))
      .filter((place) => !isEmptyRect(place));
  }

  #areasOf({ rect, monitor }: MaskSpec, follower: MarkFollower | null): readonly Rect[] {
    const room = monitor === null ? this.#bounds : this.#roomOf(monitor);
    const corners = follower?.places ?? [monitor === null ? { x: 0, y: 0 } : room];
    return corners
      .map(({ x, y }) => intersectRects(translateRect(rect, x, y), room))
      .filter((place) => !isEmptyRect(place));
  }

  /** A target that says nothing of monitors has one: all of it. */
  #roomOf(monitor: number): Rect {
    if (this.#screens.length === 0) return monitor === 1 ? this.#bounds : EMPTY_RECT;
    return intersectRects(this.#screens[monitor - 1]?.rect ?? EMPTY_RECT, this.#bounds);
  }
}

/** The same object as before where it is the same. */
const sameOr = (before: Region, now: Region): Region => (now.equals(before) ? before : now);

/** Hides all of a desktop, whatever its size, from agents. */
export function allFromAgents({ createdAt }: { readonly createdAt: string }): FirstMask {
  const label = "Agents must not see a part of this";
  return {
    ...{ id: "all-from-agents", rect: EVERYWHERE, monitor: null, mark: null },
    ...{ audiences: ["agent"], label },
    ...{ createdAt, isConfigured: true },
  };
}

/** What of the configuration is for one desktop. */
export function configuredMasks(
  all: readonly ConfiguredMask[],
  { id, name, createdAt }: { readonly id: string; readonly name: string; readonly createdAt: string },
): FirstMask[] {
  return all.flatMap(({ desktop, ...spec }, i) =>
    desktop === null || desktop === id || desktop === name
      ? [{ ...spec, id: `configured-${i + 1}`, mark: null, createdAt, isConfigured: true }]
      : [],
  );
}

function stateOf({ text, element }: MaskSpec, follower: MarkFollower | null): MaskState {
  if (element !== undefined) return "element";
  if (text !== undefined) return "text";
  if (follower === null) return "fixed";
  return follower.isFound ? "found" : "lost";
}

function entryOf(mask: FirstMask): Entry {
  return { mask, follower: mask.mark === null ? null : new MarkFollower(mask.mark) };
}
