import { type CdpEvent, type CdpObject, objectOf, textOf } from "../../../protocols/cdp/cdp-client.ts";

/** A page that opens others without end gets no more. */
const MOST_PAGES = 100;
const LONGEST_NAME = 200;

/** A page of the browser that we are attached to. */
export interface BrowserPage {
  readonly target: string;
  readonly session: string;
}

export interface BrowserPagesPorts {
  call(method: string, params: CdpObject, session?: string | null): Promise<CdpObject>;
  /** Another page is the one to show; null: there is none left. */
  shown(page: BrowserPage | null): void;
  name(name: string): void;
  /** The page that is shown crashed. */
  crashed(): void;
  failed(error: unknown): void;
  /** True: the browser is ours, and pages beyond the most are closed. */
  readonly isOwn: boolean;
}

/** The pages of a browser: the newest is shown, and when it closes the one before. */
export class BrowserPages {
  readonly #ports: BrowserPagesPorts;
  #pages: BrowserPage[] = [];
  readonly #known = new Set<string>();
  readonly #names = new Map<string, string>();

  constructor(ports: BrowserPagesPorts) {
    this.#ports = ports;
  }

  /** The one that is shown; null before there is one. */
  get shown(): BrowserPage | null {
    return this.#pages.at(-1) ?? null;
  }

  /** From the oldest to the newest. */
  get all(): readonly BrowserPage[] {
    return this.#pages;
  }

  hear({ method, params }: CdpEvent): void {
    const info = objectOf(params["targetInfo"]) ?? {};
    const target = textOf(info, "targetId") || textOf(params, "targetId");
    switch (method) {
      case "Target.targetCreated":
        this.#created(target, info);
        break;
      case "Target.targetInfoChanged":
        this.#names.set(target, nameOf(info));
        if (target === this.shown?.target) this.#ports.name(nameOf(info));
        break;
      case "Target.targetCrashed":
        if (target === this.shown?.target) this.#ports.crashed();
        else this.#gone(target);
        break;
      case "Target.targetDestroyed":
        this.#gone(target);
        break;
    }
  }

  #created(target: string, info: CdpObject): void {
    if (textOf(info, "type") !== "page" || this.#known.has(target)) return;
    // DevTools' own windows and pages that are prepared in advance are nobody's to act on.
    if (/^devtools:/.test(textOf(info, "url")) || textOf(info, "subtype") !== "") return;
    if (this.#known.size >= MOST_PAGES) {
      if (this.#ports.isOwn) {
        this.#ports.call("Target.closeTarget", { targetId: target }).catch(() => undefined);
      }
      return;
    }
    this.#known.add(target);
    this.#attach(target, info).catch((error: unknown) => {
      // It closed at once.
      if (this.#known.delete(target)) this.#ports.failed(error);
    });
  }

  async #attach(target: string, info: CdpObject): Promise<void> {
    const { call } = this.#ports;
    const session = textOf(
      await call("Target.attachToTarget", { targetId: target, flatten: true }),
      "sessionId",
    );
    await call("Page.enable", {}, session);
    if (!this.#known.has(target)) return;
    const page = { target, session };
    this.#pages.push(page);
    this.#ports.shown(page);
    this.#ports.name(nameOf(info));
  }

  #gone(target: string): void {
    if (!this.#known.delete(target)) return;
    this.#names.delete(target);
    const wasShown = this.shown?.target === target;
    this.#pages = this.#pages.filter((page) => page.target !== target);
    if (!wasShown) return;
    this.#ports.shown(this.shown);
    const name = this.#names.get(this.shown?.target ?? "");
    if (name !== undefined) this.#ports.name(name);
  }
}

function nameOf(info: CdpObject): string {
  const title = textOf(info, "title");
  return (title === "" ? "Browser" : title).slice(0, LONGEST_NAME);
}
