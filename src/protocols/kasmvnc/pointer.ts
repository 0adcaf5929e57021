import { ByteWriter } from "../byte-writer.ts";
import type { Scroll } from "../rfb/client/dialect.ts";
import { KASM_CLIENT_MESSAGE } from "./numbers.ts";

/** Scroll units of one notch (KasmVNC 1.5.0, 2026-11-21); the server adds them up. */
const NOTCH = 50;

/**
 * PointerEvent of KasmVNC since 1.0.0, 11 bytes: U16 mask (bit n: X button n + 1, so 7 is back and 8 forward), U16 x,
 * U16 y, S16 scroll x, S16 scroll y (right and down positive).
 */
export function kasmPointerEvent(x: number, y: number, buttons: number, scroll: Scroll): Uint8Array {
  return new ByteWriter(11)
    .u8(KASM_CLIENT_MESSAGE.pointerEvent)
    .u16(buttons & 0xffff)
    .u16(x)
    .u16(y)
    .i16(scrollUnits(scroll.x))
    .i16(scrollUnits(scroll.y))
    .bytes();
}

function scrollUnits(notches: number): number {
  return Math.max(-0x8000, Math.min(0x7fff, Math.round(notches * NOTCH)));
}
