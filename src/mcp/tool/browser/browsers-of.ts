import type { Principal } from "../../../auth/principal.ts";
import type { BrowserGate } from "../../../browser/browser-gate.ts";
import type { Browsers, KnownBrowser } from "../../../browser/browsers.ts";
import { BrowserError } from "../../../browser/error.ts";
import type { Page } from "../../../browser/page/page.ts";
import type { BrowserPeer } from "../../../browser/peer.ts";

/** What the browser tools need of the appliance. */
export interface BrowserPorts {
  readonly browsers: Pick<Browsers, "of" | "page" | "hasFor" | "onPaired">;
  readonly gate: Pick<BrowserGate, "perform" | "checkMay">;
  /** Resolves with the text of a script at an address. */
  fetchScript(address: string, signal: AbortSignal): Promise<string>;
}

export interface ConnectedBrowser extends KnownBrowser {
  readonly peer: BrowserPeer;
}

/** The paired browsers as one caller may use them. */
export class BrowsersOf {
  readonly #ports: BrowserPorts;
  readonly #principal: Principal;

  constructor(ports: BrowserPorts, principal: Principal) {
    this.#ports = ports;
    this.#principal = principal;
  }

  get gate(): BrowserPorts["gate"] {
    return this.#ports.gate;
  }

  fetchScript(address: string, signal: AbortSignal): Promise<string> {
    return this.#ports.fetchScript(address, signal);
  }

  /** Connected or not. */
  get all(): readonly KnownBrowser[] {
    return this.#ports.browsers.of(this.#principal);
  }

  /** All tabs that are shared. */
  get pages(): readonly Page[] {
    return this.all.flatMap(({ short, peer }) =>
      [...(peer?.sharedTabs ?? [])].map((number) => this.page(`${short}-${number}`)),
    );
  }

  /** Throws BrowserError. */
  page(tabId: string): Page {
    return this.#ports.browsers.page(this.#principal, tabId);
  }

  /** The named browser, else the only one that is connected. Throws BrowserError browser_away. */
  connected(browserId: string | undefined): ConnectedBrowser {
    const able = this.all.flatMap((known) => (known.peer === null ? [] : [{ ...known, peer: known.peer }]));
    const wanted = browserId === undefined ? able : able.filter(({ short }) => short === browserId);
    const [first] = wanted;
    if (first !== undefined && (wanted.length === 1 || browserId !== undefined)) return first;
    const ids = able.map(({ short, pairing }) => `${short} (${pairing.name})`).join(", ");
    if (able.length > 1 && browserId === undefined) {
      throw new BrowserError(
        "browser_away",
        `${able.length} browsers are connected: pass browser_id, one of ${ids}`,
      );
    }
    throw new BrowserError(
      "browser_away",
      able.length === 0
        ? "no paired browser is connected"
        : `got browser_id ${JSON.stringify(browserId?.slice(0, 20))}, expected one of ${ids}`,
    );
  }
}
