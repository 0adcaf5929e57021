import type { Duplex } from "node:stream";
import { type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import type {
  RfbClientEvent,
  RfbClientOptions,
  RfbClientPorts,
} from "../../../protocols/rfb/client/client-context.ts";
import type { RfbEffect } from "../../../protocols/rfb/client/effect.ts";
import { RfbClient } from "../../../protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../../protocols/rfb/numbers.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents, Showing } from "../../link.ts";
import { Barriers, numberOf, payloadOf } from "../barriers.ts";
import { forwardEvent } from "../forwarded-events.ts";
import { linkErrorOf } from "../link-error.ts";
import { SlicedReader } from "../streams/sliced-reader.ts";
import { TargetConnection } from "../target-connection.ts";
import { Watchdog } from "../watchdog.ts";
import { AreaRequests } from "./area-requests.ts";
import { DrawnPointer } from "./drawn-pointer.ts";
import { LineSpeed } from "./line-speed.ts";
import { UpdatePace } from "./update-pace.ts";

/** Their pixels are approximations, whatever quality is asked for. */
const LOSSY: ReadonlySet<number> = new Set([ENCODING.zywrle, ENCODING.jpeg]);

/**
 * TigerVNC 1.12's Xvnc makes keys for 20 characters that its layout lacks, x11vnc 0.9.16 for 18; both drop the rest
 * without a word, also after a reconnection (2026-11-23).
 */
const NEW_KEYS = 16;
/** The pixel that is asked for when any answer will do. */
const PROBE = rect(0, 0, 1, 1);
export interface VncLinkOptions extends RfbClientOptions {
  /** Opens the byte stream to the target. Emits "connect" when a socket is up; a stream without that is up at once. */
  readonly connect: () => Duplex;
  /** False for streams that are up when made. */
  readonly emitsConnect: boolean;
  /** False where the target connects to us, at a time of its own (reverse connections). Default true. */
  readonly hasConnectLimit?: boolean;
  /** Hears everything the server says before this link acts on it. */
  readonly onEvent?: (event: RfbClientEvent) => void;
  /** Does what the client's parser waits for; a rejection ends the link. */
  readonly perform?: (effect: RfbEffect) => Promise<void>;
  /** Instead of `perform`, where that may lay something over the stream; gives the stream to go on with. */
  readonly secure?: (effect: RfbEffect, stream: Duplex) => Promise<Duplex>;
  /** Ask again for changes when none came for so long: some servers forget that they were asked. Default: never. */
  readonly repeatRequestMs?: number | undefined;
  /** True: a server that is silent is asked for a pixel even where it has fences, which it may answer while blind. */
  readonly probesPixels?: boolean;
  /** True: it is asked for pictures without compression where they come fast enough; for itself alone. */
  readonly mayAskPlain?: boolean;
  /** True: it takes every character as it is. */
  readonly makesNoKeys?: boolean;
}

/** A VNC target: one byte stream and the RfbClient that speaks over it. */
export class VncLink implements Link {
  readonly isExact: boolean;
  readonly newKeys: number | undefined;
  readonly #options: VncLinkOptions;
  readonly #clock: Clock;
  readonly #client: RfbClient;
  readonly #pace: UpdatePace;
  readonly #fences = new Barriers();
  readonly #areaRequests = new AreaRequests((area) => this.#client.requestUpdate(false, area));
  readonly #reader: SlicedReader;
  readonly #connection: TargetConnection;
  readonly #line = new LineSpeed((isPlain) => this.#client.askPlain(isPlain));
  readonly #drawnPointer = new DrawnPointer((area) => this.#events?.drawnPointer?.(area));
  #isPerforming = false;
  /** An update is not shown yet: nothing is read. */
  #isHeld = false;
  #events: LinkEvents | null = null;
  readonly #watchdog: Watchdog;
  /** The last step of the handshake that was over. */
  #reached = "";

  constructor(options: VncLinkOptions, ports: RfbClientPorts, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.isExact = options.encodings?.some((number) => LOSSY.has(number)) !== true;
    this.#client = new RfbClient(
      options,
      ports,
      (bytes) => this.#connection.write(bytes),
      (event) => this.#onEvent(event),
    );
    this.newKeys = options.makesNoKeys === true ? undefined : NEW_KEYS;
    this.#watchdog = new Watchdog(
      {
        // Whatever it says next shows that it lives, so the answer itself is not needed.
        ask: () => (options.probesPixels === true ? this.latest() : this.barrier()).catch(() => undefined),
        stalled: (isStalled) => this.#events?.stalled(isStalled),
        giveUp: () => this.#end(new LinkError("stalled", "the target did not answer for 40 s")),
      },
      clock,
    );
    this.#pace = new UpdatePace(this.#client, clock, options.repeatRequestMs ?? null);
    this.#reader = new SlicedReader({
      take: (piece) => this.#receive(piece),
      mayRead: () => !this.#isPerforming && !this.#isHeld,
      nowMs: () => clock.nowMs(),
    });
    this.#connection = new TargetConnection(
      {
        up: () => {
          this.#events?.step("connect", "the target accepted the connection");
          this.#reached = "connect";
        },
        data: (chunk, stream) => {
          // Whole until the handshake is over: what came along with a step that lays TLS over the stream has to be seen.
          if (this.#client.isReady) this.#reader.push(chunk, stream);
          else this.#receive(chunk);
        },
        readsInPlace: true,
        errorOf: linkErrorOf,
        closedByTarget: () => new LinkError("target_closed", "the target closed the connection"),
        handshakeMessage: () =>
          `the VNC handshake was not over within 15 s: it came as far as ${this.#reached}`,
        failed: (error) => this.#end(error),
      },
      clock,
    );
  }

  get framebuffer() {
    return this.#client.framebuffer;
  }

  get description(): string {
    return this.#client.description;
  }

  get hasLatinClipboard(): boolean {
    return this.#client.hasLatinClipboard;
  }

  get provesClipboard(): boolean {
    return this.#client.provesClipboard;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    const { connect, emitsConnect, hasConnectLimit } = this.#options;
    this.#connection.open(connect, { emitsConnect, hasConnectLimit });
  }

  follow(isWatched: boolean): void {
    this.#pace.follow(isWatched);
  }

  refresh(): void {
    if (this.#client.isReady) this.#client.requestUpdate(false);
  }

  readonly holdsWheel = true;
  readonly hasFence = (): boolean => this.#client.features.hasFence;
  barrier(): Promise<void> {
    if (this.#events === null || !this.#client.features.hasFence) return this.latest();
    const { number, passed } = this.#fences.open();
    this.#client.fence(payloadOf(number));
    return passed;
  }

  /** A non-incremental request, of what matters: see Looks. */
  latest(area?: Rect | null): Promise<void> {
    if (this.#events === null || !this.#client.isReady) {
      return Promise.reject(new LinkError("target_closed", "the target is not connected"));
    }
    return this.#areaRequests.open(area ?? PROBE);
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#client.pointer(x, y, buttons);
    this.#drawnPointer.put(x, y);
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    this.#client.key(keysym, isDown, scancode);
  }

  clipboard(text: string): void {
    this.#client.clipboard(text);
  }

  listen(isOn: boolean): void {
    if (this.#client.features.hasSound) this.#client.listen(isOn);
  }

  resize(width: number, height: number, screens?: readonly Rect[]): boolean {
    return screens === undefined ? this.#client.resize(width, height) : this.#client.arrange(screens);
  }

  close(): void {
    this.#events = null;
    // What was let go just now leaves first.
    const hasLastWords = this.#connection.hasUnflushed;
    this.#connection.flush();
    this.#release(new LinkError("target_closed", "the connection was closed here"), hasLastWords);
  }

  #receive(chunk: Uint8Array): void {
    if (this.#events === null) return;
    const heardAtMs = this.#clock.nowMs();
    this.#watchdog.heard(heardAtMs);
    if (this.#options.mayAskPlain === true) this.#line.received(chunk.length, heardAtMs);
    try {
      this.#client.receive(chunk, heardAtMs);
    } catch (error) {
      this.#end(linkErrorOf(error));
    }
  }

  #onEvent(event: RfbClientEvent): void {
    const events = this.#events;
    if (events === null) return;
    this.#options.onEvent?.(event);
    switch (event.type) {
      case "handshake":
        this.#reached = event.step;
        events.step(event.step, event.detail);
        break;
      case "effect":
        this.#perform(event.effect);
        break;
      case "ready":
        this.#connection.established();
        this.#pace.start();
        this.#watchdog.start();
        events.ready({ name: event.name, screens: event.screens });
        break;
      case "update":
        this.#line.updated(this.#clock.nowMs());
        this.#pace.onUpdate();
        this.#updated(event, events.update({ ...event, missing: this.#client.missingPixels }));
        break;
      case "resize":
        this.#pace.onResize();
        events.resize(event.screens);
        break;
      case "fence":
        this.#fences.pass(numberOf(event.payload));
        break;
      case "cursor":
        forwardEvent(event, events);
        this.#drawnPointer.shaped(event.cursor);
        break;
      case "pointer":
        this.#drawnPointer.moved(event.x, event.y);
        break;
      case "farewell":
        break;
      default:
        forwardEvent(event, events);
    }
  }

  /** What was asked for is known once it is shown. */
  #updated(event: Extract<RfbClientEvent, { type: "update" }>, showing: Showing | undefined): void {
    if (showing === undefined) {
      this.#areaRequests.onUpdate(event);
      return;
    }
    this.#isHeld = true;
    this.#client.hold();
    this.#connection.stream?.pause();
    showing.done.then(
      () => {
        const { stream } = this.#connection;
        if (this.#events === null || stream === null) return;
        this.#isHeld = false;
        this.#areaRequests.onUpdate(event);
        this.#goOn(stream);
      },
      (error: unknown) => this.#end(linkErrorOf(error)),
    );
  }

  /**
   * Nothing more is read meanwhile, so that the queue does not grow; what was said before leaves as it was meant to,
   * before anything is laid over the stream.
   */
  #perform(effect: RfbEffect): void {
    const { stream } = this.#connection;
    const { perform, secure } = this.#options;
    if (stream === null || (perform === undefined && secure === undefined)) {
      this.#end(
        new LinkError("protocol_error", `the target asks for ${effect.kind}, which this link has not`),
      );
      return;
    }
    this.#isPerforming = true;
    stream.pause();
    this.#connection.flush();
    // Laid over the stream, TLS reads it: from here on its bytes are not for us.
    if (effect.kind === "startTls" || effect.kind === "startCipher") this.#connection.stopHearing();
    const done = secure?.(effect, stream) ?? perform?.(effect).then(() => stream);
    done?.then(
      (next) => this.#resume(stream, next),
      (error: unknown) => this.#end(linkErrorOf(error)),
    );
  }

  #resume(before: Duplex, stream: Duplex): void {
    if (this.#connection.stream !== before) {
      stream.destroy();
      return;
    }
    if (stream.destroyed) {
      this.#end(new LinkError("target_closed", "the target closed the connection"));
      return;
    }
    if (stream !== before) {
      this.#connection.hear(stream);
      stream.pause();
    }
    this.#isPerforming = false;
    this.#goOn(stream);
  }

  /** Reads what has come meanwhile, and on. */
  #goOn(stream: Duplex): void {
    try {
      this.#client.resume(this.#clock.nowMs());
    } catch (error) {
      this.#end(linkErrorOf(error));
      return;
    }
    if (!this.#isPerforming && !this.#isHeld) this.#reader.go(stream);
  }

  #end(error: LinkError): void {
    const events = this.#events;
    if (events === null) return;
    this.#events = null;
    this.#release(error);
    events.closed(error);
  }

  #release(error: LinkError, hasLastWords = false): void {
    this.#watchdog.stop();
    this.#pace.close();
    this.#reader.close();
    this.#fences.fail(error);
    this.#areaRequests.fail(error);
    this.#client.close();
    this.#connection.release(hasLastWords && (this.#connection.stream?.writableLength ?? 0) > 0);
  }
}
