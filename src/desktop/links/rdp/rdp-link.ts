import type { Duplex } from "node:stream";
import { type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { RdpClientEvent, RdpClientOptions, RdpEffect } from "../../../protocols/rdp/client-context.ts";
import type { FilesCommand } from "../../../protocols/rdp/files/file-messages.ts";
import { RdpClient } from "../../../protocols/rdp/rdp-client.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents } from "../../link.ts";
import { forwardEvent } from "../forwarded-events.ts";
import { linkErrorOf } from "../link-error.ts";
import { startJudgedTls } from "../streams/target-tls.ts";
import { TargetConnection } from "../target-connection.ts";
import { Watchdog } from "../watchdog.ts";
import { FirstPicture } from "./rdp-first-picture.ts";
import { rdpPlatform, subjectPublicKeyOf } from "./rdp-platform.ts";
import { endOf } from "./rdp-sessions.ts";
import { RefreshBarrier } from "./refresh-barrier.ts";
import { UpdateJoiner } from "./update-joiner.ts";

/** xrdp 0.9.21 with Xorg showed what was painted within 16 ms, and beside scrolling text within 45 (2026-11-24). */
const XRDP_SHOWS_MS = 50;

export interface RdpLinkOptions extends RdpClientOptions {
  /** Opens the byte stream to the target. Emits "connect" when a socket is up. */
  readonly connect: () => Duplex;
  /** The name that the target's certificate should bear. */
  readonly host: string;
  readonly trust: TargetTrust;
  /** Called when the link signs in, to know whether a later link of ours took its session; default: there is none. */
  readonly claim?: (() => { wasTakenByUs(): boolean }) | undefined;
}

/** An RDP target: one byte stream, TLS over it, and the RdpClient that speaks inside. */
export class RdpLink implements Link {
  readonly provesClipboard = true;
  readonly #options: RdpLinkOptions;
  readonly #clock: Clock;
  #client: RdpClient;
  readonly #questions: RefreshBarrier;
  readonly #picture: FirstPicture;
  readonly #updates: UpdateJoiner;
  readonly #connection: TargetConnection;
  readonly #watchdog: Watchdog;
  #events: LinkEvents | null = null;
  #claim: { wasTakenByUs(): boolean } | null = null;
  /** Hosts send from the beginning. */
  #isWatched = true;
  #isSuppressed = false;
  /** A whole picture was told. */
  #hasWhole = false;
  /** The host takes its sign-in only wrapped in SPNEGO, as it was found to want by the first. */
  #isSecondTry = false;

  constructor(options: RdpLinkOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#client = this.#makeClient(options);
    this.#questions = new RefreshBarrier((pixels) => this.#client.refresh(pixels), clock);
    const ask = (): void => {
      this.#client.suppress(false);
      this.#client.refresh();
    };
    this.#picture = new FirstPicture({ ask, giveUp: (error) => this.#end(error) }, clock);
    const isWhole = (): boolean => !this.#client.isInFrame;
    const tell = (painted: Region): void => {
      const missing = this.#client.missingPixels;
      this.#hasWhole ||= missing === 0;
      this.#events?.update({ painted, copies: [], missing });
    };
    this.#updates = new UpdateJoiner({ isWhole, tell }, clock);
    this.#connection = new TargetConnection(
      {
        up: () => {
          this.#events?.step("connect", "the target accepted the connection");
          this.#run(() => this.#client.start(clock.nowMs()));
        },
        data: (chunk) => this.#receive(chunk),
        errorOf: (error) => this.#streamError(error),
        closedByTarget: () => linkErrorOf(this.#client.closed()),
        handshakeMessage: () => "the RDP handshake was not over within 15 s",
        failed: (error) => this.#end(error),
      },
      clock,
    );
    this.#watchdog = new Watchdog(
      {
        // A host that never answered such a question, or that was told to be silent, would not answer this one.
        mayAsk: () => this.#questions.hasAnswered && !this.#isSuppressed,
        ask: () => this.#questions.probe(),
        stalled: (isStalled) => this.#events?.stalled(isStalled),
        giveUp: () => this.#end(new LinkError("stalled", "the target did not answer for 40 s")),
      },
      clock,
    );
  }

  get isExact(): boolean {
    return !this.#client.isLossy;
  }

  get framebuffer() {
    return this.#client.framebuffer;
  }

  get description(): string {
    return this.#client.description;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    this.#claim = this.#options.claim?.() ?? null;
    this.#connection.open(this.#options.connect);
  }

  #makeClient(options: RdpClientOptions): RdpClient {
    return new RdpClient(
      options,
      rdpPlatform,
      (bytes) => this.#connection.write(bytes),
      (event) => this.#onEvent(event),
    );
  }

  /** Unwatched, a host that can be told so sends nothing; watched again, it sends everything. */
  follow(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (isWatched) this.#unsuppress();
    else this.#suppress();
  }

  refresh(): void {
    this.#client.refresh();
  }

  showsWithinMs(): number | undefined {
    return this.#client.isXrdp && this.#questions.hasAnswered ? XRDP_SHOWS_MS : undefined;
  }

  barrier(): Promise<void> {
    return this.latest();
  }

  /** Asks for a few pixels: the answer comes with all that had changed before. */
  latest(): Promise<void> {
    if (this.#events === null || !this.#client.isActive) {
      return Promise.reject(new LinkError("target_closed", "the target is not connected"));
    }
    this.#unsuppress();
    const asked = this.#questions.ask(this.#client.features.samplesScreen);
    asked.then(
      () => {
        this.#updates.flush();
        if (!this.#isWatched) this.#suppress();
      },
      () => undefined, // told to whoever asked
    );
    return asked;
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#client.pointer(x, y, buttons);
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    this.#client.key(keysym, isDown, scancode);
  }

  canType(keysym: number): boolean {
    return this.#client.canType(keysym);
  }

  clipboard(text: string): void {
    this.#client.clipboard(text);
  }

  listen(isOn: boolean): void {
    this.#client.listen(isOn);
  }

  files(command: FilesCommand): void {
    this.#client.files(command);
  }

  /** The first of the screens is the primary one. */
  resize(width: number, height: number, screens?: readonly Rect[]): boolean {
    return this.#client.arrange(screens ?? [rect(0, 0, width, height)]);
  }

  close(): void {
    this.#events = null;
    this.#client.close();
    this.#connection.flush();
    this.#release(new LinkError("target_closed", "the connection was closed here"));
  }

  /** Hosts that refuse a password cut the connection, which the socket's error does not say. */
  #streamError(error: unknown): LinkError {
    const isCut =
      error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
    return isCut && this.#client.phase !== "negotiation"
      ? linkErrorOf(this.#client.closed())
      : linkErrorOf(error);
  }

  #receive(chunk: Uint8Array): void {
    if (this.#events === null) return;
    const nowMs = this.#clock.nowMs();
    this.#watchdog.heard(nowMs);
    this.#run(() => this.#client.receive(chunk, nowMs));
  }

  #run(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#end(linkErrorOf(error));
    }
  }

  #onEvent(event: RdpClientEvent): void {
    const events = this.#events;
    if (events === null) return;
    switch (event.type) {
      case "handshake":
        events.step(event.step, event.detail);
        break;
      case "effect":
        this.#perform(event.effect);
        break;
      case "ready":
        this.#connection.established();
        this.#watchdog.start();
        this.#picture.await();
        this.#client.expectPicture();
        events.ready({ name: this.#name, screens: event.screens });
        break;
      case "update":
        if (this.#picture.came() && !this.#isWatched) this.#suppress();
        this.#updates.add(event.painted);
        this.#questions.painted(event.painted, this.#client.missingPixels === 0);
        break;
      case "resize":
        if (!this.#hasWhole || this.#client.missingPixels > 0) this.#client.expectPicture();
        this.#updates.drop();
        events.resize(event.screens);
        break;
      case "cursor":
      case "clipboard":
      case "clipboardOffered":
      case "clipboardTaken":
      case "bell":
      case "soundOffered":
      case "sound":
      case "files":
        forwardEvent(event, events);
        break;
    }
  }

  /** RDP desktops have no name: whose session it is, and where. */
  get #name(): string {
    return `${this.#options.username}@${this.#options.host}`;
  }

  #suppress(): void {
    const { isActive, features } = this.#client;
    if (this.#isSuppressed || !this.#picture.hasCome || !isActive || !features.hasSuppressOutput) return;
    this.#isSuppressed = true;
    this.#client.suppress(true);
  }

  #unsuppress(): void {
    if (!this.#isSuppressed) return;
    this.#isSuppressed = false;
    this.#client.expectPicture();
    this.#client.suppress(false);
  }

  /** Laid over the stream, TLS reads it: from here on its bytes are not for us. */
  #perform(effect: RdpEffect): void {
    const { stream } = this.#connection;
    if (stream === null) return;
    stream.pause();
    this.#connection.flush();
    this.#connection.stopHearing();
    const { host, trust } = this.#options;
    startJudgedTls(stream, host, trust).then(
      ({ socket, certificate }) => {
        if (this.#connection.stream !== stream) {
          socket.destroy();
          return;
        }
        this.#connection.hear(socket);
        this.#run(() => {
          effect.take(subjectPublicKeyOf(certificate));
          this.#client.resume(this.#clock.nowMs());
        });
      },
      (error: unknown) => this.#end(linkErrorOf(error)),
    );
  }

  #end(error: LinkError): void {
    const events = this.#events;
    if (events === null) return;
    if (this.#client.wantsSpnego && !this.#isSecondTry && error.code !== "handshake_timeout") {
      this.#isSecondTry = true;
      this.#release(error);
      this.#client = this.#makeClient({ ...this.#options, isSpnegoWrapped: true });
      this.#connection.open(this.#options.connect);
      return;
    }
    this.#updates.flush();
    this.#events = null;
    this.#release(error);
    events.closed(endOf(error, this.#claim?.wasTakenByUs() === true));
  }

  #release(error: LinkError): void {
    this.#watchdog.stop();
    this.#picture.stop();
    this.#updates.drop();
    this.#questions.fail(error);
    this.#connection.release(true);
  }
}
