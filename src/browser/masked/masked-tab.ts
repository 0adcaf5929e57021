import type { ElementTerms, HiddenElement, PageCover } from "../../desktop/masks/element-places.ts";
import { AUDIENCES, type Audience } from "../../desktop/view.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { BrowserError } from "../error.ts";
import type { Page, SeenPage } from "../page/page.ts";
import { type PageLook, PageLooks } from "./look.ts";
import { type SoughtDesktop, seekPage } from "./marker.ts";

/** A desktop whose masks hide elements of pages. */
export interface MaskedDesktop extends SoughtDesktop {
  readonly masks: SoughtDesktop["masks"] & {
    openPage(onDamage: () => void): PageCover;
  };
}

export interface MaskedTabPorts {
  readonly clock: Clock;
  /** Those that have a picture. */
  desktops(): readonly MaskedDesktop[];
  /** What of pages is hidden on a desktop; null: on any. */
  terms(desktopId: string | null): readonly ElementTerms[];
  /** The desktop on which something of that browser is seen; null: not known. */
  desktopOf(browserId: string): string | null;
  seen(browserId: string, desktopId: string | null): void;
  /** Whether it pays to look for a browser that no desktop shows. */
  maySeek(browserId: string): boolean;
}

/** Looks are so far apart at least, ms. */
const LOOK_EVERY_MS = 12;
/** What was moving is looked at once more after so long, ms. */
const AFTER_MOVE_MS = 450;
/** What could not be looked at is looked at again after so long, ms. */
const RETRY_MS = 300;
/** Around an element, desktop pixels: what is drawn at its edge. */
const MARGIN = 2;
/** Rectangles of one mask on one page. */
const MOST_RECTS = 64;

interface Place {
  readonly seen: SeenPage;
  /** As the look had it that was there. */
  readonly window: string;
}

/** Keeps what masks hide of one shared tab covered on the desktop that shows it. */
export class MaskedTab {
  readonly #ports: MaskedTabPorts;
  #page: Page | null = null;
  #place: Place | null = null;
  #cover: { readonly desktopId: string; readonly cover: PageCover } | null = null;
  #isDue = false;
  #wake = (): void => {};

  constructor(ports: MaskedTabPorts) {
    this.#ports = ports;
  }

  get page(): Page | null {
    return this.#page;
  }

  /** Something that it depends on is another now. */
  readonly wake = (): void => {
    this.#isDue = true;
    this.#wake();
  };

  /** Follows a page until it is out of reach, or another is followed. Rejects only by a fault of ours. */
  async follow(page: Page): Promise<void> {
    this.#page = page;
    const looks = new PageLooks(page);
    const end = page.onChange(this.wake);
    try {
      while (this.#page === page && !page.isClosed) {
        this.#isDue = false;
        const againMs = await this.#step(page, looks).catch((error: unknown) => {
          if (error instanceof BrowserError) return RETRY_MS;
          throw error;
        });
        if (this.#page !== page || page.isClosed) break;
        await delay(this.#ports.clock, LOOK_EVERY_MS);
        await this.#due(againMs);
      }
    } finally {
      end();
    }
  }

  /** The tab is not shared any more. */
  close(): void {
    this.#page = null;
    this.#uncover();
    this.#wake();
  }

