import type { Cursor } from "../../../framebuffer/cursor.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import { ENCODING, LIMIT } from "../numbers.ts";
import { RESIZE_STATUS, type ResizeStatus } from "../resize-status.ts";
import { putCursor } from "./cursor-writer.ts";
import { encodeName } from "./handshake.ts";
import type { UpdateWriter } from "./update-writer.ts";
import type { ViewerSettings } from "./viewer-settings.ts";

/** Who caused an ExtendedDesktopSize, rfbproto: the server itself, or the viewer that reads it. */
const REASON = { server: 0, thisViewer: 1 } as const;

/** The size and monitors as they are now. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly screens: readonly Screen[];
}

/** An answer to a viewer's SetDesktopSize. */
interface ResizeAnswer {
  readonly status: ResizeStatus;
}

/** Which lights of the keyboard are on. */
export interface Leds {
  readonly scrollLock: boolean;
  readonly numLock: boolean;
  readonly capsLock: boolean;
}

/** What a viewer is to be told beside pixels, each of it once: the pseudo-rectangles of its next update. */
export class Announcements {
  readonly #acknowledged = new Set<number>();
  #layout: "none" | "told" | "changed" = "none";
  #answer: ResizeAnswer | null = null;
  #cursor: Cursor | null | undefined = undefined;
  #name: string | undefined = undefined;
  #leds: Leds | undefined = undefined;

  get isEmpty(): boolean {
    return (
      this.#acknowledged.size === 0 &&
      this.#layout === "none" &&
      this.#answer === null &&
      this.#cursor === undefined &&
      this.#name === undefined &&
      this.#leds === undefined
    );
  }

  /** True where the viewer must learn of a new size before it may get pixels. */
  get isSizeDue(): boolean {
    return this.#layout === "changed";
  }

  /** Says that a pseudo-encoding which has no content of its own is understood. */
  acknowledge(number: number): void {
    this.#acknowledged.add(number);
  }

  /** Tells the monitors, which ServerInit could not. */
  tellLayout(): void {
    if (this.#layout === "none") this.#layout = "told";
  }

  changeLayout(): void {
    this.#layout = "changed";
  }

  answerResize(status: ResizeStatus): void {
    this.#answer = { status };
  }

  setCursor(cursor: Cursor | null): void {
    this.#cursor = cursor;
  }

  setName(name: string): void {
    this.#name = name;
  }

  setLeds(leds: Leds): void {
    this.#leds = leds;
  }

  /** Adds all that waits, as far as the viewer understands it, and forgets it. */
  put(update: UpdateWriter, settings: ViewerSettings, layout: Layout): void {
    for (const number of this.#acknowledged) update.begin(NOWHERE, number);
    this.#acknowledged.clear();
    const kind = settings.cursorKind;
    if (this.#cursor !== undefined && kind !== null)
      putCursor(update, this.#cursor, kind, settings.style.format);
    this.#cursor = undefined;
    if (this.#name !== undefined && settings.has(ENCODING.desktopName)) putName(update, this.#name);
    this.#name = undefined;
    if (this.#leds !== undefined) putLeds(update, this.#leds, settings);
    this.#leds = undefined;
    this.#putLayout(update, settings, layout);
  }

  /** Last: after DesktopSize the viewer's picture is another one (RFC 6143 section 7.8.2). */
  #putLayout(update: UpdateWriter, settings: ViewerSettings, layout: Layout): void {
    const answer = this.#answer;
    const state = this.#layout;
    this.#answer = null;
    this.#layout = "none";
    if (settings.has(ENCODING.extendedDesktopSize)) {
      if (answer !== null) putExtendedDesktopSize(update, REASON.thisViewer, answer.status, layout);
      // Viewers take a layout from no answer but that it is done.
      const isTold = answer?.status === RESIZE_STATUS.done;
      if (state !== "none" && !isTold) putExtendedDesktopSize(update, REASON.server, 0, layout);
    } else if (state === "changed" && settings.has(ENCODING.desktopSize)) {
      update.begin({ x: 0, y: 0, width: layout.width, height: layout.height }, ENCODING.desktopSize);
    }
  }
}

const NOWHERE: Rect = { x: 0, y: 0, width: 0, height: 0 };

/** DesktopName, rfbproto: U32 length, UTF-8 name. */
function putName(update: UpdateWriter, name: string): void {
  const bytes = encodeName(name);
  update.begin(NOWHERE, ENCODING.desktopName).u32(bytes.length).put(bytes);
}

/** LED state, rfbproto: U8 for QEMU's number, U32 for VMware's; bit 0 scroll lock, 1 num lock, 2 caps lock. */
function putLeds(update: UpdateWriter, leds: Leds, settings: ViewerSettings): void {
  const bits = (leds.scrollLock ? 1 : 0) | (leds.numLock ? 2 : 0) | (leds.capsLock ? 4 : 0);
  if (settings.has(ENCODING.qemuLeds)) update.begin(NOWHERE, ENCODING.qemuLeds).u8(bits);
  else if (settings.has(ENCODING.vmwareLeds)) update.begin(NOWHERE, ENCODING.vmwareLeds).u32(bits);
}

/**
 * ExtendedDesktopSize, rfbproto: x is the reason, y the status, then U8 number of screens, pad 3, and for each
 * U32 id, U16 x, U16 y, U16 width, U16 height, U32 flags.
 */
function putExtendedDesktopSize(update: UpdateWriter, reason: number, status: number, layout: Layout): void {
  const { width, height } = layout;
  const whole: Screen = { id: 1, rect: { x: 0, y: 0, width, height }, flags: 0 };
  const screens = layout.screens.length === 0 ? [whole] : layout.screens.slice(0, LIMIT.screens);
  const to = update.begin({ x: reason, y: status, width, height }, ENCODING.extendedDesktopSize);
  to.u8(screens.length).pad(3);
  for (const { id, rect, flags } of screens) {
    to.u32(id === 0 ? unusedId(screens) : id)
      .u16(rect.x)
      .u16(rect.y)
      .u16(rect.width)
      .u16(rect.height)
      .u32(flags);
  }
}

/**
 * libvncclient 0.9.14 takes a layout with a screen of id 0 for invalid and does not follow the new size
 * (2026-11); to the protocol ids only have to differ.
 */
function unusedId(screens: readonly Screen[]): number {
  const used = new Set(screens.map(({ id }) => id));
  let id = 1;
  while (used.has(id)) id++;
  return id;
}
