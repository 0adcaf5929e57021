import type { Cursor } from "../framebuffer/cursor.ts";
import { Framebuffer } from "../framebuffer/framebuffer.ts";
import type { Rect } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { Screen } from "../framebuffer/screen.ts";
import type { Clock } from "../platform/clock.ts";
import { RESIZE_STATUS, type ResizeStatus } from "../protocols/rfb/resize-status.ts";
import { DemoDesktop, type DemoState } from "./demo-desktop.ts";
import { characterOf, keyName, type Modifier, modifierOf } from "./key.ts";
import { FIRST_SCREENS, FIRST_SIZE, judgeLayout } from "./monitors.ts";
import { Painter } from "./painter.ts";
import { cursorOf } from "./pointer-shape.ts";
import { chooseTypeface, type Typeface, type TypefaceChoice } from "./typeface.ts";
import type { PointerShape } from "./widget.ts";

const MINUTE_MS = 60_000;
const BLINK_MS = 530;
/** A caret rests after this, so that a desktop nobody uses comes to rest too. */
const BLINK_FOR_MS = 10_000;
/** More rectangles than this are painted as their bounds. */
const MOST_RECTS = 12;

/**
 * What is painted and read back at once. How a curve's edge is smoothed depends on where the clip cuts it (Skia in @napi-rs/canvas
 * 1.0.11), so clips are always the same: a part painted anew then equals the whole, pixel for pixel.
 */
const TILE = { width: 256, height: 64 } as const;

/** Buttons of an RFB PointerEvent, RFC 6143 section 7.5.5. */
const BUTTON = { left: 1, right: 4, wheelUp: 8, wheelDown: 16 } as const;

/** The longest text taken from a viewer's clipboard, in UTF-16 units. */
const CLIPBOARD_LIMIT = 256 * 1024;

/** What a screen tells whoever shows it. */
export interface DemoScreenEvents {
  /** There is something to repaint; said once until `repaint`. */
  damaged(): void;
  cursor(cursor: Cursor): void;
  /** Text that was copied on the demo. */
  copied(text: string): void;
}

export interface DemoScreenOptions {
  readonly clock: Clock;
  readonly typeface?: TypefaceChoice;
}

/**
 * The demo as pixels: takes input, gathers damage, and paints only that, when asked to.
 *
 * INVARIANT: between `repaint` and the next input or timer, the framebuffer is what painting everything would give.
 */
export class DemoScreen {
  readonly #clock: Clock;
  readonly #events: DemoScreenEvents;
  readonly #typeface: Typeface;
  readonly #desktop: DemoDesktop;
  readonly #framebuffer = new Framebuffer(FIRST_SIZE.width, FIRST_SIZE.height);
  /** Of one tile. */
  readonly #painter: Painter;
  #screens: readonly Screen[] = FIRST_SCREENS;
  #dirty: Region = Region.empty;
  #buttons = 0;
  #shape: PointerShape = "arrow";
  /** Keysyms of modifiers that are down, whoever holds them. */
  readonly #held = new Set<number>();
  #clipboard = "";
  #isCaretShown = true;
  #usedAtMs: number;
  #cancelMinute: (() => void) | null = null;
  #cancelBlink: (() => void) | null = null;

