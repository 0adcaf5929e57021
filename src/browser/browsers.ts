import { Listeners } from "../desktop/listeners.ts";
import type { Clock } from "../platform/clock.ts";
import { BRIDGE_CLOSE, type BridgeSocket } from "./bridge-socket.ts";
import { BrowserError, type BrowserErrorCode } from "./error.ts";
import { shakeHands } from "./handshake.ts";
import type { BridgeEvent } from "./messages.ts";
import { Page } from "./page/page.ts";
import type { NewPairing, Pairing, Pairings } from "./pairings.ts";
import { BrowserPeer } from "./peer.ts";

/** Who uses browsers; Principal of the auth room is one. */
export interface BrowserUser {
  readonly id: string;
  /** Those that are for certain desktops alone have no browser but one of their own. */
  readonly desktops?: readonly string[];
}

export type BrowserChange = "paired" | "unpaired" | "connected" | "disconnected" | "denied";

/** A paired browser as people see it. */
export interface BrowserInfo {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly agentId: string | null;
  readonly isConnected: boolean;
  readonly sharedTabs: number;
}

/** A paired browser, connected or not. */
export interface KnownBrowser {
  readonly pairing: Pairing;
  /** What its tabs' ids begin with. */
  readonly short: string;
  readonly peer: BrowserPeer | null;
}

export interface BrowsersPorts {
  readonly pairings: Pairings;
  readonly clock: Clock;
  readonly serverName: string;
  /** See PageParts. */
  readonly hiddenSelectors?: () => readonly string[];
  onBug(error: unknown): void;
  /** Told of what happens to a browser; null for one that could not prove itself. */
  changed(change: BrowserChange, browser: Pick<Pairing, "id" | "name"> | null): void;
}

interface Connected {
  readonly peer: BrowserPeer;
  readonly pages: Map<number, Page>;
}

type ErrorParts = readonly [code: BrowserErrorCode, message: string];

const NOT_SHARED: ErrorParts = [
  "tab_not_shared",
  "that tab is closed, or the person at the browser does not share it",
];

/** Handshakes that may be under way at a time. */
const MOST_SHAKING = 32;
const SHORT_LENGTH = 6;

/** All paired browsers: several at once, each with its own tabs, used by several agents in turns. */
export class Browsers {
  readonly #ports: BrowsersPorts;
  readonly #connected = new Map<string, Connected>();
  readonly #listeners: Listeners<void>;
  readonly #tabListeners: Listeners<void>;
  #shaking = 0;

  constructor(ports: BrowsersPorts) {
    this.#ports = ports;
    this.#listeners = new Listeners(ports.onBug);
    this.#tabListeners = new Listeners(ports.onBug);
  }

