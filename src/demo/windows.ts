import { holdsPoint, type Point, type Rect, type Size, translateRect } from "../framebuffer/rect.ts";
import type { Control, Look } from "./controls.ts";
import type { Drawing, Sprite } from "./drawing.ts";
import type { KeyPress } from "./key.ts";
import { COLOUR, FONT, METRIC } from "./theme.ts";

const CLOSE_SIDE = 28;
/** How much of a window stays within reach at the edges of the desktop. */
const REACH = 120;

/** A framed part of the desktop with a title bar to drag it by; what is in it has its coordinates. */
export interface Window {
  /** The stem of its elements' names: "notes" gives "notes.title". */
  readonly id: string;
  readonly title: string;
  readonly size: Size;
  /** Where it stands at first. */
  readonly home: Point;
  /** What can be acted on in it now. */
  readonly controls: () => readonly Control[];
  /** Draws the rest of what is in it. */
  readonly draw?: (drawing: Drawing) => void;
  /** What Return and Escape mean where no control uses them. A window that has this is modal: nothing else can be used. */
  readonly modal?: { confirm(): void; cancel(): void };
}

/** A window that was shown. */
interface Placed {
  readonly window: Window;
  at: Point;
  /** Greater than that of all windows that it was raised above. */
  order: number;
  /** The name of the control that keys go to while it is in front. */
  focus: string | null;
}

/** The windows that are shown, the last one in front; it routes pointer and keys to them. */
export class WindowStack {
  readonly #shadows = new Map<string, Sprite>();
  readonly #known = new WeakMap<Window, Placed>();
  #desktop: Size;
  #shown: readonly Placed[] = [];
  #raised = 0;
  /** The control under the pointer, and the one that the left button holds, `from` where in the window it went down. */
  #over: string | null = null;
  #held: { readonly placed: Placed; readonly name: string; readonly from: Point } | null = null;

  constructor(desktop: Size) {
    this.#desktop = desktop;
  }

  /** Ids of the windows shown, the one in front last. */
  get ids(): readonly string[] {
    return this.#shown.map(({ window }) => window.id);
  }

  get isModal(): boolean {
    return this.#active?.window.modal !== undefined;
  }

