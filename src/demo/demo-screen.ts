import { createCanvas } from "@napi-rs/canvas";
import type { Cursor } from "../framebuffer/cursor.ts";
import { Framebuffer, OPAQUE } from "../framebuffer/framebuffer.ts";
import {
  holdsRect,
  overlapRects,
  type Point,
  type Rect,
  rectOfSize,
  type Size,
} from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { Screen } from "../framebuffer/screen.ts";
import type { Clock } from "../platform/clock.ts";
import { RESIZE_STATUS, type ResizeStatus } from "../protocols/rfb/resize-status.ts";
import { DemoDesktop, type DemoState } from "./demo-desktop.ts";
import { Drawing } from "./drawing.ts";
import { characterOf, keyName, type Modifier, modifierOf } from "./key.ts";
import { chooseTypeface, type Typeface, type TypefaceChoice } from "./typeface.ts";

/** What the demo shows at first: two monitors side by side. */
const FIRST_SIZE: Size = { width: 2080, height: 800 };
const FIRST_SCREENS: readonly Screen[] = [
  { id: 1, rect: { x: 0, y: 0, width: 1280, height: 800 }, flags: 0 },
  { id: 2, rect: { x: 1280, y: 0, width: 800, height: 800 }, flags: 0 },
];

const LEAST: Size = { width: 320, height: 240 };
/** A canvas and a framebuffer of this many pixels take 64 MiB together. */
const MOST_AREA = 3840 * 2160;
const MOST_SCREENS = 4;

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
 * The demo as pixels: takes input, finds what looks different after it, and paints only that, when asked to.
 *
 * INVARIANT: between `repaint` and the next input or timer, the framebuffer is what painting everything would give.
 */
export class DemoScreen {
  readonly #clock: Clock;
  readonly #events: DemoScreenEvents;
  readonly #typeface: Typeface;
  readonly #desktop: DemoDesktop;
  readonly #framebuffer = new Framebuffer(FIRST_SIZE.width, FIRST_SIZE.height);
  readonly #canvas = createCanvas(TILE.width, TILE.height);
  /** What is to be seen. */
  #drawing: Drawing;
  /** More happened since that was drawn. */
  #isStale = false;
  #screens: readonly Screen[] = FIRST_SCREENS;
  #dirty: Region = Region.empty;
  #buttons = 0;
  /** The pointer is an I-beam. */
  #isText = false;
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
    this.#desktop = new DemoDesktop(this.#typeface, clock.date(), FIRST_SIZE, FIRST_SCREENS, {
      copy: (text) => events.copied(text),
      paste: () => this.#clipboard,
    });
    this.#drawing = this.#desktop.draw(true);
    this.#dirty = Region.of(this.#framebuffer.rect);
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
    return cursorOf(this.#isText, this.#typeface);
  }

  get isDirty(): boolean {
    this.#refresh();
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
    this.#refresh();
    const dirty = this.#dirty.clip(this.#framebuffer.rect).simplified(MOST_RECTS);
    this.#dirty = Region.empty;
    for (const tile of tilesOf(dirty.bounds)) {
      const part = dirty.clip(tile);
      if (part.isEmpty) continue;
      const context = this.#canvas.getContext("2d");
      this.#drawing.paint(context, tile);
      const { data } = context.getImageData(0, 0, TILE.width, TILE.height);
      copyPart(data, tile, part.rects, this.#framebuffer);
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
    const isSeen = this.#desktop.move(x, y);
    if (pressed !== 0) this.#restartBlink();
    if ((pressed & BUTTON.left) !== 0) this.#desktop.pressLeft(x, y);
    if ((released & BUTTON.left) !== 0) this.#desktop.releaseLeft(x, y);
    if ((pressed & BUTTON.right) !== 0) this.#desktop.pressRight(x, y);
    if ((pressed & BUTTON.wheelUp) !== 0) this.#desktop.wheel(x, y, -1);
    if ((pressed & BUTTON.wheelDown) !== 0) this.#desktop.wheel(x, y, 1);
    if (isSeen || pressed !== 0 || released !== 0) this.#touch();
    const isText = this.#desktop.isTextAt(x, y);
    if (isText === this.#isText) return;
    this.#isText = isText;
    this.#events.cursor(this.cursor);
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
    this.#touch();
  }

  /** A viewer's clipboard. It is kept for Ctrl+V and shown nowhere. */
  clipboard(text: string): void {
    this.#clipboard = text.slice(0, CLIPBOARD_LIMIT);
    this.#desktop.record("Clipboard", `Clipboard, ${[...this.#clipboard].length} characters`);
    this.#touch();
  }

  /** Takes another size and other monitors where it can; says whether it did. */
  resize(width: number, height: number, screens: readonly Screen[]): ResizeStatus {
    const status = judgeLayout({ width, height }, screens);
    if (status !== RESIZE_STATUS.done) return status;
    this.#framebuffer.resize(width, height);
    this.#screens = screens;
    this.#desktop.place({ width, height }, screens);
    this.#touch();
    this.#dirty = Region.of(this.#framebuffer.rect);
    return status;
  }

  #isHeld(modifier: Modifier): boolean {
    return [...this.#held].some((keysym) => modifierOf(keysym) === modifier);
  }

  /** Something happened that may be seen. Much may happen before it is drawn. */
  #touch(): void {
    const wasClean = !this.#isStale && this.#dirty.isEmpty;
    this.#isStale = true;
    if (wasClean) this.#events.damaged();
  }

  /** Finds out what looks different after what happened. */
  #refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const before = this.#drawing;
    this.#drawing = this.#desktop.draw(this.#isCaretShown);
    this.#dirty = this.#dirty.union(this.#drawing.changedSince(before));
  }

  #tick(): void {
    const date = this.#clock.date();
    this.#desktop.tell(date);
    this.#touch();
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
    this.#touch();
  }

  #blinkLater(): void {
    this.#cancelBlink = this.#clock.after(BLINK_MS, () => {
      this.#cancelBlink = null;
      const isOver = this.#clock.nowMs() - this.#usedAtMs >= BLINK_FOR_MS;
      if (isOver && this.#isCaretShown) return;
      this.#isCaretShown = !this.#isCaretShown;
      this.#touch();
      this.#blinkLater();
    });
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

