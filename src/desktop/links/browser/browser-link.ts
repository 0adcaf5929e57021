import type { Duplex } from "node:stream";
import { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { rect, type Size } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import { CdpClient, type CdpEvent, numberOf, objectOf, textOf } from "../../../protocols/cdp/cdp-client.ts";
import { type CdpKey, MODIFIER } from "../../../protocols/cdp/keys.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents } from "../../link.ts";
import { linkErrorOf } from "../link-error.ts";
import { TargetConnection } from "../target-connection.ts";
import { Watchdog } from "../watchdog.ts";
import { ARROW_CURSOR } from "./arrow-cursor.ts";
import { type BrowserPage, BrowserPages } from "./browser-pages.ts";
import { PageInput } from "./page-input.ts";
import { PagePicture } from "./page-picture.ts";
import { START_PAGE } from "./start-page.ts";

/** A page that is not looked at is shown twice a second at most. */
const UNWATCHED_MS = 500;
/** A browser that got no answer to a frame leaves out the next ones: after so much rest the whole page is looked at once. */
const REST_MS = 150;
/** Sides that a page can be given: larger ones are pictures that no browser sends in time. */
const LEAST_SIDE = 200;
const MOST_AREA = 3840 * 2400;
const SCREEN_ID = 1;

export interface BrowserLinkOptions {
  /** Opens the DevTools protocol, messages that end with a zero. It emits "connect" when it is up. */
  readonly connect: () => Duplex;
  /** True: the browser is ours, started for this. Another one is never ended, nor told where downloads go. */
  readonly isOwn: boolean;
  readonly size: Size;
  /** What it shows first where it shows nothing; null: the page that asks where to. */
  readonly page: string | null;
  /** Beside the browser's name, such as what it lacks. */
  readonly note?: string;
  readonly framebuffer?: Framebuffer | undefined;
}

/** A browser as a desktop: its newest page is the picture, by screencast, and input goes to that page. */
export class BrowserLink implements Link {
  /** Screencasts are asked for as PNG. */
  readonly isExact = true;
  readonly framebuffer: Framebuffer;
  readonly #options: BrowserLinkOptions;
  readonly #clock: Clock;
  readonly #client: CdpClient;
  readonly #pages: BrowserPages;
  readonly #picture: PagePicture;
  readonly #input: PageInput;
  readonly #connection: TargetConnection;
  readonly #watchdog: Watchdog;
  #events: LinkEvents | null = null;
  #description = "a browser";
  #name = "Browser";
  #size: Size;
  #isReady = false;
  #isWatched = true;
  #offered: string | null = null;
  #cancelRest: (() => void) | null = null;

  constructor(options: BrowserLinkOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#size = options.size;
    this.framebuffer = options.framebuffer ?? new Framebuffer(1, 1);
    this.#client = new CdpClient({
      write: (bytes) => this.#connection.write(bytes),
      event: (event) => this.#hear(event),
      after: (delayMs, callback) => clock.after(delayMs, callback, { isIdle: true }),
    });
    this.#pages = new BrowserPages({
      call: (...call) => this.#client.call(...call),
      shown: (page) => this.#show(page),
      name: (name) => this.#rename(name),
      crashed: () =>
        this.#end(new LinkError("target_closed", "the page crashed: the browser is opened again")),
      failed: (error) => this.#end(linkErrorOf(error)),
      isOwn: options.isOwn,
    });
    this.#picture = new PagePicture(this.framebuffer, {
      wanted: () => this.#size,
      resized: () => this.#resized(),
      painted: (painted) => {
        if (!painted.isEmpty) this.#events?.update({ painted, copies: [], missing: 0 });
      },
      failed: (error) => this.#end(linkErrorOf(error)),
    });
    this.#input = new PageInput(
      {
        call: (method, params) => this.#client.call(method, params, this.#pages.shown?.session ?? null),
        shortcut: (key, modifiers) => this.#shortcut(key, modifiers),
        offered: () => this.#offered,
        copied: () => {
          this.#offered = null;
        },
        flooded: () => this.#end(new LinkError("stalled", "the page stopped taking input")),
      },
      clock,
    );
    this.#connection = new TargetConnection(
      {
        up: () => {
          this.#events?.step("connect", options.isOwn ? "the browser runs" : "the browser lets programs in");
          this.#start().catch((error: unknown) => this.#end(linkErrorOf(error)));
        },
        data: (chunk) => this.#receive(chunk),
        errorOf: linkErrorOf,
        closedByTarget: () => new LinkError("target_closed", "the browser closed the connection"),
        handshakeMessage: () => "the browser showed no page within 15 s",
        failed: (error) => this.#end(error),
      },
      clock,
    );
    this.#watchdog = new Watchdog(
      {
        ask: () => this.#client.call("Browser.getVersion").catch(() => undefined),
        stalled: (isStalled) => this.#events?.stalled(isStalled),
        giveUp: () => this.#end(new LinkError("stalled", "the browser did not answer for 40 s")),
      },
      clock,
    );
  }

  get description(): string {
    return this.#description;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    this.#connection.open(this.#options.connect);
  }

  follow(isWatched: boolean): void {
    this.#isWatched = isWatched;
  }

  refresh(): void {
    this.latest().catch(() => undefined);
  }

  /** The page answers each input once it had it. */
  hasFence(): boolean {
    return true;
  }

  barrier(): Promise<void> {
    return this.#events === null ? Promise.reject(notThere()) : this.#input.barrier();
  }

  /** The page as it is now, from the browser itself: it draws it anew where anything has changed. */
  async latest(): Promise<void> {
    const page = this.#pages.shown;
    if (this.#events === null || page === null) throw notThere();
    try {
      const shot = await this.#client.call(
        "Page.captureScreenshot",
        { format: "png", optimizeForSpeed: true },
        page.session,
      );
      if (page === this.#pages.shown) await this.#picture.take(textOf(shot, "data"));
    } catch (error) {
      // The page was closed meanwhile; the one that is shown now tells by itself.
      if (page === this.#pages.shown) throw linkErrorOf(error);
    }
  }

  pointer(x: number, y: number, buttons: number): void {
    if (this.#isReady) this.#input.pointer(x, y, buttons);
  }

  key(keysym: number, isDown: boolean): void {
    if (this.#isReady) this.#input.key(keysym, isDown);
  }

  /** Pages read the clipboard only where they may: it is typed where it would be pasted. */
  clipboard(text: string): void {
    this.#offered = text;
  }

  resize(width: number, height: number): boolean {
    const isPossible = Math.min(width, height) >= LEAST_SIDE && width * height <= MOST_AREA;
    if (!isPossible || !this.#isReady) return false;
    this.#size = { width, height };
    const page = this.#pages.shown;
    if (page !== null) this.#measure(page).catch(() => undefined);
    this.#lookAtRest();
    return true;
  }

  close(): void {
    this.#events = null;
    this.#release(new LinkError("target_closed", "the connection was closed here"));
  }

  async #start(): Promise<void> {
    const version = await this.#client.call("Browser.getVersion");
    const product = textOf(version, "product").slice(0, 100);
    this.#description = ["DevTools protocol", product, this.#options.note ?? ""].filter(Boolean).join(", ");
    this.#events?.step("version", product);
    if (this.#options.isOwn) {
      await this.#client.call("Browser.setDownloadBehavior", { behavior: "deny" });
    }
    await this.#client.call("Target.setDiscoverTargets", { discover: true });
    const found = await this.#client.call("Target.getTargets");
    const targets = Array.isArray(found["targetInfos"]) ? found["targetInfos"] : [];
    const hasPage = targets.some((target: unknown) => textOf(objectOf(target) ?? {}, "type") === "page");
    if (!hasPage) await this.#openPage(this.#options.page ?? START_PAGE);
  }

  async #openPage(url: string): Promise<void> {
    // A browser refuses a size where there is a window already.
    await this.#client.call("Target.createTarget", { url });
  }

  #receive(chunk: Uint8Array): void {
    if (this.#events === null) return;
    this.#watchdog.heard(this.#clock.nowMs());
    try {
      this.#client.receive(chunk);
    } catch (error) {
      this.#end(linkErrorOf(error));
    }
  }

  #hear(event: CdpEvent): void {
    if (event.method.startsWith("Target.")) {
      this.#pages.hear(event);
      return;
    }
    const page = this.#pages.shown;
    if (page === null || event.session === null) return;
    const isShown = event.session === page.session;
    if (event.method === "Page.screencastFrame") this.#frame(event, isShown);
    if (event.method === "Page.javascriptDialogOpening") this.#dialog(event);
  }

  /** A frame is answered when it is decoded, so that a browser sends no more than we can take. */
  #frame({ params, session }: CdpEvent, isShown: boolean): void {
    const answer = (): void => {
      const sessionId = numberOf(params, "sessionId");
      this.#client.call("Page.screencastFrameAck", { sessionId }, session).catch(() => undefined);
    };
    if (!isShown) {
      answer();
      return;
    }
    if (this.#picture.waiting > 0 || !this.#isWatched) this.#lookAtRest();
    const taken = this.#picture.take(textOf(params, "data"));
    if (this.#isWatched) taken.then(answer, answer);
    else this.#clock.after(UNWATCHED_MS, answer, { isIdle: true });
  }

  /** Nobody but a program could see it: what only informs is confirmed, what asks is answered with no. */
  #dialog({ params, session }: CdpEvent): void {
    const type = textOf(params, "type");
    const accept = type === "alert" || type === "beforeunload";
    this.#client.call("Page.handleJavaScriptDialog", { accept }, session).catch(() => undefined);
    this.#events?.bell();
  }

  /** Looks at the whole page once nothing comes for a while. */
  #lookAtRest(): void {
    this.#cancelRest?.();
    this.#cancelRest = this.#clock.after(
      this.#isWatched ? REST_MS : 2 * UNWATCHED_MS,
      () => {
        this.#cancelRest = null;
        if (this.#picture.waiting > 0) this.#lookAtRest();
        else this.refresh();
      },
      { isIdle: true },
    );
  }

  #show(page: BrowserPage | null): void {
    if (this.#events === null) return;
    this.#input.skip();
    const failed = (error: unknown): void => {
      // One that is gone already is followed by another.
      if (page === this.#pages.shown) this.#end(linkErrorOf(error));
    };
    if (page === null) this.#openPage(START_PAGE).catch(failed);
    else this.#cast(page).catch(failed);
  }

  async #cast(page: BrowserPage): Promise<void> {
    const { session } = page;
    // One that was shown before is cast already, which a browser refuses to do twice; others need not draw for us.
    for (const other of this.#pages.all) {
      await this.#client.call("Page.stopScreencast", {}, other.session).catch(() => undefined);
    }
    // Of several that are found at once only the last one comes to the front.
    if (page !== this.#pages.shown) return;
    await this.#measure(page);
    await this.#client.call("Page.setInterceptFileChooserDialog", { enabled: true }, session);
    await this.#client.call("Emulation.setFocusEmulationEnabled", { enabled: true }, session);
    await this.#client.call("Target.activateTarget", { targetId: page.target });
    if (page !== this.#pages.shown) return;
    await this.#client.call("Page.startScreencast", { format: "png", everyNthFrame: 1 }, session);
    this.#lookAtRest();
  }

  async #measure({ session }: BrowserPage): Promise<void> {
    const metrics = { ...this.#size, deviceScaleFactor: 1, mobile: false };
    await this.#client.call("Emulation.setDeviceMetricsOverride", metrics, session);
  }

  #resized(): void {
    const screens = [{ id: SCREEN_ID, rect: rect(0, 0, this.#size.width, this.#size.height), flags: 0 }];
    if (this.#isReady) {
      this.#events?.resize(screens);
      return;
    }
    this.#isReady = true;
    this.#connection.established();
    this.#watchdog.start();
    this.#events?.ready({ name: this.#name, screens });
    this.#events?.cursor(ARROW_CURSOR);
  }

  #rename(name: string): void {
    if (name === this.#name) return;
    this.#name = name;
    if (this.#isReady) this.#events?.name(name);
  }

  /** What the keys of a browser's window do: this one has none. */
  #shortcut({ key, code }: CdpKey, modifiers: number): boolean {
    const page = this.#pages.shown;
    if (page === null) return false;
    const { session, target } = page;
    const call = (method: string, params = {}): void => {
      this.#client.call(method, params, session).catch(() => undefined);
    };
    const isControl = modifiers === MODIFIER.control;
    const isAlt = modifiers === MODIFIER.alt;
    if (key === "F5" || key === "BrowserRefresh" || (isControl && code === "KeyR")) call("Page.reload");
    else if (isAlt && key === "ArrowLeft") this.#travel(session, -1);
    else if (isAlt && key === "ArrowRight") this.#travel(session, 1);
    else if (key === "BrowserBack") this.#travel(session, -1);
    else if (key === "BrowserForward") this.#travel(session, 1);
    else if ((isAlt && key === "Home") || key === "BrowserHome" || (isControl && code === "KeyL"))
      call("Page.navigate", { url: START_PAGE });
    else if (isControl && code === "KeyT") this.#openPage(START_PAGE).catch(() => undefined);
    else if (isControl && code === "KeyW") this.#closePage(session, target);
    else return false;
    return true;
  }

  /** A browser ends with its last page, which a foreign one must not. */
  #closePage(session: string, targetId: string): void {
    const isKept = !this.#options.isOwn && this.#pages.all.length === 1;
    const closed = isKept
      ? this.#client.call("Page.navigate", { url: START_PAGE }, session)
      : this.#client.call("Target.closeTarget", { targetId });
    closed.catch(() => undefined);
  }

  #travel(session: string, steps: number): void {
    const go = async (): Promise<void> => {
      const history = await this.#client.call("Page.getNavigationHistory", {}, session);
      const entries = Array.isArray(history["entries"]) ? history["entries"] : [];
      const entry = objectOf(entries[numberOf(history, "currentIndex") + steps]);
      if (entry === null) return;
      await this.#client.call("Page.navigateToHistoryEntry", { entryId: numberOf(entry, "id") }, session);
    };
    go().catch(() => undefined);
  }

  #end(error: LinkError): void {
    const events = this.#events;
    if (events === null) return;
    this.#events = null;
    this.#release(error);
    events.closed(error);
  }

  #release(error: LinkError): void {
    this.#cancelRest?.();
    this.#watchdog.stop();
    this.#picture.close();
    this.#input.fail(error);
    this.#client.close();
    this.#connection.release(false);
  }
}

function notThere(): LinkError {
  return new LinkError("target_closed", "the browser is not connected");
}
