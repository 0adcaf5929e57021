import type { Cursor } from "../../../framebuffer/cursor.ts";
import { RdpError } from "../error.ts";
import { LIMIT } from "../numbers.ts";

/** Pointers the host may name again by their place. */
export class PointerCache {
  readonly #pointers = new Map<number, Cursor>();

  /** Throws RdpError for a place beyond those that were offered. */
  put(index: number, pointer: Cursor): void {
    // xrdp counts to the size it was told, and not below it (0.9.21, 2026-11-21).
    if (index > LIMIT.pointerCache) {
      throw new RdpError(
        "bad_data",
        "pointer",
        `got place ${index} of a pointer, expected at most ${LIMIT.pointerCache}`,
      );
    }
    this.#pointers.set(index, pointer);
  }

  /** Throws RdpError where nothing was put there. */
  get(index: number): Cursor {
    const pointer = this.#pointers.get(index);
    if (pointer !== undefined) return pointer;
    throw new RdpError("bad_data", "pointer", `got place ${index} of a pointer, where none was put`);
  }
}
