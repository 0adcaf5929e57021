import { sourceOf } from "../../framebuffer/copy-move.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { equalRects, overlapRects, type Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Audience, isAmong } from "../view.ts";

/** What of pages is hidden: elements by a selector of CSS. */
export interface ElementTerms {
  /** Of the mask; null: what is hidden without one. */
  readonly maskId: string | null;
  readonly selector: string;
  readonly audiences: readonly Audience[];
}

/** A place of elements that are hidden, desktop pixels. */
export interface HiddenElement {
  readonly maskId: string | null;
  readonly audiences: readonly Audience[];
  readonly rect: Rect;
}

/** What a look at a page found. */
export interface FoundElements {
  /** What of the desktop shows the page; null: nobody knows. */
  readonly area: Rect | null;
  readonly elements: readonly HiddenElement[];
  /** From whom what changes there is kept until the page was looked at once more; empty: from nobody. */
  readonly wary: readonly Audience[];
  /**
   * The same in two looks: nothing that is hidden moved between them. null: something did, and what it looked like may
   * still be on its way to the target.
   */
  readonly state: string | null;
}

export interface ElementPlacesPorts {
  readonly clock: Clock;
  /** Resolves when what the target shows now is in the picture; rejects where it does not say so. */
  latest(): Promise<void>;
  /** Something else is hidden, and not because of an update. */
  changed(): void;
  onBug(error: unknown): void;
}

/** Where the target did not say what it shows, it is asked again after so long. */
const ASK_AGAIN_MS = 1000;
/** Places that were left and are not confirmed: more are covered in fewer, larger rectangles. */
const MOST_LEFT = 256;
/** What is covered in more rectangles than this is covered in fewer, larger ones. */
const MOST_RECTS = 128;

/** Where elements of pages that are seen on a desktop are hidden. */
export class ElementPlaces {
  readonly #ports: ElementPlacesPorts;
  readonly #covers = new Set<PageCover>();

  constructor(ports: ElementPlacesPorts) {
    this.#ports = ports;
  }

