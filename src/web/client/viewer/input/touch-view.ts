import type { Point } from "../../../../framebuffer/rect.ts";

/** What fingers do to the view, not to the desktop. */
export interface TouchViewEvents {
  /** `factor` times as large as before, the desktop's point under `centre` staying there; CSS pixels of the window. */
  zoom(factor: number, centre: Point): void;
  /** By so many CSS pixels. */
  pan(dx: number, dy: number): void;
}

interface Hold {
  readonly count: number;
  readonly centre: Point;
  /** Between the first two fingers, CSS pixels. */
  readonly spread: number;
}

/**
 * Fingers on a desktop. noVNC makes of them taps, long presses, drags and scrolling, and tells two that pinch from two
 * that scroll; that pinch is ours, it zooms and moves the view, and so are three fingers, which move it.
 */
export class TouchView {
  readonly #events: TouchViewEvents;
  #isPinch = false;
  #last: Hold | null = null;

  /** `screen`: an element around noVNC's canvas, whose own listeners so come later. */
  constructor(screen: HTMLElement, events: TouchViewEvents) {
    this.#events = events;
    for (const type of ["gesturestart", "gesturemove", "gestureend"] as const) {
      screen.addEventListener(type, (event) => this.#onGesture(event), { capture: true });
    }
    for (const type of ["touchstart", "touchmove", "touchend", "touchcancel"] as const) {
      screen.addEventListener(type, (event) => this.#onTouch(event), { capture: true, passive: true });
    }
  }

  #onGesture(event: Event): void {
    if (!(event instanceof CustomEvent) || event.detail.type !== "pinch") return;
    // noVNC would hold Ctrl and turn the wheel.
    event.stopPropagation();
    this.#isPinch = event.type !== "gestureend";
  }

  #onTouch(event: TouchEvent): void {
    const hold = holdOf(event.touches);
    const last = this.#last;
    this.#last = hold;
    if (event.type !== "touchmove" || hold === null || last?.count !== hold.count) return;
    if (hold.count === 2 && this.#isPinch) {
      this.#events.zoom(hold.spread / Math.max(1, last.spread), hold.centre);
    } else if (hold.count !== 3) return;
    this.#events.pan(hold.centre.x - last.centre.x, hold.centre.y - last.centre.y);
  }
}

/** null for no finger and for one. */
function holdOf(touches: TouchList): Hold | null {
  const [first, second] = touches;
  if (first === undefined || second === undefined) return null;
  const all = [...touches];
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  return {
    count: all.length,
    centre: { x: mean(all.map(({ clientX }) => clientX)), y: mean(all.map(({ clientY }) => clientY)) },
    spread: Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY),
  };
}
