import type { Duplex } from "node:stream";
import { type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { RdpClientEvent, RdpClientOptions, RdpEffect } from "../../../protocols/rdp/conversation.ts";
import { RdpClient } from "../../../protocols/rdp/rdp-client.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents } from "../../link.ts";
import { linkErrorOf } from "../link-error.ts";
import { startJudgedTls } from "../streams/target-tls.ts";
import { ScreenGaps } from "../vnc/screen-gaps.ts";
import { UpdateJoiner } from "../vnc/update-joiner.ts";
import { FirstPicture } from "./rdp-first-picture.ts";
import { rdpPlatform, subjectPublicKeyOf } from "./rdp-platform.ts";
import { endOf } from "./rdp-sessions.ts";
import { RdpQuestions } from "./refresh-barrier.ts";

/** Connecting and the whole handshake. */
const CONNECT_MS = 10_000;
const HANDSHAKE_MS = 15_000;
/** A target that was silent so long is asked whether it is still there. */
const QUIET_MS = 5000;
/** An answer to that takes at most so long. */
const ANSWER_MS = 4500;
/** A stalled target is given up after so long. */
const GIVE_UP_MS = 30_000;
/** A last message has so long to leave. */
const GOODBYE_MS = 1000;
/** More unsent input than this means that the target no longer reads. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

export interface RdpLinkOptions extends RdpClientOptions {
  /** Opens the byte stream to the target. Emits "connect" when a socket is up. */
  readonly connect: () => Duplex;
  /** The name that the target's certificate should bear. */
  readonly host: string;
  readonly trust: TargetTrust;
  /** Called when the link signs in; default: nobody else of ours does. */
  readonly claim?: () => { wasTakenByUs(): boolean };
}

/** An RDP target: one byte stream, TLS over it, and the RdpClient that speaks inside. */
export class RdpLink implements Link {
  readonly provesClipboard = true;
  readonly #options: RdpLinkOptions;
  readonly #clock: Clock;
  #client: RdpClient;
  readonly #questions: RdpQuestions;
  readonly #picture: FirstPicture;
  readonly #gaps = new ScreenGaps();
  readonly #updates: UpdateJoiner;
  #stream: Duplex | null = null;
  #events: LinkEvents | null = null;
  #cancelPhase: (() => void) | null = null;
  #cancelWatchdog: (() => void) | null = null;
  #stopHearing: (() => void) | null = null;
  #outbox: Buffer[] = [];
  #heardAtMs = 0;
  #isStalled = false;
  #claim: { wasTakenByUs(): boolean } | null = null;
  /** Hosts send from the beginning. */
  #isWatched = true;
  #isSuppressed = false;
  /** The host takes its sign-in only wrapped in SPNEGO, as it was found to want by the first. */
  #isSecondTry = false;

  constructor(options: RdpLinkOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#client = this.#makeClient(options);
    this.#questions = new RdpQuestions((pixels) => this.#client.refresh(pixels), clock);
    const ask = (): void => {
      this.#client.suppress(false);
      this.#client.refresh();
    };
    this.#picture = new FirstPicture({ ask, giveUp: (error) => this.#end(error) }, clock);
    const isWhole = (): boolean => !this.#client.isInFrame;
    const tell = (painted: Region): void => this.#events?.update({ painted, copies: [] });
    this.#updates = new UpdateJoiner({ isWhole, tell }, clock);
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
    this.#connect();
  }