  /** A page that is seen there. `onDamage`: told of what changes there while anybody is wary. */
  open(onDamage: () => void): PageCover {
    const cover = new PageCover(this.#ports, onDamage, () => this.#covers.delete(cover));
    this.#covers.add(cover);
    return cover;
  }

  /** An update changed this; true where more is covered because of it. */
  follow(damage: Region, copies: readonly CopyMove[]): boolean {
    let isMore = false;
    for (const cover of this.#covers) if (cover.follow(damage, copies)) isMore = true;
    return isMore;
  }

  /** Whether anything may be hidden from an audience by elements. */
  isFor(audience: Audience): boolean {
    return [...this.#covers].some((cover) => cover.isFor(audience));
  }

  /** What may show an element that is hidden: nobody knows yet. */
  unprovenFor(audience: Audience): Region {
    return [...this.#covers].reduce((all, cover) => all.union(cover.unprovenFor(audience)), Region.empty);
  }

  get hidden(): readonly HiddenElement[] {
    return [...this.#covers].flatMap((cover) => cover.hidden);
  }

  close(): void {
    for (const cover of [...this.#covers]) cover.close();
  }
}

/** A question to the target: whether all that the page painted up to a look is in the picture. */
interface Proof {
  /** Of that look. */
  readonly state: string;
  /** What was left by then. */
  readonly left: ReadonlySet<HiddenElement>;
  /** What changed since that look began. */
  since: Region;
}

/**
 * What is hidden of one page on one desktop.
 *
 * INVARIANT: while anybody is wary, every pixel that changed where the page may be is covered from that update on, and
 * every place that an element left stays covered, until nothing moved from before a look began until the target confirmed
 * that its picture is of a later time. A look that found the same state as one that was confirmed needs no confirmation:
 * nothing moved since. No time is taken for a proof of anything.
 */
export class PageCover {
  readonly #ports: ElementPlacesPorts;
  readonly #onDamage: () => void;
  readonly #onClose: () => void;
  #found: FoundElements = { area: null, elements: [], wary: [], state: null };
  /** Of all looks since the last proof. */
  #wary: readonly Audience[] = [];
  #left: readonly HiddenElement[] = [];
  #unproven = Region.empty;
  /** Of it, what changed since the look that is under way began; null: none is. */
  #since: Region | null = null;
  #proof: Proof | null = null;
  /** The state that was confirmed; null: something moved since. */
  #confirmed: string | null = null;
  /** What changed beside the page since its window was last taken to be moved. */
  #beside = Region.empty;
  /** Times that its window may have been moved, and those of them that where it is now is known after. */
  #moves = 0;
  #placedMoves = 0;
  #isOpen = true;

  constructor(ports: ElementPlacesPorts, onDamage: () => void, onClose: () => void) {
    this.#ports = ports;
    this.#onDamage = onDamage;
    this.#onClose = onClose;
  }

  get hidden(): readonly HiddenElement[] {
    return [...this.#found.elements, ...this.#left];
  }

  /** How often its window may have been moved. */
  get moves(): number {
    return this.#moves;
  }

  /** The window may have been moved since it was found: nothing is proven before it is found once more. */
  get isMoved(): boolean {
    return this.#moves !== this.#placedMoves;
  }

  /** Nothing is hidden because of it, nor would be if something changed. */
  get isClear(): boolean {
    return this.#wary.length === 0 && this.#unproven.isEmpty && this.hidden.length === 0;
  }

  isFor(audience: Audience): boolean {
    return isAmong(this.#wary, audience) || this.hidden.some(({ audiences }) => isAmong(audiences, audience));
  }

  unprovenFor(audience: Audience): Region {
    return isAmong(this.#wary, audience) ? this.#unproven : Region.empty;
  }

  follow(damage: Region, copies: readonly CopyMove[]): boolean {
    if (this.#wary.length === 0) return false;
    // Where a window is that was moved nobody knows: it may show the page anywhere.
    const area = this.isMoved ? null : this.#found.area;
    // A window that is moved paints beside the place where it was, in the update in which it leaves that.
    const isThere =
      area === null || damage.overlaps(area) || copies.some((move) => overlapRects(sourceOf(move), area));
    if (area !== null) this.#look(area, damage);
    if (!isThere && !this.isMoved) return false;
    this.#unproven = few(this.#unproven.union(damage));
    if (this.#since !== null) this.#since = few(this.#since.union(damage));
    if (this.#proof !== null) this.#proof.since = few(this.#proof.since.union(damage));
    this.#onDamage();
    return true;
  }

  /** The page was found where it is by a search that began when there were so many moves. */
  placed(moves: number): void {
    this.#placedMoves = moves;
  }

  /** A look at the page begins now. */
  look(): void {
    this.#since = Region.empty;
  }

  /** What the look found. */
  lay(found: FoundElements): void {
    if (!this.#isOpen) return;
    const since = this.#since;
    this.#since = null;
    this.#leave(found.elements);
    this.#found = found;
    this.#wary = union(this.#wary, found.wary);
    const isProvable = found.area === null || !this.isMoved;
    const state = isProvable ? found.state : null;
    if (state !== this.#proof?.state) this.#proof = null;
    if (state !== this.#confirmed) this.#confirmed = null;
    if (state === null || since === null) this.#confirmed = null;
    else if (state === this.#confirmed && this.#left.length === 0) this.#proven(state, since);
    else if (this.#proof === null) this.#ask({ state, left: new Set(this.#left), since });
    this.#ports.changed();
  }

  /** The page is not seen here any more: what it hid is shown when the target has confirmed its picture. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leave([]);
    this.#found = { area: null, elements: [], wary: [], state: null };
    this.#ask({ state: "closed", left: new Set(this.#left), since: Region.empty });
    this.#ports.changed();
  }

  /** A window that holds the page may have been moved where as much changed beside it as such a one leaves or takes. */
  #look(area: Rect, damage: Region): void {
    this.#beside = few(this.#beside.union(damage.subtract(Region.of(area))));
    const { width, height } = this.#beside.bounds;
    if (2 * width < area.width && 2 * height < area.height) return;
    this.#beside = Region.empty;
    this.#moves++;
    this.#proof = null;
    this.#confirmed = null;
  }

  #leave(elements: readonly HiddenElement[]): void {
    const isKept = (one: HiddenElement): boolean => elements.some((other) => isSame(one, other));
    const left = [...this.#left, ...this.#found.elements].filter((one) => !isKept(one));
    this.#left = left.length <= MOST_LEFT ? left : fewer(left);
  }

  #proven(state: string, since: Region): void {
    this.#confirmed = state;
    this.#unproven = since;
    this.#wary = this.#found.wary;
    if (this.#wary.length === 0) this.#unproven = Region.empty;
  }

  #ask(proof: Proof): void {
    this.#proof = proof;
    // A server may have taken up the question in the round in which it still has to draw what it was sent before.
    const { latest, clock, changed, onBug } = this.#ports;
    latest()
      .then(latest)
      .then(
        () => {
          if (this.#proof !== proof) return;
          this.#proof = null;
          this.#left = this.#left.filter((one) => !proof.left.has(one));
          this.#proven(proof.state, proof.since);
          changed();
          if (!this.#isOpen) this.#onClose();
          else if (!this.#unproven.isEmpty || this.#left.length > 0) this.#onDamage();
        },
        () => {
          clock.after(ASK_AGAIN_MS, () => {
            if (this.#proof !== proof) return;
            this.#proof = null;
            if (this.#isOpen) this.#onDamage();
            else this.#ask(proof);
          });
        },
      )
      .catch((error: unknown) => onBug(error));
  }
}

const few = (region: Region): Region => region.simplified(MOST_RECTS);

const union = (a: readonly Audience[], b: readonly Audience[]): readonly Audience[] => [
  ...new Set([...a, ...b]),
];

/** The same places and more, in fewer rectangles. */
function fewer(all: readonly HiddenElement[]): readonly HiddenElement[] {
  const groups = new Map<string, HiddenElement[]>();
  for (const one of all) {
    const key = `${one.maskId} ${one.audiences.join()}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) =>
    [
      ...coverOf(
        group.map(({ rect }) => rect),
        MOST_RECTS / 4,
      ),
    ].flatMap((rect) => group.slice(0, 1).map((one) => ({ ...one, rect }))),
  );
}

function isSame(a: HiddenElement, b: HiddenElement): boolean {
  return a.maskId === b.maskId && equalRects(a.rect, b.rect);
}
