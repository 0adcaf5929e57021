import RFB from "@novnc/novnc";
import type { Point, Rect, Size } from "../../../framebuffer/rect.ts";
import type { MaskInfo, OverlayInfo, OverlayMessage } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { MaskLayer } from "../masks/mask-layer.ts";
import { backOffMs } from "../shell/back-off.ts";
import { LiveSocket } from "../shell/live-socket.ts";
import { openSocket } from "../shell/open-socket.ts";
import { type Crop, queryOfCrop } from "./crop.ts";
import { EscapeChord } from "./escape-chord.ts";
import { KeyboardField } from "./input/keyboard-field.ts";
import { LatchedKeys } from "./input/latched-keys.ts";
import { TouchView } from "./input/touch-view.ts";
import { LastFrame } from "./last-frame.ts";
import { OverlayLayer } from "./overlay-layer.ts";
import { Stage } from "./stage.ts";
import { clampZoom, type Zoom } from "./stage-plan.ts";

/** The viewer's own connection; what the desktop does about its target is another thing. */
export type ViewerStatus =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  /** Comes back by itself at that browser time, ms. */
  | { readonly kind: "lost"; readonly retryAtMs: number; readonly reason: string };

/** What a viewer tells its page. */
interface ViewerEvents {
  status(status: ViewerStatus): void;
  overlays(overlays: readonly OverlayInfo[]): void;
  overlayCloseAsked(overlay: OverlayInfo): void;
  /** A person drew what is to be hidden, desktop pixels; null: they gave it up. */
  maskDrawn(rect: Rect | null): void;
  /** What the desktop put on its clipboard. */
  clipboard(text: string): void;
  /** The desktop's size, and CSS pixels a desktop pixel, after each layout. */
  laidOut(size: Size, scale: number): void;
  /** Other modifiers are held down until the next key. */
  latched(keysyms: ReadonlySet<number>): void;
  /** Fingers zoomed. */
  zoomed(zoom: Zoom): void;
  /** The desktop got the keyboard. */
  entered(): void;
  /** The escape chord: the page takes the keyboard. */
  left(): void;
  /** The chord that leads to the approval that waits. */
  approvalWanted(): void;
  /** The stop chord. */
  stopAsked(): void;
}

export interface ViewerOptions {
  readonly desktopId: string;
  readonly crop: Crop | null;
  /** For screen readers. */
  readonly label: string;
  readonly events: ViewerEvents;
}

const MODIFIER_KEYS = new Set(["Control", "Alt", "AltGraph", "Shift", "Meta", "CapsLock", "NumLock"]);

/**
 * One desktop in one element: noVNC draws the picture, the overlay layer lies above it, and the last picture stays below
 * while a connection is being replaced. Frees everything on `close`.
 */
