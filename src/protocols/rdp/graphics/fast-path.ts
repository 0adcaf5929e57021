import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LIMIT } from "../numbers.ts";
import { defaultPointer, hidePointer, POINTER, readPointer } from "../pointer/pointer-update.ts";
import { readBitmaps } from "./bitmap-update.ts";
import { readPalette } from "./palette.ts";
import { readSurfaceCommands } from "./surface-commands.ts";

/** Update codes, MS-RDPBCGR 2.2.9.1.2.1. */
const CODE = {
  bitmap: 1,
  palette: 2,
  synchronise: 3,
  surfaceCommands: 4,
  pointerHidden: 5,
  pointerDefault: 6,
  pointerPosition: 8,
  pointerColour: 9,
  pointerCached: 10,
  pointerNew: 11,
  pointerLarge: 12,
} as const;

/** Where in a row of fragments an update is. */
const FRAGMENT = { whole: 0, last: 1, first: 2, next: 3 } as const;
const COMPRESSED = 0x80;
const FIRST_BUFFER_BYTES = 64 * 1024;

/** Fast-path updates of one connection, and the fragments of the one that is not whole yet. */
export class FastPath {
  readonly #c: ClientContext;
  #buffer = new Uint8Array(0);
  #size = 0;
  /** The code of the update whose fragments come; null: none. */
  #code: number | null = null;

  constructor(c: ClientContext) {
    this.#c = c;
  }

  /** Updates in a row, MS-RDPBCGR 2.2.9.1.2.1: U8 code, fragmentation and compression, U16 size, data. */
  receive(body: Uint8Array): void {
    const from = new LittleEndianReader(body, "graphics");
    while (from.left > 0) {
      const header = from.u8();
      if (header & COMPRESSED) {
        throw new RdpError(
          "bad_data",
          "graphics",
          "got a compressed update, expected none: compression was not offered",
        );
      }
      const code = header & 0x0f;
      const data = from.take(from.u16());
      const whole = this.#assemble(code, (header >> 4) & 0x03, data);
      if (whole !== null) readUpdate(code, new LittleEndianReader(whole, "graphics"), this.#c);
    }
  }

  /** A whole update, null while more is to come. */
  #assemble(code: number, fragment: number, data: Uint8Array): Uint8Array | null {
    if (fragment === FRAGMENT.whole) return data;
    if (fragment === FRAGMENT.first) {
      this.#code = code;
      this.#size = 0;
    } else if (this.#code !== code) {
      throw new RdpError("bad_data", "graphics", `got a fragment of update ${code} without its beginning`);
    }
    this.#append(data);
    if (fragment !== FRAGMENT.last) return null;
    this.#code = null;
    return this.#buffer.subarray(0, this.#size);
  }

  #append(data: Uint8Array): void {
    const size = this.#size + data.length;
    if (size > LIMIT.fragmentBytes) {
      throw new RdpError(
        "too_large",
        "graphics",
        `got fragments of ${size} bytes and more, expected at most ${LIMIT.fragmentBytes}`,
      );
    }
    if (size > this.#buffer.length) {
      let capacity = Math.max(FIRST_BUFFER_BYTES, this.#buffer.length);
      while (capacity < size) capacity *= 2;
      const grown = new Uint8Array(Math.min(capacity, LIMIT.fragmentBytes));
      grown.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = grown;
    }
    this.#buffer.set(data, this.#size);
    this.#size = size;
  }
}

function readUpdate(code: number, from: LittleEndianReader, c: ClientContext): void {
  switch (code) {
    case CODE.bitmap:
      from.skip(2);
      readBitmaps(from, c);
      break;
    case CODE.palette:
      from.skip(2);
      readPalette(from, c);
      break;
    case CODE.surfaceCommands:
      readSurfaceCommands(from, c);
      break;
    case CODE.pointerHidden:
      hidePointer(c);
      break;
    case CODE.pointerDefault:
      defaultPointer(c);
      break;
    case CODE.pointerColour:
      readPointer(POINTER.colour, from, c);
      break;
    case CODE.pointerCached:
      readPointer(POINTER.cached, from, c);
      break;
    case CODE.pointerNew:
      readPointer(POINTER.new, from, c);
      break;
    case CODE.pointerLarge:
      readPointer(POINTER.large, from, c);
      break;
    case CODE.synchronise:
    case CODE.pointerPosition: // where the host wants our pointer to be: ours is where we put it
      break;
    default:
      throw new RdpError(
        "unsupported",
        "graphics",
        `got fast-path update ${code}, expected bitmaps or pointers`,
      );
  }
}
