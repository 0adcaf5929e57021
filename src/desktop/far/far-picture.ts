import type { Duplex } from "node:stream";
import { Scene } from "../../compositor/scene.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { Clock } from "../../platform/clock.ts";
import type { DesktopEvent } from "../events/desktop-event.ts";
import { PLATFORM } from "../links/link-platform.ts";
import { VncLink } from "../links/vnc/vnc-link.ts";
import { Listeners } from "../listeners.ts";
import { Display } from "../picture/display.ts";
import type { Audience, View, WatchOptions } from "../view.ts";

interface FarPictureOptions {
  /** Opens what the other server shows it by, RFB without a password; the stream is up when made. */
  readonly connect: () => Duplex;
  readonly clock: Clock;
  onBug(error: unknown): void;
}

/**
 * A desktop's picture as another server shows it to one audience: masked there, and composited where that was asked for. Every
 * pixel is exact, for no quality is asked for. One stream, however many look at it here; it does not begin anew when it ends.
 */
export class FarPicture {
  readonly #display: Display;
  readonly #link: VncLink;
  readonly #listeners: Listeners<DesktopEvent>;
  readonly #whole: Promise<void>;
  #name = "";
  #isClosed = false;

  constructor({ connect, clock, onBug }: FarPictureOptions) {
    this.#listeners = new Listeners(onBug);
    let settle: { resolve(): void; reject(error: Error): void } | null = null;
    this.#whole = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // Who waits for it hears of it.
    this.#whole.catch(() => undefined);
    const display = new Display(new Scene(clock), clock, {
      changed: () => undefined,
      resized: (size, screens) => this.#emit({ type: "resize", size, screens }),
      whole: () => settle?.resolve(),
      watched: () => undefined,
    });
    this.#display = display;
    const link = new VncLink(
      { connect, emitsConnect: false, password: null, mayAskPlain: true },
      PLATFORM,
      clock,
    );
    this.#link = link;
    link.open({
      ready: ({ name, screens }) => {
        this.#name = name;
        display.begin(screens);
        link.follow(true);
        this.#emit({ type: "name", name });
      },
      update: ({ painted, copies, missing }) => display.update(link.framebuffer, painted, copies, missing),
      resize: (screens) => display.resize(link.framebuffer, screens),
      cursor: (cursor) => {
        display.cursor = cursor;
        this.#emit({ type: "cursor", cursor });
      },
      // Of those who look on each has a clipboard of their own.
      clipboard: () => undefined,
      name: (name) => {
        this.#name = name;
        this.#emit({ type: "name", name });
      },
      bell: () => this.#emit({ type: "bell" }),
      locks: (locks) => {
        display.locks = locks;
        this.#emit({ type: "locks", locks });
      },
      stalled: () => undefined,
      step: () => undefined,
      closed: (error) => {
        settle?.reject(error);
        this.#end();
      },
    });
  }

  get name(): string {
    return this.#name;
  }

  /** 0x0 before the first picture. */
  get size(): Size {
    return this.#display.size;
  }

  get screens(): readonly Screen[] {
    return this.#display.screens;
  }

  get cursor(): Cursor | null {
    return this.#display.cursor;
  }

  get locks() {
    return this.#display.locks;
  }

  get generation(): number {
    return this.#display.generation;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when every pixel has come once; rejects with the LinkError that ended it. */
  whenWhole(): Promise<void> {
    return this.#whole;
  }

  /** For viewers that are fed of it: whoever wants one picture asks the server that has the desktop. */
  view(audience: Audience): Omit<View, "snapshot"> {
    const display = this.#display;
    const shown = display.shownTo(audience);
    return {
      audience,
      get kind() {
        return display.kindOf(audience);
      },
      get width() {
        return display.size.width;
      },
      get height() {
        return display.size.height;
      },
      get generation() {
        return display.generation;
      },
      get screens() {
        return display.screens;
      },
      get hidden() {
        return shown.hidden;
      },
      picture: (withOverlays) => shown.picture(withOverlays),
      watch: (onDamage, options: WatchOptions = {}) => display.watch(audience, options, onDamage),
    };
  }

  /** What its viewers hear of; `state` closed is the last. */
  on(listener: (event: DesktopEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#link.close();
    this.#end();
  }

  #end(): void {
    this.#isClosed = true;
    this.#emit({ type: "state", state: { kind: "closed" } });
  }

  #emit(event: DesktopEvent): void {
    this.#listeners.tell(event);
  }
}
