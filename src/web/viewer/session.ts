import type { DesktopEvent } from "../../desktop/desktop.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import { RfbError } from "../../protocols/rfb/error.ts";
import { RESIZE_STATUS } from "../../protocols/rfb/resize-status.ts";
import { RfbServer, type RfbServerEvent, type TlsIdentity } from "../../protocols/rfb/server/rfb-server.ts";
import { ViewerClipboardFeed } from "./clipboard.ts";
import { EncodeBudget } from "./encode-budget.ts";
import { codeOf, ViewerInput } from "./input.ts";
import { refuseViewer } from "./refusal.ts";
import type { ViewerRights } from "./rights.ts";
import type { DeniedInput, ViewerSessionOptions, ViewerSessionPorts } from "./session-options.ts";
import { CLOSE_CODE, type ViewerTransport } from "./transport.ts";
import { ViewerFeed } from "./update-feed.ts";
import { ViewerWatchdog } from "./watchdog.ts";

export type { DeniedInput, ViewerSessionOptions, ViewerSessionPorts } from "./session-options.ts";
export type { ViewedDesktop } from "./viewed-desktop.ts";

/** An update is only made while less than this waits in our memory: what changes meanwhile merges. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** What a viewer may cost in all; one that makes us answer more than it reads is closed. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A viewer that speaks before it is spoken to is let to speak this much. */
const MAX_EARLY_BYTES = 4096;
const READY_TIMEOUT_MS = 30_000;
const NOTHING = new Uint8Array(0);

/** One viewer of one desktop: an RFB server on a transport, tied to a view. Ends itself when either ends. */
export class ViewerSession {
  readonly #ports: ViewerSessionPorts;
  readonly #options: ViewerSessionOptions;
  readonly #clipboard: ViewerClipboardFeed;
  readonly #watchdog: ViewerWatchdog;
  readonly #abort = new AbortController();
  readonly #budget: EncodeBudget;
  readonly #transport: ViewerTransport;
  #server: RfbServer | null = null;
  #receive: (chunk: Uint8Array) => void;
  #early: Uint8Array[];
  #feed: ViewerFeed | null = null;
  #rights: ViewerRights | null = null;
  #input: ViewerInput | null = null;
  #leave: (() => void)[] = [];
  readonly #denied = new Set<DeniedInput>();
  #isPumpDue = false;
  /** Something may be due that waits for what was sent to leave. */
  #isHeldUp = false;
  #isClosed = false;

