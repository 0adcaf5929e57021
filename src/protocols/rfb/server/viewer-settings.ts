import { type PixelFormat, RGBX } from "../../../framebuffer/pixel-format.ts";
import type { Encoding } from "../encodings/encoding.ts";
import { ALL_ENCODINGS } from "../encodings/list.ts";
import { raw } from "../encodings/raw.ts";
import { ENCODING } from "../numbers.ts";
import type { PixelStyle } from "./server-context.ts";

/** JPEG quality of the quality levels 0 to 9, as TigerVNC and TurboVNC have them. */
const JPEG_QUALITY = [15, 29, 41, 42, 62, 77, 79, 86, 92, 100] as const;

/** Level 9 costs many times level 6 for a few percent: a viewer cannot make us burn the processor. */
const MAX_COMPRESS_LEVEL = 6;
const DEFAULT_COMPRESS_LEVEL = 1;

const ENCODERS: readonly Encoding[] = ALL_ENCODINGS.filter(({ encode }) => encode !== undefined);

/** How a viewer's cursor wants to be sent, best first; null where the viewer draws none. */
export type CursorKind = "withAlpha" | "vmware" | "masked" | null;

/** What a viewer asked for by SetPixelFormat and SetEncodings. Nothing else is ever sent to it. */
export class ViewerSettings {
  #numbers: ReadonlySet<number> = new Set();
  #cursorKind: CursorKind = null;
  #hasCopyRect = false;
  #style: PixelStyle = {
    encoding: raw,
    format: RGBX,
    jpegQuality: null,
    compressLevel: DEFAULT_COMPRESS_LEVEL,
  };

  /** The first encoding of the viewer's list that we have, Raw where there is none; compressLevel up to MAX_COMPRESS_LEVEL. */
  get style(): PixelStyle {
    return this.#style;
  }

  set format(format: PixelFormat) {
    this.#style = { ...this.#style, format };
  }

  /** Asked of every viewer at every update, as is `hasCopyRect`. */
  get cursorKind(): CursorKind {
    return this.#cursorKind;
  }

  get hasCopyRect(): boolean {
    return this.#hasCopyRect;
  }

  /** True where the viewer follows a change of size. */
  get takesResize(): boolean {
    return this.has(ENCODING.extendedDesktopSize) || this.has(ENCODING.desktopSize);
  }

  /** True where it shows the lights of the keyboard. */
  get showsLeds(): boolean {
    return this.has(ENCODING.qemuLeds) || this.has(ENCODING.vmwareLeds);
  }

  /** Without Fence there is no telling how far behind a viewer is: then there are no continuous updates. */
  get offersFlow(): boolean {
    return this.has(ENCODING.continuousUpdates) && this.has(ENCODING.fence);
  }

  /** Who wants exact pixels gets no films, and who has the pointer drawn in another picture each. */
  get takesFilms(): boolean {
    return this.has(ENCODING.h264) && this.#style.jpegQuality !== null && this.#cursorKind !== null;
  }

  has(number: number): boolean {
    return this.#numbers.has(number);
  }

  /** Takes a viewer's list, in its order of preference; returns what it did not offer before. */
  setEncodings(numbers: readonly number[]): ReadonlySet<number> {
    const before = this.#numbers;
    this.#numbers = new Set(numbers);
    this.#cursorKind = cursorKindOf(this.#numbers);
    this.#hasCopyRect = this.has(ENCODING.copyRect);
    const preferred = numbers.find((number) => encoderOf(number) !== undefined);
    const encoding = (preferred === undefined ? undefined : encoderOf(preferred)) ?? raw;
    const quality = levelWithin(numbers, ENCODING.jpegQuality0, ENCODING.jpegQuality9);
    const jpegQuality = quality === null ? null : (JPEG_QUALITY[quality] ?? null);
    const level = levelWithin(numbers, ENCODING.compressLevel0, ENCODING.compressLevel9);
    const compressLevel = Math.min(MAX_COMPRESS_LEVEL, Math.max(1, level ?? DEFAULT_COMPRESS_LEVEL));
    this.#style = { encoding, format: this.#style.format, jpegQuality, compressLevel };
    return new Set(numbers.filter((number) => !before.has(number)));
  }
}

function cursorKindOf(numbers: ReadonlySet<number>): CursorKind {
  if (numbers.has(ENCODING.cursorWithAlpha)) return "withAlpha";
  if (numbers.has(ENCODING.vmwareCursor)) return "vmware";
  return numbers.has(ENCODING.cursor) ? "masked" : null;
}

function encoderOf(number: number): Encoding | undefined {
  return ENCODERS.find((encoding) => encoding.number === number);
}

/** The first number within a range of levels, counted from 0; null where there is none. */
function levelWithin(numbers: readonly number[], first: number, last: number): number | null {
  const found = numbers.find((number) => number >= first && number <= last);
  return found === undefined ? null : found - first;
}
