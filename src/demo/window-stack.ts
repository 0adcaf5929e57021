import { holdsPoint, type Point, type Rect, type Size } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { KeyPress } from "./key.ts";
import type { Painter, Sprite } from "./painter.ts";
import { type Look, METRIC } from "./theme.ts";
import type { PointerShape, Widget } from "./widget.ts";
import type { Window } from "./window.ts";

/** How much of a window stays within reach at the edges of the desktop. */
const REACH = 120;

/** What the left button holds until it is released. */
type Grab =
  | { readonly kind: "window"; readonly window: Window; readonly from: Point }
  | { readonly kind: "widget"; readonly window: Window; readonly widget: Widget }
  | { readonly kind: "close"; readonly window: Window };

/** The windows that are shown, the last one in front; it routes pointer and keys to them. */
export class WindowStack {
  readonly #damage: (region: Region) => void;
  readonly #shownChanged: () => void;
  readonly #shadows = new Map<string, Sprite>();
  #windows: readonly Window[] = [];
  #grab: Grab | null = null;

  /** `shownChanged` is called when a window came or went. */
  constructor(damage: (region: Region) => void, shownChanged: () => void) {
    this.#damage = damage;
    this.#shownChanged = shownChanged;
  }

  get windows(): readonly Window[] {
    return this.#windows;
  }

  get active(): Window | null {
    return this.#windows.at(-1) ?? null;
  }

  isShown(window: Window): boolean {
    return this.#windows.includes(window);
  }

  /** Shows a window in front of all others, but not in front of a modal one. */
  show(window: Window): void {
    if (window === this.active || (this.active?.isModal === true && !window.isModal)) return;
    const before = this.active;
    const isNew = !this.isShown(window);
    window.attach((r) => this.#damageBelow(window, r));
    this.#windows = [...this.#windows.filter((other) => other !== window), window];
    if (before !== null) this.#damage(Region.of(before.outer));
    this.#damage(Region.of(window.outer));
    if (isNew) this.#shownChanged();
  }

  hide(window: Window): void {
    if (!this.isShown(window)) return;
    this.#windows = this.#windows.filter((other) => other !== window);
    if (this.#grab?.window === window) this.#grab = null;
    window.hover(null);
    this.#damage(Region.of(window.outer));
    // The next one is in front now, and looks it.
    if (this.active !== null) this.#damage(Region.of(this.active.outer));
    this.#shownChanged();
  }

  /** True where a window took the press. */
  press(x: number, y: number): boolean {
    const window = this.#windowAt(x, y);
    if (window === null) return this.active?.isModal === true;
    this.show(window);
    const widget = window.widgetAt(x, y);
    if (window.isOnClose(x, y)) this.#grab = { kind: "close", window };
    else if (window.isOnTitle(x, y)) this.#grab = { kind: "window", window, from: window.toOwn(x, y) };
    else if (widget !== null) {
      this.#grab = { kind: "widget", window, widget };
      window.focus(widget.isFocusable ? widget : null);
      const own = window.toOwn(x, y);
      widget.press(own.x, own.y);
    } else window.focus(null);
    return true;
  }

  /** The pointer is at (x, y), whatever is held. `desktop` bounds where a window may go. */
  move(x: number, y: number, desktop: Size): void {
    const grab = this.#grab;
    if (grab?.kind === "window") {
      const at = reachable({ x: x - grab.from.x, y: y - grab.from.y }, grab.window.size, desktop);
      grab.window.moveTo(at.x, at.y);
    } else if (grab?.kind === "widget") {
      const own = grab.window.toOwn(x, y);
      grab.widget.drag(own.x, own.y);
    } else {
      const under = this.#windowAt(x, y);
      for (const window of this.#windows) window.hover(window === under ? { x, y } : null);
    }
  }

  release(x: number, y: number): void {
    const grab = this.#grab;
    this.#grab = null;
    if (grab?.kind === "close" && grab.window.isOnClose(x, y)) this.hide(grab.window);
    if (grab?.kind !== "widget") return;
    const own = grab.window.toOwn(x, y);
    grab.widget.release(own.x, own.y);
  }

  wheel(x: number, y: number, notches: number): void {
    this.#windowAt(x, y)?.widgetAt(x, y)?.wheel(notches);
  }

  key(press: KeyPress): void {
    this.active?.key(press);
  }

  /** The widget under the pointer that can be used now. */
  widgetAt(x: number, y: number): Widget | null {
    return this.#windowAt(x, y)?.widgetAt(x, y) ?? null;
  }

  shapeAt(x: number, y: number): PointerShape {
    const held = this.#grab?.kind === "widget" ? this.#grab.widget : this.widgetAt(x, y);
    return this.#grab?.kind === "window" ? "arrow" : (held?.shape ?? "arrow");
  }

  /** Pulls every window to where its title bar can be reached. */
  keepReachable(desktop: Size): void {
    for (const window of this.#windows) {
      const at = reachable(window.frame, window.size, desktop);
      window.moveTo(at.x, at.y);
    }
  }

  paint(painter: Painter, look: Look): void {
    for (const window of this.#windows) {
      if (!painter.shows(window.outer)) continue;
      const isActive = window === this.active;
      window.paint(painter, { ...look, isActive }, this.#shadow(painter, window.size, isActive));
    }
  }

  /** What a window changed, but for what the windows before it cover. */
  #damageBelow(window: Window, r: Rect): void {
    if (!this.isShown(window)) return;
    const above = this.#windows.slice(this.#windows.indexOf(window) + 1);
    const covered = Region.from(above.flatMap(({ frame }) => opaquePart(frame)));
    this.#damage(Region.of(r).subtract(covered));
  }

  #windowAt(x: number, y: number): Window | null {
    const window = this.#windows.findLast(({ frame }) => holdsPoint(frame, x, y)) ?? null;
    return this.active?.isModal === true && window !== this.active ? null : window;
  }

  #shadow(painter: Painter, size: Size, isActive: boolean): Sprite {
    const key = `${size.width}x${size.height}${isActive}`;
    const known = this.#shadows.get(key);
    if (known !== undefined) return known;
    const margin = METRIC.shadow;
    const outer = { width: size.width + 2 * margin, height: size.height + 2 * margin };
    const made = painter.sprite(outer, (own) => {
      const frame = { x: margin, y: margin, ...size };
      const [blur, strength] = isActive ? [30, 0.34] : [20, 0.2];
      own.castShadow(frame, METRIC.windowRadius, blur, 8, `rgba(24, 36, 66, ${strength})`);
      own.castShadow(frame, METRIC.windowRadius, 2, 0, "rgba(24, 36, 66, 0.35)");
    });
    this.#shadows.set(key, made);
    return made;
  }
}

/** Two overlapping rectangles that leave the round corners out. */
function opaquePart({ x, y, width, height }: Rect): Rect[] {
  const radius = METRIC.windowRadius;
  return [
    { x: x + radius, y, width: width - 2 * radius, height },
    { x, y: y + radius, width, height: height - 2 * radius },
  ];
}

function reachable(at: Point, size: Size, desktop: Size): Point {
  const least = REACH - size.width;
  const most = desktop.width - REACH;
  return {
    x: Math.max(least, Math.min(most, at.x)),
    y: Math.max(METRIC.barHeight, Math.min(desktop.height - METRIC.titleHeight, at.y)),
  };
}