  constructor(ports: ViewerSessionPorts, options: ViewerSessionOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#early = options.said === undefined ? [] : [options.said];
    this.#budget = ports.budget ?? new EncodeBudget();
    this.#transport = options.transport;
    this.#clipboard = new ViewerClipboardFeed({
      isBehind: () => this.#isBehind || this.#server?.isUpdateOpen === true,
      send: (text) => this.#server?.clipboard(text),
    });
    this.#watchdog = new ViewerWatchdog({
      clock: ports.clock,
      isOwing: () => this.#isOwing,
      lost: () => this.close(CLOSE_CODE.policy, "read nothing for 30 s"),
    });
    this.#receive = (chunk) => this.#keepEarly(chunk);
    this.#transport.listen({
      receive: (chunk) => this.#guard(() => this.#receive(chunk)),
      drained: () => this.#onDrained(),
      closed: () => this.#onClosed(),
    });
    this.#open().catch((error: unknown) => this.#fail(error));
  }

  get isReady(): boolean {
    return this.#server?.isReady === true;
  }

  /** The pointer may be elsewhere: a viewer that has it drawn in gets it there. */
  pointerMoved(): void {
    if (this.#server?.drawsCursor === false) this.#schedule();
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#ports.log.info({ desktop: this.#options.desktop.id, reason }, "Viewer closed");
    this.#release();
    this.#transport.close(code, reason);
  }

  /** A desktop that never had a picture has no size to tell: the viewer waits for it. */
  async #open(): Promise<void> {
    const { desktop, readyTimeoutMs, isGreeted = false } = this.#options;
    // It is ready at once, and who made it has it by then.
    if (isGreeted) await Promise.resolve();
    if (desktop.size.width === 0) {
      try {
        await desktop.whenReady(readyTimeoutMs ?? READY_TIMEOUT_MS, this.#abort.signal);
      } catch (error) {
        if (!this.#isClosed) this.#refuse(codeOf(error));
        return;
      }
    }
    if (this.#isClosed) return;
    this.#guard(() => this.#serve());
  }

  #refuse(code: string): void {
    // There is no word for it behind the handshake.
    if (this.#options.isGreeted === true) {
      this.close(CLOSE_CODE.tryAgainLater, code);
      return;
    }
    const reason =
      code === "not_found"
        ? "there is no such desktop or monitor"
        : `the desktop has no picture yet (${code})`;
    const refusal = refuseViewer(this.#transport, this.#ports.rfb, CLOSE_CODE.tryAgainLater, reason);
    this.#hearFrom((chunk) => refusal.receive(chunk));
  }

  #serve(): void {
    const { desktop, security, viewport, isGreeted = false } = this.#options;
    const { width, height } = desktop.size;
    const server = new RfbServer(
      { name: desktop.name, width, height, screens: desktop.screens, security, viewport, isGreeted },
      {
        ...this.#ports.rfb,
        encodeRect: (work, encode) => (this.#feed === null ? encode() : this.#feed.encodeOnce(work, encode)),
        encodedRects: (style) => this.#feed?.encodedRects(style) ?? [],
        takeFilms: (asked) => this.#feed?.films.take(asked) ?? [],
        joinUpdate: (parts) => this.#feed?.join(parts) ?? Buffer.concat(parts),
        pictureNumber: () => desktop.generation,
      },
      (bytes) => this.#send(bytes),
      (event) => this.#onViewer(event),
    );
    this.#server = server;
    this.#hearFrom((chunk) => {
      const before = server.updatesInFlight;
      server.receive(chunk);
      if (server.updatesInFlight < before) this.#onProgress();
    });
    if (isGreeted) server.receive(NOTHING);
  }

  #hearFrom(receive: (chunk: Uint8Array) => void): void {
    this.#receive = receive;
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) receive(chunk);
  }

  #keepEarly(chunk: Uint8Array): void {
    this.#early.push(chunk.slice());
    if (this.#early.reduce((sum, { length }) => sum + length, 0) <= MAX_EARLY_BYTES) return;
    throw new RfbError("too_large", "version", `got more than ${MAX_EARLY_BYTES} bytes before the version`);
  }

  #onViewer(event: RfbServerEvent): void {
    switch (event.type) {
      case "startTls":
        this.#startTls(event.identity);
        return;
      case "ready":
        this.#attach();
        return;
      case "updateWanted":
        // Most ask again as soon as they have all there is: then nothing needs to be looked at.
        if (this.#server !== null && this.#feed?.isSettled(this.#server) !== true) this.#schedule();
        return;
    }
    const input = this.#input;
    if (input === null || !this.#mayInput(event.type)) {
      if (event.type === "resize") this.#server?.refuseResize(RESIZE_STATUS.prohibited);
    } else if (event.type === "key") {
      input.key(event.keysym, event.isDown, event.scancode);
    } else if (event.type === "pointer") {
      input.pointer(event.x, event.y, event.buttons);
      this.#ports.pointed?.();
    } else if (event.type === "clipboard") {
      this.#clipboard.put(event.text);
      input.clipboard(event.text);
    } else {
      this.#resize(input, event);
    }
  }

  /** What a viewer may not is dropped, and told once of each kind. */
  #mayInput(kind: DeniedInput): boolean {
    const rights = this.#rights;
    if (rights === null) return false;
    const isHuman = rights.actor.kind === "human";
    if (isHuman && !rights.isViewOnly && (kind !== "clipboard" || rights.hasClipboard)) return true;
    if (!this.#denied.has(kind)) {
      this.#denied.add(kind);
      this.#ports.denied?.(rights, kind);
    }
    return false;
  }

  #startTls(identity: TlsIdentity): void {
    const transport = this.#transport;
    if (transport.startTls === undefined) throw new Error("VeNCrypt was offered on a transport without TLS");
    transport.startTls(identity);
  }

  #attach(): void {
    const { desktop, isComposited, onReady, rights: rightsOf } = this.#options;
    const rights = rightsOf();
    this.#rights = rights;
    this.#input = new ViewerInput(desktop, rights.actor, this.#ports.log);
    const feed = new ViewerFeed({
      ...{ desktop, audience: rights.audience, isComposited },
      cacheOf: (kind) => this.#ports.cacheOf(kind),
      filmsOf: (kind) => this.#ports.filmsOf?.(kind, isComposited) ?? null,
      filmArea: () => this.#server?.filmArea ?? null,
      clock: this.#ports.clock,
      budget: this.#budget,
      isDrained: () => this.#transport.bufferedBytes === 0,
      updated: (delayMs) => this.#ports.updated?.(delayMs),
      schedule: () => this.#schedule(),
      pump: () => this.#guard(() => this.#pump()),
    });
    this.#feed = feed;
    this.#leave = [
      () => feed.close(),
      desktop.attachViewer(rights.actor),
      desktop.on((event) => this.#guard(() => this.#onDesktop(event))),
    ];
    if (desktop.cursor !== null) this.#server?.cursor(desktop.cursor);
    const locks = desktop.locks?.() ?? null;
    if (locks !== null) this.#server?.leds(locks);
    const fields = { desktop: desktop.id, actor: rights.actor.id, viewOnly: rights.isViewOnly };
    this.#ports.log.info(fields, "Viewer connected");
    onReady?.();
  }

  #onDesktop(event: DesktopEvent): void {
    switch (event.type) {
      case "resize":
        this.#server?.resize(event.size.width, event.size.height, event.screens);
        break;
      case "cursor":
        this.#server?.cursor(event.cursor);
        this.pointerMoved();
        break;
      case "action":
        this.pointerMoved();
        break;
      case "clipboard":
        if (this.#rights?.hasClipboard === true) this.#clipboard.offer(event.text);
        break;
      case "name":
        this.#server?.name(event.name);
        break;
      case "locks":
        this.#server?.leds(event.locks);
        break;
      case "bell":
        if (!this.#isBehind) this.#server?.bell();
        break;
      case "state":
        if (event.state.kind === "closed") this.close(CLOSE_CODE.goingAway, "the desktop was closed");
        break;
    }
  }

  #resize(
    input: ViewerInput,
    { width, height, screens }: Size & { readonly screens: readonly Screen[] },
  ): void {
    const answer = (status: 1 | 4): void => this.#guard(() => this.#server?.refuseResize(status));
    const places = screens.map(({ rect }) => rect);
    input.resize(width, height, places).then(
      () => {
        const { size } = this.#options.desktop;
        if (size.width !== width || size.height !== height) answer(RESIZE_STATUS.forwarded);
      },
      (error: unknown) => {
        this.#ports.log.debug({ action: "resize", code: codeOf(error) }, "Viewer input failed");
        answer(RESIZE_STATUS.prohibited);
      },
    );
  }

  get #isBehind(): boolean {
    return this.#transport.bufferedBytes >= MAX_WAITING_BYTES;
  }

  get #isOwing(): boolean {
    return this.#transport.bufferedBytes > 0 || (this.#server?.updatesInFlight ?? 0) > 0;
  }

  #send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const transport = this.#transport;
    if (transport.bufferedBytes + bytes.length > MAX_BYTES) {
      throw new RfbError("too_large", "message", "the viewer asks for more than it reads");
    }
    transport.send(bytes);
    this.#ports.sent?.(bytes.length);
    this.#watchdog.watch();
  }

  #onDrained(): void {
    if (this.#isClosed) return;
    if (this.#clipboard.isWaiting) this.#guard(() => this.#clipboard.flush());
    this.#onProgress();
  }

  #onProgress(): void {
    this.#watchdog.progress();
    if (this.#isHeldUp || this.#feed?.waitsForDrain === true) this.#schedule();
  }

  /** Once the desktop has told everybody of its change: whatever comes in one go is one update. */
  #schedule(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    this.#budget.soon(this.#pumpSoon, this.#options.isHurried);
  }

  readonly #pumpSoon = (): void => {
    this.#isPumpDue = false;
    this.#guard(() => this.#pump());
  };

  /** INVARIANT: nothing is made while much of what was made before waits, and all is made of the newest picture. */
  #pump(): void {
    const server = this.#server;
    if (this.#isClosed || server === null || !server.isUpdateWanted) return;
    this.#isHeldUp = this.#isBehind;
    if (!this.#isHeldUp) this.#feed?.pump(server);
  }

  #guard(step: () => void): void {
    if (this.#isClosed) return;
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const { desktop } = this.#options;
    if (error instanceof RfbError) {
      const { code, phase, offset } = error;
      this.#ports.log.warn({ desktop: desktop.id, code, phase, offset }, "Viewer broke the protocol");
      this.close(code === "auth_failed" ? CLOSE_CODE.policy : CLOSE_CODE.protocolError, code);
    } else if (error instanceof RefusedError) {
      this.close(CLOSE_CODE.policy, error.code);
    } else {
      this.#ports.log.error({ desktop: desktop.id, err: error }, "Viewer failed");
      this.close(CLOSE_CODE.internal, "internal error");
    }
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#ports.log.info({ desktop: this.#options.desktop.id }, "Viewer left");
    this.#release();
  }

  #release(): void {
    this.#isClosed = true;
    this.#abort.abort();
    this.#watchdog.close();
    this.#input?.release();
    for (const leave of this.#leave) leave();
    this.#leave = [];
    this.#early = [];
    this.#options.onClosed?.();
  }
}
