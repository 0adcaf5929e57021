import { sourceOf } from "../../framebuffer/copy-move.ts";
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
/** A browser may learn so much later than the screen that its window was moved. */
const MOVE_TOLD_WITHIN_MS = 200;
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

/**
 * What is hidden of one page on one desktop.
 *
 * INVARIANT: while anybody is wary, every pixel that changed where the page may be is covered from that update on until
 * a look at the page that began later says where its elements are; and a place that an element left stays covered until
 * the target has confirmed that its picture is of a later time.
 */
export class PageCover {
  readonly #ports: ElementPlacesPorts;
  readonly #onDamage: () => void;
  readonly #onClose: () => void;
  #found: FoundElements = { area: null, elements: [], wary: [] };
  #left: readonly HiddenElement[] = [];
  #unproven = Region.empty;
  /** Of it, what changed since the look that is under way began; null: none is. */
  #since: Region | null = null;
  /** Until then a look does not know yet of a window that was moved. */
  #provesFromMs = 0;
  #isAsking = false;
  #isOpen = true;

  constructor(ports: ElementPlacesPorts, onDamage: () => void, onClose: () => void) {
    this.#ports = ports;
    this.#onDamage = onDamage;
    this.#onClose = onClose;
  }

  get hidden(): readonly HiddenElement[] {
    return [...this.#found.elements, ...this.#left];
  }

  isFor(audience: Audience): boolean {
    return (
      isAmong(this.#found.wary, audience) || this.hidden.some(({ audiences }) => isAmong(audiences, audience))
    );
  }

  unprovenFor(audience: Audience): Region {
    return isAmong(this.#found.wary, audience) ? this.#unproven : Region.empty;
  }

  follow(damage: Region, copies: readonly CopyMove[]): boolean {
    const { area, wary } = this.#found;
    if (wary.length === 0) return false;
    // A window that is moved paints beside the place where it was, in the update in which it leaves that.
    const isThere =
      area === null || damage.overlaps(area) || copies.some((move) => overlapRects(sourceOf(move), area));
    if (!isThere) return false;
    if (area !== null && mayBeMove(damage, area)) {
      this.#provesFromMs = this.#ports.clock.nowMs() + MOVE_TOLD_WITHIN_MS;
      this.#ports.clock.after(MOVE_TOLD_WITHIN_MS, this.#onDamage);
    }
    this.#onDamage();
    this.#unproven = this.#unproven.union(damage).simplified(MOST_RECTS);
    if (this.#since !== null) this.#since = this.#since.union(damage).simplified(MOST_RECTS);
    return true;
  }

  /** A look at the page begins now: what it finds holds for all that was shown before. */
  look(): void {
    this.#since = Region.empty;
  }

  /** What the look found. */
  lay(found: FoundElements): void {
    if (!this.#isOpen) return;
    const isKept = (one: HiddenElement): boolean => found.elements.some((other) => isSame(one, other));
    this.#left = [...this.#left, ...this.#found.elements].filter((one) => !isKept(one));
    const proves = this.#ports.clock.nowMs() >= this.#provesFromMs;
    if (found.wary.length === 0) this.#unproven = Region.empty;
    else if (proves) this.#unproven = this.#since ?? this.#unproven;
    this.#since = null;
    this.#found = found;
    this.#ports.changed();
    this.#settle();
  }

  /** The page is not seen here any more: what it hid is shown when the target has confirmed its picture. */
  close(): void {
    if (!this.#isOpen) return;
    this.lay({ area: null, elements: [], wary: [] });
    this.#isOpen = false;
    if (this.#left.length === 0) this.#onClose();
  }

  #settle(): void {
    if (this.#isAsking || this.#left.length === 0) return;
    this.#isAsking = true;
    const asked = this.#left;
    this.#ports
      .latest()
      .then(
        () => {
          this.#left = this.#left.filter((one) => !asked.includes(one));
          this.#ports.changed();
          this.#isAsking = false;
          if (this.#left.length > 0) this.#settle();
          else if (!this.#isOpen) this.#onClose();
        },
        () => {
          this.#ports.clock.after(ASK_AGAIN_MS, () => {
            this.#isAsking = false;
            this.#settle();
          });
        },
      )
      .catch((error: unknown) => this.#ports.onBug(error));
  }
}

/** Whether a window that holds the area may have been moved: beside it as much has changed as such a one leaves or takes. */
function mayBeMove(damage: Region, area: Rect): boolean {
  const { width, height } = damage.subtract(Region.of(area)).bounds;
  return 2 * width >= area.width || 2 * height >= area.height;
}

function isSame(a: HiddenElement, b: HiddenElement): boolean {
  return a.maskId === b.maskId && equalRects(a.rect, b.rect);
}
