import type { Rect } from "../../framebuffer/rect.ts";
import type { AnchorPlace } from "./anchor.ts";

/** Something on the desktop that is not known by its looks: others say where it is, as a page of its element. */
export class ToldAnchor {
  readonly id: string;
  readonly ownerId: string;
  /** How far it was scrolled nobody tells. */
  readonly scroll = null;
  /** It is only there for its overlays, and goes with the last of them. */
  readonly isOfOverlays: boolean;
  /** Called once, when it is not wanted any more. */
  readonly ended: () => void;
  #place: AnchorPlace;
  #lastRect: Rect;

  constructor(
    id: string,
    ownerId: string,
    rect: Rect,
    { isOfOverlays, ended }: Pick<ToldAnchor, "isOfOverlays" | "ended">,
  ) {
    this.id = id;
    this.ownerId = ownerId;
    this.isOfOverlays = isOfOverlays;
    this.ended = ended;
    this.#lastRect = rect;
    this.#place = { id, status: "found", rect, confidence: 1 };
  }

  get place(): AnchorPlace {
    return this.#place;
  }

  get lastRect(): Rect {
    return this.#lastRect;
  }

  /** `rect`: null while it is not seen, `why` in words. */
  tell(rect: Rect | null, why: string | null): void {
    const { id } = this;
    if (rect === null)
      this.#place = { id, status: "lost", rect, confidence: 0, why: why ?? "it is not seen" };
    else this.#place = { id, status: "found", rect, confidence: 1 };
    this.#lastRect = rect ?? this.#lastRect;
  }

  /** Pixels say nothing of where it is. */
  isUntouchedBy(): boolean {
    return true;
  }

  follow(): boolean {
    return true;
  }

  search(): void {}

  /** The desktop is another one. */
  lose(): void {
    this.tell(null, "the desktop has another size");
  }
}
