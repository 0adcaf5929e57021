import { placeAt, planStage, type StagePlan, type StageRequest } from "./stage-plan.ts";

/** Frame and surface of a desktop's picture, live or recorded, in an element that is positioned and has a size of its own. */
export class Stage {
  readonly frame = document.createElement("div");
  readonly surface = document.createElement("div");
  readonly #element: HTMLElement;
  readonly #resized: ResizeObserver;

  /** `onResize`: the element has its size, or another one. */
  constructor(element: HTMLElement, onResize: () => void) {
    this.#element = element;
    this.#resized = new ResizeObserver(onResize);
    this.frame.className = "viewer-frame";
    this.surface.className = "viewer-surface";
    this.frame.append(this.surface);
    element.append(this.frame);
    this.#resized.observe(element);
  }

  /** Places both; null, and nothing is placed, while the desktop or the element has no size yet. */
  layOut(request: Pick<StageRequest, "desktop" | "zoom" | "crop">): StagePlan | null {
    const stage = { width: this.#element.clientWidth, height: this.#element.clientHeight };
    const plan = planStage({ ...request, stage, devicePixelRatio });
    if (plan === null) return null;
    placeAt(this.frame, plan.frame);
    placeAt(this.surface, plan.surface);
    this.frame.classList.toggle("is-scrolling", plan.isScrolling);
    this.surface.classList.toggle("is-sharp", plan.isSharp);
    return plan;
  }

  close(): void {
    this.#resized.disconnect();
    this.frame.remove();
  }
}
