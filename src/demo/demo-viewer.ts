import type { Duplex } from "node:stream";
import type { Cursor } from "../framebuffer/cursor.ts";
import type { Picture } from "../framebuffer/picture.ts";
import { Region } from "../framebuffer/region.ts";
import { RESIZE_STATUS } from "../protocols/rfb/resize-status.ts";
import { RfbServer, type RfbServerEvent, type RfbServerPorts } from "../protocols/rfb/server/rfb-server.ts";
import type { DemoScreen } from "./demo-screen.ts";

/** A viewer that asks for ever and reads nothing keeps no more rectangles than this. */
const MOST_RECTS = 32;

export interface DemoViewerEvents {
  ready(): void;
  /** It can be sent an update now. */
  updateWanted(): void;
  resized(): void;
  /** Said once. */
  closed(): void;
}

/** One connection to the demo: its RFB server, the damage it has not seen, and the keys and buttons it holds. */
export class DemoViewer {
  readonly #pipe: Duplex;
  readonly #screen: DemoScreen;
  readonly #events: DemoViewerEvents;
  readonly #server: RfbServer;
  readonly #keys = new Set<number>();
  #pending: Region;
  #pointer = { x: 0, y: 0, buttons: 0 };
  #isBlocked = false;
  #isClosed = false;

  constructor(pipe: Duplex, screen: DemoScreen, ports: RfbServerPorts, events: DemoViewerEvents) {
    this.#pipe = pipe;
    this.#screen = screen;
    this.#events = events;
    this.#pending = Region.of(screen.framebuffer.rect);
    const { width, height } = screen.framebuffer;
    this.#server = new RfbServer(
      { name: "Demo desktop", width, height, screens: screen.screens, security: [{ type: "none" }] },
      ports,
      (bytes) => this.#send(bytes),
      (event) => this.#on(event),
    );
    pipe.on("data", (chunk: Uint8Array) => this.#receive(chunk));
    pipe.on("drain", () => {
      this.#isBlocked = false;
      events.updateWanted();
    });
    pipe.once("end", () => this.close());
    pipe.once("error", () => this.close());
    pipe.once("close", () => this.close());
  }

  get isReady(): boolean {
    return !this.#isClosed && this.#server.isReady;
  }

  /** It asked, and what was sent before is read. */
  get canUpdate(): boolean {
    return this.isReady && !this.#isBlocked && this.#server.isUpdateWanted;
  }

  damage(painted: Region): void {
    this.#pending = this.#pending.union(painted).simplified(MOST_RECTS);
  }

  /** Sends what it has not seen, in one update; nothing where there is nothing. */
  update(): void {
    try {
      this.#pending = this.#server.update(pictureOf(this.#screen), this.#pending);
    } catch {
      // It cannot follow a change of size.
      this.close();
    }
  }

  cursor(cursor: Cursor): void {
    if (this.isReady) this.#server.cursor(cursor);
  }

  offer(text: string): void {
    if (this.isReady) this.#server.clipboard(text);
  }

  /** The screen has another size, or other monitors. */
  resize(): void {
    const { width, height, rect } = this.#screen.framebuffer;
    this.#pending = Region.of(rect);
    this.#server.resize(width, height, this.#screen.screens);
  }

  /** Ends the connection and lets go of what it held down. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pipe.destroy();
    for (const keysym of this.#keys) this.#screen.key(keysym, false);
    const { x, y, buttons } = this.#pointer;
    if (buttons !== 0) this.#screen.pointer(x, y, 0);
    this.#events.closed();
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      this.#server.receive(chunk);
    } catch {
      // Whoever breaks the protocol is gone; the others never notice.
      this.close();
    }
  }

  #send(bytes: Uint8Array): void {
    if (!this.#isClosed && !this.#pipe.write(bytes)) this.#isBlocked = true;
  }

  #on(event: RfbServerEvent): void {
    switch (event.type) {
      case "ready":
        this.#server.cursor(this.#screen.cursor);
        this.#events.ready();
        break;
      case "updateWanted":
        this.#events.updateWanted();
        break;
      case "key":
        if (event.isDown) this.#keys.add(event.keysym);
        else this.#keys.delete(event.keysym);
        this.#screen.key(event.keysym, event.isDown);
        break;
      case "pointer":
        this.#pointer = { x: event.x, y: event.y, buttons: event.buttons };
        this.#screen.pointer(event.x, event.y, event.buttons);
        break;
      case "clipboard":
        this.#screen.clipboard(event.text);
        break;
      case "resize": {
        const status = this.#screen.resize(event.width, event.height, event.screens);
        if (status === RESIZE_STATUS.done) this.#events.resized();
        else this.#server.refuseResize(status);
        break;
      }
    }
  }
}

function pictureOf({ framebuffer }: DemoScreen): Picture {
  return {
    width: framebuffer.width,
    height: framebuffer.height,
    pixels: ({ x, y }) => ({
      bytes: framebuffer.bytes,
      offset: y * framebuffer.strideBytes + x * 4,
      strideBytes: framebuffer.strideBytes,
    }),
  };
}
