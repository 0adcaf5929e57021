import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import { RfbServer } from "../../../src/protocols/rfb/server/rfb-server.ts";
import { photoPicture } from "../../protocols/rfb/encodings/pictures.ts";
import { joinBytes, pixelsAt } from "../../protocols/rfb/encodings/wire.ts";
import { PORTS } from "../ports.ts";
import { type FuzzTarget, hashOf, piecesOf } from "../target.ts";

const WIDTH = 64;
const HEIGHT = 48;
const photo: Framebuffer = photoPicture(WIDTH, HEIGHT);
const picture = {
  width: WIDTH,
  height: HEIGHT,
  pixels: (r: { x: number; y: number }) => pixelsAt(photo, r.x, r.y),
};

/** An input's first byte: 0 offers None, 1 VncAuth that every answer passes. */
function run(input: Uint8Array, sizes: readonly number[]): string {
  const told: string[] = [];
  let sent = 0;
  let hash = 0;
  const server = new RfbServer(
    {
      name: "desk",
      width: WIDTH,
      height: HEIGHT,
      screens: [{ id: 1, rect: photo.rect, flags: 0 }],
      security: (input[0] ?? 0) & 1 ? [{ type: "vncAuth", verify: () => true }] : [{ type: "none" }],
    },
    PORTS,
    (bytes) => {
      sent += bytes.length;
      hash = hashOf(bytes, hash);
    },
    (event) => {
      // Requests that came together are one, so how often this is told depends on the pieces.
      if (event.type !== "updateWanted") told.push(JSON.stringify(event));
    },
  );
  for (const piece of piecesOf(input.subarray(1), sizes)) server.receive(piece);
  if (server.isUpdateWanted) server.update(picture, Region.from([photo.rect]));
  return `${told.join("\n")}\nsent ${sent} bytes, ${hash}`;
}

const text = (string: string): Uint8Array => new TextEncoder().encode(string);
const HELLO = joinBytes([text("RFB 003.008\n"), Uint8Array.of(1, 1)]);

const setPixelFormat = (bits: number, max: number, shift: number): Uint8Array => {
  const to = new ByteWriter().u8(0).pad(3).u8(bits).u8(bits).u8(0).u8(1);
  to.u16(max).u16(max).u16(max).u8(0).u8(shift);
  return to
    .u8(shift * 2)
    .pad(3)
    .bytes();
};
const setEncodings = (...numbers: readonly number[]): Uint8Array => {
  const to = new ByteWriter().u8(2).pad(1).u16(numbers.length);
  for (const number of numbers) to.i32(number);
  return to.bytes();
};
const request = Uint8Array.of(3, 0, 0, 0, 0, 0, 0, WIDTH, 0, HEIGHT);

const MESSAGES: readonly Uint8Array[] = [
  setPixelFormat(8, 3, 2),
  setPixelFormat(16, 31, 5),
  setPixelFormat(32, 255, 8),
  ...[0, 2, 5, 6, 7, 16, -260].map((number) => joinBytes([setEncodings(number, 1, -223, -28), request])),
  setEncodings(7, -239, -314, -308, -258, -312, -313, -307, 0xc0a1e5ce | 0),
  Uint8Array.of(4, 1, 0, 0, 0, 0, 0, 97),
  Uint8Array.of(5, 1, 0, 9, 0, 9),
  Uint8Array.of(6, 0, 0, 0, 0, 0, 0, 2, 104, 105),
  Uint8Array.of(6, 0, 0, 0, 255, 255, 255, 248, 0x1f, 0, 0, 1, 0, 4, 0, 0),
  Uint8Array.of(150, 1, 0, 0, 0, 0, 0, 64, 0, 48),
  Uint8Array.of(248, 0, 0, 0, 0x80, 0, 0, 1, 1, 9),
  Uint8Array.of(251, 0, 0, 80, 0, 60, 1, 0, ...new Uint8Array(8), 0, 80, 0, 60, 0, 0, 0, 0),
  Uint8Array.of(255, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 30),
];

/** Our side toward viewers, from their first byte on. */
export const serverTarget: FuzzTarget = {
  name: "server",
  seeds: () => [
    ...MESSAGES.map((message) => joinBytes([Uint8Array.of(0), HELLO, message])),
    joinBytes([Uint8Array.of(0), HELLO, ...MESSAGES]),
    joinBytes([Uint8Array.of(1), text("RFB 003.003\n"), new Uint8Array(17), request]),
    joinBytes([Uint8Array.of(1), text("RFB 003.007\n"), Uint8Array.of(2), new Uint8Array(17), request]),
  ],
  run,
};
