import type { Rect, Size } from "../../../framebuffer/rect.ts";
import type { MaskInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { maskWords } from "./mask-words.ts";

/** A press that hardly moves hides nothing. */
const LEAST_PIXELS = 8;

/** What the layer tells its owner. */
export interface MaskLayerEvents {
  /** A person drew what is to be hidden, in desktop pixels; null: they gave it up. */
  drawn(rect: Rect | null): void;
}

/**
 * Where something is hidden, and from whom, over the picture for people: hatched, in desktop pixels. It is in nobody's
 * picture. Presses go through it, but while a mask is drawn.
 */
export class MaskLayer {
  readonly element = document.createElement("ul");
  readonly #events: MaskLayerEvents;
  readonly #draft = document.createElement("li");
  #size: Size = { width: 0, height: 0 };
  #scale = 1;
  #masks = "";
  #from: { readonly x: number; readonly y: number } | null = null;
  #drawn: Rect | null = null;
  #ending: AbortController | null = null;

  constructor(events: MaskLayerEvents) {
    this.#events = events;
    this.element.className = "mask-layer";
    this.element.setAttribute("aria-label", t`Hidden places`);
    this.#draft.className = "mask is-new";
  }

  set masks(masks: readonly MaskInfo[]) {
    const json = JSON.stringify(masks);
    if (json === this.#masks) return;
    this.#masks = json;
    this.element.replaceChildren(...masks.flatMap((mask) => mask.places.map((place) => itemOf(mask, place))));
  }

  /** `desktop`: its size; `scale`: CSS pixels a desktop pixel. */
  place(desktop: Size, scale: number): void {
    this.#size = desktop;
    this.#scale = scale;
    const { style } = this.element;
    style.width = `${desktop.width}px`;
    style.height = `${desktop.height}px`;
    style.transform = `scale(${scale})`;
    style.setProperty("--mask-scale", String(1 / scale));
  }

  /** Takes presses from now on until something was drawn, or Escape. */
  draw(): void {
    this.stop();
    this.element.classList.add("is-drawing");
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const { element } = this;
    element.addEventListener("pointerdown", (event) => this.#begin(event), { signal });
    element.addEventListener("pointermove", (event) => this.#move(event), { signal });
    element.addEventListener("pointerup", () => this.#end(), { signal });
    element.addEventListener("pointercancel", () => this.#give(null), { signal });
    addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        this.#give(null);
      },
      { signal, capture: true },
    );
  }

  /** Nothing is drawn any more. */
  stop(): void {
    this.#ending?.abort();
    this.#ending = null;
    this.#from = null;
    this.#drawn = null;
    this.#draft.remove();
    this.element.classList.remove("is-drawing");
  }

  #begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.#from = this.#pointOf(event);
  }

  #move(event: PointerEvent): void {
    if (this.#from === null) return;
    const to = this.#pointOf(event);
    const { x, y } = this.#from;
    this.#drawn = {
      ...{ x: Math.min(x, to.x), y: Math.min(y, to.y) },
      ...{ width: Math.abs(x - to.x), height: Math.abs(y - to.y) },
    };
    placeIn(this.#draft, this.#drawn);
    if (!this.#draft.isConnected) this.element.append(this.#draft);
  }

  #end(): void {
    const drawn = this.#drawn;
    this.#from = null;
    if (drawn !== null && drawn.width >= LEAST_PIXELS && drawn.height >= LEAST_PIXELS) this.#give(drawn);
    else this.#draft.remove();
  }

  #give(rect: Rect | null): void {
    this.stop();
    this.#events.drawn(rect);
  }

  #pointOf(event: PointerEvent): { readonly x: number; readonly y: number } {
    const box = this.element.getBoundingClientRect();
    const at = (css: number, start: number, most: number): number =>
      Math.round(Math.max(0, Math.min(most, (css - start) / this.#scale)));
    return {
      x: at(event.clientX, box.left, this.#size.width),
      y: at(event.clientY, box.top, this.#size.height),
    };
  }
}

function itemOf(mask: MaskInfo, place: Rect): HTMLElement {
  const item = document.createElement("li");
  item.className = `mask ${mask.state === "lost" ? "is-lost" : ""}`;
  item.dataset["maskId"] = mask.id;
  const name = document.createElement("span");
  name.className = "mask-name";
  name.textContent = maskWords(mask);
  item.append(name);
  placeIn(item, place);
  return item;
}

function placeIn({ style }: HTMLElement, { x, y, width, height }: Rect): void {
  style.left = `${x}px`;
  style.top = `${y}px`;
  style.width = `${width}px`;
  style.height = `${height}px`;
}
