import type { ElementTerms } from "../../desktop/masks/element-places.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Browsers } from "../browsers.ts";
import type { Page } from "../page/page.ts";
import { type MaskedDesktop, MaskedTab, type MaskedTabPorts } from "./masked-tab.ts";

/** The heart's Desktop, as far as masks of elements go. */
export interface TermedDesktop extends MaskedDesktop {
  readonly state: { readonly kind: string };
  readonly masks: MaskedDesktop["masks"] & { readonly elementTerms: readonly ElementTerms[] };
}

export interface MaskedTabsPorts {
  readonly browsers: Pick<Browsers, "pages" | "onTabs" | "all">;
  readonly clock: Clock;
  /** Password fields are hidden without a mask that says so. */
  readonly hidesPasswords: boolean;
  desktops(): readonly TermedDesktop[];
  onBug(error: unknown): void;
}

const PASSWORDS: ElementTerms = {
  maskId: null,
  selector: "input[type=password]",
  audiences: ["agent", "recording"],
};

/** A browser whose connection is lost is back within so long (its alarm rings twice a minute); its tabs stay covered. */
const AWAY_MS = 45_000;
/** Where it was not seen a browser is not looked for again for so long, and then twice as long, to the most. */
const LEAST_PAUSE_MS = 5000;
const MOST_PAUSE_MS = 10 * 60_000;

/** Keeps what masks hide of shared tabs covered wherever desktops show it. */
export class MaskedTabs {
  readonly #ports: MaskedTabsPorts;
  readonly #tabs = new Map<string, MaskedTab>();
  /** Of tabs whose browser is away. */
  readonly #ends = new Map<string, () => void>();
  readonly #seenOn = new Map<string, string>();
  readonly #unseen = new Map<string, { readonly untilMs: number; readonly pauseMs: number }>();
  readonly #tabPorts: MaskedTabPorts;
  readonly #end: () => void;

  constructor(ports: MaskedTabsPorts) {
    this.#ports = ports;
    this.#tabPorts = {
      clock: ports.clock,
      desktops: () => this.#live,
      terms: (desktopId) => this.#terms(desktopId),
      desktopOf: (browserId) => this.#seenOn.get(browserId) ?? null,
      seen: (browserId, desktopId) => this.#saw(browserId, desktopId),
      maySeek: (browserId) => ports.clock.nowMs() >= (this.#unseen.get(browserId)?.untilMs ?? 0),
    };
    this.#end = ports.browsers.onTabs(() => this.#reconcile());
  }

  /** All that is hidden of any page. */
  get selectors(): readonly string[] {
    return [...new Set(this.#terms(null).map(({ selector }) => selector))];
  }

  /** Desktops or their masks are others now. */
  desktopsChanged(): void {
    this.#unseen.clear();
    for (const tab of this.#tabs.values()) tab.wake();
  }

  close(): void {
    this.#end();
    for (const id of [...this.#tabs.keys()]) this.#drop(id);
  }

  get #live(): readonly TermedDesktop[] {
    return this.#ports.desktops().filter(({ state }) => state.kind === "live");
  }

  #terms(desktopId: string | null): readonly ElementTerms[] {
    const desktops = this.#ports.desktops().filter(({ id }) => desktopId === null || id === desktopId);
    const said = desktops.flatMap(({ masks }) => masks.elementTerms);
    return this.#ports.hidesPasswords ? [PASSWORDS, ...said] : said;
  }

  #reconcile(): void {
    const { browsers, clock } = this.#ports;
    const pages = new Map(browsers.pages.map((page) => [page.id, page]));
    for (const [id, page] of pages) {
      this.#ends.get(id)?.();
      this.#ends.delete(id);
      const tab = this.#tabs.get(id) ?? new MaskedTab(this.#tabPorts);
      this.#tabs.set(id, tab);
      if (tab.page !== page) this.#follow(tab, page);
    }
    const away = new Set(browsers.all.filter(({ isConnected }) => !isConnected).map(({ id }) => id));
    for (const [id, { page }] of this.#tabs) {
      if (pages.has(id) || this.#ends.has(id)) continue;
      if (page === null || !away.has(page.browser.id)) this.#drop(id);
      else
        this.#ends.set(
          id,
          clock.after(AWAY_MS, () => this.#drop(id)),
        );
    }
  }

  #follow(tab: MaskedTab, page: Page): void {
    tab.wake();
    tab.follow(page).catch((error: unknown) => this.#ports.onBug(error));
  }

  #drop(id: string): void {
    this.#ends.get(id)?.();
    this.#ends.delete(id);
    this.#tabs.get(id)?.close();
    this.#tabs.delete(id);
  }

  #saw(browserId: string, desktopId: string | null): void {
    if (desktopId !== null) {
      this.#seenOn.set(browserId, desktopId);
      this.#unseen.delete(browserId);
      return;
    }
    const before = this.#unseen.get(browserId);
    const pauseMs = before === undefined ? LEAST_PAUSE_MS : Math.min(MOST_PAUSE_MS, 2 * before.pauseMs);
    this.#unseen.set(browserId, { untilMs: this.#ports.clock.nowMs() + pauseMs, pauseMs });
  }
}