  /** Gives after how many ms to look again, whatever happens; null: not before something does. */
  async #step(page: Page, looks: PageLooks): Promise<number | null> {
    const all = this.#ports.terms(null);
    const selectors = [...new Set(all.map(({ selector }) => selector))];
    if (selectors.length === 0) {
      this.#uncover();
      return null;
    }
    const { desktopId, cover } = this.#cover ?? { desktopId: null, cover: null };
    cover?.look();
    const look = await looks.look(selectors);
    looks.watch(selectors, (hasFailed) => {
      if (hasFailed) this.#ports.clock.after(RETRY_MS, this.wake);
      else this.wake();
    });
    const isStrict = all.some(({ maskId }) => maskId !== null);
    const isWary = isStrict || look.hasElements;
    if (look.isHidden) {
      // Where it was it may come back at any time.
      cover?.lay({ area: this.#area(look), elements: [], wary: isWary ? this.#audiences(desktopId) : [] });
      return null;
    }
    if (this.#place?.window === look.window && this.#isThere(this.#place.seen.desktopId)) {
      this.#lay(this.#place.seen, look, selectors, isWary);
      return look.isMoving ? AFTER_MOVE_MS : null;
    }
    const isNeeded = isStrict || look.boxes.length > 0 || (this.#place !== null && look.hasElements);
    if (!isNeeded) {
      this.#uncover();
      return null;
    }
    return this.#seek(page, look);
  }

  async #seek(page: Page, look: PageLook): Promise<number | null> {
    const { id } = page.browser;
    const isKnown = this.#place !== null;
    const desktops = this.#ports.desktops();
    if (desktops.length === 0 || (!isKnown && !this.#ports.maySeek(id))) return null;
    // Another tab of the browser is seen there: this one may be painted there at any moment.
    const there = isKnown ? null : this.#ports.desktopOf(id);
    if (there !== null && this.#isThere(there)) {
      this.#coverOn(there)?.lay({ area: null, elements: [], wary: this.#audiences(there) });
    }
    const seen = await page.inTurn(() => seekPage(page, look, desktops));
    if (seen === null) {
      if (isKnown) return RETRY_MS;
      this.#uncover();
      this.#ports.seen(id, null);
      return null;
    }
    this.#place = { seen, window: look.window };
    page.seen = seen;
    this.#ports.seen(id, seen.desktopId);
    if (this.#cover !== null && this.#cover.desktopId !== seen.desktopId) this.#closeCover();
    // What it found is of before the place was known.
    return 0;
  }

  #lay(seen: SeenPage, look: PageLook, selectors: readonly string[], isWary: boolean): void {
    const terms = this.#ports.terms(seen.desktopId);
    const elements = terms.flatMap(({ maskId, selector, audiences }): HiddenElement[] => {
      const index = selectors.indexOf(selector);
      const rects = look.boxes
        .filter((one) => one.selector === index)
        .map(({ box }) => rectOn(seen, box.x, box.y, box.width, box.height));
      return [...coverOf(unique(rects), MOST_RECTS)].map((rect) => ({ maskId, audiences, rect }));
    });
    const wary = isWary ? this.#audiences(seen.desktopId) : [];
    this.#coverOn(seen.desktopId)?.lay({ area: this.#area(look), elements, wary });
  }

  #area({ size }: PageLook): Rect | null {
    const seen = this.#place?.seen;
    return seen === undefined ? null : rectOn(seen, 0, 0, size.width, size.height);
  }

  #audiences(desktopId: string | null): readonly Audience[] {
    const all = this.#ports.terms(desktopId).flatMap(({ audiences }) => audiences);
    return AUDIENCES.filter((audience) => all.includes(audience));
  }

  #isThere(desktopId: string): boolean {
    return this.#ports.desktops().some(({ id }) => id === desktopId);
  }

  #coverOn(desktopId: string): PageCover | null {
    if (this.#cover?.desktopId !== desktopId) {
      this.#closeCover();
      const desktop = this.#ports.desktops().find(({ id }) => id === desktopId);
      if (desktop === undefined) return null;
      this.#cover = { desktopId, cover: desktop.masks.openPage(this.wake) };
    }
    return this.#cover.cover;
  }

  #uncover(): void {
    this.#place = null;
    this.#closeCover();
  }

  #closeCover(): void {
    this.#cover?.cover.close();
    this.#cover = null;
  }

  async #due(mostMs: number | null): Promise<void> {
    if (this.#isDue) return;
    await new Promise<void>((resolve) => {
      const cancel = mostMs === null ? () => {} : this.#ports.clock.after(mostMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

function rectOn(seen: SeenPage, x: number, y: number, width: number, height: number): Rect {
  const left = Math.floor(seen.x + x * seen.scale) - MARGIN;
  const top = Math.floor(seen.y + y * seen.scale) - MARGIN;
  const right = Math.ceil(seen.x + (x + width) * seen.scale) + MARGIN;
  const bottom = Math.ceil(seen.y + (y + height) * seen.scale) + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function unique(rects: readonly Rect[]): readonly Rect[] {
  return [...new Map(rects.map((one) => [Object.values(one).join(), one])).values()];
}