  #makeClient(options: RdpClientOptions): RdpClient {
    return new RdpClient(
      options,
      rdpPlatform,
      (bytes) => this.#write(bytes),
      (event) => this.#onEvent(event),
    );
  }

  #connect(): void {
    let stream: Duplex;
    try {
      stream = this.#options.connect();
    } catch (cause) {
      // Told later, so that nobody is called back before `open` has returned.
      this.#clock.after(0, () => this.#end(linkErrorOf(cause)));
      return;
    }
    this.#stream = stream;
    this.#limit(CONNECT_MS, "unreachable", "the target did not accept the connection within 10 s");
    stream.once("connect", () => {
      this.#events?.step("connect", "the target accepted the connection");
      this.#limit(HANDSHAKE_MS, "handshake_timeout", "the RDP handshake was not over within 15 s");
      this.#run(() => this.#client.start(this.#clock.nowMs()));
    });
    this.#hear(stream);
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

  /** The first of the screens is the primary one. */
  resize(width: number, height: number, screens?: readonly Rect[]): boolean {
    return this.#client.arrange(screens ?? [rect(0, 0, width, height)]);
  }

  close(): void {
    this.#events = null;
    this.#client.close();
    this.#flush();
    this.#release(new LinkError("target_closed", "the connection was closed here"));
  }

  /** Only the uppermost stream is heard. */
  #hear(stream: Duplex): void {
    this.#stopHearing?.();
    const onData = (chunk: Uint8Array): void => this.#receive(chunk);
    const onError = (error: unknown): void => this.#end(this.#isTelling(error));
    const onEnd = (): void => this.#end(linkErrorOf(this.#client.closed()));
    stream.on("data", onData).once("error", onError).once("close", onEnd).once("end", onEnd);
    this.#stopHearing = () => {
      stream.on("error", () => undefined); // late errors of a stream that nobody hears any more
      stream.off("data", onData).off("error", onError).off("close", onEnd).off("end", onEnd);
    };
  }

  /** Hosts that refuse a password cut the connection; what the socket says of that helps nobody. */
  #isTelling(error: unknown): LinkError {
    const isCut =
      error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
    return isCut && this.#client.phase !== "negotiation"
      ? linkErrorOf(this.#client.closed())
      : linkErrorOf(error);
  }

  /** Messages of one turn leave together, after it. */
  #write(bytes: Uint8Array): void {
    if (this.#outbox.length === 0) queueMicrotask(() => this.#flush());
    this.#outbox.push(Buffer.from(bytes));
  }

  #flush(): void {
    if (this.#outbox.length === 0) return;
    const bytes = Buffer.concat(this.#outbox);
    this.#outbox = [];
    const stream = this.#stream;
    if (stream === null || stream.destroyed) return;
    stream.write(bytes);
    if (stream.writableLength > MAX_UNSENT_BYTES) {
      this.#end(new LinkError("stalled", "the target stopped reading: more than 4 MiB of input are unsent"));
    }
  }

  #receive(chunk: Uint8Array): void {
    if (this.#events === null) return;
    this.#heardAtMs = this.#clock.nowMs();
    if (this.#isStalled) {
      this.#isStalled = false;
      this.#events.stalled(false);
    }
    this.#run(() => this.#client.receive(chunk, this.#heardAtMs));
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
        this.#cancelPhase?.();
        this.#cancelPhase = null;
        this.#watch(QUIET_MS);
        this.#picture.await();
        this.#gaps.set(this.framebuffer, event.screens);
        events.ready({ name: this.#name, screens: event.screens });
        break;
      case "update":
        if (this.#picture.came() && !this.#isWatched) this.#suppress();
        this.#updates.add(this.#gaps.withPainted(event.painted));
        this.#questions.painted(event.painted);
        break;
      case "resize":
        this.#questions.resized(this.framebuffer);
        this.#gaps.set(this.framebuffer, event.screens);
        this.#updates.drop();
        events.resize(event.screens);
        break;
      case "cursor":
        events.cursor(event.cursor);
        break;
      case "clipboard":
        events.clipboard(event.text);
        break;
      case "clipboardTaken":
        events.clipboardTaken?.();
        break;
      case "bell":
        events.bell();
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
    this.#questions.expectAll(this.framebuffer);
    this.#client.suppress(false);
  }

  /** Laid over the stream, TLS reads it: from here on its bytes are not for us. */
  #perform(effect: RdpEffect): void {
    const stream = this.#stream;
    if (stream === null) return;
    stream.pause();
    this.#flush();
    this.#stopHearing?.();
    const { host, trust } = this.#options;
    startJudgedTls(stream, host, trust).then(
      ({ socket, certificate }) => {
        if (this.#stream !== stream) {
          socket.destroy();
          return;
        }
        this.#stream = socket;
        this.#hear(socket);
        this.#run(() => {
          effect.take(subjectPublicKeyOf(certificate));
          this.#client.resume(this.#clock.nowMs());
        });
      },
      (error: unknown) => this.#end(linkErrorOf(error)),
    );
  }

  /** Ends the link unless the phase is over in time. */
  #limit(limitMs: number, code: "unreachable" | "handshake_timeout", message: string): void {
    this.#cancelPhase?.();
    this.#cancelPhase = this.#clock.after(limitMs, () => this.#end(new LinkError(code, message)));
  }

  /** Looks again when the target could have been quiet for long enough to be asked. */
  #watch(delayMs: number): void {
    this.#cancelWatchdog = this.#clock.after(delayMs, () => {
      const quietMs = this.#clock.nowMs() - this.#heardAtMs;
      // A host that never answered such a question, or that was told to be silent, would not answer this one.
      if (quietMs < QUIET_MS || !this.#questions.hasAnswered || this.#isSuppressed) {
        this.#watch(Math.max(QUIET_MS - quietMs, 1000));
      } else this.#probe();
    });
  }

  #probe(): void {
    const askedAtMs = this.#clock.nowMs();
    this.#questions.probe();
    this.#cancelWatchdog = this.#clock.after(ANSWER_MS, () => {
      if (this.#heardAtMs >= askedAtMs) {
        this.#watch(QUIET_MS);
        return;
      }
      this.#isStalled = true;
      this.#events?.stalled(true);
      this.#cancelWatchdog = this.#clock.after(GIVE_UP_MS, () => {
        if (this.#isStalled) this.#end(new LinkError("stalled", "the target did not answer for 40 s"));
        else this.#watch(QUIET_MS);
      });
    });
  }

  #end(error: LinkError): void {
    const events = this.#events;
    if (events === null) return;
    if (this.#client.wantsSpnego && !this.#isSecondTry && error.code !== "handshake_timeout") {
      this.#isSecondTry = true;
      this.#release(error);
      this.#client = this.#makeClient({ ...this.#options, isSpnegoWrapped: true });
      this.#connect();
      return;
    }
    this.#updates.flush();
    this.#events = null;
    this.#release(error);
    events.closed(endOf(error, this.#claim?.wasTakenByUs() === true));
  }

  #release(error: LinkError): void {
    this.#cancelPhase?.();
    this.#cancelWatchdog?.();
    this.#picture.stop();
    this.#updates.drop();
    this.#questions.fail(error);
    const stream = this.#stream;
    this.#stream = null;
    if (stream === null) return;
    this.#stopHearing?.();
    // What was said last still leaves, where the target takes it in time.
    const cancel = this.#clock.after(GOODBYE_MS, () => stream.destroy());
    stream.once("close", cancel);
    stream.end(() => stream.destroy());
  }
}