  constructor({ clock, typeface = "auto" }: DemoScreenOptions, events: DemoScreenEvents) {
    this.#clock = clock;
    this.#events = events;
    this.#usedAtMs = clock.nowMs();
    this.#typeface = chooseTypeface(typeface);
    this.#painter = new Painter(TILE, this.#typeface);
    this.#desktop = new DemoDesktop(this.#typeface, clock.date(), {
      damage: (region) => this.#damage(region),
      copy: (text) => events.copied(text),
      paste: () => this.#clipboard,
    });
    this.#damage(Region.of(this.#framebuffer.rect));
  }

  get framebuffer(): Framebuffer {
    return this.#framebuffer;
  }

  get screens(): readonly Screen[] {
    return this.#screens;
  }

  get state(): DemoState {
    return this.#desktop.state;
  }

  /** The pointer's picture where it is now. */
  get cursor(): Cursor {
    return cursorOf(this.#shape, this.#typeface);
  }

  get isDirty(): boolean {
    return !this.#dirty.isEmpty;
  }

  /**
   * Where things are now, in desktop pixels, by name: "notes.text", "notes.title", "controls.counter",
   * "controls.toggle", "controls.accent.green", "controls.slider", "controls.save", "list", "list.row.0",
   * "dock.notes", "bar.clock", "monitor.1", and while open "dialog.save", "dialog.cancel", "menu.tidy".
   */
  stableElements(): Readonly<Record<string, Rect>> {
    return this.#desktop.elements();
  }

  /** Paints what was damaged into the framebuffer and returns it. */
  repaint(): Region {
    const dirty = this.#dirty.clip(this.#framebuffer.rect).simplified(MOST_RECTS);
    this.#dirty = Region.empty;
    for (const tile of tilesOf(dirty.bounds)) {
      const part = dirty.clip(tile);
      if (part.isEmpty) continue;
      this.#painter.within(-tile.x, -tile.y, () => this.#desktop.paint(this.#painter, this.#isCaretShown));
      this.#painter.copyTo(this.#framebuffer, tile, part.rects);
    }
    return dirty;
  }

  /** The clock goes and the caret blinks only while somebody watches. */
  setWatched(isWatched: boolean): void {
    if (isWatched === (this.#cancelMinute !== null)) return;
    if (isWatched) {
      this.#tick();
      this.#restartBlink();
      return;
    }
    this.#cancelMinute?.();
    this.#cancelMinute = null;
    this.#stopBlink();
  }

  /** The pointer's place and the buttons that are down, as an RFB PointerEvent has them. */
  pointer(x: number, y: number, buttons: number): void {
    const pressed = buttons & ~this.#buttons;
    const released = this.#buttons & ~buttons;
    this.#buttons = buttons;
    this.#desktop.move(x, y);
    if (pressed !== 0) this.#restartBlink();
    if ((pressed & BUTTON.left) !== 0) this.#desktop.pressLeft(x, y);
    if ((released & BUTTON.left) !== 0) this.#desktop.releaseLeft(x, y);
    if ((pressed & BUTTON.right) !== 0) this.#desktop.pressRight(x, y);
    if ((pressed & BUTTON.wheelUp) !== 0) this.#desktop.wheel(x, y, -1);
    if ((pressed & BUTTON.wheelDown) !== 0) this.#desktop.wheel(x, y, 1);
    this.#setShape(this.#desktop.shapeAt(x, y));
  }

  key(keysym: number, isDown: boolean): void {
    if (modifierOf(keysym) !== null) {
      if (isDown) this.#held.add(keysym);
      else this.#held.delete(keysym);
      return;
    }
    if (!isDown) return;
    this.#restartBlink();
    const name = keyName(keysym);
    this.#desktop.key({
      name,
      text: characterOf(keysym),
      isCtrl: this.#isHeld("Control"),
      isAlt: this.#isHeld("Alt") || this.#isHeld("Meta"),
      isShift: this.#isHeld("Shift"),
    });
  }

  /** A viewer's clipboard. It is kept for Ctrl+V and shown nowhere. */
  clipboard(text: string): void {
    this.#clipboard = text.slice(0, CLIPBOARD_LIMIT);
    this.#desktop.record("Clipboard", `Clipboard, ${[...this.#clipboard].length} characters`);
  }

  /** Takes another size and other monitors where it can; says whether it did. */
  resize(width: number, height: number, screens: readonly Screen[]): ResizeStatus {
    const status = judgeLayout({ width, height }, screens);
    if (status !== RESIZE_STATUS.done) return status;
    this.#framebuffer.resize(width, height);
    this.#screens = screens;
    this.#desktop.place({ width, height }, screens);
    return status;
  }

  #isHeld(modifier: Modifier): boolean {
    return [...this.#held].some((keysym) => modifierOf(keysym) === modifier);
  }

  #damage(region: Region): void {
    if (region.isEmpty) return;
    const wasClean = this.#dirty.isEmpty;
    this.#dirty = this.#dirty.union(region);
    if (wasClean) this.#events.damaged();
  }

  #setShape(shape: PointerShape): void {
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#events.cursor(this.cursor);
  }

  #tick(): void {
    const date = this.#clock.date();
    this.#desktop.tell(date);
    const untilNextMs = MINUTE_MS - (date.getSeconds() * 1000 + date.getMilliseconds());
    this.#cancelMinute = this.#clock.after(untilNextMs, () => this.#tick());
  }

  #restartBlink(): void {
    this.#usedAtMs = this.#clock.nowMs();
    const isWatched = this.#cancelMinute !== null;
    this.#stopBlink();
    if (isWatched) this.#blinkLater();
  }

  #stopBlink(): void {
    this.#cancelBlink?.();
    this.#cancelBlink = null;
    if (this.#isCaretShown) return;
    this.#isCaretShown = true;
    this.#damageCaret();
  }

  #blinkLater(): void {
    this.#cancelBlink = this.#clock.after(BLINK_MS, () => {
      this.#cancelBlink = null;
      const isOver = this.#clock.nowMs() - this.#usedAtMs >= BLINK_FOR_MS;
      if (isOver && this.#isCaretShown) return;
      this.#isCaretShown = !this.#isCaretShown;
      this.#damageCaret();
      this.#blinkLater();
    });
  }

  #damageCaret(): void {
    const caret = this.#desktop.caretRect();
    if (caret !== null) this.#damage(Region.of(caret));
  }
}

/** The tiles of the grid that touch a rectangle; those at the edges reach beyond the desktop. */
function* tilesOf({ x, y, width, height }: Rect): Generator<Rect> {
  const { width: across, height: down } = TILE;
  for (let top = Math.floor(y / down) * down; top < y + height; top += down) {
    for (let left = Math.floor(x / across) * across; left < x + width; left += across) {
      yield { x: left, y: top, ...TILE };
    }
  }
}