/** Copies parts of a tile's pixels, made opaque, to where they belong in a framebuffer. */
function copyPart(rgba: Uint8ClampedArray, tile: Rect, part: readonly Rect[], target: Framebuffer): void {
  const from = new Uint32Array(rgba.buffer, rgba.byteOffset, tile.width * tile.height);
  const to = target.words;
  for (const r of part) {
    for (let y = r.y; y < r.y + r.height; y++) {
      const start = (y - tile.y) * tile.width + r.x - tile.x;
      const shift = y * target.width + r.x - start;
      for (let i = start; i < start + r.width; i++) to[i + shift] = (from[i] ?? 0) | OPAQUE;
    }
  }
}

/** Whether the demo can take a layout that a viewer asks for, rfbproto SetDesktopSize. */
function judgeLayout(size: Size, screens: readonly Screen[]): ResizeStatus {
  if (size.width * size.height > MOST_AREA) return RESIZE_STATUS.outOfResources;
  const isWhole = screens.length >= 1 && screens.length <= MOST_SCREENS;
  const isValid = screens.every(
    ({ id, rect }, i) =>
      rect.width >= LEAST.width &&
      rect.height >= LEAST.height &&
      holdsRect(rectOfSize(size), rect) &&
      screens.slice(0, i).every((other) => other.id !== id && !overlapRects(other.rect, rect)),
  );
  return isWhole && isValid ? RESIZE_STATUS.done : RESIZE_STATUS.invalidLayout;
}

const INK = "#16191d";
const EDGE = "#ffffff";

const ARROW = points([2, 2, 2, 18, 6, 14.4, 8.8, 20.4, 11.6, 19.2, 8.9, 13.4, 14, 13.2]);

/** The strokes of an I-beam 7 pixels wide. */
const BEAM = [points([2.5, 2.5, 8.5, 2.5]), points([5.5, 2.5, 5.5, 16.5]), points([2.5, 16.5, 8.5, 16.5])];

/** The pointer's picture as RFB sends it: dark with a light edge, so that it shows on every ground. */
function cursorOf(isText: boolean, typeface: Typeface): Cursor {
  const [size, hotspotX, hotspotY] = isText
    ? [{ width: 11, height: 19 }, 5, 9]
    : [{ width: 17, height: 23 }, 2, 2];
  const { canvas } = new Drawing(typeface).sprite("cursor", size, isText ? drawBeam : drawArrow);
  const { data } = canvas.getContext("2d").getImageData(0, 0, size.width, size.height);
  return { ...size, hotspotX, hotspotY, rgba: new Uint8Array(data) };
}

function drawBeam(drawing: Drawing): void {
  for (const stroke of BEAM) drawing.line(stroke, EDGE, 3);
  for (const stroke of BEAM) drawing.line(stroke, INK, 1);
}

function drawArrow(drawing: Drawing): void {
  drawing.polygon(ARROW, EDGE);
  drawing.line([...ARROW, ...ARROW.slice(0, 1)], EDGE, 3);
  drawing.polygon(ARROW, INK);
}

function points(flat: readonly number[]): readonly Point[] {
  return flat.flatMap((x, i) => (i % 2 === 0 ? [{ x, y: flat[i + 1] ?? 0 }] : []));
}
