import { holdsPoint, type Point, type Rect, type Size, translateRect } from "../framebuffer/rect.ts";
import type { KeyPress } from "./key.ts";
import type { Painter, Sprite } from "./painter.ts";
import { COLOUR, FONT, type Look, METRIC } from "./theme.ts";
import type { Damage, Widget } from "./widget.ts";

const CLOSE_SIDE = 28;

/** A framed part of the desktop with a title bar to drag it by. Widgets live in its own coordinates. */
export class Window {
  /** The stem of its elements' names: "notes" gives "notes.title". */
  readonly id: string;
  readonly title: string;
  readonly size: Size;
  /** True where nothing else can be used until it is gone. */
  readonly isModal: boolean;
  /** Where it stood at first. */
  readonly home: Point;
  readonly #widgets: Widget[] = [];
  #at: Point;
  #focused: Widget | null = null;
  #hovered: Widget | null = null;
  #isCloseHovered = false;
  #report: Damage = () => {};

  constructor(id: string, title: string, frame: Rect, isModal = false) {
    this.id = id;
    this.title = title;
    this.size = { width: frame.width, height: frame.height };
    this.home = { x: frame.x, y: frame.y };
    this.#at = this.home;
    this.isModal = isModal;
  }

  /** On the desktop, without the shadow. */
  get frame(): Rect {
    return { ...this.#at, ...this.size };
  }

  /** All pixels it may paint: the frame and its shadow. */
  get outer(): Rect {
    const { x, y, width, height } = this.frame;
    const margin = METRIC.shadow;
    return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
  }

  /** The widget keys go to while the window is in front. */
  get focused(): Widget | null {
    return this.#focused;
  }

  /** Told of changed pixels in desktop coordinates, by whoever shows the window. */
  attach(report: Damage): void {
    this.#report = report;
  }

  add<T extends Widget>(widget: T): T {
    this.#widgets.push(widget);
    widget.attach((r) => this.#report(translateRect(r, this.#at.x, this.#at.y)));
    return widget;
  }

  moveTo(x: number, y: number): void {
    if (x === this.#at.x && y === this.#at.y) return;
    this.#report(this.outer);
    this.#at = { x, y };
    this.#report(this.outer);
  }

  /** Return where nothing has the focus; a dialog says what it means. */
  confirm(): void {}
  /** Escape; a dialog says what it means. */
  cancel(): void {}

  focus(widget: Widget | null): void {
    if (widget === this.#focused) return;
    this.#focused?.setFocused(false);
    this.#focused = widget;
    widget?.setFocused(true);
  }

  key(press: KeyPress): boolean {
    if (this.#focused?.key(press) === true) return true;
    if (press.name === "Tab") {
      this.#focusNext(press.isShift ? -1 : 1);
      return true;
    }
    if (press.name === "Return") this.confirm();
    else if (press.name === "Escape") this.cancel();
    else return false;
    return true;
  }

  /** The widget under a desktop point. */
  widgetAt(x: number, y: number): Widget | null {
    const [ownX, ownY] = [x - this.#at.x, y - this.#at.y];
    return this.#widgets.findLast((widget) => holdsPoint(widget.rect, ownX, ownY)) ?? null;
  }

  isOnTitle(x: number, y: number): boolean {
    return holdsPoint(this.#onDesktop(this.#titleRect), x, y);
  }

  isOnClose(x: number, y: number): boolean {
    return !this.isModal && holdsPoint(this.#onDesktop(this.#closeRect), x, y);
  }

  /** The pointer is at a desktop point over this window, or elsewhere: null. */
  hover(at: Point | null): void {
    const widget = at === null ? null : this.widgetAt(at.x, at.y);
    if (widget !== this.#hovered) this.#hovered?.hover(null);
    this.#hovered = widget;
    if (at !== null) widget?.hover(this.toOwn(at.x, at.y));
    const isOnClose = at !== null && this.isOnClose(at.x, at.y);
    if (isOnClose === this.#isCloseHovered) return;
    this.#isCloseHovered = isOnClose;
    this.#report(this.#onDesktop(this.#closeRect));
  }

  toOwn(x: number, y: number): Point {
    return { x: x - this.#at.x, y: y - this.#at.y };
  }

  /** Where things are on the desktop, by name. */
  elements(): readonly (readonly [string, Rect])[] {
    const { width } = this.size;
    const grip = { x: 0, y: 0, width: width - CLOSE_SIDE - 12, height: METRIC.titleHeight };
    const own: (readonly [string, Rect])[] = [
      [`${this.id}.window`, this.frame],
      [`${this.id}.title`, this.#onDesktop(grip)],
    ];
    if (!this.isModal) own.push([`${this.id}.close`, this.#onDesktop(this.#closeRect)]);
    const parts = this.#widgets.flatMap((widget) => widget.elements());
    return [...own, ...parts.map(([name, r]) => [name, this.#onDesktop(r)] as const)];
  }

  paint(painter: Painter, look: Look, shadow: Sprite): void {
    painter.image(shadow, this.outer.x, this.outer.y);
    painter.within(this.#at.x, this.#at.y, () => {
      this.#paintFrame(painter, look.isActive);
      for (const widget of this.#widgets) {
        painter.clipped(widget.rect, () => widget.paint(painter, look));
      }
    });
  }

  #paintFrame(painter: Painter, isActive: boolean): void {
    const { width, height } = this.size;
    const radius = METRIC.windowRadius;
    painter.fillRound({ x: 0, y: 0, width, height }, radius, COLOUR.window);
    painter.fillRound(this.#titleRect, [radius, radius, 0, 0], COLOUR.titleBar);
    painter.fill({ x: 0, y: METRIC.titleHeight - 1, width, height: 1 }, COLOUR.line);
    painter.textCentred(this.title, this.#titleRect, FONT.strong, isActive ? COLOUR.ink : COLOUR.quiet);
    if (this.isModal) return;
    const { x, y } = this.#closeRect;
    const middle = CLOSE_SIDE / 2;
    const ink = this.#isCloseHovered ? COLOUR.onAccent : COLOUR.quiet;
    if (this.#isCloseHovered) painter.disc(x + middle, y + middle, 11, COLOUR.danger);
    const arm = 4;
    for (const sign of [1, -1]) {
      const from = { x: x + middle - arm, y: y + middle - arm * sign };
      const to = { x: x + middle + arm, y: y + middle + arm * sign };
      painter.line([from, to], ink, 1.6);
    }
  }

  #focusNext(step: number): void {
    const all = this.#widgets.filter((widget) => widget.isFocusable);
    const at = this.#focused === null ? (step > 0 ? -1 : 0) : all.indexOf(this.#focused);
    this.focus(all[(at + step + all.length) % Math.max(1, all.length)] ?? null);
  }

  get #titleRect(): Rect {
    return { x: 0, y: 0, width: this.size.width, height: METRIC.titleHeight };
  }

  get #closeRect(): Rect {
    return { x: this.size.width - CLOSE_SIDE - 6, y: 6, width: CLOSE_SIDE, height: CLOSE_SIDE };
  }

  #onDesktop(r: Rect): Rect {
    return translateRect(r, this.#at.x, this.#at.y);
  }
}
