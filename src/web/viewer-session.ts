import type { Actor } from "../desktop/action.ts";
import type { Clock } from "../desktop/clock.ts";
import type { Desktop, DesktopEvent } from "../desktop/desktop.ts";
import type { View, Watcher } from "../desktop/view.ts";
import { type Rect, type Size, snapRect } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import { RfbError } from "../protocols/rfb/error.ts";
import { RESIZE_STATUS } from "../protocols/rfb/screen.ts";
import {
  RfbServer,
  type RfbServerEvent,
  type RfbServerPorts,
  type ServerSecurity,
} from "../protocols/rfb/server/rfb-server.ts";
import { codeOf, ViewerInput } from "./viewer-input.ts";
import type { ViewerLog } from "./viewer-log.ts";
import type { ViewerRectCache } from "./viewer-rect-cache.ts";
import { refuseViewer } from "./viewer-refusal.ts";
import { CLOSE_CODE, type ViewerTransport } from "./viewer-transport.ts";
import { ViewerWatchdog } from "./viewer-watchdog.ts";

/** The part of a Desktop that a viewer sees. */
export type ViewedDesktop = Pick<
  Desktop,
  | "id"
  | "name"
  | "size"
  | "screens"
  | "cursor"
  | "generation"
  | "viewers"
  | "attachViewer"
  | "on"
  | "view"
  | "whenReady"
  | "perform"
> & { readonly scene: { readonly version: number } };

export interface ViewerSessionPorts {
  readonly rfb: RfbServerPorts;
  /** Of the desktop: one for all its viewers. */
  readonly cache: ViewerRectCache;
  readonly clock: Clock;
  readonly log: ViewerLog;
}

export interface ViewerSessionOptions {
  readonly desktop: ViewedDesktop;
  readonly transport: ViewerTransport;
  /** Only humans send input this way; any other actor's viewer is view-only. */
  readonly actor: Actor;
  readonly security: readonly ServerSecurity[];
  /** Overlays drawn into the picture; masks always are. */
  readonly isComposited: boolean;
  /** Only pixels within are sent, in desktop pixels; the viewer is told the whole size. null: everything. */
  readonly viewport: Rect | null;
  readonly isViewOnly: boolean;
  readonly hasClipboard: boolean;
  /** How long to wait for the desktop's first picture. */
  readonly readyTimeoutMs?: number;
  readonly onReady?: () => void;
  readonly onClosed?: () => void;
}

/** An update is only made while less than this waits in our memory: what changes meanwhile merges. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** What a viewer may cost in all; one that makes us answer more than it reads is closed. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Damage grows to this grid, so that viewers whose damage differs a little still share what is encoded. */
const GRID = 16;
/** A viewer that speaks before it is spoken to is let to speak this much. */
const MAX_EARLY_BYTES = 4096;
const READY_TIMEOUT_MS = 30_000;

/** One viewer of one desktop: an RFB server on a transport, tied to a view. Ends itself when either ends. */
export class ViewerSession {
  readonly #ports: ViewerSessionPorts;
  readonly #options: ViewerSessionOptions;
  readonly #isViewOnly: boolean;
  readonly #input: ViewerInput;
  readonly #watchdog: ViewerWatchdog;
  readonly #abort = new AbortController();
  #server: RfbServer | null = null;
  #receive: (chunk: Uint8Array) => void;
  #early: Uint8Array[] = [];
  #view: View | null = null;
  #watcher: Watcher | null = null;
  #leave: (() => void)[] = [];
  /** The newest clipboard text for a viewer that is behind. */
  #waitingClipboard: string | null = null;
  #ownClipboard: string | null = null;
  #droppedInputs = 0;
  #isPumpDue = false;
  #isClosed = false;

