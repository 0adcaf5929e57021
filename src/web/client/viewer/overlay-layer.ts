import type { Rect, Size } from "../../../framebuffer/rect.ts";
import type { OverlayInfo, OverlayMessage } from "../../api/api.ts";
import { drawIcon } from "../controls/icon-shapes.ts";
import { t } from "../language/language.ts";
import { drawFigure } from "./overlay-figure.ts";
import { liesIn, overlayWords, roomInset } from "./overlay-place.ts";

/** What the layer tells its owner. */
export interface OverlayLayerEvents {
  changed(overlays: readonly OverlayInfo[]): void;
  /** The close button of an overlay made with click_through false. */
  closeAsked(overlay: OverlayInfo): void;
}

interface Drawn {
  readonly overlay: OverlayInfo;
  readonly item: HTMLElement;
}

/**
 * The overlays of one desktop as elements over its picture, in desktop pixels. The layer lets every press through, so
 * that nothing an agent draws keeps a person's hand from the desktop; an overlay made with click_through false has a
 * close button, which alone takes presses. The server composites the same shapes for those who have no
 * such layer.
 */
export class OverlayLayer {
  readonly element = document.createElement("ul");
  readonly #events: OverlayLayerEvents;
  /** In drawing order. */
  readonly #drawn = new Map<string, Drawn>();
  #desktop: Size = { width: 0, height: 0 };
  #monitors: readonly Rect[] = [];

  constructor(events: OverlayLayerEvents) {
    this.#events = events;
    this.element.className = "overlay-layer";
    this.element.setAttribute("aria-label", t`Overlays on the desktop`);
  }

  get overlays(): readonly OverlayInfo[] {
    return [...this.#drawn.values()].map((drawn) => drawn.overlay);
  }

  /** `desktop`: its size; `scale`: CSS pixels a desktop pixel. */
  place(desktop: Size, scale: number): void {
    const { style } = this.element;
    style.width = `${desktop.width}px`;
    style.height = `${desktop.height}px`;
    style.transform = `scale(${scale})`;
    const isResized = desktop.width !== this.#desktop.width || desktop.height !== this.#desktop.height;
    this.#desktop = desktop;
    if (isResized) for (const drawn of this.#drawn.values()) this.#fill(drawn);
  }

  receive(message: OverlayMessage): void {
    switch (message.type) {
      case "sync_state":
        this.#clear();
        this.#monitors = message.monitors;
        for (const overlay of message.overlays) this.#add(overlay);
        break;
      case "overlay_created":
        this.#add(message.overlay);
        break;
      case "overlay_removed":
        this.#drawn.get(message.overlay_id)?.item.remove();
        this.#drawn.delete(message.overlay_id);
        break;
      case "clear_overlays":
        this.#clear();
        break;
    }
    this.#events.changed(this.overlays);
  }

  #clear(): void {
    this.element.replaceChildren();
    this.#drawn.clear();
  }

  #add(overlay: OverlayInfo): void {
    const item = document.createElement("li");
    item.className = "overlay";
    item.dataset["overlayId"] = overlay.id;
    item.dataset["kind"] = overlay.kind;
    item.style.left = `${overlay.x}px`;
    item.style.top = `${overlay.y}px`;
    item.style.width = `${Math.max(0, overlay.width)}px`;
    item.style.height = `${Math.max(0, overlay.height)}px`;
    this.#drawn.get(overlay.id)?.item.remove();
    this.#drawn.set(overlay.id, { overlay, item });
    this.element.append(item);
    this.#fill({ overlay, item });
  }

  #fill({ overlay, item }: Drawn): void {
    const name = document.createElement("span");
    name.className = "visually-hidden";
    name.textContent = overlayWords(overlay);
    item.replaceChildren(name);
    const room = this.#roomOf(overlay);
    item.style.clipPath = roomInset(overlay, room);
    drawFigure(item, overlay, room);
    if (!overlay.click_through) item.append(this.#closeButton(overlay));
  }

  /** The monitor it stays on; the whole desktop where it was drawn across monitors, or its monitor went. */
  #roomOf(overlay: OverlayInfo): Rect {
    const monitor = this.#monitors[overlay.monitor_index];
    return monitor && liesIn(overlay, monitor) ? monitor : { x: 0, y: 0, ...this.#desktop };
  }

  #closeButton(overlay: OverlayInfo): Element {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "overlay-close";
    button.setAttribute("aria-label", t`Remove ${overlayWords(overlay)}`);
    button.append(drawIcon("cross"));
    button.addEventListener("click", () => this.#events.closeAsked(overlay));
    return button;
  }
}