  /** Shows a window in front of all others, but not in front of a modal one. */
  show(window: Window): void {
    const placed = this.#placed(window);
    if (placed === this.#active || (this.isModal && window.modal === undefined)) return;
    placed.order = ++this.#raised;
    this.#moveTo(placed, placed.at);
    this.#shown = [...this.#shown.filter((other) => other !== placed), placed];
  }

  hide(window: Window): void {
    const placed = this.#placed(window);
    this.#shown = this.#shown.filter((other) => other !== placed);
    if (this.#held?.placed === placed) this.#held = null;
    this.#over = null;
  }

  /** Puts windows where they stood at first, the last one in front. */
  tidy(windows: readonly Window[]): void {
    for (const window of windows) {
      this.#moveTo(this.#placed(window), window.home);
      this.show(window);
    }
  }

  focus(window: Window, { name }: Control): void {
    this.#placed(window).focus = name;
  }

  /** The desktop has another size; every window is pulled to where its title bar can be reached. */
  resize(desktop: Size): void {
    this.#desktop = desktop;
    for (const placed of this.#shown) this.#moveTo(placed, placed.at);
  }

  /** True where a window took the press. */
  press(x: number, y: number): boolean {
    const placed = this.#placedAt(x, y);
    if (placed === null) return this.isModal;
    this.show(placed.window);
    const control = controlAt(this.#controlsOf(placed), placed, x, y);
    if (control === null || !isChrome(placed, control)) placed.focus = control?.key ? control.name : null;
    if (control === null) return true;
    const from = own(placed, x, y);
    this.#held = { placed, name: control.name, from };
    control.press?.(from.x, from.y);
    return true;
  }

  /** The pointer is at (x, y), whatever is held. True where something may look different for it. */
  move(x: number, y: number): boolean {
    const before = this.#over;
    const placed = this.#held?.placed ?? this.#placedAt(x, y);
    const control = this.#held === null ? this.controlAt(x, y) : this.#heldControl();
    const at = placed === null ? { x, y } : own(placed, x, y);
    this.#over = control !== null && holdsPoint(control.rect, at.x, at.y) ? control.name : null;
    if (this.#held !== null) control?.drag?.(at.x, at.y);
    return this.#held !== null || this.#over !== before;
  }

  release(x: number, y: number): void {
    const control = this.#heldControl();
    const held = this.#held;
    this.#held = null;
    if (held === null || control === null) return;
    const at = own(held.placed, x, y);
    control.release?.(holdsPoint(control.rect, at.x, at.y));
  }

  key(press: KeyPress): void {
    const placed = this.#active;
    if (placed === null) return;
    const controls = placed.window.controls().filter(({ key }) => key !== undefined);
    const at = controls.findIndex(({ name }) => name === placed.focus);
    if (controls[at]?.key?.(press) === true) return;
    if (press.name === "Tab") {
      const next = press.isShift ? Math.max(at, 0) - 1 : at + 1;
      placed.focus = controls.at(next % controls.length)?.name ?? null;
    } else if (press.name === "Return") placed.window.modal?.confirm();
    else if (press.name === "Escape") placed.window.modal?.cancel();
  }

  /** The control under the pointer that can be used now. */
  controlAt(x: number, y: number): Control | null {
    const placed = this.#placedAt(x, y);
    return placed === null ? null : controlAt(this.#controlsOf(placed), placed, x, y);
  }

  isTextAt(x: number, y: number): boolean {
    return (this.#heldControl() ?? this.controlAt(x, y))?.isText === true;
  }

  /** Where things are on the desktop, by name. */
  elements(): (readonly [name: string, rect: Rect])[] {
    return this.#shown.flatMap((placed) => [
      [`${placed.window.id}.window`, frameOf(placed)] as const,
      ...this.#controlsOf(placed)
        .flatMap(({ name, rect, parts = [[name, rect]] }) => parts)
        .map(([name, r]) => [name, translateRect(r, placed.at.x, placed.at.y)] as const),
    ]);
  }

  draw(drawing: Drawing, look: Pick<Look, "accent" | "isCaretShown">): void {
    for (const placed of this.#shown) {
      const isActive = placed === this.#active;
      drawing.within(placed.at.x, placed.at.y, () => {
        this.#drawFrame(drawing, placed, isActive);
        placed.window.draw?.(drawing);
        for (const control of this.#controlsOf(placed)) {
          const isFocused = isActive && placed.focus === control.name;
          const isOver = this.#over === control.name;
          const isHeld = this.#held?.name === control.name;
          drawing.clipped(control.rect, () => control.draw(drawing, { ...look, isFocused, isOver, isHeld }));
        }
      });
    }
  }

  #drawFrame(drawing: Drawing, { window, order }: Placed, isActive: boolean): void {
    const { width, height } = window.size;
    const [radius, margin] = [METRIC.windowRadius, METRIC.shadow];
    const title = { x: 0, y: 0, width, height: METRIC.titleHeight };
    // Two overlapping rectangles that leave the round corners out.
    drawing.cover([
      { x: radius, y: 0, width: width - 2 * radius, height },
      { x: 0, y: radius, width, height: height - 2 * radius },
    ]);
    const shadow = this.#shadow(drawing, window.size, isActive);
    // Where windows overlap, the pixels depend on which is in front.
    drawing.image({ ...shadow, key: `${shadow.key} ${order}` }, -margin, -margin);
    drawing.fillRound({ x: 0, y: 0, width, height }, radius, COLOUR.surface);
    drawing.fillRound(title, [radius, radius, 0, 0], COLOUR.inset);
    drawing.fill({ x: 0, y: METRIC.titleHeight - 1, width, height: 1 }, COLOUR.line);
    drawing.textCentred(window.title, title, FONT.strong, isActive ? COLOUR.ink : COLOUR.quiet);
  }

  #shadow(drawing: Drawing, size: Size, isActive: boolean): Sprite {
    const key = `shadow ${size.width}x${size.height} ${isActive}`;
    const known = this.#shadows.get(key);
    if (known !== undefined) return known;
    const margin = METRIC.shadow;
    const outer = { width: size.width + 2 * margin, height: size.height + 2 * margin };
    const made = drawing.sprite(key, outer, (inner) => {
      const frame = { x: margin, y: margin, ...size };
      const [blur, strength] = isActive ? [30, 0.34] : [20, 0.2];
      inner.castShadow(frame, METRIC.windowRadius, blur, 8, `rgba(24, 36, 66, ${strength})`);
      inner.castShadow(frame, METRIC.windowRadius, 2, 0, "rgba(24, 36, 66, 0.35)");
    });
    this.#shadows.set(key, made);
    return made;
  }

  /** The title bar and what is in a window, and the button that closes it. */
  #controlsOf(placed: Placed): readonly Control[] {
    const { window } = placed;
    const { width } = window.size;
    const name = `${window.id}.title`;
    const title: Control = {
      name,
      rect: { x: 0, y: 0, width, height: METRIC.titleHeight },
      parts: [[name, { x: 0, y: 0, width: width - CLOSE_SIDE - 12, height: METRIC.titleHeight }]],
      draw: () => {},
      drag: (x, y) => {
        const from = this.#held?.from ?? { x, y };
        this.#moveTo(placed, { x: placed.at.x + x - from.x, y: placed.at.y + y - from.y });
      },
    };
    const corner = { x: width - CLOSE_SIDE - 6, y: 6, width: CLOSE_SIDE, height: CLOSE_SIDE };
    const close: Control = {
      name: `${window.id}.close`,
      rect: corner,
      draw: (drawing, { isOver }) => drawClose(drawing, corner, isOver),
      release: (isInside) => {
        if (isInside) this.hide(window);
      },
    };
    return [title, ...window.controls(), ...(window.modal === undefined ? [close] : [])];
  }

  #heldControl(): Control | null {
    const held = this.#held;
    if (held === null) return null;
    return this.#controlsOf(held.placed).find(({ name }) => name === held.name) ?? null;
  }

  get #active(): Placed | null {
    return this.#shown.at(-1) ?? null;
  }

