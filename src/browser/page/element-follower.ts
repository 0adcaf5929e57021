import type { View } from "../../desktop/view.ts";
import { delay } from "../../platform/clock.ts";
import { BrowserError } from "../error.ts";
import { ownersOf } from "./element-box.ts";
import { type ElementPlaceSeen, elementSeen, placeNow, windowOf } from "./elements-on-desktop.ts";
import { changedFrom } from "./in-page-follow.ts";
import type { Page } from "./page.ts";
import type { ElementPlace } from "./refs.ts";

/** A desktop on which an element is followed. */
export interface FollowedDesktop {
  readonly id: string;
  /** See SeenDesktop. */
  view(): Pick<View, "picture" | "watch">;
}

export interface FollowerPorts {
  /** Those on which the element may be seen. */
  desktops(): readonly FollowedDesktop[];
  tell(seen: ElementPlaceSeen): void;
  onBug(error: unknown): void;
}

/** Looks are so far apart at least, ms. */
const LOOK_EVERY_MS = 16;
/** What the page says is checked against the pixels after so long, ms: while it scrolls the picture is behind. */
const CHECK_AFTER_MS = 200;
/** Where the pixels change and all stays as it was, the next check is twice as long after, to the most, ms. */
const MOST_CHECK_AFTER_MS = 4000;
/** After something was told it is looked at again so often, and after so long, ms: a page tells late where its window is. */
const RECHECKS = 2;
const RECHECK_AFTER_MS = 500;
/** What a browser answers of an element whose document, frame or node is not there any more. */
const GONE: ReadonlySet<string> = new Set(["browser_refused", "page_changed", "ref_unknown"]);
/** What could not be looked at is looked at again after so long, ms. */
const RETRY_MS = 1000;

/** Says where an element of a page is seen on its desktop, from one change to the next, until it is gone. */
export class ElementFollower {
  readonly #page: Page;
  readonly #place: ElementPlace;
  readonly #ports: FollowerPorts;
  #last: ElementPlaceSeen;
  #isClosed = false;
  /** The page says that something is other than it was. */
  #isDue = false;
  /** The pixels where it is have changed. */
  #isTouched = false;
  #hasFailed = false;
  #isGone = false;
  /** The window as it was when the element was found last, or was looked for. */
  #markedIn = "";
  #wake = (): void => {};