  constructor(ports: ViewerSessionPorts, options: ViewerSessionOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#isViewOnly = options.isViewOnly || options.actor.kind !== "human";
    this.#input = new ViewerInput(options.desktop, options.actor, ports.log);
    this.#watchdog = new ViewerWatchdog({
      clock: ports.clock,
      isOwing: () => this.#isOwing,
      lost: () => this.close(CLOSE_CODE.policy, "read nothing for 30 s"),
    });
    this.#receive = (chunk) => this.#keepEarly(chunk);
    options.transport.listen({
      receive: (chunk) => this.#guard(() => this.#receive(chunk)),
      drained: () => this.#onDrained(),
      closed: () => this.#onClosed(),
    });
    this.#open().catch((error: unknown) => this.#fail(error));
  }

  /** Input that a view-only viewer sent all the same. */
  get droppedInputs(): number {
    return this.#droppedInputs;
  }

  get isReady(): boolean {
    return this.#server?.isReady === true;
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#ports.log.info({ desktop: this.#options.desktop.id, reason }, "Viewer closed");
    this.#release();
    this.#options.transport.close(code, reason);
  }

  /** A desktop that never had a picture has no size to tell: the viewer waits for it. */
  async #open(): Promise<void> {
    const { desktop, readyTimeoutMs } = this.#options;
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
    const reason = `the desktop has no picture yet (${code})`;
    const refusal = refuseViewer(this.#options.transport, this.#ports.rfb, CLOSE_CODE.tryAgainLater, reason);
    this.#hearFrom((chunk) => refusal.receive(chunk));
  }

  #serve(): void {
    const { desktop, security, viewport } = this.#options;
    const { width, height } = desktop.size;
    const server = new RfbServer(
      { name: desktop.name, width, height, screens: desktop.screens, security, viewport },
      { ...this.#ports.rfb, encodeRect: (work, encode) => this.#encodeOnce(work, encode) },
      (bytes) => this.#send(bytes),
      (event) => this.#onViewer(event),
    );
    this.#server = server;
    this.#hearFrom((chunk) => {
      const before = server.updatesInFlight;
      server.receive(chunk);
      if (server.updatesInFlight < before) this.#watchdog.progress();
    });
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
      case "ready":
        this.#attach();
        return;
      case "updateWanted":
        this.#schedule();
        return;
      case "resize":
        this.#resize(event.width, event.height);
        return;
    }
    if (this.#isViewOnly || (event.type === "clipboard" && !this.#options.hasClipboard)) {
      this.#droppedInputs++;
    } else if (event.type === "key") {
      this.#input.key(event.keysym, event.isDown, event.scancode);
    } else if (event.type === "pointer") {
      this.#input.pointer(event.x, event.y, event.buttons);
    } else {
      this.#ownClipboard = event.text;
      this.#input.clipboard(event.text);
    }
  }

  #attach(): void {
    const { desktop, isComposited, actor, onReady } = this.#options;
    const view = desktop.view("viewer");
    const watcher = view.watch(() => this.#schedule(), { withOverlays: isComposited });
    this.#view = view;
    this.#watcher = watcher;
    this.#leave = [
      () => watcher.close(),
      desktop.attachViewer(),
      desktop.on((event) => this.#guard(() => this.#onDesktop(event))),
    ];
    if (desktop.cursor !== null) this.#server?.cursor(desktop.cursor);
    const fields = { desktop: desktop.id, actor: actor.id, viewOnly: this.#isViewOnly };
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
        break;
      case "clipboard":
        this.#offerClipboard(event.text);
        break;
      case "name":
        this.#server?.name(event.name);
        break;
      case "bell":
        if (!this.#isBehind) this.#server?.bell();
        break;
      case "state":
        if (event.state.kind === "closed") this.close(CLOSE_CODE.goingAway, "the desktop was closed");
        break;
    }
  }

  #offerClipboard(text: string): void {
    if (!this.#options.hasClipboard) return;
    // The target's echo of what this viewer put there itself.
    if (text === this.#ownClipboard) return;
    this.#ownClipboard = null;
    if (this.#isBehind) this.#waitingClipboard = text;
    else this.#server?.clipboard(text);
  }

  #resize(width: number, height: number): void {
    const server = this.#server;
    if (server === null) return;
    if (this.#isViewOnly) {
      this.#droppedInputs++;
      server.refuseResize(RESIZE_STATUS.prohibited);
      return;
    }
    const answer = (status: 1 | 4): void => {
      if (!this.#isClosed) this.#guard(() => server.refuseResize(status));
    };
    this.#input.resize(width, height).then(
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
    return this.#options.transport.bufferedBytes >= MAX_WAITING_BYTES;
  }

  get #isOwing(): boolean {
    return this.#options.transport.bufferedBytes > 0 || (this.#server?.updatesInFlight ?? 0) > 0;
  }

  #send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const { transport } = this.#options;
    if (transport.bufferedBytes + bytes.length > MAX_BYTES) {
      throw new RfbError("too_large", "message", "the viewer asks for more than it reads");
    }
    transport.send(bytes);
    this.#watchdog.watch();
  }

  #onDrained(): void {
    if (this.#isClosed) return;
    this.#watchdog.progress();
    const text = this.#waitingClipboard;
    if (text !== null && !this.#isBehind) {
      this.#waitingClipboard = null;
      this.#guard(() => this.#server?.clipboard(text));
    }
    this.#schedule();
  }

  /** Once the desktop has told everybody of its change: whatever comes in one go is one update. */
  #schedule(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#guard(() => this.#pump());
    });
  }

  /** INVARIANT: at most one update is made before the one before has left, and always of the newest picture. */
  #pump(): void {
    const server = this.#server;
    const watcher = this.#watcher;
    const view = this.#view;
    if (this.#isClosed || server === null || watcher === null || view === null) return;
    if (!server.isUpdateWanted || this.#isBehind) return;
    const { width, height } = view;
    if (server.size.width !== width || server.size.height !== height)
      server.resize(width, height, view.screens);
    const { painted, copies } = watcher.take();
    const left = server.update(view.picture(this.#options.isComposited), snap(painted, view), copies);
    if (!left.isEmpty) watcher.putBack(left);
  }

  #encodeOnce(work: Parameters<ViewerRectCache["get"]>[2], encode: () => Uint8Array): Uint8Array {
    const { desktop, isComposited } = this.#options;
    if (desktop.viewers < 2) return encode();
    const stamp = `${desktop.generation}.${desktop.scene.version}`;
    return this.#ports.cache.get(stamp, isComposited ? "overlays" : "bare", work, encode);
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
    this.#input.release();
    for (const leave of this.#leave) leave();
    this.#leave = [];
    this.#early = [];
    this.#options.onClosed?.();
  }
}

function snap(region: Region, size: Size): Region {
  return Region.from(region.rects.map((rect) => snapRect(rect, GRID, size)));
}