export class Viewer {
  readonly #stage: Stage;
  readonly #options: ViewerOptions;
  /** Over the picture and below the overlays, as large as the desktop: for marks that the page draws. */
  readonly marks = document.createElement("div");
  readonly #screen = document.createElement("div");
  readonly #lastFrame = new LastFrame();
  readonly #layer: OverlayLayer;
  readonly #maskLayer: MaskLayer;
  readonly #keyboard: KeyboardField;
  readonly #latched = new LatchedKeys(
    (keysym, isDown) => this.#rfb?.sendKey(keysym, null, isDown),
    (held) => this.#options.events.latched(held),
  );
  readonly #chord = new EscapeChord();
  readonly #canvasChanged = new MutationObserver(() => this.#layout());
  readonly #overlaySocket: LiveSocket<OverlayMessage>;
  readonly #listening = new AbortController();
  #rfb: RFB | null = null;
  #size: Size = { width: 0, height: 0 };
  #zoom: Zoom = "fit";
  #isViewOnly = false;
  #attempt = 0;
  #retry: number | undefined;
  /** Late answers of an earlier try are dropped by this number. */
  #round = 0;

  /** Connects at once. `stage` must be positioned and have a size of its own. */
  constructor(stage: HTMLElement, options: ViewerOptions) {
    this.#stage = new Stage(stage, () => this.#layout());
    this.#options = options;
    this.#layer = new OverlayLayer({
      changed: (overlays) => options.events.overlays(overlays),
      closeAsked: (overlay) => options.events.overlayCloseAsked(overlay),
    });
    this.#maskLayer = new MaskLayer({ drawn: (rect) => options.events.maskDrawn(rect) });
    const screen = this.#screen;
    screen.className = "viewer-screen";
    this.marks.className = "viewer-marks";
    this.#keyboard = new KeyboardField(
      {
        get canvas() {
          return screen.querySelector("canvas");
        },
        press: (keysym) => this.press(keysym),
      },
      t`${options.label}: all keys go to the desktop, Control Alt Shift leaves it`,
    );
    const { surface } = this.#stage;
    surface.append(
      ...[this.#lastFrame.element, screen, this.#maskLayer.element, this.marks, this.#layer.element],
      this.#keyboard.element,
    );
    new TouchView(screen, {
      zoom: (factor, centre) => this.#zoomBy(factor, centre),
      pan: (dx, dy) => this.#stage.frame.scrollBy(-dx, -dy),
    });
    this.#listen();
    const query = new URLSearchParams({ desktop: options.desktopId });
    this.#overlaySocket = new LiveSocket(`/ws/overlays?${query}`, {
      message: (message) => {
        if (message.type === "sync_state") this.#hintSize(message);
        this.#layer.receive(message);
      },
      open: () => {},
    });
    this.#connect();
  }

  /** Of a window that shows a part of a desktop, nothing changes. */
  set zoom(zoom: Zoom) {
    if (zoom === this.#zoom) return;
    this.#zoom = zoom;
    this.#layout();
  }

  set isViewOnly(isViewOnly: boolean) {
    this.#isViewOnly = isViewOnly;
    this.#keyboard.isEnabled = !isViewOnly;
    if (this.#rfb) this.#rfb.viewOnly = isViewOnly;
  }

  set masks(masks: readonly MaskInfo[]) {
    this.#maskLayer.masks = masks;
  }

  /** The next drag over the picture draws what is to be hidden. */
  drawMask(): void {
    this.#maskLayer.draw();
  }

  set areOverlaysShown(areShown: boolean) {
    this.#layer.element.hidden = !areShown;
  }

  /** Drops the connection, if there is one, and opens another at once. */
  reconnect(): void {
    this.#attempt = 0;
    this.#drop();
    this.#connect();
  }

  /** Like `reconnect`, but leaves a connection that lives or is being made. */
  retryNow(): void {
    if (!this.#rfb) this.reconnect();
  }

  focus(): void {
    this.#keyboard.focus();
  }

  /** Presses and releases the key of a keysym, with those that are latched. */
  press(keysym: number): void {
    this.#rfb?.sendKey(keysym, null);
    this.#latched.release();
  }

  /** Holds a modifier down until the next key, or lets it go. */
  latch(keysym: number): void {
    this.#latched.toggle(keysym);
  }

  /** The on-screen keyboard of a phone or tablet. */
  toggleKeyboard(): void {
    this.#keyboard.isKeyboardShown = !this.#keyboard.isKeyboardShown;
  }

  sendCtrlAltDel(): void {
    this.#rfb?.sendCtrlAltDel();
  }

  /** Puts text on the desktop's clipboard. */
  paste(text: string): void {
    this.#rfb?.clipboardPasteFrom(text);
  }

  close(): void {
    this.#listening.abort();
    this.#latched.release();
    this.#maskLayer.stop();
    this.#canvasChanged.disconnect();
    this.#overlaySocket.close();
    this.#drop();
    this.#stage.close();
  }

  #drop(): void {
    this.#round++;
    clearTimeout(this.#retry);
    const rfb = this.#rfb;
    this.#rfb = null;
    if (!rfb) return;
    this.#lastFrame.take(rfb);
    rfb.disconnect();
  }

  #connect(): void {
    const round = ++this.#round;
    this.#options.events.status({ kind: "connecting" });
    const query = new URLSearchParams(this.#options.crop ? queryOfCrop(this.#options.crop) : "");
    query.set("composite", "0");
    const path = `/ws/desktops/${encodeURIComponent(this.#options.desktopId)}?${query}`;
    const { socket, begin } = openSocket(path, ["binary"]);
    // noVNC does not hand on why a socket closed.
    let reason = "";
    socket.addEventListener("close", (event) => {
      reason = event.reason;
    });
    this.#screen.replaceChildren();
    const rfb = new RFB(this.#screen, socket, { shared: true });
    this.#rfb = rfb;
    rfb.background = "transparent";
    rfb.scaleViewport = true;
    rfb.viewOnly = this.#isViewOnly;
    rfb.addEventListener("connect", () => {
      if (round !== this.#round) return;
      this.#attempt = 0;
      this.#options.events.status({ kind: "connected" });
    });
    rfb.addEventListener("clipboard", (event) => {
      if (round === this.#round) this.#options.events.clipboard(event.detail.text);
    });
    rfb.addEventListener("securityfailure", (event) => {
      reason = event.detail.reason ?? t`the desktop's authentication failed`;
    });
    rfb.addEventListener("disconnect", () => {
      if (round !== this.#round) return;
      this.#lastFrame.take(rfb);
      this.#rfb = null;
      this.#lost(reason);
    });
    this.#adoptCanvas();
    begin();
  }

  #lost(reason: string): void {
    const waitMs = backOffMs(this.#attempt++, Math.random());
    this.#options.events.status({ kind: "lost", retryAtMs: Date.now() + waitMs, reason });
    this.#retry = setTimeout(() => this.#connect(), waitMs);
  }

  get #canvas(): HTMLCanvasElement | null {
    return this.#screen.querySelector("canvas");
  }

  /** The canvas' own size is the desktop's: noVNC has no event for it. */
  #adoptCanvas(): void {
    const canvas = this.#canvas;
    if (!canvas) return;
    canvas.tabIndex = -1;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", this.#options.label);
    // noVNC gives its canvas the focus at a press; nothing can be composed there.
    canvas.addEventListener("focus", () => this.#keyboard.focus());
    canvas.addEventListener("pointerdown", (event) => {
      const { left, top } = this.#stage.surface.getBoundingClientRect();
      this.#keyboard.moveTo(event.clientX - left, event.clientY - top);
    });
    this.#canvasChanged.disconnect();
    this.#canvasChanged.observe(canvas, { attributes: true, attributeFilter: ["width", "height"] });
  }

  /** The overlay socket names the size before the first frame; the canvas knows better once it has one. */
  #hintSize(size: Size): void {
    if (this.#size.width > 0 || size.width === 0) return;
    this.#size = { width: size.width, height: size.height };
    this.#layout();
  }

  #layout(): void {
    const canvas = this.#canvas;
    if (canvas && canvas.width > 0) this.#size = { width: canvas.width, height: canvas.height };
    const { crop } = this.#options;
    const plan = this.#stage.layOut({ desktop: this.#size, zoom: this.#zoom, crop });
    if (!plan) return;
    this.#layer.place(this.#size, plan.scale);
    this.#maskLayer.place(this.#size, plan.scale);
    this.#options.events.laidOut(this.#size, plan.scale);
  }

  /** The desktop's point under the fingers stays there. */
  #zoomBy(factor: number, centre: Point): void {
    const { frame, surface } = this.#stage;
    if (this.#options.crop) return;
    const before = surface.getBoundingClientRect();
    const scale = before.width / Math.max(1, this.#size.width);
    const at = { x: (centre.x - before.left) / scale, y: (centre.y - before.top) / scale };
    this.zoom = clampZoom(scale * factor);
    this.#options.events.zoomed(this.#zoom);
    const after = surface.getBoundingClientRect();
    const now = after.width / Math.max(1, this.#size.width);
    frame.scrollBy(after.left + at.x * now - centre.x, after.top + at.y * now - centre.y);
  }

  /** Before noVNC, which listens on its canvas: the chord must win. */
  #listen(): void {
    const { signal } = this.#listening;
    const onKey = (event: KeyboardEvent): void => this.#onKey(event);
    this.#screen.addEventListener("keydown", onKey, { capture: true, signal });
    this.#screen.addEventListener("keyup", onKey, { capture: true, signal });
    const field = this.#keyboard.element;
    field.addEventListener("focus", () => this.#options.events.entered(), { signal });
    field.addEventListener("blur", () => this.#chord.reset(), { signal });
    addEventListener("blur", () => this.#chord.reset(), { signal });
    addEventListener("online", () => this.retryNow(), { signal });
  }

  #onKey(event: KeyboardEvent): void {
    const verdict = this.#chord.handle({
      type: event.type === "keydown" ? "keydown" : "keyup",
      code: event.code,
    });
    if (verdict === "pass") {
      // After noVNC has sent the key; a modifier of the real keyboard is held beside those.
      if (event.type === "keyup" && !MODIFIER_KEYS.has(event.key)) {
        queueMicrotask(() => this.#latched.release());
      }
      return;
    }
    if (verdict === "leave" || verdict === "ask") {
      const { events } = this.#options;
      // After noVNC has sent the last release.
      queueMicrotask(() => (verdict === "leave" ? events.left() : events.approvalWanted()));
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (verdict === "stop") this.#options.events.stopAsked();
  }
}
