import type { Duplex } from "node:stream";
import type { Rect } from "../framebuffer/rect.ts";
import type { Clock } from "../platform/clock.ts";
import type { RfbServerPorts } from "../protocols/rfb/server/rfb-server.ts";
import { DemoScreen } from "./demo-screen.ts";
import { DemoViewer } from "./demo-viewer.ts";
import { PipeEnd } from "./pipe.ts";
import type { TypefaceChoice } from "./typeface.ts";

export interface DemoOptions {
  readonly clock: Clock;
  /** What our own RFB server needs of the platform. */
  readonly ports: RfbServerPorts;
  /** "strokes" draws text without any font; the default finds out. */
  readonly typeface?: TypefaceChoice;
  /** Told where painting failed, which is a bug; the viewers were then sent away, and may come back. */
  readonly onError?: (error: unknown) => void;
}

/** Opens the embedded demo desktop. Nothing listens anywhere: `connect` is the only way in. */
export function openDemo(options: DemoOptions): DemoServer {
  return new DemoServer(options);
}

/** One demo desktop, shared by all who connect, behind our own RFB server without a password. */
export class DemoServer {
  readonly screen: DemoScreen;
  readonly #ports: RfbServerPorts;
  readonly #onError: (error: unknown) => void;
  readonly #viewers = new Set<DemoViewer>();
  #isFlushAsked = false;
  #isClosed = false;

  constructor({ clock, ports, typeface = "auto", onError = () => {} }: DemoOptions) {
    this.#ports = ports;
    this.#onError = onError;
    this.screen = new DemoScreen(
      { clock, typeface },
      {
        damaged: () => this.#flushSoon(),
        cursor: (cursor) => {
          for (const viewer of this.#viewers) viewer.cursor(cursor);
        },
        copied: (text) => {
          for (const viewer of this.#viewers) viewer.offer(text);
        },
      },
    );
  }

  /** The viewer's end of a new connection: RFB as it would come from a socket. */
  connect(): Duplex {
    if (this.#isClosed) throw new Error("the demo desktop is closed, expected an open one");
    const [near, far] = PipeEnd.pair();
    const viewer = new DemoViewer(near, this.screen, this.#ports, {
      ready: () => this.#countWatchers(),
      updateWanted: () => this.#flushSoon(),
      resized: () => {
        for (const each of this.#viewers) each.resize();
      },
      closed: () => {
        this.#viewers.delete(viewer);
        this.#countWatchers();
      },
    });
    this.#viewers.add(viewer);
    return far;
  }

  /** Where things are now, in desktop pixels, by name; see DemoScreen. */
  stableElements(): Readonly<Record<string, Rect>> {
    return this.screen.stableElements();
  }

  /** Ends all connections and stops the clock. */
  close(): void {
    this.#isClosed = true;
    for (const viewer of this.#viewers) viewer.close();
    this.screen.setWatched(false);
  }

  #countWatchers(): void {
    this.screen.setWatched([...this.#viewers].some(({ isReady }) => isReady));
  }

  /** Input that arrived together is answered by one update. */
  #flushSoon(): void {
    if (this.#isFlushAsked) return;
    this.#isFlushAsked = true;
    setImmediate(() => {
      this.#isFlushAsked = false;
      try {
        this.#flush();
      } catch (error) {
        for (const viewer of this.#viewers) viewer.close();
        this.#onError(error);
      }
    });
  }

  /** Paints only when somebody can be told, so that what nobody asks for costs nothing. */
  #flush(): void {
    const wanting = [...this.#viewers].filter(({ canUpdate }) => canUpdate);
    if (wanting.length === 0) return;
    const painted = this.screen.repaint();
    for (const viewer of this.#viewers) viewer.damage(painted);
    for (const viewer of wanting) viewer.update();
  }
}
