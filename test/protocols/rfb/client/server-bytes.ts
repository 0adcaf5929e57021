import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";

/** What a server says up to and with ServerInit, RFB 3.8 without a password. */
export function hello(width: number, height: number, name = "desk"): Uint8Array {
  return join(ascii("RFB 003.008\n"), Uint8Array.of(1, 1), u32(0), serverInit(width, height, name));
}

/** ServerInit; the announced pixel format is one that nobody uses, because the client asks for its own. */
export function serverInit(width: number, height: number, name = "desk"): Uint8Array {
  const text = new TextEncoder().encode(name);
  return new ByteWriter().u16(width).u16(height).pad(16).u32(text.length).put(text).bytes();
}

/** FramebufferUpdate with so many rectangles; their bytes follow. */
export function update(...rectangles: readonly Uint8Array[]): Uint8Array {
  return join(new ByteWriter().u8(0).pad(1).u16(rectangles.length).bytes(), ...rectangles);
}

export function rectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  encoding: number,
  body: Uint8Array = new Uint8Array(0),
): Uint8Array {
  return join(new ByteWriter().u16(x).u16(y).u16(width).u16(height).i32(encoding).bytes(), body);
}

/** Raw pixels of one colour, R, G, B, 0. */
export function solid(
  width: number,
  height: number,
  [r, g, b]: readonly [number, number, number],
): Uint8Array {
  return Uint8Array.from({ length: width * height * 4 }, (_, i) => [r, g, b, 0][i % 4] ?? 0);
}

export function u32(value: number): Uint8Array {
  return new ByteWriter().u32(value).bytes();
}

export function ascii(text: string): Uint8Array {
  return new ByteWriter().ascii(text).bytes();
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
