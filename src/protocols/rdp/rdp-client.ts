import { Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { ByteQueue, type Parser } from "../byte-queue.ts";
import { codePointOf } from "../keysym-characters.ts";
import { ResizeLimit } from "../resize-limit.ts";
import { ChannelSet } from "./channel-set.ts";
import type {
  ClientContext,
  HostFeatures,
  RdpClientEvent,
  RdpClientOptions,
  RdpClientPorts,
} from "./client-context.ts";
import { disconnectError, signInRefused } from "./connect/error-info.ts";
import { disconnectUltimatum, joinChannels } from "./connect/mcs.ts";
import { connectMcs } from "./connect/mcs-connect.ts";
import { negotiate } from "./connect/negotiation.ts";
import { upgradeSecurity } from "./connect/security-upgrade.ts";
import { signIn } from "./connect/sign-in.ts";
import { RdpError, type RdpPhase } from "./error.ts";
import type { FilesCommand } from "./files/file-messages.ts";
import { DamageLog } from "./graphics/damage-log.ts";
import { fastPathInput, type InputEvent, slowPathInput } from "./input/input.ts";
import { RdpKeyboard } from "./input/input-keyboard.ts";
import { RdpPointer } from "./input/input-pointer.ts";
import { US_LAYOUT } from "./input/keyboard-layouts.ts";
import { isKnownLayout, positionOfCharacter, positionOfKey } from "./input/scancodes.ts";
import { DATA, LIMIT } from "./numbers.ts";
import { PointerCache } from "./pointer/pointer-cache.ts";
import * as request from "./requests.ts";
import { Scratch } from "./scratch.ts";
import { readSession } from "./session-messages.ts";
import { sendShareData } from "./share.ts";

/** A frame that is not whole after so long will never be. */
const FRAME_MS = 30_000;
/** More than one pixel: FreeRDP 2.11's shadow server takes the last column and row of a refresh for the ones behind. */
const EDGE = 2;

/**
 * The client's side of RDP (MS-RDPBCGR), sans I/O: bytes in by `receive`, bytes out by `send`, what happened by `on`.
 * Pixels arrive in `framebuffer`, 32-bit RGBA.
 */
export class RdpClient {
  readonly framebuffer: Framebuffer;
  readonly features: HostFeatures = {
    hasRefreshRect: false,
    hasSuppressOutput: false,
    hasFastPathInput: false,
    hasUnicodeInput: false,
    hasHorizontalWheel: false,
    hasExtendedMouse: false,
    hasFrameAcknowledge: false,
    samplesScreen: false,
    channelChunkBytes: LIMIT.channelChunkBytes,
  };
  readonly #from = new ByteQueue();
  readonly #c: ClientContext;
  readonly #channels: ChannelSet;
  readonly #keyboard: RdpKeyboard;
  readonly #layout: number;
  readonly #pointer = new RdpPointer(this.features);
  readonly #parser: Parser<void>;
  /** What the pointer did last while the session took no input. */
  #missed: { readonly x: number; readonly y: number; readonly buttons: number } | null = null;
  #needed = 0;
  #nowMs = 0;
  /** When the frame that is being read began to arrive; null where none is. */
  #frameSinceMs: number | null = null;
  readonly #resizes = new ResizeLimit();

  constructor(
    options: RdpClientOptions,
    ports: RdpClientPorts,
    send: (bytes: Uint8Array) => void,
    on: (event: RdpClientEvent) => void,
  ) {
    this.framebuffer = options.framebuffer ?? new Framebuffer(1, 1);
    this.#c = {
      from: this.#from,
      framebuffer: this.framebuffer,
      options,
      ports,
      features: this.features,
      damage: new DamageLog(),
      pointers: new PointerCache(),
      scratch: new Scratch(),
      palette: new Uint32Array(256).fill(OPAQUE),
      phase: "negotiation",
      description: "",
      wantsSpnego: false,
      isXrdp: false,
      losesCharacters: false,
      selectedProtocol: 0,
      userId: 0,
      ioChannel: 0,
      messageChannel: null,
      channelIds: [],
      shareId: 0,
      isActive: false,
      hasBeenActive: false,
      isInFrame: false,
      screens: [],
      colourDepth: options.colourDepth ?? 32,
      farewell: null,
      onActive: () => this.#beginInput(),
      onLocks: (locks) => this.#keyboard.hostHasLocks(locks),
      admitResize: () => this.#admitResize(),
      onChannel: (id, chunk) => this.#channels.receive(id, chunk),
      send,
      emit: on,
    };
    this.#layout = options.keyboardLayout ?? US_LAYOUT;
    this.#keyboard = new RdpKeyboard(this.features, this.#layout);
    this.#channels = new ChannelSet(this.#c);
    this.#parser = this.#run();
  }

  /** "RDP, TLS, NLA"; empty before that is agreed. */
  get description(): string {
    return this.#c.description;
  }

  get phase(): RdpPhase {
    return this.#c.phase;
  }

  /** The host refused us and may accept us by a new connection with `isSpnegoWrapped`. */
  get wantsSpnego(): boolean {
    return this.#c.wantsSpnego;
  }

  /** The session is on, and takes input. */
  get isActive(): boolean {
    return this.#c.isActive;
  }

  /** The host is xrdp; known from before the session is active. */
  get isXrdp(): boolean {
    return this.#c.isXrdp;
  }

  /** The host has sent pixels that are not exact: only the graphics pipeline has such. */
  get isLossy(): boolean {
    return this.#channels.isLossy;
  }

  /** Between the markers of a frame: the picture has parts of an update of which nothing was said. */
  get isInFrame(): boolean {
    return this.#c.isInFrame;
  }

  /** Pixels that have not come since `expectPicture`. */
  get missingPixels(): number {
    return this.#c.damage.missing.count;
  }

  /**
   * From here on every pixel is to come, but for what lies on no screen: that is black for ever, and hosts with screens of
   * several sizes never paint it.
   */
  expectPicture(): void {
    const { damage, screens } = this.#c;
    damage.missing.expect(this.framebuffer);
    const gaps = Region.of(this.framebuffer.rect).subtract(Region.from(screens.map(({ rect }) => rect)));
    for (const gap of gaps.rects) damage.missing.paint(gap);
  }

  /** Sends the first message. */
  start(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#advance();
  }

  /** Bytes in, and what time it is on a clock that only grows. Throws RdpError: the connection is then over. */
  receive(chunk: Uint8Array, nowMs: number): void {
    this.#nowMs = nowMs;
    this.#from.push(chunk);
    this.#advance();
  }

  /** The effect that the parser waits for is done. Throws RdpError as `receive` does. */
  resume(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#needed = 0;
    this.#advance();
  }

  /** What it means that the host closed the stream now. */
  closed(): RdpError {
    const { farewell, phase } = this.#c;
    if (farewell !== null) return disconnectError(farewell, phase);
    if (phase === "credssp") return signInRefused(phase);
    return new RdpError("target_closed", phase, "the host closed the connection");
  }

  /** Asks for these pixels again; nothing where the host does not do that. */
  refresh(area: Rect = this.framebuffer.rect): void {
    this.#refresh([area]);
  }

  /** Asks the host to send no pixels, or, with all of them, to go on. */
  suppress(isSuppressed: boolean): void {
    if (!this.#c.isActive || !this.features.hasSuppressOutput) return;
    request.suppressOutput(this.#c, isSuppressed);
    if (!isSuppressed) this.#refresh(lastOf(this.framebuffer.rect));
  }

  #refresh(areas: readonly Rect[]): void {
    if (this.#c.isActive && this.features.hasRefreshRect) request.refreshRects(this.#c, areas);
  }

  /** Buttons are RFB's mask: bits 0 to 6 left, middle, right and the wheel, 7 back, 8 forward. */
  pointer(x: number, y: number, buttons: number): void {
    if (this.#c.isActive) sendInput(this.#c, this.#pointer.pointer(x, y, buttons));
    else this.#missed = { x, y, buttons };
  }

  /** False where the host has no way to take it: then nothing was pressed. */
  key(keysym: number, isDown: boolean, scancode: number | null): boolean {
    if (!this.#c.isActive) return true;
    const events = this.#keyboard.key(keysym, isDown, scancode);
    if (events === null) return false;
    sendInput(this.#c, events);
    return true;
  }

  /** False where a character reaches the host by no key and no event. */
  canType(keysym: number): boolean {
    if (this.features.hasUnicodeInput || positionOfKey(keysym) !== null) return true;
    const codePoint = codePointOf(keysym);
    return codePoint !== null && positionOfCharacter(codePoint, this.#layout) !== null;
  }

  /** Offers a text to the host, which fetches it when somebody pastes there. */
  clipboard(text: string): void {
    this.#channels.offerClipboard(text);
  }

  /** Offers files, asks for bytes of some, or gives them; only where `hasFiles`. */
  files(command: FilesCommand): void {
    this.#channels.files(command);
  }

  /** Asks for the host's sound, or for no more of it; only where it was offered. */
  listen(isOn: boolean): void {
    this.#channels.listen(isOn);
  }

  /** Asks for these screens, the first the primary one; false where the host takes no such request now. */
  arrange(screens: readonly Rect[]): boolean {
    return this.#channels.arrange(screens);
  }

  /**
   * A session that begins, or is set up anew, such as for another size. A synchronise event should let go of all keys
   * there, which not every host needs to know; of buttons it says nothing.
   */
  #beginInput(): void {
    // Better known as not typed than sent and lost. Of a layout without a table here, Unicode is all there is.
    if (this.#c.losesCharacters && isKnownLayout(this.#layout)) this.features.hasUnicodeInput = false;
    const held = this.#keyboard.releaseAll();
    sendInput(this.#c, [...this.#keyboard.synchronise(), ...held, ...this.#pointer.resume(this.#missed)]);
    this.#missed = null;
  }

  /** Says goodbye, where there is somebody to say it to. */
  close(): void {
    if (this.#c.hasBeenActive) this.#c.send(disconnectUltimatum());
  }

  *#run(): Parser<void> {
    const c = this.#c;
    yield* negotiate(c);
    yield* upgradeSecurity(c);
    yield* connectMcs(c);
    yield* joinChannels(c);
    yield* signIn(c);
    yield* readSession(c);
  }

  #advance(): void {
    const c = this.#c;
    try {
      while (this.#from.size >= this.#needed) {
        this.#frameSinceMs = null;
        const step = this.#parser.next();
        if (step.done) return;
        this.#needed = step.value;
      }
      this.#checkDeadline();
    } catch (error) {
      if (!(error instanceof RdpError)) throw error;
      error.offset = this.#from.offset;
      throw error.code === "target_closed" && c.farewell !== null
        ? disconnectError(c.farewell, c.phase)
        : error;
    }
    if (!c.isInFrame && !c.damage.isEmpty) c.emit({ type: "update", painted: c.damage.take() });
  }

  #checkDeadline(): void {
    if (this.#from.size === 0) {
      this.#frameSinceMs = null;
      return;
    }
    this.#frameSinceMs ??= this.#nowMs;
    if (this.#nowMs - this.#frameSinceMs > FRAME_MS) {
      throw new RdpError("bad_data", this.#c.phase, "got a frame that was not whole after 30 s");
    }
  }

  #admitResize(): void {
    const refusal = this.#resizes.refusal(this.#nowMs);
    if (refusal !== null) throw new RdpError("bad_size", "activation", refusal);
  }
}

/**
 * The last column and row. xrdp 0.9.21 with Xorg takes the inclusive corner of Suppress Output, MS-RDPBCGR 2.2.11.3.1,
 * for the one behind, and leaves them out; that of Refresh Rect it takes as it is meant (2026-11-24).
 */
function lastOf({ width, height }: Rect): Rect[] {
  const column = Math.min(EDGE, width);
  const row = Math.min(EDGE, height);
  return [rect(width - column, 0, column, height), rect(0, height - row, width, row)];
}

/** A PDU of the slow path holds at most so many. */
const MOST_SLOW_EVENTS = 255;

/** Sends events in order, by the fast path where the host has it; none while the session is being set up anew. */
function sendInput(c: ClientContext, events: readonly InputEvent[]): void {
  if (!c.isActive || events.length === 0) return;
  if (c.features.hasFastPathInput) {
    c.send(fastPathInput(events));
    return;
  }
  for (let at = 0; at < events.length; at += MOST_SLOW_EVENTS) {
    sendShareData(c, DATA.input, slowPathInput(events.slice(at, at + MOST_SLOW_EVENTS)));
  }
}
