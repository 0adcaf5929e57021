import { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { MissingPixels } from "../../../framebuffer/missing-pixels.ts";
import { type PixelFormat, RGBX } from "../../../framebuffer/pixel-format.ts";
import { boundRects, EMPTY_RECT, type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import { ByteQueue, type Parser } from "../../byte-queue.ts";
import { ResizeLimit } from "../../resize-limit.ts";
import { DecoderStreams } from "../encodings/decoder-state.ts";
import { RfbError } from "../error.ts";
import { ENCODING } from "../numbers.ts";
import { BurstLimit } from "./burst-limit.ts";
import type {
  ClientContext,
  RfbClientEvent,
  RfbClientOptions,
  RfbClientPorts,
  Scroll,
  ServerFeatures,
} from "./client-context.ts";
import { asksForTexts, takesExtended } from "./clipboard.ts";
import { handshake } from "./handshake.ts";
import { readMessages } from "./messages.ts";
import { PLAIN_RFB } from "./plain-rfb.ts";
import { NO_SCROLL } from "./pointer.ts";
import * as request from "./requests.ts";
import { soundRequest } from "./sound.ts";

/** Intel's AMT has no more than 16 bits and says so by its name alone (noVNC, 2026-11-21). */
const LOW_COLOUR_NAMES: ReadonlySet<string> = new Set(["Intel(r) AMT KVM"]);

const RGB565: PixelFormat = Object.freeze({
  bitsPerPixel: 16,
  depth: 16,
  isBigEndian: false,
  isTrueColour: true,
  redMax: 31,
  greenMax: 63,
  blueMax: 31,
  redShift: 11,
  greenShift: 5,
  blueShift: 0,
});

/** More screens than ExtendedDesktopSize counts. */
const MAX_SCREENS = 255;

/** Each is answered; TigerVNC asks once or twice an update. */
const MAX_FENCES = 2000;
const FENCE_WINDOW_MS = 1000;

/**
 * The viewer's side of RFB 3.3, 3.7 and 3.8 (RFC 6143 and rfbproto), sans I/O: bytes in by `receive`, bytes out by
 * `send`, what happened by `on`. Pixels arrive in `framebuffer`, 32-bit RGBA.
 */
export class RfbClient {
  readonly framebuffer: Framebuffer;
  readonly features: ServerFeatures = {
    hasFence: false,
    hasContinuousUpdates: false,
    hasQemuKeys: false,
    hasSound: false,
    hasExtendedDesktopSize: false,
    hasExtendedMouseButtons: false,
    isPointerRelative: false,
    clipboardActions: 0,
  };
  readonly #from = new ByteQueue();
  readonly #context: ClientContext;
  readonly #decoders: DecoderStreams;
  readonly #parser: Parser<void>;
  readonly #send: (bytes: Uint8Array) => void;
  #needed = 0;
  #isReady = false;
  #isHeld = false;
  #nowMs = 0;
  readonly #resizes = new ResizeLimit();
  readonly #fences = new BurstLimit(MAX_FENCES, FENCE_WINDOW_MS);

  constructor(
    options: RfbClientOptions,
    ports: RfbClientPorts,
    send: (bytes: Uint8Array) => void,
    on: (event: RfbClientEvent) => void,
  ) {
    this.framebuffer = options.framebuffer ?? new Framebuffer(1, 1, { hasKernels: true, canRest: true });
    this.#send = send;
    this.#decoders = new DecoderStreams(ports);
    this.#context = {
      from: this.#from,
      framebuffer: this.framebuffer,
      options,
      ports,
      decoders: this.#decoders,
      features: this.features,
      dialect: options.dialect ?? PLAIN_RFB,
      serverFormat: RGBX,
      pointerAt: null,
      encodingOf: () => undefined,
      description: "",
      screens: [],
      missing: new MissingPixels(),
      clipboardText: null,
      deadlineMs: null,
      nowMs: () => this.#nowMs,
      admitResize: () => this.#admitResize(),
      admitFence: () => this.#admitFence(),
      send,
      emit: on,
      isHeld: () => this.#isHeld,
    };
    this.#context.encodingOf = this.#context.dialect.decoders(this.#context);
    this.#parser = this.#run();
  }

  /** The handshake is over. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Pixels of the first picture that have not come; 0 once an update was told that left none. */
  get missingPixels(): number {
    return this.#context.missing.count;
  }

  /** "RFB 3.8, VncAuth"; empty before that is agreed. */
  get description(): string {
    return this.#context.description;
  }

  /**
   * Bytes in, which may be written over afterwards, and what time it is on a clock that only grows. Throws RfbError: the
   * connection is then over.
   */
  receive(chunk: Uint8Array, nowMs: number): void {
    this.#nowMs = nowMs;
    this.#from.push(chunk);
    this.#advance();
    this.#from.settle();
  }

  /** Called while an update is told: nothing more is read, and so nothing painted, until `resume`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The effect that the parser waits for is done, or what `hold` was called for. Throws RfbError as `receive` does. */
  resume(nowMs: number): void {
    this.#isHeld = false;
    this.#nowMs = nowMs;
    this.#needed = 0;
    this.#advance();
  }

  #advance(): void {
    try {
      while (this.#from.size >= this.#needed) {
        const step = this.#parser.next();
        if (step.done) return;
        this.#needed = step.value;
      }
      this.#checkDeadline();
    } catch (error) {
      if (error instanceof RfbError) error.offset = this.#from.offset;
      throw error;
    }
  }

  requestUpdate(isIncremental: boolean, area: Rect = this.framebuffer.rect): void {
    this.#send(request.framebufferUpdateRequest(area, isIncremental));
  }

  /** Says once more which encodings are read; plain: those that deflate are to leave that out (compression level 0). */
  askPlain(isPlain: boolean): void {
    const { options, dialect } = this.#context;
    const encodings = [...(options.encodings ?? dialect.encodings), ...dialect.pseudoEncodings];
    this.#send(request.setEncodings(isPlain ? [...encodings, ENCODING.compressLevel0] : encodings));
  }

  /** Only where `features` has both continuous updates and fences. */
  continuousUpdates(isEnabled: boolean): void {
    this.#send(request.enableContinuousUpdates(isEnabled, this.framebuffer.rect));
  }

  /** A fence the server answers once it has processed what was sent before. At most 64 bytes of payload. */
  fence(payload: Uint8Array): void {
    this.#send(request.clientFence(request.FENCE_REQUEST | request.FENCE_BLOCK_BEFORE, payload));
  }

  /** Buttons: bits 0 to 6 left, middle, right and the wheel, 7 back, 8 forward where the server has it. */
  pointer(x: number, y: number, buttons: number, scroll: Scroll = NO_SCROLL): void {
    const c = this.#context;
    this.#send(c.dialect.pointer(c, x, y, buttons, scroll));
  }

  /** With a scancode and a server that takes them, the key itself; else what it means. */
  key(keysym: number, isDown: boolean, scancode: number | null): void {
    const isExtended = scancode !== null && this.features.hasQemuKeys;
    this.#send(
      isExtended ? request.qemuKeyEvent(keysym, isDown, scancode) : request.keyEvent(keysym, isDown),
    );
  }

  /** Only where `features` has sound. */
  listen(isOn: boolean): void {
    this.#send(soundRequest(isOn));
  }

  /** False where the server takes texts by the extended clipboard. */
  get hasLatinClipboard(): boolean {
    return !takesExtended(this.features.clipboardActions);
  }

  /** True where the server asks for the texts it is offered, and so shows that it took them. */
  get provesClipboard(): boolean {
    return asksForTexts(this.features);
  }

  clipboard(text: string): void {
    this.#context.dialect.offerClipboard(this.#context, text);
  }

  /** Asks for one screen of a size; false where the server has not shown that it can. */
  resize(width: number, height: number): boolean {
    return this.arrange([rect(0, 0, width, height)]);
  }

  /**
   * Asks for these screens, 1 to 255, the picture as large as their bounds; false where the server has not shown that
   * it can, or the layout is none. Screens keep the numbers of those now in their place.
   */
  arrange(screens: readonly Rect[]): boolean {
    const bounds = screens.reduce(boundRects, EMPTY_RECT);
    const isLayout = screens.length > 0 && screens.length <= MAX_SCREENS && bounds.x === 0 && bounds.y === 0;
    if (!this.features.hasExtendedDesktopSize || !isLayout) return false;
    const present = this.#context.screens;
    const taken = new Set(present.map(({ id }) => id));
    const layout: Screen[] = screens.map((bounds, i) => {
      const old = present[i];
      if (old !== undefined) return { ...old, rect: bounds };
      let id = i;
      while (taken.has(id)) id++;
      taken.add(id);
      return { id, rect: bounds, flags: 0 };
    });
    this.#send(request.setDesktopSize(bounds.width, bounds.height, layout));
    return true;
  }

  close(): void {
    this.#decoders.close();
  }

  *#run(): Parser<void> {
    const c = this.#context;
    const name = yield* handshake(c);
    this.#agreeOnFormat(name);
    this.askPlain(false);
    this.#isReady = true;
    c.missing.expect(c.framebuffer);
    c.emit({ type: "ready", name, screens: c.screens });
    yield* readMessages(c);
  }

  /** Sent before anything else, so that no pixel comes in another format. */
  #agreeOnFormat(name: string): void {
    const c = this.#context;
    const format = c.options.pixelFormat ?? (LOW_COLOUR_NAMES.has(name) ? RGB565 : RGBX);
    if (format === "server") {
      c.decoders.format = c.serverFormat;
      return;
    }
    c.decoders.format = format;
    this.#send(request.setPixelFormat(format));
  }

  #checkDeadline(): void {
    const { deadlineMs } = this.#context;
    if (deadlineMs === null || this.#nowMs <= deadlineMs) return;
    throw new RfbError("too_slow", "message", "got a message that was not whole after 30 s");
  }

  #admitFence(): void {
    if (this.#fences.admits(this.#nowMs)) return;
    throw new RfbError(
      "too_fast",
      "message",
      `got more than ${MAX_FENCES} fences within a second, expected fewer`,
    );
  }

  #admitResize(): void {
    const refusal = this.#resizes.refusal(this.#nowMs);
    if (refusal !== null) throw new RfbError("bad_size", "rectangle", refusal);
  }
}