  #placed(window: Window): Placed {
    const placed = this.#known.get(window) ?? { window, at: window.home, order: 0, focus: null };
    this.#known.set(window, placed);
    return placed;
  }

  #placedAt(x: number, y: number): Placed | null {
    const placed = this.#shown.findLast((each) => holdsPoint(frameOf(each), x, y)) ?? null;
    return this.isModal && placed !== this.#active ? null : placed;
  }

  #moveTo(placed: Placed, { x, y }: Point): void {
    const { width, height } = this.#desktop;
    placed.at = {
      x: Math.max(REACH - placed.window.size.width, Math.min(width - REACH, x)),
      y: Math.max(METRIC.barHeight, Math.min(height - METRIC.titleHeight, y)),
    };
  }
}

function frameOf({ at, window }: Placed): Rect {
  return { ...at, ...window.size };
}

function own({ at }: Placed, x: number, y: number): Point {
  return { x: x - at.x, y: y - at.y };
}

function controlAt(controls: readonly Control[], placed: Placed, x: number, y: number): Control | null {
  const at = own(placed, x, y);
  return controls.findLast(({ rect }) => holdsPoint(rect, at.x, at.y)) ?? null;
}

/** The title bar and the button that closes take no focus away. */
function isChrome({ window }: Placed, { name }: Control): boolean {
  return name === `${window.id}.title` || name === `${window.id}.close`;
}

function drawClose(drawing: Drawing, corner: Rect, isOver: boolean): void {
  const [x, y] = [corner.x + CLOSE_SIDE / 2, corner.y + CLOSE_SIDE / 2];
  if (isOver) drawing.disc(x, y, 11, COLOUR.danger);
  for (const arm of [4, -4]) {
    const points = [
      { x: x - 4, y: y - arm },
      { x: x + 4, y: y + arm },
    ];
    drawing.line(points, isOver ? COLOUR.onAccent : COLOUR.quiet, 1.6);
  }
}
