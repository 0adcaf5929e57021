import { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { RGBX } from "../../../framebuffer/pixel-format.ts";
import { type Rect, rect } from "../../../framebuffer/rect.ts";
import { ByteQueue, type Parser } from "../../byte-queue.ts";
import { DecoderStreams } from "../encodings/decoder-state.ts";
import { ENCODINGS } from "../encodings/list.ts";
import { RfbError } from "../error.ts";
import { ENCODING } from "../numbers.ts";
import type { Screen } from "../screen.ts";
import { offerClipboard } from "./clipboard.ts";
import type {
  Conversation,
  RfbClientEvent,
  RfbClientOptions,
  RfbClientPorts,
  ServerFeatures,
} from "./conversation.ts";
import { handshake } from "./handshake.ts";
import { readMessages } from "./messages.ts";
import * as request from "./requests.ts";

/** Asked for beside the encodings. No quality level: servers then send exact pixels. */
const PSEUDO_ENCODINGS = [
  ENCODING.desktopSize,
  ENCODING.lastRect,
  ENCODING.extendedDesktopSize,
  ENCODING.cursorWithAlpha,
  ENCODING.cursor,
  ENCODING.desktopName,
  ENCODING.qemuExtendedKey,
  ENCODING.extendedClipboard,
  ENCODING.fence,
  ENCODING.continuousUpdates,
];

/** A size may change so often within a second; a real desktop's does not. */
const MAX_RESIZES = 5;
const RESIZE_WINDOW_MS = 1000;

/**
 * The viewer's side of RFB 3.3, 3.7 and 3.8 (RFC 6143 and rfbproto), sans I/O: bytes in by `receive`, bytes out by
 * `send`, what happened by `on`. Pixels arrive in `framebuffer`, 32-bit RGBA.
 */
export class RfbClient {
  readonly framebuffer = new Framebuffer(1, 1);
  readonly features: ServerFeatures = {
    hasFence: false,
    hasContinuousUpdates: false,
    hasQemuKeys: false,
    hasExtendedDesktopSize: false,
    clipboardActions: 0,
  };
  readonly #from = new ByteQueue();
  readonly #conversation: Conversation;
  readonly #decoders: DecoderStreams;
  readonly #parser: Parser<void>;
  readonly #send: (bytes: Uint8Array) => void;
  #needed = 0;
  #isReady = false;
  #nowMs = 0;
  #resizedAtMs: number[] = [];

  constructor(
    options: RfbClientOptions,
    ports: RfbClientPorts,
    send: (bytes: Uint8Array) => void,
    on: (event: RfbClientEvent) => void,
  ) {
    this.#send = send;
    this.#decoders = new DecoderStreams(ports);
    this.#conversation = {
      from: this.#from,
      framebuffer: this.framebuffer,
      options,
      ports,
      decoders: this.#decoders,
      features: this.features,
      description: "",
      screens: [],
      clipboardText: null,
      admitResize: () => this.#admitResize(),
      send,
      emit: on,
    };
    this.#parser = this.#run();
  }

  /** The handshake is over. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** "RFB 3.8, VncAuth"; empty before that is agreed. */
  get description(): string {
    return this.#conversation.description;
  }

  /** Bytes in, and what time it is on a clock that only grows. Throws RfbError: the connection is then over. */
  receive(chunk: Uint8Array, nowMs: number): void {
    this.#nowMs = nowMs;
    this.#from.push(chunk);
    try {
      while (this.#from.size >= this.#needed) {
        const step = this.#parser.next();
        if (step.done) return;
        this.#needed = step.value;
      }
    } catch (error) {
      if (error instanceof RfbError) error.offset = this.#from.offset;
      throw error;
    }
  }

  requestUpdate(isIncremental: boolean, area: Rect = this.framebuffer.rect): void {
    this.#send(request.framebufferUpdateRequest(area, isIncremental));
  }

  /** Only where `features` has both continuous updates and fences. */
  continuousUpdates(isEnabled: boolean): void {
    this.#send(request.enableContinuousUpdates(isEnabled, this.framebuffer.rect));
  }

  /** A fence the server answers once it has processed what was sent before. At most 64 bytes of payload. */
  fence(payload: Uint8Array): void {
    this.#send(request.clientFence(request.FENCE_REQUEST | request.FENCE_BLOCK_BEFORE, payload));
  }

  /** Buttons: bits 0 to 6 left, middle, right and the wheel, 7 back. */
  pointer(x: number, y: number, buttons: number): void {
    this.#send(request.pointerEvent(x, y, buttons));
  }

  /** With a scancode and a server that takes them, the key itself; else what it means. */
  key(keysym: number, isDown: boolean, scancode: number | null): void {
    const isExtended = scancode !== null && this.features.hasQemuKeys;
    this.#send(
      isExtended ? request.qemuKeyEvent(keysym, isDown, scancode) : request.keyEvent(keysym, isDown),
    );
  }

  clipboard(text: string): void {
    offerClipboard(this.#conversation, text);
  }

  /** Asks for one screen of a size; false where the server has not shown that it can. */
  resize(width: number, height: number): boolean {
    if (!this.features.hasExtendedDesktopSize) return false;
    const first = this.#conversation.screens[0];
    const screen: Screen = { id: first?.id ?? 0, rect: rect(0, 0, width, height), flags: first?.flags ?? 0 };
    this.#send(request.setDesktopSize(width, height, [screen]));
    return true;
  }

  close(): void {
    this.#decoders.close();
  }

  *#run(): Parser<void> {
    const c = this.#conversation;
    const name = yield* handshake(c);
    this.#send(request.setPixelFormat(RGBX));
    const encodings = c.options.encodings ?? ENCODINGS.map(({ number }) => number);
    this.#send(request.setEncodings([...encodings, ...PSEUDO_ENCODINGS]));
    this.#isReady = true;
    c.emit({ type: "ready", name, screens: c.screens });
    yield* readMessages(c);
  }

  #admitResize(): void {
    this.#resizedAtMs = this.#resizedAtMs.filter((at) => this.#nowMs - at < RESIZE_WINDOW_MS);
    this.#resizedAtMs.push(this.#nowMs);
    if (this.#resizedAtMs.length > MAX_RESIZES) {
      throw new RfbError(
        "bad_size",
        "rectangle",
        `got ${MAX_RESIZES + 1} sizes within a second, expected at most ${MAX_RESIZES}`,
      );
    }
  }
}
