import type { Duplex } from "node:stream";
import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import { kasmvnc } from "../../../protocols/kasmvnc/dialect.ts";
import type { RgbaImage } from "../../../protocols/platform.ts";
import type { RfbClientEvent, RfbClientPorts } from "../../../protocols/rfb/client/client-context.ts";
import type { RfbEffect } from "../../../protocols/rfb/client/effect.ts";
import { ENCODING } from "../../../protocols/rfb/numbers.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents } from "../../link.ts";
import { VncLink, type VncLinkOptions } from "../vnc/vnc-link.ts";

/** A user with the right to look gets a first picture at once, one without it gets none and no word about it. */
const FIRST_PICTURE_MS = 10_000;

/** In video mode a request is forgotten at times, when the picture comes to rest (KasmVNC 1.5.0, 2026-11-21). */
const REPEAT_REQUEST_MS = 1000;

/** Its pseudo-encodings of quality, which make pictures lossy: plain ones and those of its video mode. */
const LOSSY_LOWEST = -1023;
const LOSSY_HIGHEST = -1004;

export interface KasmLinkOptions extends Pick<VncLinkOptions, "framebuffer"> {
  /** Opens the byte stream to the target; it emits "connect" when the socket is up. */
  readonly connect: () => Duplex;
  /** Encoding numbers to ask for; default: lossless ones, and nothing that changes the picture for others. */
  readonly encodings?: readonly number[];
}

export interface KasmLinkPorts extends RfbClientPorts {
  /** Rejects where the image is damaged or not of the size its header said. */
  readonly decodeWebp: (bytes: Uint8Array, size: Size) => Promise<RgbaImage>;
}

/**
 * A KasmVNC target. Name and password are for its web server alone: of RFB's own security it has none, or VncAuth
 * with an empty password (KasmVNC 1.5.0 as installed, 2026-11-21).
 */
export class KasmLink implements Link {
  readonly isExact: boolean;
  readonly #link: VncLink;
  readonly #clock: Clock;
  #events: LinkEvents | null = null;
  #cancelFirstPicture: (() => void) | null = null;
  #farewell: string | null = null;
  #hasMoved = false;

  constructor({ connect, encodings, ...decoding }: KasmLinkOptions, ports: KasmLinkPorts, clock: Clock) {
    this.isExact = encodings === undefined || !encodings.some(isLossy);
    this.#clock = clock;
    this.#link = new VncLink(
      {
        connect,
        emitsConnect: true,
        password: "",
        security: { allowed: ["None", "VncAuth"], needsIdentity: false },
        dialect: kasmvnc(),
        encodings,
        repeatRequestMs: this.isExact ? undefined : REPEAT_REQUEST_MS,
        // It answers fences even to a user who may no longer look.
        probesPixels: true,
        ...decoding,
        onEvent: (event) => this.#onEvent(event),
        perform: (effect) => perform(effect, ports),
      },
      ports,
      clock,
    );
  }

  get framebuffer(): Framebuffer {
    return this.#link.framebuffer;
  }

  get newKeys(): number | undefined {
    return this.#link.newKeys;
  }

  get description(): string {
    return `KasmVNC, ${this.#link.description}`;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    this.#link.open({
      ...events,
      step: (name, detail) => events.step(name, detail),
      ready: (info) => {
        events.ready(info);
        this.#cancelFirstPicture = this.#clock.after(FIRST_PICTURE_MS, () => this.#refuse());
      },
      update: (update) => {
        if (!update.painted.isEmpty) this.#stopWaiting();
        return events.update(update);
      },
      closed: (error) => this.#end(error),
    });
  }

  follow(isWatched: boolean): void {
    this.#link.follow(isWatched);
  }

  refresh(): void {
    this.#link.refresh();
  }

  hasFence(): boolean {
    return this.#link.hasFence();
  }

  barrier(): Promise<void> {
    return this.#link.barrier();
  }

  latest(area?: Rect | null): Promise<void> {
    return this.#link.latest(area);
  }

  /**
   * Until a connection's first pointer event the server draws the pointer into the pixels, and it leaves that there
   * where the first event names the place it is at already: so the first one comes from the next pixel.
   */
  pointer(x: number, y: number, buttons: number): void {
    if (!this.#hasMoved) {
      this.#hasMoved = true;
      this.#link.pointer(x > 0 ? x - 1 : x + 1, y, 0);
    }
    this.#link.pointer(x, y, buttons);
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    this.#link.key(keysym, isDown, scancode);
  }

  clipboard(text: string): void {
    this.#link.clipboard(text);
  }

  resize(width: number, height: number, screens?: readonly Rect[]): boolean {
    return this.#link.resize(width, height, screens);
  }

  close(): void {
    this.#events = null;
    this.#stopWaiting();
    this.#link.close();
  }

  #onEvent(event: RfbClientEvent): void {
    if (event.type === "farewell") this.#farewell = event.reason;
  }

  #refuse(): void {
    this.#link.close();
    this.#end(
      new LinkError(
        "no_view_permission",
        "the target sent no picture within 10 s: give the user the right to look (r) in its password file, then connect again",
        { isFinal: true },
      ),
    );
  }

  #stopWaiting(): void {
    this.#cancelFirstPicture?.();
    this.#cancelFirstPicture = null;
  }

  #end(error: LinkError): void {
    const events = this.#events;
    this.#events = null;
    this.#stopWaiting();
    if (events === null) return;
    const isFarewell = error.code === "target_closed" && this.#farewell !== null;
    events.closed(
      isFarewell
        ? new LinkError("target_closed", `the target ended the session: ${this.#farewell}`, { cause: error })
        : error,
    );
  }
}

async function perform(effect: RfbEffect, { decodeWebp }: KasmLinkPorts): Promise<void> {
  if (effect.kind !== "decodeImage") {
    throw new LinkError("protocol_error", `the target asks for ${effect.kind}, which KasmVNC has not`);
  }
  // A damaged image is the parser's to report: it knows where.
  effect.finish(await decodeWebp(effect.bytes, effect).catch(() => null));
}

function isLossy(encoding: number): boolean {
  const isQuality = encoding >= ENCODING.jpegQuality0 && encoding <= ENCODING.jpegQuality9;
  return isQuality || (encoding >= LOSSY_LOWEST && encoding <= LOSSY_HIGHEST);
}
