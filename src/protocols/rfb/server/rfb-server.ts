import type { Cursor } from "../../../framebuffer/cursor.ts";
import type { CopyMove, Picture } from "../../../framebuffer/picture.ts";
import { equalPixelFormats, RGBX } from "../../../framebuffer/pixel-format.ts";
import { intersectRects, type Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import { ByteQueue, type Parser, readOn } from "../../byte-queue.ts";
import { CLIENT_MESSAGE, ENCODING, SERVER_MESSAGE } from "../numbers.ts";
import { RESIZE_STATUS, type ResizeStatus } from "../resize-status.ts";
import { Announcements, type Layout, type Leds } from "./announcements.ts";
import { ViewerClipboard } from "./clipboard.ts";
import type { EncodedUpdate } from "./encoded-update.ts";
import { FENCE, fenceNumber, serverFence } from "./fence.ts";
import { readHandshake, serverInit } from "./handshake.ts";
import { isLayout } from "./layout-check.ts";
import { MessageQueue } from "./message-queue.ts";
import type { RfbServerEvent, RfbServerOptions, RfbServerPorts, ServerContext } from "./server-context.ts";
import { UpdateRequests } from "./update-requests.ts";
import { UpdateSender } from "./update-sender.ts";
import { readViewerMessage, type ViewerMessage } from "./viewer-messages.ts";
import { ViewerSettings } from "./viewer-settings.ts";

export type { Leds } from "./announcements.ts";
export type { EncodedUpdate } from "./encoded-update.ts";
export type {
  ArdCrypto,
  DhExchange,
  InnerSecurity,
  MsLogonCrypto,
  PixelStyle,
  RectWork,
  RfbServerEvent,
  RfbServerOptions,
  RfbServerPorts,
  ServerSecurity,
  TlsIdentity,
  VeNCryptSubtype,
} from "./server-context.ts";

const MAX_UPDATE_BYTES = 2 * 1024 * 1024;

/** The largest keysym X knows: 29 bits. What is above is no key. */
const MAX_KEYSYM = 0x1fff_ffff;

/** Pseudo-encodings that are acknowledged by an empty rectangle of their own. */
const ACKNOWLEDGED = [ENCODING.qemuExtendedKey, ENCODING.extendedMouseButtons] as const;

/**
 * The server's side of RFB 3.3, 3.7 and 3.8 (RFC 6143), sans I/O: bytes in by `receive`, bytes out by `send`, which
 * may keep them. Throws RfbError from `receive` where the viewer breaks the protocol, and from `update` with code
 * refused where the desktop changed its size and the viewer cannot follow; the owner then closes the socket.
 */
export class RfbServer {
  readonly #d: ServerContext;
  readonly #settings = new ViewerSettings();
  readonly #requests = new UpdateRequests();
  readonly #announcements = new Announcements();
  readonly #clipboard: ViewerClipboard;
  readonly #updates: UpdateSender;
  readonly #parser: Parser<void>;
  readonly #viewport: Rect | null;
  #layout: Layout;
  #name: string;
  #cursor: Cursor | null | undefined = undefined;
  #leds: Leds | undefined = undefined;
  #isReady = false;
  #isResizeAsked = false;
  /** null: it is over. */
  #needed: number | null = 0;

  constructor(
    options: RfbServerOptions,
    ports: RfbServerPorts,
    send: (bytes: Uint8Array) => void,
    on: (event: RfbServerEvent) => void,
  ) {
    const queue = new MessageQueue(send);
    const from = new ByteQueue();
    this.#d = { from, options, ports, emit: on, send: (bytes) => queue.send(bytes) };
    this.#layout = { width: options.width, height: options.height, screens: options.screens };
    this.#name = options.name;
    this.#viewport = options.viewport ?? null;
    this.#clipboard = new ViewerClipboard(this.#d);
    this.#updates = new UpdateSender({
      ports,
      queue,
      settings: this.#settings,
      requests: this.#requests,
      announcements: this.#announcements,
      maxUpdateBytes: options.maxUpdateBytes ?? MAX_UPDATE_BYTES,
    });
    this.#parser = this.#converse();
    if (options.isGreeted !== true) this.#advance();
  }

  /** True once the handshake is over. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** True while the viewer has an open update request (or continuous updates that it keeps up with), or half an update. */
  get isUpdateWanted(): boolean {
    return this.#isReady && (this.#requests.isOpen || this.#updates.isOpen);
  }

  /** True while an update has begun that `update` is to go on with: other messages wait for its end. */
  get isUpdateOpen(): boolean {
    return this.#updates.isOpen;
  }

  /** What the viewer asked to get whole, because of a non-incremental request; taken by `update`. */
  get refresh(): Region {
    return this.#requests.refresh;
  }

  /** Updates that the viewer was asked to confirm and did not yet; 0 for viewers without Fence. */
  get updatesInFlight(): number {
    return this.#requests.updatesInFlight;
  }

  /** The size the viewer was told, or will be told before it gets pixels. */
  get size(): { readonly width: number; readonly height: number } {
    return this.#layout;
  }

  /** True where the viewer draws the cursor itself. */
  get drawsCursor(): boolean {
    return this.#settings.cursorKind !== null;
  }

  /** Where the viewer shows films; null where it shows none. */
  get filmArea(): Rect | null {
    return this.#settings.takesFilms ? this.#visible : null;
  }

  receive(chunk: Uint8Array): void {
    if (this.#needed === null) return;
    this.#d.from.push(chunk);
    this.#advance();
  }

  /**
   * Sends one FramebufferUpdate of the part of `painted` that was asked for; `copies` go first, as pixels where the
   * viewer cannot copy: they read what the viewer shows, so what was left out before is in `painted`, carried along by
   * them. Returns what was left out: not asked for, or beyond the limit of bytes, which what was asked
   * for without "incremental" knows not. Without an open request nothing is sent and all is returned. While
   * `isUpdateOpen`, because `encodeRect` had no time left or so much was asked for, the next call goes on with the same
   * update, in the pixels of the picture that it is given; the owner makes it when there is room for another part.
   */
  update(picture: Picture, painted: Region, copies: readonly CopyMove[] = []): Region {
    return this.#updates.update(picture, this.#layout, this.#visible, painted, copies);
  }

  /**
   * Has `encodeRect` encode all that `update` would send of the same; false where it had no time left for some of it.
   * Who keeps what it encoded may so make an update at once that takes many turns to encode.
   */
  prepare(picture: Picture, painted: Region, copies: readonly CopyMove[]): boolean {
    return this.#updates.prepare(picture, this.#visible, painted, copies);
  }

  /** True where the next update would be of nothing but damage. */
  get isPlain(): boolean {
    return this.#updates.isPlain;
  }

  /** The last update, where other viewers of the same picture may `repeat` it. */
  get made(): EncodedUpdate | null {
    return this.#updates.made;
  }

  /**
   * Sends what another viewer was sent of the same damage (the same `painted` and `copies`) of the same picture. False,
   * and nothing is sent, where this viewer is of another kind, or is owed more or less than that one was.
   */
  repeat(made: EncodedUpdate): boolean {
    return this.#updates.repeat(made, this.#visible);
  }

  /** True where `update` would have something to send to a viewer that wants it, whatever was painted. */
  get hasNews(): boolean {
    return this.#updates.isOpen || !this.#announcements.isEmpty || !this.#requests.refresh.isEmpty;
  }

  /** True where `refine` would have something to send. */
  get hasRefinement(): boolean {
    return !this.#updates.pixels.lossy.still.isEmpty;
  }

  /** True where time would let more of what was sent as JPEG be sent exactly: the owner calls `turn` every so often. */
  get isTurnDue(): boolean {
    return this.#updates.pixels.lossy.isTurnDue;
  }

  /** Some time passed: what was sent as JPEG and has not changed for a whole turn may be refined, but for what moves. */
  turn(moving = Region.empty): void {
    this.#updates.pixels.lossy.turn(moving);
  }

  /** Sends exactly what was sent as JPEG and stood still since, as much as one small update takes. */
  refine(picture: Picture): void {
    this.#updates.refine(picture, this.#visible);
  }

  /** Announces a new size or monitors; status and who asked go into ExtendedDesktopSize. */
  resize(width: number, height: number, screens: readonly Screen[]): void {
    const isSame = width === this.#layout.width && height === this.#layout.height;
    this.#layout = { width, height, screens };
    // ServerInit is still to come and will say it.
    if (!this.#isReady) return;
    if (isSame) this.#announcements.tellLayout();
    else {
      this.#updates.cutShort();
      this.#requests.resize({ x: 0, y: 0, width, height });
      this.#updates.pixels.lossy.clear();
      this.#announcements.changeLayout();
    }
    if (this.#isResizeAsked) this.#announcements.answerResize(RESIZE_STATUS.done);
    this.#isResizeAsked = false;
    this.#wantUpdate();
  }

  /** Answers a viewer's resize request that did not succeed, or not yet. */
  refuseResize(status: ResizeStatus): void {
    this.#isResizeAsked = false;
    this.#announcements.answerResize(status);
    this.#wantUpdate();
  }

  /** The pointer's picture from now on; null hides it. */
  cursor(cursor: Cursor | null): void {
    this.#cursor = cursor;
    if (!this.drawsCursor) return;
    this.#announcements.setCursor(cursor);
    this.#wantUpdate();
  }

  clipboard(text: string): void {
    if (this.#isReady) this.#clipboard.offer(text);
  }

  bell(): void {
    if (this.#isReady) this.#d.send(Uint8Array.of(SERVER_MESSAGE.bell));
  }

  /** The lights of the target's keyboard, told to viewers that show them. */
  leds(leds: Leds): void {
    this.#leds = leds;
    if (!this.#settings.showsLeds) return;
    this.#announcements.setLeds(leds);
    this.#wantUpdate();
  }

  name(name: string): void {
    this.#name = name;
    if (!this.#isReady || !this.#settings.has(ENCODING.desktopName)) return;
    this.#announcements.setName(name);
    this.#wantUpdate();
  }

  get #visible(): Rect {
    const { width, height } = this.#layout;
    const whole = { x: 0, y: 0, width, height };
    return this.#viewport === null ? whole : intersectRects(this.#viewport, whole);
  }

  #advance(): void {
    this.#needed = readOn(this.#parser, this.#d.from, this.#needed);
  }

  *#converse(): Parser<void> {
    if (this.#d.options.isGreeted !== true) yield* readHandshake(this.#d);
    this.#d.send(serverInit(this.#layout, this.#name));
    this.#isReady = true;
    this.#d.emit({ type: "ready" });
    const { from } = this.#d;
    for (;;) {
      while (!from.has(1)) yield 1;
      const type = from.u8();
      if (type === CLIENT_MESSAGE.clientCutText) {
        yield* this.#clipboard.read();
      } else {
        const hasExtendedButtons = this.#settings.has(ENCODING.extendedMouseButtons);
        this.#handle(yield* readViewerMessage(type, from, hasExtendedButtons));
      }
    }
  }

  #handle(message: ViewerMessage): void {
    const { emit } = this.#d;
    switch (message.type) {
      case "setPixelFormat":
        this.#settings.format = equalPixelFormats(message.format, RGBX) ? RGBX : message.format;
        break;
      case "setEncodings":
        this.#takeEncodings(message.numbers);
        break;
      case "updateRequest":
        this.#takeRequest(message.rect, message.isIncremental);
        break;
      case "key":
        if (message.keysym <= MAX_KEYSYM) emit(message);
        break;
      case "pointer":
        emit({
          type: "pointer",
          x: Math.min(message.x, this.#layout.width - 1),
          y: Math.min(message.y, this.#layout.height - 1),
          buttons: message.buttons,
        });
        break;
      case "continuousUpdates":
        this.#takeContinuousUpdates(message.isEnabled, message.rect);
        break;
      case "fence":
        this.#takeFence(message.flags, message.payload);
        break;
      case "setDesktopSize":
        this.#takeDesktopSize(message.width, message.height, message.screens);
        break;
    }
  }

  /** What is newly offered is answered at once: nothing is sent that the viewer does not understand. */
  #takeEncodings(numbers: readonly number[]): void {
    const hadCursor = this.drawsCursor;
    const hadLeds = this.#settings.showsLeds;
    const offered = this.#settings.setEncodings(numbers);
    for (const number of ACKNOWLEDGED) if (offered.has(number)) this.#announcements.acknowledge(number);
    if (offered.has(ENCODING.extendedDesktopSize)) this.#announcements.tellLayout();
    if (!hadCursor && this.drawsCursor && this.#cursor !== undefined)
      this.#announcements.setCursor(this.#cursor);
    if (!hadLeds && this.#settings.showsLeds && this.#leds !== undefined)
      this.#announcements.setLeds(this.#leds);
    if (offered.has(ENCODING.extendedClipboard)) this.#clipboard.extend();
    if (offered.has(ENCODING.fence)) this.#d.send(serverFence(FENCE.request, new Uint8Array(0)));
    const isFlowNew = offered.has(ENCODING.continuousUpdates) || offered.has(ENCODING.fence);
    if (isFlowNew && this.#settings.offersFlow)
      this.#d.send(Uint8Array.of(SERVER_MESSAGE.endOfContinuousUpdates));
  }

  #takeRequest(rect: Rect, isIncremental: boolean): void {
    this.#requests.ask(intersectRects(rect, this.#whole), isIncremental);
    this.#wantUpdate();
  }

  get #whole(): Rect {
    return { x: 0, y: 0, width: this.#layout.width, height: this.#layout.height };
  }

  #takeContinuousUpdates(isEnabled: boolean, rect: Rect): void {
    if (!this.#settings.offersFlow) return;
    this.#requests.continue(isEnabled ? intersectRects(rect, this.#whole) : null);
    if (isEnabled) this.#wantUpdate();
    else this.#d.send(Uint8Array.of(SERVER_MESSAGE.endOfContinuousUpdates));
  }

  /** A request is answered at once with the flags we know: messages are handled one after the other anyway. */
  #takeFence(flags: number, payload: Uint8Array): void {
    if (!this.#settings.has(ENCODING.fence)) return;
    if ((flags & FENCE.request) !== 0) {
      this.#d.send(serverFence(flags & FENCE.known, payload));
      return;
    }
    const number = fenceNumber(payload);
    if (number === null) return;
    const wasWanted = this.isUpdateWanted;
    this.#requests.landed(number);
    if (!wasWanted) this.#wantUpdate();
  }

  #takeDesktopSize(width: number, height: number, screens: readonly Screen[]): void {
    if (!this.#settings.has(ENCODING.extendedDesktopSize)) return;
    if (!isLayout({ width, height, screens })) {
      this.refuseResize(RESIZE_STATUS.invalidLayout);
      return;
    }
    this.#isResizeAsked = true;
    this.#d.emit({ type: "resize", width, height, screens });
  }

  #wantUpdate(): void {
    if (this.isUpdateWanted) this.#d.emit({ type: "updateWanted" });
  }
}