  /** Told whenever a browser was paired or is no longer. */
  onPaired(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Told whenever other tabs are shared, or a tab is attached to anew. */
  onTabs(listener: () => void): () => void {
    return this.#tabListeners.add(listener);
  }

  /** All shared tabs of browsers that are connected. */
  get pages(): readonly Page[] {
    return [...this.#connected].flatMap(([id, connected]) => {
      const pairing = this.#ports.pairings.get(id);
      if (pairing === null) return [];
      const known = { pairing, short: id.slice(0, SHORT_LENGTH) };
      return [...connected.peer.sharedTabs].map((number) => this.#pageOf(connected, known, number));
    });
  }

  get all(): readonly BrowserInfo[] {
    return this.#ports.pairings.all.map(({ id, name, createdAt, agentId }) => {
      const peer = this.#connected.get(id)?.peer;
      const sharedTabs = peer?.sharedTabs.size ?? 0;
      return { id, name, createdAt, agentId, isConnected: peer !== undefined, sharedTabs };
    });
  }

  /** Throws RefusedError too_many. */
  issue(url: string, agentId: string | null): NewPairing {
    return this.#ports.pairings.issue(url, agentId);
  }

  /** Forgets a browser and hangs up; false where there is none. */
  async unpair(id: string): Promise<boolean> {
    const pairing = this.#ports.pairings.get(id);
    if (pairing === null) return false;
    this.#connected.get(id)?.peer.close(BRIDGE_CLOSE.unpaired, "unpaired");
    await this.#ports.pairings.remove(id);
    this.#ports.changed("unpaired", pairing);
    this.#listeners.tell();
    return true;
  }

  /** Serves one socket of an extension. `url`: where the server was truly dialled. */
  async accept(socket: BridgeSocket, url: string): Promise<void> {
    if (this.#shaking >= MOST_SHAKING) {
      socket.close(BRIDGE_CLOSE.denied, "too many at once");
      return;
    }
    this.#shaking++;
    let isGone = false;
    socket.onClose(() => {
      isGone = true;
    });
    try {
      const known = await shakeHands(socket, url, this.#ports);
      if (known === null) this.#ports.changed("denied", null);
      else if (known.isNew) {
        this.#ports.changed("paired", known.pairing);
        this.#listeners.tell();
      }
      if (known !== null && !isGone) this.#connect(socket, known.pairing);
    } catch (error) {
      this.#ports.onBug(error);
      socket.close(BRIDGE_CLOSE.denied, "the server failed");
    } finally {
      this.#shaking--;
    }
  }

  /** Whether a principal has any browser, connected or not. */
  hasFor(user: BrowserUser): boolean {
    return this.#ports.pairings.all.some((pairing) => isFor(pairing, user));
  }

  /** The browsers of a principal. */
  of(user: BrowserUser): readonly KnownBrowser[] {
    return this.#ports.pairings.all
      .filter((pairing) => isFor(pairing, user))
      .map((pairing) => ({
        pairing,
        short: pairing.id.slice(0, SHORT_LENGTH),
        peer: this.#connected.get(pairing.id)?.peer ?? null,
      }));
  }

  /** A shared tab by its id, "k3f9aB-1034". Throws BrowserError tab_unknown, tab_not_shared, browser_away. */
  page(user: BrowserUser, tabId: string): Page {
    const dash = tabId.lastIndexOf("-");
    const known = this.of(user).find(({ short }) => short === tabId.slice(0, dash));
    const number = Number(tabId.slice(dash + 1));
    if (known === undefined || !Number.isSafeInteger(number)) {
      throw new BrowserError(
        "tab_unknown",
        `got tab_id ${JSON.stringify(tabId.slice(0, 40))}, expected one of browser_get_tabs`,
      );
    }
    const connected = this.#connected.get(known.pairing.id);
    if (connected === undefined) {
      throw new BrowserError("browser_away", `${known.pairing.name} is paired and not connected`);
    }
    if (!connected.peer.sharedTabs.has(number)) {
      throw new BrowserError(...NOT_SHARED);
    }
    return this.#pageOf(connected, known, number);
  }

  close(): void {
    for (const { peer } of this.#connected.values()) peer.close(1001, "the server stops");
  }

  #pageOf(
    { peer, pages }: Connected,
    { pairing, short }: Pick<KnownBrowser, "pairing" | "short">,
    number: number,
  ): Page {
    const page =
      pages.get(number) ??
      new Page({ ...this.#ports, peer, number, id: `${short}-${number}`, browser: pairing });
    pages.set(number, page);
    return page;
  }

  #connect(socket: BridgeSocket, pairing: Pairing): void {
    // The same browser has dialled anew, and has not noticed yet that the old socket is dead.
    this.#connected.get(pairing.id)?.peer.close(BRIDGE_CLOSE.replaced, "replaced");
    const pages = new Map<number, Page>();
    const peer = new BrowserPeer(
      socket,
      this.#ports.clock,
      (event) => this.#handle(event, { peer, pages }),
      () => {
        if (this.#connected.get(pairing.id)?.peer !== peer) return;
        this.#connected.delete(pairing.id);
        for (const page of pages.values())
          page.close(new BrowserError("browser_away", "the browser went away"));
        this.#ports.changed("disconnected", pairing);
        this.#tabListeners.tell();
      },
    );
    this.#connected.set(pairing.id, { peer, pages });
    this.#ports.changed("connected", pairing);
  }

  #handle(event: BridgeEvent, connected: Connected): void {
    this.#applied(event, connected);
    // A call of the DevTools protocol is a page's own.
    if (event.event !== "cdp") this.#tabListeners.tell();
  }

  #applied(event: BridgeEvent, { peer, pages }: Connected): void {
    switch (event.event) {
      case "shared":
        for (const number of pages.keys()) if (!peer.sharedTabs.has(number)) end(pages, number, NOT_SHARED);
        return;
      case "stopped":
        for (const number of pages.keys()) {
          end(pages, number, ["browser_stopped", "the person at the browser pressed Stop"]);
        }
        return;
      case "tab_opened":
        pages.get(event.opener)?.opened(event.tab_id);
        return;
      case "detached":
        end(pages, event.tab_id, ["page_changed", "the browser let go of the tab before it answered"]);
        return;
      case "tab_removed":
        end(pages, event.tab_id, NOT_SHARED);
        return;
      case "cdp":
        pages.get(event.tab_id)?.happened(event.session, event.method, event.params);
    }
  }
}

function end(pages: Map<number, Page>, number: number, reason: ErrorParts): void {
  pages.get(number)?.close(new BrowserError(...reason));
  pages.delete(number);
}

function isFor({ agentId }: Pairing, { id, desktops }: BrowserUser): boolean {
  return agentId === null ? desktops === undefined : agentId === id;
}
