import type { ElementTerms, HiddenElement, PageCover } from "../../desktop/masks/element-places.ts";
import { AUDIENCES, type Audience } from "../../desktop/view.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { BrowserError } from "../error.ts";
import { objectIn } from "../page/answers.ts";
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
/** What was moving is looked at once more after so long, ms, also where the page says nothing. */
const AFTER_MOVE_MS = 100;
/** A tab that is not in front any more is painted for less than this, ms. */
const LEFT_MS = 1000;
/** A page is searched for with a mark that people see: again after so long, twice as long each time, at most. */
const LEAST_SEARCH_MS = 250;
const MOST_SEARCH_MS = 2000;
/** What could not be looked at is looked at again after so long, ms. */
const RETRY_MS = 300;
/** Around an element, desktop pixels: what is drawn at its edge. */
const MARGIN = 2;
/** Rectangles of one mask on one page. */
const MOST_RECTS = 64;

interface Place {
  readonly seen: SeenPage;
  /** See windowOf. */
  readonly window: string;
}

/** Keeps what masks hide of one shared tab covered on the desktop that shows it. */
export class MaskedTab {
  readonly #ports: MaskedTabPorts;
  #page: Page | null = null;
  #place: Place | null = null;
  #cover: { readonly desktopId: string; readonly cover: PageCover } | null = null;
  /** Since when the tab is not in front; null: it is, or may be. */
  #awayMs: number | null = null;
  /** The last search, and when there may be another one of the same window. */
  #search = { window: "", untilMs: 0, pauseMs: 0 };
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
    // While nobody looked another document may have come, and the window moved.
    if (this.#place !== null) this.#place = { ...this.#place, window: "" };
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
    const cover = this.#cover?.cover;
    cover?.look();
    const look = await looks.look(selectors);
    if (this.#page !== page) return null;
    looks.watch(selectors, (hasFailed) => {
      if (hasFailed) this.#ports.clock.after(RETRY_MS, this.wake);
      else this.wake();
    });
    const isStrict = all.some(({ maskId }) => maskId !== null);
    const isWary = isStrict || look.hasElements;
    if (look.isHidden) return this.#hide(page, look, isWary);
    this.#awayMs = null;
    const window = windowOf(page, look);
    const isPlaced = this.#place?.window === window && cover?.isMoved !== true;
    if (isPlaced && this.#place !== null && this.#isThere(this.#place.seen.desktopId)) {
      this.#lay(this.#place.seen, look, selectors, isWary);
      return look.state === null ? AFTER_MOVE_MS : null;
    }
    const isNeeded = isWary && (isStrict || look.boxes.length > 0 || this.#place !== null);
    // What it hid stays covered until it is seen that the page shows it no more.
    if (isNeeded || (this.#place !== null && cover?.isClear === false)) return this.#seek(page, look, isWary);
    this.#uncover();
    return null;
  }

  /** Of a tab in the background all may be shown, once another one is in front in its stead. */
  async #hide(page: Page, look: PageLook, isWary: boolean): Promise<number | null> {
    if (this.#cover === null) return null;
    const { desktopId, cover } = this.#cover;
    // The page learns that it is shown later than the window shows it, the browser before.
    const isFront = await isInFront(page);
    if (this.#page !== page) return null;
    if (isFront) {
      this.#awayMs = null;
      return LEFT_MS;
    }
    const nowMs = this.#ports.clock.nowMs();
    this.#awayMs ??= nowMs;
    const leftMs = this.#awayMs + LEFT_MS - nowMs;
    if (leftMs > 0) return leftMs;
    cover.lay({
      // Where its window was moved to meanwhile nobody knows, and it may come back there.
      area: cover.isMoved ? null : this.#area(look),
      elements: [],
      wary: isWary ? this.#audiences(desktopId) : [],
      state: `in the background since ${this.#awayMs}`,
    });
    return null;
  }

  async #seek(page: Page, look: PageLook, isWary: boolean): Promise<number | null> {
    const { clock, desktops: desktopsNow } = this.#ports;
    const { id } = page.browser;
    const isKnown = this.#place !== null;
    const desktops = desktopsNow();
    if (desktops.length === 0 || (!isKnown && !this.#ports.maySeek(id))) return null;
    // Another tab of the browser is seen there: this one may be painted there at any moment.
    const there = isKnown ? null : this.#ports.desktopOf(id);
    const isThere = there !== null && this.#isThere(there);
    if (isThere && isWary)
      this.#coverOn(there)?.lay({ area: null, elements: [], wary: this.#audiences(there), state: null });
    const window = windowOf(page, look);
    const waitMs = this.#search.window === window ? this.#search.untilMs - clock.nowMs() : 0;
    if (this.#search.window !== window || waitMs < -MOST_SEARCH_MS)
      this.#search = { window, untilMs: 0, pauseMs: 0 };
    if (waitMs > 0) return waitMs;
    const moves = this.#cover?.cover.moves ?? 0;
    const seen = await page.inTurn(() => seekPage(page, look, desktops));
    if (this.#page !== page) return null;
    const before = this.#place?.seen;
    const isNews = seen !== null && (seen.x !== before?.x || seen.y !== before.y);
    const pauseMs = isNews
      ? 0
      : Math.min(MOST_SEARCH_MS, Math.max(LEAST_SEARCH_MS, 2 * this.#search.pauseMs));
    this.#search = { window, untilMs: clock.nowMs() + pauseMs, pauseMs };
    if (seen === null) {
      if (isKnown || isThere) return pauseMs;
      this.#uncover();
      this.#ports.seen(id, null);
      return null;
    }
    this.#place = { seen, window };
    page.seen = seen;
    this.#ports.seen(id, seen.desktopId);
    if (this.#cover !== null && this.#cover.desktopId !== seen.desktopId) this.#closeCover();
    this.#cover?.cover.placed(moves);
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
    this.#coverOn(seen.desktopId)?.lay({ area: this.#area(look), elements, wary, state: look.state });
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

/** The same as long as a page stays where it is in its window, and that one where it is, as far as the page knows. */
const windowOf = ({ navigations }: Page, { window }: PageLook): string => `${window} ${navigations}`;

/** Whether the window of a tab shows it, as the browser knows. Rejects with BrowserError. */
async function isInFront({ peer, number }: Page): Promise<boolean> {
  const { tabs } = objectIn(await peer.call("tabs", {}));
  const told = Array.isArray(tabs) ? tabs.map((tab) => objectIn(tab)) : [];
  const own = told.find(({ tab_id }) => tab_id === number);
  return own === undefined || (own["active"] === true && own["minimized"] !== true);
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