  /** `seen`: where it is now. */
  constructor(page: Page, place: ElementPlace, seen: ElementPlaceSeen, ports: FollowerPorts) {
    this.#page = page;
    this.#place = place;
    this.#last = seen;
    this.#ports = ports;
    this.#run().catch((error: unknown) => ports.onBug(error));
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    const page = this.#page;
    const end = page.onChange(() => this.#due());
    let watching: string | null = null;
    let endWatch = (): void => {};
    let pauseMs = CHECK_AFTER_MS;
    let rechecks = RECHECKS;
    try {
      this.#watchPage();
      while (!this.#isClosed && !this.#isGone && !page.isClosed) {
        if (watching !== this.#last.desktopId) {
          endWatch();
          watching = this.#last.desktopId;
          endWatch = this.#watchDesktop(watching);
        }
        if (!this.#isDue && !this.#isTouched)
          await this.#sleep(rechecks > 0 ? RECHECK_AFTER_MS : this.#hasFailed ? RETRY_MS : null);
        if (this.#isClosed || this.#isGone || page.isClosed) break;
        if (this.#isDue) {
          this.#isDue = false;
          this.#isTouched = true;
          pauseMs = CHECK_AFTER_MS;
          // At once by the page's word, so that it goes with what scrolls; the pixels have theirs later.
          await this.#look(() => placeNow(page, this.#place, this.#last));
          await delay(page.clock, LOOK_EVERY_MS);
          continue;
        }
        if (this.#isTouched) await this.#quiet(pauseMs);
        if (this.#isDue || this.#isClosed) continue;
        this.#isTouched = false;
        const isOther = await this.#look(() => this.#seenNow());
        pauseMs = isOther ? CHECK_AFTER_MS : Math.min(MOST_CHECK_AFTER_MS, 2 * pauseMs);
        rechecks = isOther ? RECHECKS : Math.max(0, rechecks - 1);
      }
    } finally {
      endWatch();
      end();
    }
    if (this.#isClosed) return;
    const why = this.#isGone ? "it is gone from the page" : "its tab is closed or not shared any more";
    this.#tell({ desktopId: null, rect: null, why });
  }

  /** By the pixels. Only where its window was moved since may the element flash to be found. */
  async #seenNow(): Promise<ElementPlaceSeen> {
    const window = await windowOf(this.#page);
    const mayMark = window !== this.#markedIn;
    const seen = await elementSeen(this.#page, this.#place, this.#ports.desktops(), mayMark);
    if (seen.rect !== null || mayMark) this.#markedIn = window;
    return seen;
  }

  /** True where it is elsewhere than it was. */
  async #look(work: () => Promise<ElementPlaceSeen>): Promise<boolean> {
    this.#hasFailed = false;
    const seen = await work().catch((error: unknown): ElementPlaceSeen => {
      if (!(error instanceof BrowserError)) throw error;
      this.#hasFailed = true;
      return { desktopId: this.#last.desktopId, rect: null, why: error.message };
    });
    return !this.#isClosed && this.#tell(seen);
  }

  #tell(seen: ElementPlaceSeen): boolean {
    const before = JSON.stringify([this.#last.rect, this.#last.why]);
    this.#last = seen;
    if (JSON.stringify([seen.rect, seen.why]) === before) return false;
    this.#ports.tell(seen);
    return true;
  }

  /** Of the element, and of what holds the frames that it is in. */
  #watchPage(): void {
    let isOver = false;
    const watch = async ({ session, node }: ElementPlace): Promise<void> => {
      let last = "";
      while (!isOver && !this.#isClosed && !this.#page.isClosed && last !== "gone") {
        const now = String(await this.#page.callOn(session, node, changedFrom(last)));
        if (now !== last && last !== "") this.#due();
        last = now;
      }
      if (last === "gone") this.#isGone = true;
    };
    const levels = async (): Promise<void> => {
      const owners = await ownersOf(this.#page, this.#place.session);
      await Promise.race([this.#place, ...owners].map(watch));
    };
    levels()
      .catch((error: unknown) => {
        if (!(error instanceof BrowserError)) throw error;
        if (GONE.has(error.code)) this.#isGone = true;
      })
      .then(async () => {
        isOver = true;
        this.#due();
        if (this.#isClosed || this.#isGone || this.#page.isClosed) return;
        await delay(this.#page.clock, RETRY_MS);
        this.#watchPage();
      })
      .catch((error: unknown) => this.#ports.onBug(error));
  }

  #watchDesktop(id: string | null): () => void {
    const desktop = this.#ports.desktops().find((one) => one.id === id);
    if (desktop === undefined) return () => {};
    const watcher = desktop.view().watch(
      () => {
        const { rect } = this.#last;
        const { painted, copies } = watcher.take();
        const isThere = rect === null || painted.overlaps(rect) || copies.length > 0;
        if (!isThere) return;
        this.#isTouched = true;
        this.#wake();
      },
      // An overlay that nobody looks at needs no pixels.
      { isPassive: true },
    );
    watcher.take();
    return () => watcher.close();
  }

  #due(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** Waits unless the page says something. */
  async #quiet(ms: number): Promise<void> {
    const untilMs = this.#page.clock.nowMs() + ms;
    for (;;) {
      const leftMs = untilMs - this.#page.clock.nowMs();
      if (leftMs <= 0 || this.#isDue || this.#isClosed) return;
      await this.#sleep(leftMs);
    }
  }

  async #sleep(mostMs: number | null): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = mostMs === null ? () => {} : this.#page.clock.after(mostMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
